"""Tell what the text given to a database's client would do: SQL, Redis, MongoDB, and the clients'
own commands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shell.catalogue import words
from text import pattern
from text.patterns import names

_INERT = pattern(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|`[^`]*`|\$(\w*)\$.*?\$\1\$", re.DOTALL
)
_READS = names(
    "select explain with values table pragma use status from list exists begin commit end rollback summarize check"
)
_ONLY_TELLS = names("show describe desc help")
_CHANGES = pattern(
    r"\b(insert|update|delete|drop|truncate|alter|create|grant|revoke|merge|replace\s+into|into|call|copy|attach|vacuum|reindex|lock"
    r"|load_extension|load_file|lo_import|lo_export|lo_unlink|pg_(terminate|cancel)_backend|pg_reload_conf|pg_read_(binary_)?file|pg_ls_dir|pg_write\w*"
    r"|pg_rotate_logfile|pg_switch_wal|pg_promote|set_config|setval|dblink\w*|sys_exec|sys_eval|xp_\w+|sp_\w+|writefile|edit|readfile|fts3_tokenizer)\b",
    re.IGNORECASE,
)
_LEAVES_MEMORY = pattern(
    r"(?i)\||\.(output|once|save|backup|shell|system|load|read|open|archive|clone|excel|cd)\b|\b(attach|vacuum\s+into|writefile|edit|load_extension|copy|install|export)\b"
)
_COPIES_OUT = pattern(r"(?i)\\copy\s*\(\s*(select|with)\b(?!.*\bprogram\b)", re.DOTALL)
_META = pattern(
    r"\\(d\w*\+?S?|l\+?|z|x|timing|conninfo|pset|h|\?|q|encoding|sf|sv|a|t|H|c|connect|echo|du|s|u|status)(\s|$)"
    r"|\.(tables?|schema|headers?|mode|databases|index(es)?|indices|show|help|width|dump|stats|timer|eqp|print|version|quit|exit|fullschema|separator|nullvalue|dbinfo|lint|sha3sum|explain|changes|echo|bail)\b"
)
_MONGO = pattern(
    r"\.\s*(drop\w*|delete\w*|remove\w*|insert\w*|update\w*|replace\w*|findOneAnd\w*|findAndModify|save|create\w*|rename\w*|bulkWrite|runCommand|adminCommand|shutdown\w*|grant\w*|revoke\w*"
    r"|set\w*|enable\w*|disable\w*|kill\w*|fsync\w*|compact|mapReduce|copyTo|cloneCollection|reIndex|addShard|removeShard|initiate|reconfig|stepDown|add|changeUserPassword|logout|convertToCapped|initialize\w*)\s*\("
    r"|\]\s*\(|\b(load|require|eval|Function|exec|spawn|process|import|quit\s*\(\s*1)\b"
)
_MONGO_BY_TEXT = pattern(r"\$out\b|\$merge\b|\[\s*['\"]\w+['\"]\s*\]\s*\(")
_MONGO_STRINGS = pattern(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|//[^\n]*|/\*.*?\*/", re.DOTALL)


def changes_sql(text: str) -> bool:
    """Return True if SQL, or a command of psql or sqlite3, may do more than read. An empty text:
    yes, it waits for more."""
    parts = re.split(r";|\n(?=\s*[.\\])", _INERT.sub("''", text))
    statements = [part.strip(" \t\r\n(") for part in parts if part.strip(" \t\r\n('")]
    return not statements or any(map(_changes, statements))


def only_in_memory(values: Sequence[str | None], texts: Sequence[str | None]) -> bool:
    """Return True if a database that is no file (`sqlite3 :memory:`) is filled and asked, and
    nothing leaves it."""
    if ":memory:" not in values or None in texts:
        return False
    return not any(map(_LEAVES_MEMORY.search, filter(None, texts)))


def _changes(statement: str) -> bool:
    if _COPIES_OUT.match(statement):
        return bool(_CHANGES.search(statement.removeprefix("\\copy")))
    if statement.startswith((".", "\\")):
        return not _META.match(statement) or not {"|", "!"}.isdisjoint(statement)
    word = re.sub(r"[^A-Za-z].*", "", statement, flags=re.DOTALL).lower()
    if word == "pragma":
        return "=" in statement
    if word in _ONLY_TELLS:
        return False
    return word not in _READS or bool(_CHANGES.search(statement))


def changes_redis(asked: list[str | None]) -> bool:
    """Return True if a Redis command may do more than read. None: it waits for commands."""
    first, second = [str(word).lower() for word in [*asked, None, None][:2]]
    return words("redis_reads").isdisjoint([first, f"{first}.{second}"])


def changes_mongo(text: str) -> bool:
    """Return True if JavaScript for MongoDB's shell may do more than read."""
    looked_at = {_MONGO: _MONGO_STRINGS.sub("''", text), _MONGO_BY_TEXT: text}
    return any(changes.search(part) for changes, part in looked_at.items())
