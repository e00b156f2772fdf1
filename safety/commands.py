"""What a shell script would do to the world, command by command: the table below, and the few commands that need code.

A pattern is a command, then subcommands in order, then options; `-R` also matches `-rfR`, `--x` also `--x=1`, a `*` at
the end anything. Source: seed 000 (ask before what cannot be undone).
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from safety.paths import SYSTEM, Places
from safety.shell import Command, NotUnderstood, Word, parse

Risk = Literal[
    "delete",
    "send",
    "install",
    "spend",
    "system",
    "secret",
    "outside",
    "unknown",
    "catastrophic",
    "agent",
    "session",
    "forbidden",
]

TABLE: tuple[tuple[Risk, str, str], ...] = (
    ("delete", "deletes files for good", "rm; rmdir; unlink; shred; srm; wipe; trash-empty; find -delete; fd -X; rsync --delete*; "
     "truncate; logrotate -f; tar --remove-files; zip -m; rclone delete; rclone purge; rclone sync; borg delete; restic forget; cipher"),
    ("delete", "throws away work in git", "git reset --hard; git clean -f; git clean -x; git clean -d; git checkout --; git checkout .; "
     "git checkout -f; git checkout --force; git restore; git branch -D; git branch -d; git branch --delete; git tag -d; git stash drop; "
     "git stash clear; git rm; git reflog expire; git reflog delete; git gc --prune*; git filter-branch; git filter-repo; git worktree remove; "
     "git update-ref -d; git switch -f; git switch --discard-changes; git read-tree; git prune; git replace"),
    ("delete", "deletes what runs in containers or clouds", "docker rm; docker rmi; docker prune; docker system; docker volume rm; docker volume prune; "
     "docker image rm; docker image prune; docker container rm; docker container prune; docker network rm; docker kill; docker stop; docker compose down; docker-compose down; "
     "podman rm; podman rmi; podman system; podman volume rm; kubectl delete; kubectl drain; kubectl replace; kubectl scale; helm uninstall; helm delete; "
     "terraform destroy; tofu destroy; pulumi destroy; heroku apps:destroy; fly apps destroy; gh repo delete; gh release delete; gh issue delete; vagrant destroy"),
    ("delete", "may delete data in a database", "dropdb; dropuser; mysqladmin drop; redis-cli flushall; redis-cli FLUSHALL; redis-cli flushdb; redis-cli FLUSHDB; "
     "redis-cli del; redis-cli DEL; mongosh; mongo; pg_restore -c; pg_restore --clean; sqlite3; psql; mysql; mariadb; clickhouse-client; cqlsh"),
    ("send", "sends to others", "git push; git send-email; ssh; scp; sftp; ftp; lftp; rcp; telnet; nc; ncat; netcat; socat; mail; mailx; mutt; sendmail; msmtp; swaks; "
     "gh pr create; gh pr merge; gh pr comment; gh pr close; gh issue create; gh issue comment; gh issue close; gh release create; gh repo create; gh gist create; gh api -X; gh api -f; "
     "gh secret; gh workflow run; glab mr create; glab issue create; npm publish; pnpm publish; yarn publish; twine upload; cargo publish; gem push; docker push; podman push; docker login; "
     "docker compose push; poetry publish; uv publish; hatch publish; flit publish; rclone copy; rclone move; aws s3; aws s3api; gsutil; curl -d; curl --data*; curl -F; curl --form*; "
     "curl -T; curl --upload-file; curl --json; wget --post-data; wget --post-file; wget --method; wget --body-data; wget --body-file; telegram-send; slack; ngrok; "
     "cloudflared; bore; croc; wormhole; magic-wormhole; transfer; rsync -e; lp; lpr; wall; write; notify; xdg-email; heroku; vercel; netlify; firebase deploy; fly deploy; kubectl apply; "
     "kubectl create; kubectl exec; kubectl patch; kubectl edit; kubectl set; kubectl rollout; helm install; helm upgrade; ansible; ansible-playbook; svn commit; hg push"),
    ("install", "installs software", "pip install; pip uninstall; pip3 install; pip3 uninstall; pipx install; pipx uninstall; pipx run; uv add; uv remove; uv pip; uv tool install; uvx; uv sync; poetry add; "
     "poetry install; poetry remove; conda install; conda remove; conda create; mamba install; npm install; npm i; npm ci; npm uninstall; npm update; npm add; npx; pnpm add; pnpm install; pnpm dlx; yarn add; yarn install; "
     "yarn dlx; bun add; bun install; bunx; gem install; gem uninstall; bundle install; cargo install; go install; go get; apt install; apt remove; apt purge; apt upgrade; apt full-upgrade; apt dist-upgrade; "
     "apt autoremove; apt-get install; apt-get remove; apt-get purge; apt-get upgrade; apt-get dist-upgrade; apt-get autoremove; aptitude; dpkg -i; dpkg -r; dpkg -P; dpkg --install; dpkg --purge; dpkg --remove; "
     "yum; dnf; zypper; pacman -S; pacman -R; pacman -U; apk add; apk del; brew install; brew uninstall; brew upgrade; brew remove; snap install; snap remove; flatpak install; flatpak uninstall; rpm -i; rpm -U; rpm -e; "
     "nix-env; port install; winget install; choco install; easy_install; luarocks install; cpan; cpanm; composer require; composer install; code --install-extension; make install; ninja install; docker pull; ollama pull"),
    ("spend", "costs money", "aws ec2; aws rds; aws lambda; aws eks; aws ecs; gcloud compute; gcloud container; gcloud sql; gcloud run; az vm; az aks; az sql; az webapp; doctl compute; hcloud server; linode-cli; "
     "terraform apply; tofu apply; pulumi up; stripe; eksctl; vastai; modal"),
    ("spend", "changes what runs in a cloud", "aws iam; aws cloudformation; aws dynamodb; aws kms; aws route53; aws secretsmanager; aws sns; aws sqs; aws ses; gcloud iam; gcloud projects; gcloud functions; gcloud storage; "
     "az group; az storage; az keyvault; az ad; az role; bq; cdk; serverless; sam"),
    ("system", "acts with other rights", "sudo; su; doas; pkexec; runuser; chroot; nsenter; unshare; setcap; setfacl; visudo; passwd; chpasswd; useradd; userdel; usermod; groupadd; groupdel; adduser; deluser; gpasswd; newgrp; vipw"),
    ("system", "changes rights of many files", "chmod -R; chmod --recursive; chown -R; chown --recursive; chgrp -R; chgrp --recursive; chattr; chown; chmod 777; chmod u+s; chmod +s; icacls; takeown"),
    ("system", "stops processes or the machine", "kill; pkill; killall; xkill; skill; fuser -k; shutdown; reboot; halt; poweroff; init; telinit; systemctl stop; systemctl start; systemctl restart; systemctl disable; systemctl enable; systemctl mask; "
     "systemctl kill; systemctl poweroff; systemctl reboot; systemctl isolate; systemctl daemon-reload; systemctl edit; systemctl suspend; systemctl hibernate; loginctl; service; rc-service; launchctl; pm2 delete; pm2 kill; supervisorctl; docker restart; tmux kill-server"),
    ("system", "starts something that outlives the run", "crontab; at; batch; atrm; systemd-run; screen; docker run; docker exec; podman run; docker compose up; docker-compose up; tmux new-session; tmux new"),
    ("system", "changes the machine", "mount; umount; swapoff; swapon; mkswap; losetup; cryptsetup; lvremove; lvcreate; vgremove; pvremove; mdadm; zfs destroy; zpool destroy; btrfs; fdisk; sfdisk; gdisk; sgdisk; parted; wipefs; "
     "blkdiscard; hdparm; fsck; e2fsck; tune2fs; resize2fs; dd; mkfs*; mke2fs; mformat; diskutil; format; iptables; ip6tables; nft; ufw; firewall-cmd; sysctl -w; modprobe; insmod; rmmod; ip link; ip addr; ip route; "
     "ifconfig; route; nmcli; hostnamectl; timedatectl; date -s; hwclock; update-alternatives; update-grub; grub-install; efibootmgr; ldconfig; setenforce; aa-disable; defaults write; csrutil; nvram; reg; bcdedit; dconf write; gsettings set; xattr"),
    ("system", "changes settings of git or of the login", "git config --global; git config --system; chsh; chfn; update-rc.d; chkconfig; git remote add; git remote set-url; ssh-keygen; ssh-add; ssh-copy-id; gpg --import; gpg --delete*; keyctl; git hook"),
    ("secret", "shows keys or passwords", "gpg --export-secret*; security find-generic-password; security find-internet-password; security dump-keychain; pass show; pass; secret-tool; kwallet-query; op; bw; vault; git credential; gh auth; "
     "aws configure; gcloud auth; az account; heroku auth:token; kubectl config; keepassxc-cli; lastpass-cli; lpass"),
    ("unknown", "runs code that is not in the script", "eval; trap; alias; expect; osascript; powershell; pwsh; cmd; wscript; ld.so; gdb; debugfs; script; parallel; source /dev/*; enable -f; complete -C; tclsh; wish"),
)  # fmt: skip
# `X ARGS…` runs ARGS: the options that take a value, and how many plain arguments stand before the command.
WRAPPERS: dict[str, tuple[str, int]] = {
    "env": ("-u --unset -C --chdir -S", 0), "nohup": ("", 0), "nice": ("-n --adjustment", 0), "ionice": ("-c -n -p", 0), "time": ("-f -o", 0),
    "timeout": ("-k --kill-after -s --signal", 1), "stdbuf": ("-i -o -e", 0), "setsid": ("", 0), "command": ("", 0), "builtin": ("", 0),
    "exec": ("-a", 0), "xargs": ("-I -n -P -L -s -d -a -E --max-args --max-procs --delimiter --arg-file --replace", 0), "watch": ("-n --interval", 0),
    "busybox": ("", 0), "toybox": ("", 0), "sudo": ("-u -g -h -p -C -D", 0), "doas": ("-u -C", 0), "flock": ("-w -E", 1), "strace": ("-e -o -p -s", 0),
    "ltrace": ("-e -o", 0), "taskset": ("", 1), "chrt": ("", 1), "catchsegv": ("", 0), "unbuffer": ("", 0), "caffeinate": ("", 0), "parallel": ("-j", 0),
    "eatmydata": ("", 0), "proxychains": ("", 0), "torsocks": ("", 0), "faketime": ("", 1), "prlimit": ("", 0), "systemd-run": ("-p --unit", 0),
    "chroot": ("", 1), "unshare": ("", 0), "runuser": ("-u", 0), "pkexec": ("--user", 0), "poetry": ("", 1), "uv": ("", 1), "coproc": ("", 0), "not": ("", 0),
}  # fmt: skip
# Options of a command that take a value, so that the value is not mistaken for a subcommand or an operand.
VALUED: dict[str, str] = {
    "git": "-C -c --git-dir --work-tree --namespace", "kubectl": "-n --namespace --context --kubeconfig -l -o -f", "helm": "-n --namespace --kube-context",
    "docker": "-H --host --context --config -f", "docker-compose": "-f -p", "aws": "--profile --region --output --endpoint-url", "gcloud": "--project --account --zone --region",
    "curl": "-X -o -H -A -b -e -m -u -w -x -c -r -K -C -y -Y -E -Q -z -D", "wget": "-O -P -o -U -T -t -e -i -Q -w", "systemctl": "-t -H -M -p -n -o", "pip": "--python --log --proxy",
    "npm": "--prefix -w", "make": "-C -f -j -o -W", "tar": "-f -C -T -X", "ip": "-n -netns", "rclone": "--config", "sort": "-k -t -o -S -T", "head": "-n -c", "tail": "-n -c",
}  # fmt: skip
# Which operands a command writes to: all, the last, or the value of options.
WRITES: dict[str, str] = {
    "cp": "last -t --target-directory", "mv": "all -t --target-directory", "ln": "last -t", "install": "last -t", "tee": "all", "touch": "all", "mkdir": "all",
    "rsync": "last", "chmod": "rest", "curl": "-o --output --output-dir", "wget": "-O -P --output-document --directory-prefix", "sort": "-o --output", "tar": "-C --directory",
    "unzip": "-d", "gcc": "-o", "cc": "-o", "split": "last", "patch": "-o -d", "ffmpeg": "last", "convert": "last", "pandoc": "-o --output", "dd": "of", "mknod": "all", "mkfifo": "all",
    "sed": "-i --in-place", "perl": "-i", "gzip": "all", "gunzip": "all", "bzip2": "all", "xz": "all", "zip": "first", "7z": "", "truncate": "all", "rename": "rest",
}  # fmt: skip
SHELLS = {"bash", "sh", "zsh", "dash", "ksh", "fish", "ash", "rbash", "mksh"}
INTERPRETERS = {"perl": "-e -E -ne -pe", "ruby": "-e", "node": "-e -p --eval --print", "php": "-r", "lua": "-e", "deno": "eval", "bun": "-e", "Rscript": "-e", "tclsh": "-c", "awk": "", "gawk": "", "mawk": ""}  # fmt: skip
# Names that change what other commands are or load.
GUARDED_VARIABLES = re.compile(r"(LD_|DYLD_|BASH_FUNC_|GIT_(SSH|EXTERNAL|EDITOR|PAGER|CONFIG)|PERL5|RUBYOPT|NODE_OPTIONS|PYTHON(PATH|STARTUP|HOME)$|PATH$|BASH_ENV$|ENV$|IFS$|PROMPT_COMMAND$|EDITOR$|PAGER$|SHELLOPTS$)")  # fmt: skip
_BOMB = re.compile(r"(?<![\w:.])([\w:.]{1,40})\s{0,9}\(\)\s*\{\s*\1\s*\|\s*\1\s*&?\s*\}\s*;?\s*\1")
_CODE_EFFECT = re.compile(r"unlink|rmtree|rm_r|rmdir|system|exec|spawn|popen|child_process|writeFile|file_put|\brm\b|rename|Delete|`|socket|fetch|http|kill|fs\.")  # fmt: skip
_AWK_EFFECT = re.compile(r"system\s*\(|\|\s*\"|\"\s*\||>\s*\"?[\w/~.$(]+\"?\s*[;}]|getline")
_SQL_READS = re.compile(
    r"^\s*(select|show|explain|describe|pragma\s+\w+\s*;?\s*$|\.(tables|schema|headers|mode|dump)|\\[dlc])",
    re.IGNORECASE,
)
_SQL = {"sqlite3", "psql", "mysql", "mariadb", "clickhouse-client", "cqlsh", "mongosh", "mongo"}
MAX_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a script would do. `command` is the command's name."""

    risk: Risk
    reason: str
    command: str = ""


@dataclass(slots=True)
class Look:
    """One look at a script: gathers findings. `python` looks at Python code."""

    places: Places
    python: Callable[[str, Path | None, int], list[Finding]]
    cwd: Path | None
    variables: dict[str, str] = field(default_factory=dict)
    depth: int = 0
    findings: list[Finding] = field(default_factory=list)
    _seen: set[tuple[str, str, Path | None]] = field(default_factory=set)  # what `_read` has looked at

    def script(self, text: str) -> list[Finding]:
        """What the script would do. Understands or says that it does not; never raises."""
        if _BOMB.search(text):
            self._add("catastrophic", "a fork bomb", "")
        if self.depth > MAX_DEPTH:
            self._add("unknown", "scripts within scripts, too deep", "")
            return self.findings
        try:
            commands = parse(text)
        except NotUnderstood as error:
            self._add("unknown", f"not understood: {error}", "")
            return self.findings
        for command in commands:
            self._command(command)
        return self.findings

    def _add(self, risk: Risk, reason: str, command: str) -> None:
        self.findings.append(Finding(risk, reason, command))

    def _command(self, command: Command) -> None:
        for name, word in command.assignments:
            self._assign(name, word)
        self._redirects(command)
        if command.loop_variable:
            self.variables.pop(command.loop_variable, None)
            return
        if command.words:
            self._words(command.words, command)

    def _assign(self, name: str, word: Word) -> None:
        value = word.value(self.variables)
        if GUARDED_VARIABLES.match(name):
            self._add("unknown", f"sets {name}, which changes what commands do", name)
        if value is None or word.has_pattern:
            self.variables.pop(name, None)
        else:
            self.variables[name] = value

    def _redirects(self, command: Command) -> None:
        for redirect in command.redirects:
            if redirect.operator in (">", ">>", ">|", "<>", "&>", "&>>"):
                self._write(redirect.word, ">", is_append=redirect.operator.endswith(">>"))
            elif redirect.operator == "<":
                self._read(redirect.word, "<")
            elif redirect.operator == ">&" and not re.fullmatch(r"\d+-?|-", redirect.word.value(self.variables) or ""):
                self._write(redirect.word, ">")

    def _words(self, words: list[Word], command: Command) -> None:
        """One command with its arguments; a wrapper's inner command comes back here."""
        name = words[0].value(self.variables)
        if name is None or (words[0].has_pattern and name not in ("[", "[[")):
            self._add("unknown", "the name of a command is only known when it runs", "")
            return
        name = name.rpartition("/")[2] or name
        values = [word.value(self.variables) for word in words[1:]]
        for word in words[1:]:
            self._read(word, name)
        for risk, reason in matches(name, values):
            if not _is_harmless(name, values):
                self._add(risk, f"{name}: {reason}", name)
        self._vital(name, words, values)
        self._targets(name, words)
        self._inner(name, words, values, command)

    # What runs something else

    def _inner(self, name: str, words: list[Word], values: list[str | None], command: Command) -> None:
        if name == "cd":
            self._change_folder(words)
        elif name in ("export", "declare", "local", "readonly", "typeset"):
            self._exports(words)
        elif name == "eval":
            self._nested([self._known(values)])
        elif name == "git":
            self._git(values)
        elif name == "find":
            self._find(words, values, command)
        elif name in WRAPPERS:
            self._wrapped(name, words, command)
        else:
            self._language(name, words, values, command)

    def _wrapped(self, name: str, words: list[Word], command: Command) -> None:
        inner = _behind(words, self.variables, *WRAPPERS[name])
        if inner and (name != "command" or words[1].literal not in ("-v", "-V")):
            self._words([*inner, Word()] if name == "xargs" else inner, command)

    def _language(self, name: str, words: list[Word], values: list[str | None], command: Command) -> None:
        if name in SHELLS:
            self._shell(name, words, values, command)
        elif re.fullmatch(r"(python|pypy)[\d.]*", name):
            self._python(name, words, values, command)
        elif name in INTERPRETERS:
            self._interpreter(name, values, command)

    def _nested(self, scripts: list[str | None]) -> None:
        for script in scripts:
            if script is None:
                self._add("unknown", "runs a script that is only known when it runs", "")
            else:
                inner = Look(self.places, self.python, self.cwd, self.variables, self.depth + 1)
                self.findings += inner.script(script)

    def _known(self, values: list[str | None]) -> str | None:
        known = [value for value in values if value is not None]
        return " ".join(known) if len(known) == len(values) else None

    def _shell(self, name: str, words: list[Word], values: list[str | None], command: Command) -> None:
        at = next((n for n, value in enumerate(values) if re.fullmatch(r"-[a-z]*c", value or "")), None)
        if at is not None:
            rest = values[at + 1 : at + 2]
            self._nested(rest or [None])
        elif not _operands(name, values):
            self._from_input(name, command)

    def _from_input(self, name: str, command: Command) -> None:
        given = [redirect.word for redirect in command.redirects if redirect.operator in ("<<", "<<<")]
        if given:
            self._nested([given[-1].value(self.variables)])
        elif command.is_piped or any(redirect.operator == "<" for redirect in command.redirects):
            self._add("unknown", f"{name} runs what another command sends it", name)

    def _python(self, name: str, words: list[Word], values: list[str | None], command: Command) -> None:
        if "-c" in values:
            self._code(values[values.index("-c") + 1 :][:1] or [None], name)
        elif "-m" in values:
            inner = words[values.index("-m") + 2 :]
            if inner and inner[0].value(self.variables) in ("pip", "ensurepip", "venv", "uv", "smtplib"):
                self._words(inner, command)
        elif not [value for value in values if value is None or not value.startswith("-")]:
            given = [redirect.word for redirect in command.redirects if redirect.operator in ("<<", "<<<")]
            if given:
                self._code([given[-1].value(self.variables)], name)
            else:
                self._from_input(name, command)

    def _code(self, codes: list[str | None], name: str) -> None:
        for code in codes:
            if code is None:
                self._add("unknown", f"{name} runs code that is only known when it runs", name)
            else:
                self.findings += self.python(code, self.cwd, self.depth)

    def _interpreter(self, name: str, values: list[str | None], command: Command) -> None:
        if name in ("awk", "gawk", "mawk"):
            program = next(iter(_operands("awk", values)), "")
            if program is None or _AWK_EFFECT.search(program):
                self._add("unknown", f"{name} may start commands or write files", name)
            return
        flags = INTERPRETERS[name].split()
        at = next((n for n, value in enumerate(values) if value in flags), None)
        if at is None:
            if not _operands(name, values):
                self._from_input(name, command)
        elif any(value is None or _CODE_EFFECT.search(value) for value in values[at + 1 : at + 2]):
            self._add("unknown", f"{name} runs code that may change files or start commands", name)

    def _find(self, words: list[Word], values: list[str | None], command: Command) -> None:
        for at, value in enumerate(values):
            if value in ("-exec", "-execdir", "-ok", "-okdir"):
                inner = words[at + 2 :]
                end = next((n for n, word in enumerate(inner) if word.value({}) in (";", "+")), len(inner))
                inner = [Word() if word.value({}) == "{}" else word for word in inner[:end]]
                if inner:
                    self._words(inner, command)
            elif value in ("-fprint", "-fprintf", "-fls") and at + 2 < len(words):
                self._write(words[at + 2], "find")

    def _git(self, values: list[str | None]) -> None:
        if any(
            value and re.match(r"(core\.(pager|editor|sshcommand|fsmonitor|hookspath)|alias\.)", value, re.IGNORECASE)
            for value in values
        ):
            self._add("unknown", "git: a setting that runs a command", "git")

    def _exports(self, words: list[Word]) -> None:
        for word in words[1:]:
            value = word.value(self.variables)
            name, is_set, rest = (value if value is not None else word.known_start(self.variables)).partition("=")
            if is_set:
                if GUARDED_VARIABLES.match(name):
                    self._add("unknown", f"sets {name}, which changes what commands do", name)
                if value is None:
                    self.variables.pop(name, None)
                else:
                    self.variables[name] = rest

    def _change_folder(self, words: list[Word]) -> None:
        operands = [word for word in words[1:] if not (word.value(self.variables) or "").startswith("-")]
        self.cwd = self._path(operands[0]) if operands else self.places.owner
        if self.cwd is None:
            self.variables.pop("PWD", None)
        else:
            self.variables["PWD"] = str(self.cwd)

    # What is written, read, and deleted

    def _path(self, word: Word) -> Path | None:
        value = word.value(self.variables)
        return None if value is None else self._join(value)

    def _write(self, word: Word, name: str, is_append: bool = False) -> None:
        path = self._path(word)
        if path is None:
            start = word.known_start(self.variables)
            if not start.startswith("/") or start.count("/") < 2:
                self._add("unknown", f"{name} writes to a place that is only known when it runs", name)
                return
            path = _plain(Path(start))
        kind = self.places.kind(path)
        if kind == "device":
            self._add("catastrophic", f"{name} writes to the device {path}", name)
        elif kind == "agent":
            self._add("agent", f"{name} writes to {path}, in the agent's own home", name)
        elif kind in ("secret", "startup"):
            self._add("system", f"{name} writes to {path}, which decides what runs or who gets in", name)
        elif kind == "outside":
            self._add("outside", f"{name} writes to {path}, outside the allowed folders", name)

    def _read(self, word: Word, name: str) -> None:
        value = word.value(self.variables) or word.known_start(self.variables)
        if not re.search(r"[/~.]", value):
            return
        if (name, value, self.cwd) in self._seen:
            return
        self._seen.add((name, value, self.cwd))
        path = self._path(word)
        path = path or (_plain(Path(value)) if value.startswith("/") else None)
        if (
            path
            and self.places.is_secret(path)
            and name not in ("ls", "stat", "test", "[", "cd", "echo", "printf", "grep -l")
        ):
            self._add("secret", f"{name} reads {path}, which holds keys or passwords", name)

    def _targets(self, name: str, words: list[Word]) -> None:
        """The files that a command writes to by its nature."""
        if name not in WRITES:
            return
        rule, *options = WRITES[name].split() or [""]
        if rule.startswith("-"):
            rule, options = "", [rule, *options]
        if name == "dd":
            found = [word for word in words[1:] if word.known_start(self.variables).startswith("of=")]
            self._write_all([_behind_sign(word) for word in found], name)
            return
        values = [word.value(self.variables) for word in words]
        plain = [words[at] for at in range(1, len(words)) if _is_operand(name, values, at)]
        if name in ("sed", "perl"):
            if any(re.match(r"-[a-zA-Z]*i|--in-place", value or "") for value in values[1:]):
                self._write_all(plain[1:] if "-e" not in values else plain, name)
            return
        chosen = {"all": plain, "last": plain[-1:], "rest": plain[1:], "first": plain[:1]}.get(rule, [])
        self._write_all([*chosen, *_option_values(words, values, options)], name)

    def _write_all(self, words: list[Word], name: str) -> None:
        for word in words:
            if name in ("mkdir", "touch", "chmod", "gzip") and word.value(self.variables) is None:
                continue  # makes or marks; what is there stays
            self._write(word, name)

    def _vital(self, name: str, words: list[Word], values: list[str | None]) -> None:
        """What takes the system or the owner's home with it is refused, not asked."""
        flags = "".join(value[1:] for value in values if value and re.fullmatch(r"-[A-Za-z]+", value))
        is_deep = "r" in flags or "R" in flags or "--recursive" in values
        if name == "rm" and "--no-preserve-root" in values:
            self._add("catastrophic", "rm --no-preserve-root", name)
        if name == "kill" and "-1" in values[1:]:
            self._add("catastrophic", "kill -1 stops every process", name)
        if re.match(r"mkfs|mke2fs|wipefs|blkdiscard|shred|mkswap", name) and any(
            (value or "").startswith("/dev/") for value in values
        ):
            self._add("catastrophic", f"{name} overwrites a device", name)
        deletes = (
            (name in ("rm", "chmod", "chown", "chgrp") and is_deep)
            or name == "mv"
            or (name == "find" and "-delete" in values)
        )
        if name == "find" and not deletes:
            deletes = "rm" in values
        if deletes:
            for word in words[1:-1] if name == "mv" else words[1:]:
                if self._is_vital(word):
                    self._add(
                        "catastrophic", f"{name} on {word.value(self.variables)}: the system or a whole home", name
                    )

    def _is_vital(self, word: Word) -> bool:
        value = word.value(self.variables)
        if not value or value.startswith("-"):
            return False
        bare = re.sub(r"(/\.?\*+|/\{?\*?,?\.\*\}?)$", "", value) if word.has_pattern else value
        if bare == "*" or (word.has_pattern and bare == ".*"):
            bare = "."
        if word.has_pattern and not bare:
            bare = "/"
        path = self._join(bare)
        return (
            path is not None
            and not re.search(r"[*?\[]", str(path))
            and (self.places.is_vital(path) or str(path) in SYSTEM)
        )

    def _join(self, text: str) -> Path | None:
        if text.startswith("/"):
            return _plain(Path(text))
        return None if self.cwd is None else _plain(self.cwd / text)


def matches(name: str, values: list[str | None]) -> Iterator[tuple[Risk, str]]:
    """The rows of the table that fit a command; each risk once."""
    table = _table()
    rows = table.get(name, []) + [row for start, row in _prefix_rows() if name.startswith(start)]
    if not rows:
        return
    operands = _operands(name, values)
    seen = set()
    for parts, risk, reason in rows:
        plain = [part for part in parts if not part.startswith("-") or part == "--"]
        options = [part for part in parts if part.startswith("-") and part != "--"]
        fits = all(_has_plain(part, n, operands, values) for n, part in enumerate(plain))
        if fits and all(_has_option(name, option, values) for option in options) and risk not in seen:
            seen.add(risk)
            yield risk, reason


def _has_plain(part: str, at: int, operands: list[str | None], values: list[str | None]) -> bool:
    if part in ("--", "."):
        return part in values
    if at >= len(operands):
        return False
    operand = operands[at]
    if operand is None:
        return True  # a subcommand that is only known when it runs could be this one
    return operand.startswith(part[:-1]) if part.endswith("*") else operand == part


def _has_option(name: str, option: str, values: list[str | None]) -> bool:
    letter = option[1] if len(option) == 2 and name != "find" else ""
    valued = {item[1] for item in VALUED.get(name, "").split() if len(item) == 2}
    for value in values:
        if value is None or not value.startswith("-"):
            continue
        if option.endswith("*") and value.startswith(option[:-1]):
            return True
        if value == option or value.startswith(option + "="):
            return True
        if letter and (cluster := re.match(r"-([A-Za-z]+)", value)):
            for found in cluster[1]:
                if found == letter:
                    return True
                if found in valued:
                    break
    return False


@functools.cache
def _table() -> dict[str, list[tuple[list[str], Risk, str]]]:
    table: dict[str, list[tuple[list[str], Risk, str]]] = {}
    for risk, reason, patterns in TABLE:
        for pattern in patterns.split(";"):
            name, *parts = pattern.split()
            table.setdefault(name, []).append((parts, risk, reason))
    return table


@functools.cache
def _prefix_rows() -> list[tuple[str, tuple[list[str], Risk, str]]]:
    return [(name[:-1], row) for name, rows in _table().items() if name.endswith("*") for row in rows]


def _operands(name: str, values: list[str | None]) -> list[str | None]:
    listed = [name, *values]
    return [listed[at] for at in range(1, len(listed)) if _is_operand(name, listed, at)]


def _is_operand(name: str, values: list[str | None], at: int) -> bool:
    value = values[at]
    if value is not None and value.startswith("-") and value != "-" and "--" not in values[1:at]:
        return False
    return values[at - 1] not in VALUED.get(name, "").split()


def _option_values(words: list[Word], values: list[str | None], options: list[str]) -> list[Word]:
    found = [words[at + 1] for at, value in enumerate(values[:-1]) if value in options]
    glued = [
        word
        for word, value in zip(words, values, strict=True)
        if value and "=" in value and value.partition("=")[0] in options
    ]
    return found + [_behind_sign(word) for word in glued]


def _behind_sign(word: Word) -> Word:
    """The value of `name=value`."""
    first, *rest = word.parts
    return Word([type(first)(first.kind, first.value.partition("=")[2], first.is_quoted), *rest])


def _behind(words: list[Word], variables: Mapping[str, str], valued: str, skipped: int) -> list[Word]:
    """The command that a wrapper runs: what is left without its options, assignments and plain arguments."""
    at = 1
    while at < len(words):
        value = words[at].value(variables) or words[at].known_start(variables)
        if value.startswith("-"):
            at += 2 if value in valued.split() else 1
        elif re.match(r"[A-Za-z_]\w*=", value):
            at += 1
        elif skipped:
            skipped, at = skipped - 1, at + 1
        else:
            return words[at:]
    return []


def _is_harmless(name: str, values: list[str | None]) -> bool:
    """The uses of a dangerous command that only show something."""
    if values and set(values) <= {"--help", "--version", "-h", "-V", "--dry-run", "help"} and name not in ("find",):
        return True
    known = [value or "" for value in values]
    shows = {
        "kill": values[:1] in (["-0"], ["-l"]),
        "crontab": values == ["-l"],
        "trap": not known or known[0] in ("-", "", "-p") or known[1:] == [],
        "alias": not any("=" in value for value in known),
        "mount": not values,
        "ifconfig": len(values) <= 1,
        "route": not values or values == ["-n"],
        "git": known[:2] in (["stash", "list"], ["restore", "--staged"], ["rebase", "--abort"], ["clean", "-n"]) or "--dry-run" in known,
        "ssh-keygen": "-l" in known or "-lf" in known,
        "ssh": values == ["-V"],
        "ip": not {"add", "del", "set", "flush", "change", "replace"} & set(known),
        "dd": all(not value.startswith("of=") or value == "of=/dev/null" for value in known),
        "service": known[-1:] in (["status"], ["--status-all"]),
        "loginctl": not known or known[0].startswith(("list", "show", "session-status")),
        "aws": len(known) > 1 and bool(re.match(r"(describe|list|get|ls|head)", known[-1] if known[0] == "s3" else known[1])),
        "kubectl": known[:2] == ["config", "current-context"] or known[:2] == ["config", "get-contexts"] or known[:2] == ["rollout", "status"],
        "gh": known[:2] == ["auth", "status"],
        "gcloud": any(value in ("list", "describe") for value in known),
        "az": any(value in ("list", "show") for value in known),
        "yum": known[:1] in (["list"], ["info"], ["search"]),
        "dnf": known[:1] in (["list"], ["info"], ["search"]),
        "fdisk": known[:1] == ["-l"],
        "parted": known[:1] == ["-l"] or known[-1:] == ["print"],
        "screen": known[:1] == ["-ls"],
        "docker": known[:2] in (["system", "df"], ["system", "info"]),
        "passwd": known[:1] == ["-S"],
        "vault": known[:1] == ["status"],
        "fsck": "-n" in known or "-N" in known,
        "nft": known[:1] == ["list"],
        "iptables": known[:1] in (["-L"], ["-S"]) or "-L" in known,
        "ufw": known[:1] == ["status"],
    }  # fmt: skip
    if name in _SQL:
        queries = [value for value in known if " " in value or value.startswith((".", "\\"))]
        return bool(queries) and all(
            _SQL_READS.match(query)
            and not re.search(r"(?i);\s*\w*\s*(drop|delete|update|insert|alter)|into\s+outfile", query)
            for query in queries
        )
    return shows.get(name, False)


def _plain(path: Path) -> Path:
    """The path without dots, and without links as far as it exists."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # links in a circle, a name too long, no name at all
        return Path(os.path.normpath(path))
