"""Tell what the text given to a database's client does: SQL, Redis, MongoDB, and the clients' own commands."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Client → the options that carry statements; "positional" when they stand behind the database's name.
CLIENTS: dict[str, str] = {
    "psql": "-c --command", "mysql": "-e --execute", "mariadb": "-e --execute", "sqlite3": "-cmd positional", "sqlite": "positional",
    "duckdb": "-c -s -cmd positional", "clickhouse-client": "-q --query", "clickhouse": "-q --query", "cqlsh": "-e --execute", "mongosh": "--eval",
    "mongo": "--eval", "sqlcmd": "-Q -q", "snowsql": "-q --query", "impala-shell": "-q --query", "hive": "-e", "beeline": "-e", "spark-sql": "-e",
    "trino": "--execute", "presto": "--execute", "usql": "-c --command", "pgcli": "-e", "mycli": "-e --execute", "litecli": "-e", "cockroach": "-e --execute",
    "isql": "-Q", "sqlplus": "", "db2": "positional", "osqueryi": "positional", "mysqlsh": "-e --execute", "influx": "-execute", "bq": "", "ysqlsh": "-c",
}  # fmt: skip
# Options of these clients with a value that is no statement.
VALUED = {
    "psql": "-h -p -U -d -o -v -P -F -R -T -L --host --port --username --dbname --set --output", "mysql": "-h -P -u -D -S --host --port --user --database",
    "sqlite3": "-separator -nullvalue -newline -init", "duckdb": "-separator -nullvalue -newline -init", "mongosh": "--host --port -u -p --username --password --authenticationDatabase",
}  # fmt: skip
_INERT = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|`[^`]*`|\$(\w*)\$.*?\$\1\$", re.DOTALL
)
_TEXTS = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
_READS = {"select", "show", "explain", "describe", "desc", "with", "values", "table", "pragma", "use", "help", "status", "from", "list", "exists", "begin", "commit", "end", "rollback", "summarize", "check"}  # fmt: skip
_CHANGES = re.compile(
    r"\b(insert|update|delete|drop|truncate|alter|create|grant|revoke|merge|replace\s+into|into|call|copy|attach|vacuum|reindex|lock"
    r"|load_extension|load_file|lo_import|lo_export|lo_unlink|pg_(terminate|cancel)_backend|pg_reload_conf|pg_read_(binary_)?file|pg_ls_dir|pg_write\w*"
    r"|pg_rotate_logfile|pg_switch_wal|pg_promote|set_config|setval|dblink\w*|sys_exec|sys_eval|xp_\w+|sp_\w+|writefile|edit|readfile|fts3_tokenizer)\b",
    re.IGNORECASE,
)
_LEAVES_MEMORY = re.compile(
    r"(?i)\||\.(output|once|save|backup|shell|system|load|read|open|archive|clone|excel|cd)\b|\b(attach|vacuum\s+into|writefile|edit|load_extension|copy|install|export)\b"
)
_META = re.compile(
    r"\\(d\w*\+?S?|l\+?|z|x|timing|conninfo|pset|h|\?|q|encoding|sf|sv|a|t|H|c|connect|echo|du|s|u|status)(\s|$)"
    r"|\.(tables?|schema|headers?|mode|databases|index(es)?|indices|show|help|width|dump|stats|timer|eqp|print|version|quit|exit|fullschema|separator|nullvalue|dbinfo|lint|sha3sum|explain|changes|echo|bail)\b"
)
_REDIS = frozenset(
    [
        "get",
        "mget",
        "getrange",
        "strlen",
        "exists",
        "type",
        "ttl",
        "pttl",
        "keys",
        "scan",
        "hget",
        "hmget",
        "hgetall",
        "hkeys",
        "hvals",
        "hlen",
        "hexists",
        "hscan",
        "hstrlen",
        "lrange",
        "llen",
        "lindex",
        "lpos",
        "smembers",
        "scard",
        "sismember",
        "smismember",
        "srandmember",
        "sscan",
        "sinter",
        "sunion",
        "sdiff",
        "zrange",
        "zrangebyscore",
        "zrevrange",
        "zrank",
        "zrevrank",
        "zscore",
        "zmscore",
        "zcard",
        "zcount",
        "zscan",
        "xrange",
        "xrevrange",
        "xlen",
        "xread",
        "xinfo",
        "xpending",
        "info",
        "ping",
        "echo",
        "dbsize",
        "time",
        "lastsave",
        "randomkey",
        "object",
        "memory",
        "command",
        "role",
        "bitcount",
        "bitpos",
        "getbit",
        "geodist",
        "geopos",
        "geosearch",
        "pfcount",
        "dump",
        "touch",
        "help",
        "lolwut",
        "latency",
        "slowlog",
        "pubsub",
        "expiretime",
        "pexpiretime",
    ]
)
_REDIS_PARTS = {"config": ("get",), "client": ("list", "getname", "id", "info"), "acl": ("list", "whoami", "users", "cat"), "cluster": ("info", "nodes", "slots", "shards"),
                "script": ("exists",), "slowlog": ("get", "len"), "memory": ("usage", "stats", "doctor"), "latency": ("latest", "history", "doctor"), "function": ("list", "stats")}  # fmt: skip
_MONGO = re.compile(
    r"\.\s*(drop\w*|delete\w*|remove\w*|insert\w*|update\w*|replace\w*|findOneAnd\w*|findAndModify|save|create\w*|rename\w*|bulkWrite|runCommand|adminCommand|shutdown\w*|grant\w*|revoke\w*"
    r"|set\w*|enable\w*|disable\w*|kill\w*|fsync\w*|compact|mapReduce|copyTo|cloneCollection|reIndex|addShard|removeShard|initiate|reconfig|stepDown|add|changeUserPassword|logout|convertToCapped|initialize\w*)\s*\("
    r"|\]\s*\(|\b(load|require|eval|Function|exec|spawn|process|import|quit\s*\(\s*1)\b",
)
_MONGO_STRINGS = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|//[^\n]*|/\*.*?\*/", re.DOTALL)


def without_strings(text: str) -> str:
    """SQL without the texts in it; quoted names stay."""
    return _TEXTS.sub("''", text)


def changes_sql(text: str) -> bool:
    """Return True if SQL, or a command of psql or sqlite3, may do more than read. An empty text: yes, it waits for more."""
    inert = _INERT.sub("''", text)
    statements = [statement.strip(" \t\r\n(") for statement in re.split(r";|\n(?=\s*[.\\])", inert)]
    statements = [statement for statement in statements if statement.strip("' ")]
    return not statements or any(_changes(statement) for statement in statements)


def only_in_memory(values: Sequence[str | None], texts: Sequence[str | None]) -> bool:
    """Return True if a database that is no file (`sqlite3 :memory:`) is filled and asked, and nothing leaves it."""
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


def changes_redis(words: list[str | None]) -> bool:
    """Return True if a Redis command may do more than read. None: it waits for commands."""
    if not words or words[0] is None:
        return True
    name, second = words[0].lower(), (words[1] or "").lower() if len(words) > 1 else ""
    if name in _REDIS_PARTS:
        return second not in _REDIS_PARTS[name]
    return name not in _REDIS


def changes_mongo(text: str) -> bool:
    """Return True if JavaScript for MongoDB's shell may do more than read."""
    return bool(
        _MONGO.search(_MONGO_STRINGS.sub("''", text))
        or re.search(r"\$out\b|\$merge\b|\[\s*['\"]\w+['\"]\s*\]\s*\(", text)
    )
