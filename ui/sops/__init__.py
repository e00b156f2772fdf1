"""The commands `sops …`, and what other screens show and read of an SOP.

`teaching/` holds `teach`."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.sops.sops import NO as NO
    from ui.sops.sops import as_word as as_word
    from ui.sops.sops import choice_as_json as choice_as_json
    from ui.sops.sops import choice_of as choice_of
    from ui.sops.sops import entries as entries
    from ui.sops.sops import entry as entry
    from ui.sops.sops import parameters as parameters
    from ui.sops.sops import roots as roots
else:
    __getattr__ = lazy(__name__)
