"""Answer in the owner's place: nobody, a no to everything, or a yes to what would be asked."""

from __future__ import annotations

from handler import Approval, Confirmation, Owner


class AbsentOwner:
    """Nobody is here: the run leaves its question in the inbox and waits on disk."""

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        """Not here."""
        return None

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        """Not here."""
        return None

    def secret(self, question: str) -> str | None:
        """Not here."""
        return None


class _InFront:
    """Pass questions on to `present`; a subclass decides what may happen."""

    def __init__(self, present: Owner) -> None:
        self._present = present

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        """Pass the question on."""
        return self._present.ask(id, question, candidates)

    def secret(self, question: str) -> str | None:
        """Pass the question on."""
        return self._present.secret(question)


class RefusingOwner(_InFront):
    """Refuse at once what would be asked (`--approve never`)."""

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        """Say no."""
        return Approval("no", "--approve never")


class ApprovingOwner(_InFront):
    """Allow what would be asked (`--approve all`); what the gate refuses stays refused."""

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        """Say yes, this once."""
        return Approval("once", "--approve all")


class ApprovingJobs(ApprovingOwner):
    """Allow a job all but more jobs: a job that makes jobs would make them without end."""

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        """Say yes, or let it wait."""
        return None if confirmation.risk == "schedule" else super().confirm(confirmation)


def owner_by(approve: str, present: Owner | None = None, *, is_job: bool = False) -> Owner:
    """Return who answers by `--approve`: `present`, or nobody; only with "ask" somebody is asked."""
    nobody = AbsentOwner()
    if approve == "never":
        return RefusingOwner(nobody)
    if approve == "all":
        return ApprovingJobs(nobody) if is_job else ApprovingOwner(nobody)
    return present or nobody


def is_attended(approve: str, owner: Owner) -> bool:
    """Return True if somebody is here who answers what --approve leaves open."""
    return approve == "ask" and not isinstance(owner, AbsentOwner)
