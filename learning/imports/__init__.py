"""Take skills from elsewhere into quarantine: from a folder, a zip or a git address, read under
limits and scanned.

Nothing that comes in is executed, linked to or trusted until its owner lets it in.
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from learning.imports.cloning import ImportRefused as ImportRefused
    from learning.imports.findings import Finding as Finding
    from learning.imports.findings import scan as scan
    from learning.imports.skills import Skill as Skill
    from learning.imports.skills import find_skills as find_skills
    from learning.imports.skills import findings_of as findings_of
    from learning.imports.skills import release as release
    from learning.imports.skills import store as store
else:
    __getattr__ = lazy(__name__)
