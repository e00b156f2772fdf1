"""Help the reader along: `completion bash|zsh|fish` prints a script for the shell, `help [TOPIC]`
shows a command's help."""

from __future__ import annotations

from argparse import Namespace

from config import Config
from ui.command import SCREENS, Argument, below, command, declared_in, first_words
from ui.words import say

_BASH = """\
# sopwith: put this in ~/.bashrc:  source <(sopwith completion bash)
_sopwith() {{
    local path="" word cur="${{COMP_WORDS[COMP_CWORD]}}"
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        [[ $word == -* ]] || path="${{path:+$path }}$word"
    done
    local words
    case "$path" in
{cases}
    *) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    [[ ${{#COMPREPLY[@]}} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$cur"))
}}
complete -o filenames -F _sopwith sopwith
"""
_ZSH = "# sopwith: put this in ~/.zshrc:  source <(sopwith completion zsh)\nautoload -U +X bashcompinit && bashcompinit\n"
COMMON = ("--home", "--lang", "--debug", "--help")


@command("completion", Argument("shell", kind=str))
def completion(args: Namespace, config: Config) -> int:
    """`completion bash|zsh|fish`."""
    from ui.arguments import UsageError

    scripts = {"bash": _bash, "zsh": lambda: _ZSH + _bash(), "fish": _fish}
    if args.shell not in scripts:
        raise UsageError(say("usage.choice", what=args.shell, hint=", ".join(scripts)))
    print(scripts[args.shell](), end="")
    return 0


def offered() -> dict[str, tuple[str, ...]]:
    """Return what may follow each command line: "" → the commands, `runs` → list, …, `runs list` →
    its options."""
    found = {"": tuple(first_words())}
    for path, module in SCREENS.items():
        parent = path.split()[0]
        if path != parent:
            found[parent] = tuple(below(parent))
        takes = declared_in(module, path).takes
        flags = (each.flag for each in takes if not isinstance(each, Argument))
        found[path] = (*flags, *COMMON)
    return found


def _bash() -> str:
    cases = (f'    "{path}") words="{" ".join(words)}" ;;' for path, words in offered().items())
    return _BASH.format(cases="\n".join(cases))


def _fish() -> str:
    """Return a script for fish: each command under its parent, each option under its command."""
    lines = ["# sopwith: sopwith completion fish > ~/.config/fish/completions/sopwith.fish"]
    for path, words in offered().items():
        parts = path.split()
        seen = "; and ".join(f"__fish_seen_subcommand_from {part}" for part in parts)
        when = seen or "__fish_use_subcommand"
        for word in words:
            kind = f"-l {word[2:]}" if word.startswith("--") else f"-f -a {word}"
            lines.append(f"complete -c sopwith -n '{when}' {kind}")
    return "\n".join(lines) + "\n"


@command("help", Argument("topic", "*"))
def show_help(args: Namespace, config: Config) -> int:
    """`help [TOPIC]`: the same as `TOPIC --help`."""
    from ui.arguments import UsageError, build_parser

    topic = " ".join(args.topic)
    if topic and topic not in SCREENS and not below(topic):
        known = ", ".join(first_words())
        raise UsageError(say("help.unknown", topic=topic[:80], known=known))
    build_parser().parse_args([*topic.split(), "--help"])
    return 0
