"""Allow a call, ask about it or refuse it: by its tool, its script, and what a stage shows that it
changed.

A decision says why by keys of assets/words; a screen puts them into its reader's language.
"""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from safety.findings import Ask as Ask
    from safety.findings import Decision as Decision
    from safety.gate.alone import alone_settings as alone_settings
    from safety.gate.gate import LEAVE_SANDBOX as LEAVE_SANDBOX
    from safety.gate.gate import Gate as Gate
    from safety.gate.judging import Question as Question
    from safety.gate.judging import judge_changes as judge_changes
    from safety.gate.shared_sessions import SHARED_TOOLS as SHARED_TOOLS
else:
    __getattr__ = lazy(__name__)
