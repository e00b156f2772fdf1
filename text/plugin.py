"""The seam for what is optional: load it from the part of ours, or of an installed package, that
declares it.

A package declares an entry point in the group `sopwith.plugins`, named `KIND.NAME`, such as
`family.weather = "sopwith_weather:FAMILY"`; `plugins: [weather]` in config.yaml asks for it.
Nothing is imported, and no package is looked up, that nobody asks for. The kinds: `family` (of
tools); `graph`, `queue` and `vectors`, of which config.yaml or the environment names one. Backends
of ours stand in assets/plugins.json like those of a package.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from config import ConfigError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "sopwith.plugins"
OWN = Path(__file__).resolve().parents[1] / "assets" / "plugins.json"


def found(kind: str, names: Iterable[str]) -> dict[str, Any]:
    """Load the plugins of one kind by name, in order. Raises ConfigError where one does not
    load."""
    return {point.name.partition(".")[2]: _loaded(point) for point in _points(kind, names)}


def check(names: Iterable[str]) -> None:
    """Raise ConfigError for a name that no installed package declares."""
    declared = {name.partition(".")[2] for name in _declared()}
    for name in names:
        if name not in declared:
            known = ", ".join(sorted(declared)) or "none"
            raise ConfigError("error.plugins.none", name=repr(name), known=known)


def one(kind: str, name: str) -> Any:
    """Load one backend, of ours or of an installed package. Raises ConfigError where there is none
    of this name."""
    known = _backends(kind)
    if name not in known:
        names = ", ".join(sorted(known))
        raise ConfigError("error.plugins.no-backend", kind=kind, name=repr(name), known=names)
    return _loaded(known[name])


def has(kind: str, name: str) -> bool:
    """Return True if there is such a backend."""
    return name in _backends(kind)


@cache
def _backends(kind: str) -> dict[str, EntryPoint]:
    """Return the backends of a kind by name; a package does not stand in for one of ours."""
    from importlib.metadata import EntryPoint  # costs more than the whole file

    own = json.loads(OWN.read_text("utf-8"))
    found = _declared() | {each: EntryPoint(each, own[each], GROUP) for each in own}
    return {name[len(kind) + 1 :]: found[name] for name in found if name.startswith(f"{kind}.")}


def _points(kind: str, names: Iterable[str]) -> Iterator[EntryPoint]:
    if wanted := [f"{kind}.{name}" for name in names]:
        points = _declared()
        yield from (points[name] for name in wanted if name in points)


def _declared() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP)}


def _loaded(point: EntryPoint) -> Any:
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        package = point.dist.name if point.dist else "?"
        raise ConfigError(
            "error.plugins.broken", name=point.name, package=package, error=error
        ) from error
