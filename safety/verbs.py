"""What the command line of a cloud, a cluster or a task runner would do, by its verbs: reading ones pass, others ask.

The rules know kinds of words, not commands, so that they hold for command lines that nobody has listed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from safety.tables import names
from text import pattern

Kind = Literal["reads", "deletes", "spends", "changes", "shows keys"]

READS = names(
    "describe list ls get show view status logs log tail plan diff info inspect search find explain top version help history validate lint fmt format template"
    " synth preview events whoami ps stats read cat check lookup print doc docs completion members peers nodes metrics checks usage dig output graph wait watch"
    " query export count head du stat tree exists test audit env console-url outputs providers monitor browse open dashboard ping verify can-i api-resources"
    " api-versions cluster-info batch-get scan select download what-if ssh-config render build compile batch-describe estimate detect"
)
DELETES = names(
    "delete del destroy terminate rm remove purge drop erase wipe uninstall rb prune truncate flush clear reset deregister release revoke detach disable"
    " stop kill down unset untag unlink evict drain cancel abort nuke teardown reboot halt shutdown force-unlock rollback undo leave disassociate gc taint"
)
SPENDS = names(
    "create run start launch apply up deploy scale resize provision buy purchase allocate install upgrade restore rebuild clone fork"
)
CHANGES = names(
    "put update set patch edit modify attach add push publish send import invoke exec cp mv sync copy move upload write enable authorize replace rename grant"
    " register associate configure login logout auth promote merge close reopen comment approve sign restart rotate change mb mk make new init-admin ssh connect"
    " attach-policy migrate seed schedule submit trigger execute issue label annotate cordon uncordon expose autoscale proxy port-forward debug bind switch use"
    " switch-context assume accept reject enable-service emit swap tag mirror rsync transfer call start-session link unlock lock refresh pull-state"
)
NOUNS = {"logs", "log", "events", "history", "version", "config", "env", "status", "output", "metrics", "export", "query", "test", "docs", "template", "templates", "nodes", "members", "build", "tag", "label", "run", "lock", "ssh", "function", "release", "import", "open", "clone", "stop", "auth", "check", "monitor", "graph", "scan", "issue", "schedule", "service"}  # fmt: skip
# Command lines of clouds and clusters; 1 when the first word is a service, no verb.
CLOUDS: dict[str, int] = {
    **dict.fromkeys(names("aws awslocal"), 1),
    **dict.fromkeys(names("gcloud az doctl hcloud linode-cli linode vultr-cli vultr openstack oci ibmcloud aliyun tccli hcloud scw upcloud upctl exoscale exo civo packet metal equinix"
        " heroku fly flyctl vercel vc now netlify firebase wrangler railway render supabase neonctl neon planetscale pscale turso stripe twilio eas expo amplify copilot"
        " gh glab hub tea bb cf nomad vault consul boundary waypoint argocd argo flux istioctl linkerd cilium tkn kn oc kubectl kubectx helm helmfile kustomize eksctl kops"
        " rancher rke minikube kind k3d k3s microk8s skaffold tilt devspace okteto terraform tofu terragrunt pulumi cdk cdktf sam serverless sls eb chalice zappa ansible-galaxy"
        " vagrant virsh vboxmanage multipass lxc incus proxmox qm pct pvesh govc packer s3cmd mc gsutil b2 azcopy s5cmd minio-mc sentry-cli snyk dapr pm2 supervisorctl"
        " rabbitmqctl rabbitmqadmin kafka-topics kafka-topics.sh kafka-configs kafka-configs.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-acls kafka-acls.sh kafka-delete-records.sh kafka-reassign-partitions.sh kcat etcdctl zkcli influx elasticdump logcli cloudflared tailscale zerotier-cli apigeecli"
        " databricks snow dbt airflow prefect dagster mlflow wandb huggingface-cli hf kaggle modal vastai runpodctl sky ray cloudctl nerdctl crictl ctr skopeo crane oras buildah bq"),
        0,
    ),
}  # fmt: skip
_OWN_READS = {  # words that read in one command line and are nothing elsewhere
    "terraform": {"init", "state", "workspace", "providers", "console", "get"}, "tofu": {"init", "get"}, "helm": {"dependency", "dep", "repo", "pull", "env", "package"},
    "kubectl": {"config", "kustomize", "auth", "events", "completion", "options"}, "gh": {"checkout", "co"}, "mc": {"ls"}, "kustomize": {"build"}, "packer": {"init"},
    "dbt": {"compile", "docs", "debug", "deps", "parse"}, "kind": {"get"}, "vagrant": {"global-status", "ssh-config"}, "minikube": {"ip"}, "gcloud": {"get-value", "read"},
    "cdk": {"synth", "ls", "doctor", "metadata"}, "serverless": {"print", "package"}, "sam": {"build", "validate"}, "heroku": {"apps", "releases", "addons"},
    "az": {"show"}, "ansible-galaxy": {"search"}, "s3cmd": {"la"}, "vault": {"path-help"}, "glab": {"checkout"}, "skopeo": {"list-tags"}, "crane": {"manifest", "digest"},
}  # fmt: skip
_VERB_FIRST = {"kubectl", "oc", "helm", "terraform", "tofu", "cdk", "docker", "s3cmd", "mc", "gsutil", "minikube", "kind", "pulumi", "vagrant", "dbt", "etcdctl", "virsh", "fly", "flyctl"}  # fmt: skip
_KEYS = pattern(
    r"get-secret-value|secrets? versions access|keyvault (secret|key) (show|download)|\bget secrets?\b|print-(access|identity)-token|auth[: ]token|get-session-token|assume-role"
    r"|--with-decryption|create-access-key|\bvault (kv get|read|print)|config:get|get-login-password|get-federation-token|--show-token|access-keys? list|list-keys|\bkeys list\b|env pull|get-access-token"
    r"|\bauth status.*(-t|--show-token)|config view.*--raw|keys? create|secrets? reveal"
)
# Tasks of runners: by what the task is called.
RUNNERS = {"npm", "pnpm", "yarn", "bun", "make", "gmake", "just", "task", "rake", "rails", "mix", "gulp", "grunt", "nx", "turbo", "invoke", "inv", "fab", "artisan", "manage.py", "composer", "ant", "gradle", "gradlew", "mvn", "mvnw", "deno", "lerna", "django-admin", "flask", "prisma", "alembic", "flyway", "liquibase", "knex", "sequelize", "typeorm", "drizzle-kit", "cap", "dokku", "lein", "sbt", "bazel", "symfony", "wp", "drush", "ember", "ng", "hatch", "pdm", "rye", "nox", "tox", "lando", "ddev"}  # fmt: skip
_TASK = pattern(r"(?i)^(deploy|publish|release|destroy|drop(all)?|reset|flush|purge|migrate|migrations?:(run|revert)|rollback|downgrade|upgrade|prune|wipe|uninstall|nuke|teardown|truncate|unpublish|promote|undo|revert|fresh|loaddata|seed|createsuperuser|changepassword|push|send|upload)$")  # fmt: skip
_HARD_OPTION = pattern(
    r"--(delete|purge|drop|destroy|wipe|erase|nuke|reset|clear|flush)(-(all|everything|data|database|db|offsets|disk))|--(purge|destroy|wipe|erase|nuke|factory-reset)"
)
_TRIES = names("test tests lint check build dev start watch typecheck")
_HARD_START = pattern(r"(delete|remove|erase|destroy|purge|wipe)")
_HARD = DELETES | {
    "deploy",
    "publish",
    "push",
    "send",
    "install",
    "apply",
    "upload",
    "login",
    "restore",
    "tweet",
    "toot",
}
DRY = pattern(
    r"--?(dry-?run(=(client|server|true))?|just-print|syntax-check|check-only|whatif|what-if|plan-only|preview)"
)
_HELP = {"--help", "--version", "-h", "-V", "help", "version"}


def pieces(word: str) -> list[str]:
    """`describe-instances`, `pg:reset` and `DeleteInstance` in their parts, in lower case."""
    return [piece.lower() for piece in re.split(r"[-:_/.]+|(?<=[a-z0-9])(?=[A-Z])", word) if piece]


def kind_of_word(word: str, name: str = "") -> Kind | None:
    """What a subcommand says it does, or None if it is no verb that we know."""
    if ":" in word and "/" not in word and (last := word.rpartition(":")[2]):
        return kind_of_word(last, name) or kind_of_word(word.partition(":")[0], name)
    if word in READS or word in _OWN_READS.get(name, ()):
        return "reads"
    parts = pieces(word)
    if parts and parts[0] in READS and parts[0] not in NOUNS:
        return "reads"
    kinds: tuple[tuple[frozenset[str], Kind], ...] = (
        (DELETES, "deletes"),
        (SPENDS, "spends"),
        (CHANGES, "changes"),
    )
    for wanted, kind in kinds:
        if word in wanted or any(part in wanted for part in parts):
            return kind
    return "reads" if any(part in READS for part in parts) else None


def judge_cloud(name: str, values: Sequence[str | None], operands: Sequence[str | None]) -> Kind:
    """What a cloud's command line does. Without a verb that we know: it changes something."""
    known = [value or "" for value in values]
    if plain := _plainly(name, known, operands):
        return plain
    words = list(operands)[CLOUDS.get(name, 0) :]
    noun = False
    for at, word in enumerate(words[: 2 if name in _VERB_FIRST else 6]):
        if word is None:
            return "changes"
        if (
            name not in _VERB_FIRST
            and word in NOUNS
            and at + 1 < len(words)
            and kind_of_word(words[at + 1] or "", name)
        ):
            noun = True
            continue
        kind = kind_of_word(word, name)
        if (
            kind == "reads"
            and name in _VERB_FIRST
            and word in _OWN_READS.get(name, ())
            and at + 1 < len(words)
        ):
            kind = kind_of_word(words[at + 1] or "", name) or "reads"
        if kind:
            return _exception(name, word, words, kind)
    return "reads" if noun or (name == "kubectx" and not words) else "changes"


def _plainly(name: str, known: list[str], operands: Sequence[str | None]) -> Kind | None:
    """What is told by something else than verbs: options, keys that it would show."""
    if name == "gh" and operands[:1] == ["api"]:
        sends = {"-f", "-F", "--field", "--raw-field", "--input"} & set(known) or re.search(
            r"(-X|--method)[ =]?(POST|PUT|PATCH|DELETE)", " ".join(known)
        )
        return "changes" if sends else "reads"
    whole = " ".join((name, *known))
    if (known and set(known) <= _HELP) or "--help" in known:
        return "reads"
    if name.startswith("kafka-"):  # its verbs are options
        return (
            "reads" if {"--list", "--describe", "--state", "--members"} & set(known) else "changes"
        )
    is_list = (
        name in ("kubectl", "oc")
        and " get " in whole
        and not re.search(r" (-o|--output|--template|-w)\b", whole)
    )
    if _KEYS.search(whole) and not is_list:
        return "shows keys"
    return "reads" if any(DRY.fullmatch(value) for value in known) else None


def _exception(name: str, word: str, words: Sequence[str | None], kind: Kind) -> Kind:
    """Copying from a cloud to here changes nothing there."""
    if word == "get" and not any(re.match(r"[a-z0-9]+://", each or "x://") for each in words):
        return kind  # of a cluster, not of a store
    if word in ("cp", "sync", "rsync", "copy", "mirror", "download", "get") and len(words) > 2:
        ends_here = not re.match(r"[a-z0-9]+://|[\w-]+:", words[-1] or "x://") and bool(
            re.match(r"[a-z0-9]+://", words[-2] or "")
        )
        return "reads" if ends_here else "changes"
    return kind


def judge_task(operands: Sequence[str | None]) -> str | None:
    """The name of a task that a runner should not run unasked, or None. `test:delete` is a test."""
    for word in operands[:3]:
        parts = pieces(word or "")
        if parts and (parts[0] in _TRIES or parts[-1] in READS):
            return None
        if word and (
            any(_TASK.match(part) for part in parts) and "/" not in word and "=" not in word
        ):
            return word
    return None


def judge_name(name: str) -> bool:
    """Whether a program is called after what it takes away: `xbps-remove`."""
    parts = pieces(name)
    return len(parts) > 1 and _HARD_START.fullmatch(parts[-1]) is not None


def judge_options(values: Sequence[str | None]) -> str | None:
    """The option that says of a program that nobody has listed that it takes everything away."""
    return next((value for value in values if value and _HARD_OPTION.fullmatch(value)), None)


def judge_unknown(operands: Sequence[str | None]) -> Kind | None:
    """A program that nobody has listed, with a subcommand that deletes or the like. Only its first word counts."""
    for word in operands[:2]:
        if not word or not re.fullmatch(r"[a-z][a-z:_-]{1,30}", word):
            return None
        kind = kind_of_word(word)
        if kind == "reads" or pieces(word)[:1] == ["test"]:
            return None
        if any(part in _HARD for part in [word, *pieces(word)]) or _HARD_START.match(word):
            return kind or "deletes"
    return None
