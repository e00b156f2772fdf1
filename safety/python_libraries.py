"""What a Python script would do through libraries of databases, clouds, other people's services, mail and the machine: by the
names of the calls, as verbs.py judges the command lines of the same places."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator

from safety import everything, queries, verbs
from safety.python_values import Values
from safety.tables import FILES_OF_TABLES, REMOTE_LIBRARIES, SERVERS, Finding, Risk, names
from text import pattern

_STATEMENTS = names("execute executemany executescript exec_driver_sql execute_sql raw read_sql read_sql_query query sql fetch fetchrow fetchval command run_query")  # fmt: skip
_LOSES = pattern(
    r"(?is)^[\s(]*(with\b.*\b)?(delete\s+from|drop\s+\w+|truncate\b|alter\s+table\b.*\bdrop\b|update\b(?!.*\bwhere\b))|;\s*(delete\s+from|drop\s+\w+|truncate\b)"
)
_IN_MEMORY = pattern(r"""\bconnect\(\s*(database\s*=\s*)?['"]:memory:['"]""")
_CONNECTS = pattern(r"\bconnect\(|\bcreate_engine\(")
# First words of a call's name, of two words at least, or words that say it alone.
_DELETES = names("delete terminate destroy drop purge deregister revoke remove stop disable detach reboot cancel reset unsubscribe expire wipe erase kill scale")  # fmt: skip
_SENDS = names("send put post publish upload insert update patch modify invoke run start create add set tag import reply tweet attach authorize grant enable bulk replace write produce")  # fmt: skip
_PLAINLY_DELETES = names("delete terminate destroy drop purge flushall flushdb prune expunge truncate dele unlink drop_all")  # fmt: skip
_PLAINLY_SENDS = names("send publish upload invoke produce insert_one insert_many bulk_write")
_REDIS = names("set setex setnx mset hset hmset hdel lpush rpush lpop rpop ltrim sadd srem zadd zrem xadd incr decr expire eval config_set")  # fmt: skip
_SERVICES = names(
    "stripe twilio shopify paypalrestsdk notion_client plaid square"
)  # a single word does something there
_OF_EITHER = names("sqlalchemy sqlmodel records peewee")
_SQLITE = pattern(r"['\"]sqlite:|\bSqliteDatabase\(")
_OF_SERVER = pattern(
    r"(?i)(postgres|mysql|mariadb|mssql|oracle)\w*(\+\w+)?://|PostgresqlDatabase|MySQLDatabase"
)
_NEITHER = pattern(
    r"(drop_(duplicates|vars|index|na)|delete_(rows|cols|column)|remove_(columns|unused\w*)|(reset|set)_(index|option\w*|option_context|default\w*|trace|title|[xy]\w*|seed|level|stream_logger|page_config|theme|style)"
    r"|(create|start|run)_(engine|async_engine|client|async_client|session|task|connection|pool|default_context|model|retry\w*|async\w*|until\w*|in_executor|request|query|reader|string|prefetch\w*)"
    r"|add_(argument|argument_group|subplot|subparsers|handler|header|row|column|column\w*|trace|patch|artist|gridspec|done_callback|node|edge|listener|mutually\w*|style)"
    r"|update_(layout|traces|wrapper|xaxes|yaxes)|write_(text|bytes|csv|parquet|json|excel|row|rows)|import_module|stop_\w*words|kill_\w*|set_\w*_(formatter|locator|label|params|ticks)|put_nowait|send_keys)"
)
_LISTS = pattern(
    r"\.(list_(buckets|namespace|node|database_names|databases|users|clusters|tables|functions|accounts|projects|instances|volumes|persistent_volume|repositories|stacks)\w*"
    r"|describe_(instances|volumes|db_\w+|clusters)|(buckets|instances|volumes|projects|clusters|namespaces|containers|repositories|snapshots)\.(all|list)|get_repos|get_all_\w+)\("
)
_CHOOSES = pattern(
    r"\bif\b|Filters\s*=|filters?\s*=|label_selector|\bfilter\(|startswith|prefix\s*="
)
_WHOLE = names("close_account delete_organization delete_project delete_cluster delete_aks_cluster delete_db_instance delete_db_cluster delete_subscription_by_id")  # fmt: skip
# Calls by their whole name.
CALLS: dict[str, tuple[Risk, str]] = {
    **dict.fromkeys(("pip.main", "pip._internal.main", "pip._internal.cli.main.main", "ensurepip.bootstrap"), ("install", "installs software")),
    **dict.fromkeys(("keyring.get_password", "keyring.get_credential", "secretstorage.get_default_collection", "win32crypt.CryptUnprotectData", "browser_cookie3.chrome", "browser_cookie3.firefox", "browser_cookie3.load"), ("secret", "shows keys or passwords")),
    **dict.fromkeys(("keyring.set_password", "keyring.delete_password", "winreg.DeleteKey", "winreg.DeleteKeyEx", "winreg.DeleteValue", "winreg.SetValue", "winreg.SetValueEx", "winreg.CreateKey", "winreg.CreateKeyEx"), ("system", "changes the machine")),
    **dict.fromkeys(("send2trash.send2trash", "send2trash"), ("delete", "deletes files")),
    "webbrowser.open": ("send", "opens an address in the owner's browser"),
}  # fmt: skip


def judge(
    node: ast.Call, name: str, values: Values, imported: set[str], code: str
) -> Iterator[Finding]:
    """What one call would do; `imported`: the top modules that the code loads."""
    last = name.rpartition(".")[2]
    if imported & _OF_EITHER and _SQLITE.search(code) and not _OF_SERVER.search(code):
        imported = imported - _OF_EITHER | {"sqlite3"}  # a database that is a file of one's own
    if name in CALLS:
        yield Finding(CALLS[name][0], f"{name}: {CALLS[name][1]}", name)
    elif (
        last in _STATEMENTS
        and imported & (FILES_OF_TABLES | SERVERS)
        and (node.args or node.keywords)
    ):
        yield from _statement(node, last, values, imported, code)
    elif (
        imported & (SERVERS | REMOTE_LIBRARIES)
        and "." in name
        and not _is_of_another(name, imported)
    ):
        yield from _there(
            node,
            last,
            values,
            code,
            is_redis=bool(imported & {"redis", "valkey"}),
            has_money=bool(imported & _SERVICES),
        )


def _is_of_another(name: str, imported: set[str]) -> bool:
    """Whether a call belongs to a library that reaches nobody: `numpy.delete` beside `import boto3`."""
    return name.partition(".")[0] in imported - SERVERS - REMOTE_LIBRARIES


def _statement(
    node: ast.Call, last: str, values: Values, imported: set[str], code: str
) -> Iterator[Finding]:
    """What a database is asked."""
    text = values.rough(node.args[0] if node.args else node.keywords[0].value)
    is_file = not imported & SERVERS
    if is_file and _IN_MEMORY.search(code) and len(_CONNECTS.findall(code)) == 1:
        return
    if text == "?" and not is_file and last.startswith("exec"):
        yield Finding("unknown", f"{last}: asks a database what is only known when it runs", last)
    if last == "command" or not re.search(
        r"\s", text.strip()
    ):  # `admin.command("dropDatabase")`, a variable
        if re.fullmatch(r"(?i)dropDatabase|flushall", text):
            yield Finding("catastrophic", f"{text}: drops a whole database", last)
        return
    for database in everything.dropped_in(text):
        yield Finding("catastrophic", f"{last}: drops the whole database {database}", last)
    if _LOSES.search(text) if is_file else queries.changes_sql(text):
        yield Finding("delete", f"{last}: may change or delete data", last)


def _there(
    node: ast.Call, last: str, values: Values, code: str, *, is_redis: bool, has_money: bool
) -> Iterator[Finding]:
    """What a server or a service is asked to do."""
    words = verbs.pieces(last)
    if not words or _NEITHER.fullmatch(last):
        return
    is_plain = last in _PLAINLY_DELETES and not (
        last == "drop" and (node.args or node.keywords)
    )  # a table; `df.drop(…)` drops columns
    deletes = is_plain or (len(words) > 1 and words[0] in _DELETES)
    if reason := _whole(node, last, values, code, deletes=deletes):
        yield Finding("catastrophic", f"{last}: {reason}", last)
    if deletes:
        yield Finding("delete", f"{last}: deletes or stops something there", last)
    elif (
        last in _PLAINLY_SENDS
        or (is_redis and last in _REDIS)
        or (has_money and last in ("create", "update"))
        or (len(words) > 1 and words[0] in _SENDS)
        or "post" in words
    ):
        yield Finding("send", f"{last}: changes something on another machine", last)


def _whole(node: ast.Call, last: str, values: Values, code: str, *, deletes: bool) -> str | None:
    """What a call takes that nobody can bring back as a whole."""
    if last in ("flushall", "flush_all"):
        return "deletes all databases of the server"
    if last == "drop_database" or (last == "execute_command" and node.args):
        text = values.rough(node.args[0]) if node.args else "?"
        if text.upper() == "FLUSHALL":
            return "deletes all databases of the server"
        if last == "drop_database" and text != "?" and not everything.is_trial(text):
            return f"drops the whole database {text}"
    if last in _WHOLE and not (
        last.startswith("delete_db") and "SkipFinalSnapshot=True" not in code
    ):
        return "would take a whole account, project, cluster or database server with it"
    if last in ("delete", "delete_by_query") and any(
        each.arg == "index" and values.text(each.value) in ("*", "_all") for each in node.keywords
    ):
        return "deletes all data of the server"
    if deletes and _goes_over_all(code):
        return "deletes all that a list names"
    return None


@functools.lru_cache(maxsize=4)
def _goes_over_all(code: str) -> bool:
    """Whether the code lists all there is of something, and chooses nothing of it."""
    return bool(_LISTS.search(code)) and not _CHOOSES.search(code)
