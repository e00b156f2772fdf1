"""Bound a run that nobody started by hand: a helper by the run that it works for, an item by
autonomous mode. And answer in the owner's place: nobody, a no to everything, or a yes to what would
be asked.

Bounds stand in the run's first event, so that whoever resumes the run, and whenever, is held by the
same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from handler import Approval, Confirmation, Owner
from tools.base import Tool
from tools.registry import Family

DEEPEST = 2  # a helper of a helper has none
NOT_FOR_HELPERS = {"ask_user"}  # it answers with what is missing; the run that it works for may ask
HELPERS = "helpers"  # the family


@dataclass(frozen=True, slots=True)
class Bounds:
    """`request`: the owner's own words, by which the gate goes; a task that a model wrote names
    nobody to it.

    `cost_usd` and `minutes` are this run's share. `tools`: what it may use; None: all. `folder`:
    autonomous mode's own, where it writes; "": the run is not in that mode. `item`: what autonomous
    mode calls what it works on.
    """

    request: str
    approve: Literal["ask", "never", "all"] = "ask"
    model: str | None = None
    turns: int | None = None
    cost_usd: float | None = None
    minutes: float | None = None
    parent: str = ""
    depth: int = 0
    tools: tuple[str, ...] | None = None
    folder: str = ""
    item: str = ""

    @classmethod
    def of(cls, opening: Mapping[str, Any]) -> Bounds | None:
        """Return those of a run, by its first event; None: its owner started it."""
        found = opening.get("bounds")
        if found is None:
            return None
        tools = found.get("tools")
        return replace(cls(**found), tools=None if tools is None else tuple(tools))

    def as_fields(self) -> dict[str, Any]:
        """Return the fields of `run_started`."""
        return {**({"parent": self.parent} if self.parent else {}), "bounds": asdict(self)}

    @property
    def is_alone(self) -> bool:
        """Return True in autonomous mode."""
        return bool(self.folder)

    def core(self, tools: Mapping[str, Tool]) -> dict[str, Tool]:
        """Return those of the core tools that the run has."""
        if self.parent:
            tools = {
                n: tool
                for n, tool in tools.items()
                if n not in NOT_FOR_HELPERS and "memory" not in tool.effects
            }
        if self.tools is None:
            return dict(tools)
        return {name: tool for name, tool in tools.items() if name in self.tools}

    def families(self, families: Mapping[str, Family]) -> dict[str, Family]:
        """Return those of the families that the run has, with the tools of them that it has."""
        found = dict(families)
        if self.depth >= DEEPEST:
            found.pop(HELPERS, None)
        if self.tools is None:
            return found
        held = {
            name: tuple(tool for tool in family.tools if tool in self.tools)
            for name, family in found.items()
        }
        return {name: found[name]._replace(tools=tools) for name, tools in held.items() if tools}


def auto_folder(home: Path, configured: Path | None) -> Path:
    """Return the folder of autonomous mode. It does not lie in the home folder: nothing that a
    model writes does."""
    return configured or home.with_name(f"{home.name}-auto")


class AbsentOwner:
    """Nobody is here: the run leaves its question in the inbox and waits on disk."""

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        """Do nothing: nobody is here."""
        return None

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        """Do nothing: nobody is here."""
        return None

    def secret(self, question: str) -> str | None:
        """Do nothing: nobody is here."""
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
    """Return who answers by `--approve`: `present`, or nobody; only with "ask" somebody is
    asked."""
    nobody = AbsentOwner()
    if approve == "never":
        return RefusingOwner(nobody)
    if approve == "all":
        return ApprovingJobs(nobody) if is_job else ApprovingOwner(nobody)
    return present or nobody


def is_attended(approve: str, owner: Owner) -> bool:
    """Return True if somebody is here who answers what --approve leaves open."""
    return approve == "ask" and not isinstance(owner, AbsentOwner)
