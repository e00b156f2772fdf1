"""Records of the gate: the call that asks, what is found in it, and the decision with its
reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from text.sentences import Said, sentence

Risk = Literal[
    "delete", "send", "install", "spend", "system", "change", "memory", "schedule", "secret",
    "outside", "unknown", "catastrophic", "agent", "session", "forbidden",
]  # fmt: skip
# Words of the owner by any name; all others are foreign.
_OWN = {"", "owner", "user", "self", "own", "main", "local", "none", "request", "home", "trusted"}


class Finding(NamedTuple):
    """One thing that a call would do. `command` is the program's name.

    `is_local`: it reaches files of this machine alone. A stage shows that before it happens.
    `is_target`: a yes for the run holds for this very target.
    """

    risk: Risk
    said: Said
    command: str = ""
    is_local: bool = False
    is_target: bool = False

    @property
    def reason(self) -> str:
        """Return the reason in English."""
        return sentence("en", self.said)


def found(
    risk: Risk,
    key: str,
    *,
    command: str = "",
    is_local: bool = False,
    is_target: bool = False,
    **values: Any,
) -> Finding:
    """Return a finding; `key` is that of its sentence in assets/words, without `gate.`."""
    said = Said(f"gate.{key}", {name: str(value) for name, value in values.items()})
    return Finding(risk, said, command, is_local, is_target)


def foreign(origins: Iterable[str]) -> tuple[str, ...]:
    """Return the origins that are not the owner; a word that nobody knows is foreign."""
    return tuple(sorted({each for each in origins if each.strip().casefold() not in _OWN}))


class Ask(NamedTuple):
    """A call that waits at the gate. `paths` are those that the tool names, with links followed.

    `effects` of a tool that is not ours are empty: its name says what it does.
    """

    tool: str
    args: dict[str, Any]
    effects: tuple[str, ...]
    paths: tuple[Path, ...]
    session: str  # "main", or another: shared
    request: str = ""  # what the owner asked for
    origin: tuple[str, ...] = ()  # whose words the run has read besides the owner's
    attended: bool = True  # somebody is there to be asked now
    hints: Mapping[str, Any] = MappingProxyType({})  # what the tool or its server declares
    read: Callable[[], Iterable[str]] = tuple  # the results that the model has before it
    stage: bool = False  # it works on a copy: what it does to files is judged when it is seen

    @property
    def is_tainted(self) -> bool:
        """Return True once the model has read words that are not the owner's."""
        return bool(foreign(self.origin))

    @property
    def has_read(self) -> bool:
        """Return True once a tool has told the model anything: what it sends from then on may carry
        that."""
        return any(True for _ in self.read())


class Decision(NamedTuple):
    """Hold what the gate says of a call. `said` are the reasons by key, `reason` is them in
    English.

    `risk` is "none" or the risk that decided; `risks` are all that were found, allowed or not, by
    which the sandbox goes. `scope`: what a yes "for this run" holds for. `pinned`: the hash of the
    files that the script names, as they are now; a yes holds for no others.
    """

    decision: Literal["allow", "confirm", "refuse"]
    risk: str
    said: tuple[Said, ...] = ()
    risks: tuple[str, ...] = ()
    scope: str = ""
    pinned: str = ""

    @property
    def listed(self) -> list[list[Any]]:
        """Return the reasons as a log keeps them."""
        return [[each.key, dict(each.values)] for each in self.said]

    @property
    def reason(self) -> str:
        """Return the reasons in English."""
        return "; ".join(sentence("en", each) for each in self.said)
