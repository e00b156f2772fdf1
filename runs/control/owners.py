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


class RefusingOwner:
    """`--approve never`: what would be asked is refused at once. Questions go to `present`."""

    def __init__(self, present: Owner) -> None:
        self._present = present

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        """Passed on."""
        return self._present.ask(id, question, candidates)

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        """No."""
        return Approval("no", "--approve never")

    def secret(self, question: str) -> str | None:
        """Passed on."""
        return self._present.secret(question)


class ApprovingOwner:
    """`--approve all`: what would be asked is allowed; what the gate refuses stays refused. Questions go to `present`."""

    def __init__(self, present: Owner) -> None:
        self._present = present

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        """Passed on."""
        return self._present.ask(id, question, candidates)

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        """Yes, this once."""
        return Approval("once", "--approve all")

    def secret(self, question: str) -> str | None:
        """Passed on."""
        return self._present.secret(question)


def absent(approve: str) -> Owner:
    """Return who answers where nobody is, by --approve."""
    if approve == "never":
        return RefusingOwner(AbsentOwner())
    return ApprovingOwner(AbsentOwner()) if approve == "all" else AbsentOwner()


def is_attended(approve: str, owner: Owner) -> bool:
    """Return True if somebody is here who answers what --approve leaves open."""
    return approve == "ask" and not isinstance(owner, AbsentOwner)
