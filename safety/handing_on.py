"""Programs that hand a command line on: to a terminal of its own, to a watcher, to another machine. It is looked at like one here."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from safety import code, interpreters
from safety.expand import Arg
from safety.options import behind, operands_of
from safety.shell import Command
from safety.tables import names

if TYPE_CHECKING:
    from safety.commands import Look

_TERMINALS = ("xterm", "uxterm", "urxvt", "rxvt", "st", "konsole", "alacritty", "terminator", "lxterminal", "tilix", "foot", "x-terminal-emulator", "qterminal", "gnome-terminal", "xfce4-terminal", "mate-terminal", "kgx")  # fmt: skip
# Program → the options whose value is a command line, in one word.
_IN_A_WORD: dict[str, str] = {
    **dict.fromkeys(_TERMINALS, "-e -x --execute --command"),
    "nix-shell": "--run --command", "vagrant": "-c --command", "gcloud": "--command", "az": "--scripts", "aws": "--parameters", "fly": "-C --command", "flyctl": "-C --command",
    "nodemon": "-x --exec", "watchmedo": "--command -c", "cargo": "-s --shell", "nc": "-c -e", "ncat": "-c -e --sh-exec --exec", "ssh": "-o", "rsync": "-e --rsh --rsync-path",
    "gdb": "-ex --ex --eval-command", "lldb": "-o --one-line", "expect": "-c", "tcpdump": "-z", "bind": "-x", "socat": "",
}  # fmt: skip
# Program → the words behind which the rest of the line is a command.
_BEHIND_WORD: dict[str, str] = {
    **dict.fromkeys(_TERMINALS, "-e -x --execute --"),
    "nix": "-c --command", "guix": "--", "zellij": "--", "wezterm": "--", "reflex": "--", "watchexec": "--", "wsl": "-e --exec --", "toolbox": "--", "heroku": "--",
}  # fmt: skip
# Program → its options with a value, and how many plain words stand before the command.
_BEHIND: dict[str, tuple[str, int]] = {
    "screen": ("-S -c -h -p -r -s -t -T -X", 0), "dtach": ("-r", 1), "abduco": ("-r", 1), "kitty": ("-o --override -T --title -d --directory", 0), "foot": ("", 0),
    "conda run": ("-n -p --name --prefix --cwd", 1), "mamba run": ("-n -p --name --prefix --cwd", 1), "heroku run": ("-a --app -r", 1), "adb shell": ("-s -t", 1), "ip netns": ("", 3),
    "wsl": ("-d --distribution -u --user --cd", 0), "plink": ("-P -l -pw -i", 1), "psexec": ("-u -p", 1), "autossh": ("-M -i -p -l -o -F -L -R -D -J", 1), "machinectl shell": ("--uid", 2),
    "watchexec": ("-w -e -f", 0), "daemonize": ("-c -e -o -p -l -u -E", 0), "softlimit": ("", 0), "setlock": ("", 1), "sem": ("-j --id", 0), "cpulimit": ("-l -p -e -P", 0), "dbus-launch": ("", 0),
}  # fmt: skip
_EACH_WORD = {"concurrently"}
_TMUX = names("new new-session neww new-window splitw split-window respawnp respawn-pane respawnw respawn-window run run-shell if if-shell popup display-popup pipe-pane pipep")  # fmt: skip
_TMUX_TYPES = {"send", "send-keys"}
_TMUX_VALUED = "-s -t -n -c -e -F -x -y -l -b -w -h -T -S -L -f"
_ENTER = names("Enter C-m KPEnter C-j")
# What stands in front of a command: an order of a debugger or of expect, the name of a setting, a key.
_ORDER = re.compile(
    r"^\s*(?:(?:EXEC|SYSTEM|SHELL):|spawn(?:\s+-\w+)*|exec|system|send(?:\s+--)?|shell|platform shell|!|commands=|(?:Proxy|Local|Remote)Command[= ]|[\"'][^\"']*[\"']\s*:)\s*",
    re.IGNORECASE,
)
PROGRAMS = frozenset(
    {
        *_IN_A_WORD,
        *_BEHIND_WORD,
        *(name.partition(" ")[0] for name in _BEHIND),
        *_EACH_WORD,
        "tmux",
        "emacs",
    }
)


def judge(
    look: Look, name: str, args: list[Arg], values: list[str | None], command: Command
) -> None:
    """Looks at what one of `PROGRAMS` hands on."""
    if name == "tmux":
        _tmux(look, args, values, command)
        return
    if name == "emacs":
        _emacs(look, values)
        return
    at = next(
        (n for n, value in enumerate(values) if value in _BEHIND_WORD.get(name, "").split()), None
    )
    for text in _in_words(name, values):
        look.nested(_ordered(text))
    if name == "screen" and "stuff" in values:
        look.nested([_typed(values[values.index("stuff") + 1 :])])
    elif at is not None:
        _rest(look, args[at + 2 :], command)
    elif rule := _BEHIND.get(name) or _BEHIND.get(
        f"{name} {next(iter(operands_of(name, values)), '')}"
    ):
        _rest(look, behind(args, *rule), command)


def _in_words(name: str, values: list[str | None]) -> list[str]:
    """The words that are a command line each."""
    if name in _EACH_WORD or name == "socat":
        return [value for value in values if value and (name == "socat" or " " in value)]
    options = _IN_A_WORD.get(name, "").split()
    found = [after for before, after in itertools.pairwise(values) if before in options and after]
    glued = [
        value.split("=", 1) for value in values if value and "=" in value and value.startswith("-")
    ]
    return found + [text for option, text in glued if option in options]


def _ordered(text: str) -> list[str]:
    """The command lines in a word that gives orders: `spawn rm x; interact`, `shell rm x`, `ProxyCommand=rm x`."""
    pieces = (
        [_ORDER.sub("", piece) for piece in re.split(r"[;\n]", text)]
        if _ORDER.match(text)
        else [text]
    )
    return [
        _unquoted(piece.strip())
        for piece in pieces
        if piece.strip() and not piece.startswith(("nosleep", "pty,"))
    ]


def _unquoted(text: str) -> str:
    found = re.fullmatch(r"([\"'\[{])(.*?)(\\[nr])?[\"'\]}]", text, re.DOTALL)
    return found[2] if found else text


def _typed(values: list[str | None]) -> str:
    """Keys that are typed into a shell."""
    text = " ".join(value or "?" for value in values if value not in _ENTER)
    return re.sub(r"(\\(n|r|015|012)|\^M)+$", "", text)


def _tmux(look: Look, args: list[Arg], values: list[str | None], command: Command) -> None:
    at = next((n for n, value in enumerate(values) if value in _TMUX | _TMUX_TYPES), None)
    if at is not None and values[at] in _TMUX_TYPES:
        keys = behind(args[at + 1 :], "-t -N", 0)
        look.nested([_typed([arg.text for arg in keys])])
    elif at is not None:
        _rest(look, behind(args[at + 1 :], _TMUX_VALUED, 0), command)


def _emacs(look: Look, values: list[str | None]) -> None:
    for before, after in itertools.pairwise(values):
        if before in ("--eval", "-eval", "--execute") and after:
            interpreters.deep(look, "emacs", after)
            look.nested(code.started(after))


def _rest(look: Look, inner: list[Arg], command: Command) -> None:
    """The rest of a line, as words or as one text."""
    if len(inner) == 1 and " " in (inner[0].text or ""):
        look.nested([inner[0].text])
    elif inner:
        look.words(inner, command)
