"""Tell what one-liners of perl, ruby, node, php, lua and sed do, by the names in them; and the commands that they start."""

from __future__ import annotations

import re

_STRINGS = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_EFFECT = re.compile(
    r"\b(unlink\w*|rmtree|rmdir\w*|rm_rf?|rm_f|remove\w*|rename\w*|truncate\w*|system|exec\w*|spawn\w*|popen\w*|proc_open|passthru|shell_exec|qx|fork|kill|chmod|chown|symlink"
    r"|eval|instance_eval|class_eval|Function|require_relative|loadstring|dofile|load|writeFile\w*|appendFile\w*|createWriteStream|rmSync|cp\w*Sync|file_put_contents|fwrite|fputs|fopen|copy|move_uploaded_file"
    r"|delete|Delete|destroy|erase|rm|cmd|run-?program|run|Files\.(?:write|move|copy|create)\w*|spit|overwrite|mkfifo|socket|TCPSocket|fsockopen|curl_\w+|fetch|http\w*|https|axios|XMLHttpRequest|Net|LWP|IO::Socket|open3|File\.write|FileUtils|child_process|mail|putenv|setuid)\b"
    r"|`|\bfs\.\w*(rm|write|append|unlink|rename|chmod)\w*|base64_decode|unpack|\batob\b|Buffer\.from"
)
_LOADED = re.compile(
    r"\b(require|import)\s*\(\s*(?!['\"][\w@./:-]+['\"]\s*\))\S|\[[^\[\]\n]{0,200}['\"]\s*\+[^\[\]\n]{0,200}\]\s*\(|(require|import)\s*\(?\s*['\"](node:)?(child_process|net|http|https|cluster|vm|worker_threads)|process\.(kill|binding)"
)
_STARTED = re.compile(
    r"(?:system|exec\w*|spawn\w*|popen\w*|passthru|shell_exec|proc_open|qx|do shell script|shell-command(?:-to-string)?|os\.execute|getoutput)\s*\(?\s*(?:\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|\{([^}]*)\})|`([^`]+)`",
    re.DOTALL,
)
_SED = re.compile(
    r"(?:^|[;{\n]|\d|\$|/)\s*e(?:\s|$)|(?:^|[;{\n])\s*(?:\d+|\$|/[^/]*/)?\s*s(\W)(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*\1[gpiImM0-9]*e"
)
_SED_WRITES = re.compile(
    r"(?:^|[;{\n/\d$])\s*[wW]\s+([^\s;}]+)|s(\W)(?:\\.|(?!\2).)*\2(?:\\.|(?!\2).)*\2[gpiImM0-9]*w\s+([^\s;}]+)"
)


_BOMB = re.compile(
    r"\bfork\W{0,9}\s(while|until)\b|\bfork\(\)\s{0,9}for\b[^\n]{0,40}\b(iter|count|cycle|repeat)\(|\b(while|for|until|loop)\b[^\n]{0,60}\n?[^\n]{0,60}\bfork\b"
)
_REMOVED = re.compile(
    r"\b(?:RemoveAll|remove_dir_all|delete-directory|delete-file|removeSync|rename(?:Sync)?|move|rm(?:dir)?(?:Sync)?|rm_rf?|rm_f|rmtree|remove_tree|remove_entry\w*|remove_dir|rimraf\w*|remove|unlink\w*|delete)\s*\(?\s*['\"]([^'\"\n]{1,500})['\"]"
)
_LISTED = re.compile(
    r"\b(?:glob|Dir\.(?:glob|children|entries|each_child)|Dir|opendir|readdirSync|globSync)\s*[(\[]?\s*['\"]([^'\"\n]{1,500})['\"]"
)
_REMOVES = re.compile(
    r"\b(unlink\w*|rmtree|remove_tree|rm_rf?|rm_f|rmSync|rimraf|rmdirSync|File\.delete)\b"
)


_HOME_CALLS = re.compile(
    r"require\(['\"](?:node:)?os['\"]\)\.homedir\(\)|\bos\.homedir\(\)|process\.env\.HOME|\bDir\.home|ENV\[['\"]HOME['\"]\]|\$ENV\{HOME\}|getenv\(['\"]HOME['\"]\)|os\.getenv\(['\"]HOME['\"]\)"
)
_HOME_IN_TEXT = re.compile(
    r"\$ENV\{HOME\}(?=[/\"])|\$\{process\.env\.HOME\}|#\{Dir\.home\}|#\{ENV\['HOME'\]\}"
)
_TWO_TEXTS = re.compile(
    r"(?:'([^'\\\n]*)'|\"([^\"'\\\n]*)\")\s*\+\s*(?:'([^'\\\n]*)'|\"([^\"'\\\n]*)\")"
)
# A pattern that only looks: none that runs code by itself.
_LOOKED_FOR = re.compile(
    r"(?:(?<==~)|(?<=!~)|\b(?:if|unless|and|or|not|grep|split|match|test|filter)\b|&&|\|\||[({,])\s*/(?![*/])(?!(?:[^/\\\n]|\\.)*(?:\?\??\{|[$@]\{|`))(?:[^/\\\n]|\\.)+/[imsxgu]*(?![\w/])"
)
_WRITTEN = re.compile(
    r"(?:\b(?:write|append)File(?:Sync)?|\bFile\.write|\bfile_put_contents)\s{0,9}\(?\s{0,9}(?:'([^'\n]{1,500})'|\"([^\"\n]{1,500})\")"
)


_OPENED = re.compile(
    r"\bopen\s{0,9}\(?[^,;\n]{1,60},\s{0,9}['\"]\+?>{1,2}(?::[\w()-]{1,20})?\s{0,9}(?:['\"]\s{0,9},\s{0,9}['\"])?([^'\"\n]{1,500})['\"]"
    r"|\b(?:File\.open|File\.new|fopen)\s{0,9}\(?\s{0,9}['\"]([^'\"\n]{1,500})['\"]\s{0,9},\s{0,9}['\"][wa]"
    r"|\bcreateWriteStream\s{0,9}\(\s{0,9}['\"]([^'\"\n]{1,500})['\"]"
)


_SPAWNED = re.compile(
    r"\b(?:spawn|execFile|Command)(?:Sync)?\s*\(\s*['\"]([^'\"\n]{1,200})['\"]\s*,\s*(?:\{\s*args:\s*)?\[((?:\s*(?:'[^'\n]*'|\"[^\"\n]*\")\s*,?){0,50})\]"
)
_OPTIONS = r"\s*(?:,\s*\{(?:\s*(?:encoding|stdio|maxBuffer|timeout)\s*:\s*(?:'[\w-]*'|\"[\w-]*\"|\d+)\s*,?)*\})?\s*\)"
_STARTS_TEXT = re.compile(rf"\bexec(?:Sync)?\s*\(\s*(?:'[^'\\\n]*'|\"[^\"\\\n]*\"){_OPTIONS}")
_STARTS_PROGRAM = re.compile(
    rf"\b(?:spawn|execFile)(?:Sync)?\s*\(\s*(?:'[^'\\\n]*'|\"[^\"\\\n]*\")\s*,\s*\[(?:\s*(?:'[^'\\\n]*'|\"[^\"\\\n]*\")\s*,?)*\]{_OPTIONS}"
)
_LOADS_STARTER = re.compile(r"\brequire\(\s*['\"](?:node:)?child_process['\"]\s*\)")
_NAMES_STARTER = re.compile(
    r"\[|\b(exec|spawn|fork)\w*"
)  # what is left could start something by another name


_CALLED_BY_TEXT = re.compile(r"\[\s*['\"](\w+)['\"]\s*\]\s*\(")


def with_home(code: str, home: str) -> str:
    """The code with the owner's home where it asks for it, and with texts that are put together of several as one."""
    code = _HOME_CALLS.sub(repr(home).replace("\\", "/"), _HOME_IN_TEXT.sub(home, code))
    for _ in range(20):
        joined = _TWO_TEXTS.sub(
            lambda found: repr((found[1] or found[2] or "") + (found[3] or found[4] or "")), code
        )
        if joined == code:
            break
        code = joined
    return code


def written(code: str) -> list[str]:
    """The files that the code writes, where they stand in it as text."""
    named = [next(each for each in found if each) for found in _OPENED.findall(code) if any(found)]
    return named + [first or second for first, second in _WRITTEN.findall(code)]


def is_bomb(code: str) -> bool:
    """Return True if the code starts itself again and again."""
    return bool(_BOMB.search(code))


def removed(code: str) -> list[str]:
    """The files and folders that the code deletes, where they stand in it as text; else the folders that it lists to delete."""
    listed = _LISTED.findall(code) if _REMOVES.search(code) else []
    return [*_REMOVED.findall(code), *listed]


def has_effect(code: str) -> bool:
    """Return True if a one-liner may do more than compute and print. Words in its strings do not count."""
    code = _LOOKED_FOR.sub(" ", _WRITTEN.sub("", code))  # what is written is judged by its place
    names = [text[1:-1] for text in _STRINGS.findall(code)]
    is_called_by_name = "(" in code and any(
        _EFFECT.fullmatch(name)
        for name in names
        if "_map" in code or "call" in code or "send" in code
    )
    is_called_by_name |= any(_EFFECT.search(name) for name in _CALLED_BY_TEXT.findall(code))
    return bool(
        _LOADED.search(code) or is_called_by_name or _EFFECT.search(_STRINGS.sub("''", code))
    )


def started(code: str) -> list[str]:
    """The shell commands that stand in the code as text, and the programs with their arguments."""
    texts = [next(text for text in found if text) for found in _STARTED.findall(code) if any(found)]
    return texts + [
        " ".join([program, *(f"'{text[1:-1]}'" for text in _STRINGS.findall(listed))])
        for program, listed in _SPAWNED.findall(code)
    ]


def without_started(code: str) -> str:
    """JavaScript without the commands that `started` reads from it as a whole, to see what else is in it."""
    code = _STARTS_PROGRAM.sub("''", _STARTS_TEXT.sub("''", code))
    return _LOADS_STARTER.sub("''", code) if not _NAMES_STARTER.search(code) else code


def sed_starts(program: str) -> bool:
    return bool(_SED.search(program))


def sed_writes(program: str) -> list[str]:
    return [first or last for first, _, last in _SED_WRITES.findall(program)]
