"""Tell what the text given to a database's client would do: SQL, Redis, MongoDB, and the clients'
own commands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shell.catalogue import words
from text import pattern

_INERT = pattern(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|`[^`]*`|\$(\w*)\$.*?\$\1\$", re.DOTALL
)
_READS = {
    "select",
    "show",
    "explain",
    "describe",
    "desc",
    "with",
    "values",
    "table",
    "pragma",
    "use",
    "help",
    "status",
    "from",
    "list",
    "exists",
    "begin",
    "commit",
    "end",
    "rollback",
    "summarize",
    "check",
}
_CHANGES = pattern(
    r"\b(insert|update|delete|drop|truncate|alter|create|grant|revoke|merge|replace\s+into|into|call|copy|attach|vacuum|reindex|lock"
    r"|load_extension|load_file|lo_import|lo_export|lo_unlink|pg_(terminate|cancel)_backend|pg_reload_conf|pg_read_(binary_)?file|pg_ls_dir|pg_write\w*"
    r"|pg_rotate_logfile|pg_switch_wal|pg_promote|set_config|setval|dblink\w*|sys_exec|sys_eval|xp_\w+|sp_\w+|writefile|edit|readfile|fts3_tokenizer)\b",
    re.IGNORECASE,
)
_LEAVES_MEMORY = pattern(
    r"(?i)\||\.(output|once|save|backup|shell|system|load|read|open|archive|clone|excel|cd)\b|\b(attach|vacuum\s+into|writefile|edit|load_extension|copy|install|export)\b"
)
_META = pattern(
    r"\\(d\w*\+?S?|l\+?|z|x|timing|conninfo|pset|h|\?|q|encoding|sf|sv|a|t|H|c|connect|echo|du|s|u|status)(\s|$)"
    r"|\.(tables?|schema|headers?|mode|databases|index(es)?|indices|show|help|width|dump|stats|timer|eqp|print|version|quit|exit|fullschema|separator|nullvalue|dbinfo|lint|sha3sum|explain|changes|echo|bail)\b"
)
_MONGO = pattern(
    r"\.\s*(drop\w*|delete\w*|remove\w*|insert\w*|update\w*|replace\w*|findOneAnd\w*|findAndModify|save|create\w*|rename\w*|bulkWrite|runCommand|adminCommand|shutdown\w*|grant\w*|revoke\w*"
    r"|set\w*|enable\w*|disable\w*|kill\w*|fsync\w*|compact|mapReduce|copyTo|cloneCollection|reIndex|addShard|removeShard|initiate|reconfig|stepDown|add|changeUserPassword|logout|convertToCapped|initialize\w*)\s*\("
    r"|\]\s*\(|\b(load|require|eval|Function|exec|spawn|process|import|quit\s*\(\s*1)\b"
)
_MONGO_STRINGS = pattern(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|//[^\n]*|/\*.*?\*/", re.DOTALL)


def changes_sql(text: str) -> bool:
    """Return True if SQL, or a command of psql or sqlite3, may do more than read. An empty text:
    yes, it waits for more."""
    inert = _INERT.sub("''", text)
    statements = [statement.strip(" \t\r\n(") for statement in re.split(r";|\n(?=\s*[.\\])", inert)]
    statements = [statement for statement in statements if statement.strip("' ")]
    return not statements or any(_changes(statement) for statement in statements)


def only_in_memory(values: Sequence[str | None], texts: Sequence[str | None]) -> bool:
    """Return True if a database that is no file (`sqlite3 :memory:`) is filled and asked, and
    nothing leaves it."""
    return ":memory:" in values and all(
        text is not None and not _LEAVES_MEMORY.search(text) for text in texts
    )


def _changes(statement: str) -> bool:
    if re.match(r"\\copy\s*\(\s*(select|with)\b", statement, re.IGNORECASE) and not re.search(
        r"\bprogram\b", statement
    ):
        return bool(_CHANGES.search(re.sub(r"\\copy", "", statement)))
    if statement.startswith((".", "\\")):
        return not _META.match(statement) or "|" in statement or "!" in statement
    word = re.match(r"[A-Za-z]+", statement)
    if not word or word[0].lower() not in _READS:
        return True
    if word[0].lower() == "pragma":
        return "=" in statement
    if word[0].lower() in ("show", "describe", "desc", "help"):
        return False
    return bool(_CHANGES.search(statement))


def changes_redis(asked: list[str | None]) -> bool:
    """Return True if a Redis command may do more than read. None: it waits for commands."""
    if not asked or asked[0] is None:
        return True
    first, second = asked[0].lower(), str((asked[1:] or [""])[0]).lower()
    return not {first, f"{first}.{second}"} & words("redis_reads")


def changes_mongo(text: str) -> bool:
    """Return True if JavaScript for MongoDB's shell may do more than read."""
    return bool(
        _MONGO.search(_MONGO_STRINGS.sub("''", text))
        or re.search(r"\$out\b|\$merge\b|\[\s*['\"]\w+['\"]\s*\]\s*\(", text)
    )
