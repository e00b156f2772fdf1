"""Tell what a script would do: a list of effects, command by command, as far as its words tell.

Files are named, not looked for; what a place means (a home, a key, a root) is judged in safety/.
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from shell.effects.known import GUARDED as GUARDED
    from shell.effects.known import MADE as MADE
    from shell.effects.known import PROXIES as PROXIES
    from shell.effects.records import Effect as Effect
    from shell.effects.records import Setting as Setting
    from shell.effects.statements import changes_sql as changes_sql
    from shell.effects.walk import scan as scan
else:
    __getattr__ = lazy(__name__)
