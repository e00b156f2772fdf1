"""Take skills from elsewhere into quarantine: from a folder or a zip, read under limits and scanned.

Nothing that comes in is executed, linked to or trusted until its owner lets it in.
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from learning.imports.findings import Finding as Finding
    from learning.imports.findings import scan as scan
    from learning.imports.skills import Skill as Skill
    from learning.imports.skills import find_skills as find_skills
    from learning.imports.skills import findings_of as findings_of
    from learning.imports.skills import release as release
    from learning.imports.skills import store as store
    from learning.imports.sources import ImportRefused as ImportRefused
else:
    __getattr__ = lazy(__name__)
