"""What takes a whole account, cluster, database server or all backups with it: refused, since nobody can bring that back.

Deleting one thing there is asked about (verbs.py, queries.py); here is what deletes the whole of what such a place holds:
by its words, or by being given the whole of a list.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from safety import inputs, queries
from safety.options import is_operand, operands_of
from safety.shell import Command
from safety.tables import names
from text import pattern

if TYPE_CHECKING:
    from safety.commands import Look

# Command line → what it says when it takes the whole, in its words as they stand; and the words that make it less.
WHOLE: dict[str, tuple[re.Pattern[str], str, re.Pattern[str] | None]] = {
    "aws": (pattern(r"s3 rm s3://? .*--recursive|organizations (close-account|delete-organization)|eks delete-cluster|rds delete-db-(instance|cluster) .*--skip-final-snapshot"), "a whole account, cluster or database server", None),
    "gcloud": (pattern(r"(projects|organizations|folders) delete|container clusters delete|sql instances delete"), "a whole project, cluster or database server", None),
    "az": (pattern(r"account (subscription )?(cancel|delete)|management-group delete|aks delete|(sql|mysql|postgres|mariadb|cosmosdb)( server| flexible-server)? delete"), "a whole subscription, cluster or database server", None),
    "doctl": (pattern(r"(kubernetes|k8s) cluster delete|databases? (delete|rm)"), "a whole cluster or database server", None),
    "eksctl": (pattern(r"delete cluster"), "a whole cluster", None),
    "kops": (pattern(r"delete cluster.*--yes"), "a whole cluster", None),
    "terraform": (pattern(r"(destroy|apply (?=.*-destroy)).*-auto-approve"), "all that it manages, without a last question", pattern(r" -{1,2}target\b")),
    "terragrunt": (pattern(r"(destroy|run-all destroy|destroy-all).*(-auto-approve|non-interactive)|destroy-all|run-all destroy"), "all that it manages, without a last question", pattern(r" -{1,2}target\b")),
    "pulumi": (pattern(r"destroy.* (--yes|-y|-fy|-yf|--skip-preview)\b"), "all that it manages, without a last question", pattern(r" (--target|-t)\b")),
    "cdk": (pattern(r"destroy.*(--all.*(--force|-f)\b|(--force|-f)\b.*--all)"), "all that it manages, without a last question", None),
    "kubectl": (pattern(r"delete\b.* --all\b.*( -A\b| --all-namespaces)|delete\b.*( -A\b| --all-namespaces).* --all\b|delete (ns|namespaces?|no|nodes?|pv|persistentvolumes?|crds?|customresourcedefinitions?)\b.* --all\b"), "a whole cluster", None),
    "aws-nuke": (pattern(r".*--no-dry-run"), "a whole account", None),
    "cloud-nuke": (pattern(r"(aws|gcp)\b"), "a whole account", pattern(r"--dry-run")),
    "azure-nuke": (pattern(r".*--no-dry-run"), "a whole account", None),
    "docker": (pattern(r"system prune(?=.* --volumes)(?=.* (-\w*f|--force))|volume prune(?=.* (-\w*a|--all))(?=.* (-\w*f|--force))"), "all volumes that are not in use", pattern(r"--filter")),
    "gsutil": (pattern(r"(.* )?rm .*gs://\*"), "a whole account", None),
    "rabbitmqctl": (pattern(r"(force_)?reset$"), "all data of the server", None),
    "robocopy": (pattern(r"(?i)(?=.*/(mir|purge)).* \"?[a-z]:[\\/]*(windows|users)?[\\/]*\"?( |$)"), "a whole disk", None),
    "etcdctl": (pattern(r"del(?=.*(--prefix|--from-key))( +(--\S+|\"\"|''|/))*$"), "the whole store of a cluster", None),
    "consul": (pattern(r"kv delete (?=.*-recurse)(-\S+ *)*(\"\"|/)?$"), "the whole store of a cluster", None),
    "zkcli": (pattern(r"deleteall /$"), "the whole store of a cluster", None),
    "redis-cli": (pattern(r"(?i:flushall|shutdown nosave)\b"), "all databases of the server", None),
    "curl": (pattern(r"(?=.*(-X ?|--request[ =])DELETE)(?=.*:9200/(_all|\*|%2A)?([\s?'\"]|$))"), "all data of the server", None),
    "borg": (pattern(r"delete (?!.*::)"), "all backups in the archive", pattern(r"--dry-run| -\w*n| -a | --glob-archives| --prefix")),
    "restic": (pattern(r"(.* )?forget (?=.*(--unsafe-allow-remove-all|--keep-(last|daily|weekly|monthly|within)[ =]0\b))"), "all backups in the archive", pattern(r"--dry-run")),
    "snapper": (pattern(r"(.* )?(delete|remove) .*\d+-\d+"), "all snapshots", None),
    "wsl": (pattern(r".*--unregister"), "a whole system", None),
    "asr": (pattern(r".*--erase"), "a whole disk", None),
    "timeshift": (pattern(r".*--delete-all"), "all snapshots", None),
    "tmutil": (pattern(r"deletelocalsnapshots /$|delete .*(-a|\*)$|thinlocalsnapshots / 9{6,}"), "all backups", None),
    "vssadmin": (pattern(r"(?i:delete shadows|resize shadowstorage)"), "all backups", None),
    "wmic": (pattern(r"(?i:shadowcopy.* delete|shadowcopy delete)"), "all backups", None),
    "wbadmin": (pattern(r"(?i:delete (catalog|systemstatebackup|backup))"), "all backups", None),
    "bcdedit": (pattern(r"(?i:/delete)"), "what the machine starts from", None),
    "reg": (pattern(r"(?i:delete [\"']?(hklm|hkey_local_machine)[\\]*(system|software|sam|security)[\\]*[\"']?( |$))"), "the registry", None),
    "dscl": (pattern(r".* -delete /Users/\w+$"), "the account of a user", None),
    "sysadminctl": (pattern(r".*-deleteUser "), "the account of a user", None),
}  # fmt: skip
_DROPPERS = {"dropdb", "mysqladmin", "mongosh", "mongo"}
_SAME = {
    "oc": "kubectl",
    "tofu": "terraform",
    "podman": "docker",
    "valkey-cli": "redis-cli",
    "keydb-cli": "redis-cli",
}
# Lists of all that a place holds: who deletes each line of one, deletes it all.
_LISTS_ALL = pattern(
    r"aws( --?[\w=-]+)* (s3 ls$|s3api list-buckets|ec2 describe-(instances|volumes|snapshots)|rds describe-db-\w+|\w+ list-(stacks|tables|clusters|users|accounts|functions)|backup list-(recovery-points|backup-vaults)\S*)"
    r"|gcloud .*\b(projects|instances|clusters|disks|snapshots|buckets) list\b|gsutil ls( gs://)?$|az .*\blist\b|(doctl|hcloud|linode-cli|openstack|vultr-cli) .*\blist\b"
    r"|heroku apps\b|fly(ctl)? apps list|nomad job status|vault secrets list|influx bucket list|kafka-topics(\.sh)? .*--list|gh repo list|rabbitmqctl list_queues"
    r"|(kubectl|oc) get (ns|namespaces?|nodes?|no|pv|persistentvolumes?|all|crds?)\b|helm (ls|list)\b.*(-\w*A|--all-namespaces)|eksctl get clusters?"
    r"|(docker|podman) volume ls\b|psql .*pg_database|psql .*(-[a-zA-Z]*l[a-zA-Z]*\b|--list)|mysql(show)? .*(?i:show databases|schemata)|mysqlshow\b|redis-cli( .*)? (?i:keys) \*"
    r"|(zfs|zpool) list\b|(lvs|vgs|pvs)\b|lvdisplay|btrfs subvolume list|snapper( \S+)* list|tmutil list\w+|borg list \S+$|restic( \S+)* snapshots"
)
_CHOOSES = pattern(
    r"--filters?\b|\[\?|-l \S|--selector|--field-selector|(?<!\S)-n \S|--namespace| WHERE |\bLIKE\b"
)
_DELETES = pattern(r"(?i:(^|[\s_:-])(delete|disable|destroy|rb|rm|remove|terminate|drop|dropdb|del|uninstall|purge|lvremove|deletelocalsnapshots))")  # fmt: skip
_PICKS = names("grep egrep rg head tail comm fzf")
# What leaves out the databases and namespaces that belong to the server itself leaves out nothing of anybody's.
_LEAVES_OUT_OWN = pattern(
    r"e?grep (-\w*v\w*|--invert-match)( -\S+)* .*?\b(schema|information|mysql|sys|postgres|template\w*|kube\S*|default|database|local|admin|config|name|NAME)\b"
)
_PICKING = pattern(
    r"(sed|jq|awk|gawk) .*(select|test\(|first|limit|\[\d|/.*/ ?[dp{]|[=!<>]=|-n )"
)  # `jq -r '.[].name'` and `awk '{print $1}'` choose nothing
_DROPS = pattern(r"(?i)\bdrop\s+(?:database|keyspace)\s+(?:if\s+exists\s+)?[`\"\[']?([\w$.-]+)")
_EMPTIES_DATABASE = pattern(
    r"(?i)\bdrop\s+schema\s+(?:if\s+exists\s+)?\"?public\"?|\bdrop\s+owned\s+by\b"
)
_DROPS_MONGO = pattern(r"(?i)\bdropDatabase\s*\(")
_NAMED_MONGO = pattern(r"getSiblingDB\(\s*['\"]([\w-]+)|(?:^|\s)use\s+([\w-]+)")
_ALL_MONGO = pattern(r"getDBNames|listDatabases|getDBs\b")
# Databases that somebody made to try something.
_TRIAL = pattern(
    r"(?i)(.*[_.-])?(test|tests|testing|tmp|temp|dev|devel|development|demo|sandbox|scratch|example|staging|ci|local|playground|trial|copy|old)(([_.-]|\d).*)?"
)


def judge(look: Look, name: str, values: list[str | None], command: Command) -> None:
    """Refuses a command that takes the whole of what a place holds."""
    name = _SAME.get(name, name)
    if name in WHOLE or name.lower() in WHOLE or name in _DROPPERS or name in queries.CLIENTS:
        _by_words(look, name, values, command)
    if _is_given(look, command):
        written = " ".join(
            [
                name,
                *(word.written for word in command.words[:50]),
                *(each or "?" for each in values[:50]),
            ]
        )
        if _DELETES.search(written):
            look.add("catastrophic", f"{name} deletes all that a list names", name)


def _by_words(look: Look, name: str, values: list[str | None], command: Command) -> None:
    known = ["?" if value is None else value or '""' for value in values[:200]]
    if name == "redis-cli":
        given = inputs.input_of(look, command) or ""
        known = [value or "?" for value in operands_of(name, values)] or given.split()[:2]
    if reason := taken(name, " ".join(known)) or taken(name, _ordered(name, known)):
        look.add("catastrophic", f"{name}: would take {reason} with it", name)
    for database in _dropped(look, name, values, known, command):
        look.add("catastrophic", f"{name}: drops the whole database {database}", name)


def _ordered(name: str, known: list[str]) -> str:
    """The words with what is done in front: `gcloud -q projects delete X` as `projects delete X -q`."""
    listed: list[str | None] = [name, *known]
    plain = [at for at in range(1, len(listed)) if is_operand(name, listed, at)]
    return " ".join(
        known[at - 1] for at in sorted(range(1, len(listed)), key=lambda at: at not in plain)
    )


def taken(name: str, words: str) -> str | None:
    """What of a place the words of a command take as a whole, or None."""
    row = WHOLE.get(name) or WHOLE.get(name.lower())
    if row is None or "--help" in words or len(words) > 4000:
        return None
    wanted, what, less = row
    return what if wanted.match(words) and not (less and less.search(f" {words}")) else None


def _dropped(
    look: Look, name: str, values: list[str | None], known: list[str], command: Command
) -> list[str]:
    """The databases that are dropped and were not made to try something."""
    operands = [value or "?" for value in operands_of(name, values)]
    found: list[str] = []
    if name == "dropdb" and operands:
        found = operands[-1:]
    elif name == "mysqladmin" and "drop" in operands[:-1]:
        found = operands[operands.index("drop") + 1 :][:1]
    elif name in ("mongosh", "mongo"):
        text = " ".join([*known, inputs.input_of(look, command) or ""])
        if _DROPS_MONGO.search(text):
            if _ALL_MONGO.search(text):
                return ["and every other"]
            named = [first or second for first, second in _NAMED_MONGO.findall(text)]
            found = named or [
                operands[0].rpartition("/")[2] if operands and "(" not in operands[0] else "?"
            ]
    elif name in queries.CLIENTS:
        text = " ".join([*known, inputs.input_of(look, command) or ""])
        found = dropped_in(text, _connected(name, known))
    return [each for each in found if each != "?" and not is_trial(each)]


def dropped_in(text: str, connected: str = "") -> list[str]:
    """The databases that a text of SQL drops and that nobody made to try something; `connected`: where it works."""
    text = queries.without_strings(text)
    found: list[str] = _DROPS.findall(text)
    if _EMPTIES_DATABASE.search(text):
        found.append(connected or "that it is connected to")
    return [each for each in found if not is_trial(each)]


def is_trial(database: str) -> bool:
    """Whether a database, by its name, was made to try something."""
    return _TRIAL.fullmatch(database) is not None


def _connected(name: str, known: list[str]) -> str:
    """The database that a client is told to work in."""
    valued = queries.VALUED.get(name, "").split()
    for before, value in zip(["", *known], known, strict=False):
        if before in ("-d", "--dbname", "-D", "--database") or (
            before not in valued and not value.startswith("-") and re.fullmatch(r"[\w-]+", value)
        ):
            return value
    return ""


def _is_given(look: Look, command: Command) -> bool:
    """Whether a command gets the whole of a list, by a pipe, a substitution or a loop, and nothing chooses from it."""
    parts = [part for word in command.words for part in word.parts]
    looped = [look.over.get(part.value, ()) for part in parts if part.kind == "variable"]
    piped: list[Command] = []
    source = command.source
    while source is not None and len(piped) < 20:
        piped.append(source)
        source = source.source
    for commands in (tuple(piped), *(part.commands for part in parts), *looped):
        lines = [" ".join(word.written or "?" for word in each.words) for each in commands]
        picks = any(
            _PICKING.match(line)
            or (each.words and each.words[0].literal in _PICKS and not _LEAVES_OUT_OWN.match(line))
            for each, line in zip(commands, lines, strict=True)
        )
        if not picks and any(
            _LISTS_ALL.match(line) and not _CHOOSES.search(line) for line in lines
        ):
            return True
    return False
