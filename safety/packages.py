"""Package managers by their verbs: those that only tell, build or test pass, all others change what is installed."""

from __future__ import annotations

from collections.abc import Sequence

from safety.tables import names

_TELLS = names(
    "list ls show info search view status help version outdated check doctor env which why config"
)
# Those whose verbs are few and known: what passes beside `_TELLS`.
_VERBS = {
    "apt": names("policy depends rdepends showsrc changelog source download moo indextargets madison showpkg"),
    "brew": names("deps uses leaves home log desc options cat shellenv commands missing formulae casks analytics tap-info fetch update --prefix --cellar --cache --repository --env"),
    "snap": names("find changes tasks services logs known connections interfaces whoami warnings model"),
    "flatpak": names("history ps remotes remote-ls remote-info permissions documents run"),
    "pip": names("freeze index inspect debug hash cache"),
    "gem": names("query contents environment specification dependency build"),
    "npm": names("run run-script test t tst start stop restart la ll v audit explain find root bin prefix get ping whoami pack query fund completion docs repo bugs home diff cache pkg sbom version rebuild"),
    "rustup": names("doc run man completions toolchain target component"),
    "port": names("installed contents provides deps variants"),
    "choco": names(""), "winget": names("source"), "scoop": names("cat home prefix bucket"),
}  # fmt: skip
_VERBS |= {"apt-get": _VERBS["apt"], "aptitude": _VERBS["apt"], "pip3": _VERBS["pip"]}
# Verbs of things, of which the next word says what is done: `rustup target list`.
_OF_THINGS = names("toolchain target component config cache source bucket")
_CHANGE = names(
    "set delete edit unset purge remove add install uninstall clean rm update reset link default"
)


def changes(name: str, operands: Sequence[str | None], values: Sequence[str | None]) -> bool:
    """Whether a package manager that is known here changes what is installed. A verb that is not known does."""
    if name == "pacman":
        return not any(
            value and value[:2] in ("-Q", "-F", "-T", "-V", "-h") for value in values
        ) and not any(
            value and value.startswith("-S") and set(value[2:]) & set("silgp") for value in values
        )
    passing = _VERBS.get(name)
    if passing is None:
        return False
    words = [value or "?" for value in (operands or [next(iter(values), "help")])]
    first = (next(iter(values), "") or "").partition("=")[0]
    verb = first if first in passing else words[0]
    if verb in _OF_THINGS and words[1:2] and words[1] in _CHANGE:
        return True
    return (
        verb not in _TELLS and verb not in passing and not (verb.startswith("-") and len(verb) <= 9)
    )
