"""What is known of commands by name: what they do, what they run, what they write to. Data for commands.py.

A pattern is a command, then subcommands in order, then options; `-R` also matches `-rfR`, `--x` also `--x=1`, a `*` at
the end anything. Source: seed 000 (ask before what cannot be undone).
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple


def names(text: str) -> frozenset[str]:
    """The names in a text, with blanks between them."""
    return frozenset(text.split())


Risk = Literal[
    "delete",
    "send",
    "install",
    "spend",
    "system",
    "change",
    "memory",
    "schedule",
    "secret",
    "outside",
    "unknown",
    "catastrophic",
    "agent",
    "session",
    "forbidden",
]


class Finding(NamedTuple):
    """One thing that a call would do. `command` is the command's name."""

    risk: Risk
    reason: str
    command: str = ""


TABLE: tuple[tuple[Risk, str, str], ...] = (
    ("delete", "deletes files for good", "rm; rmdir; unlink; shred; srm; wipe; trash; trash-put; trash-empty; find -delete; fd -X; rsync --delete*; rsync --remove-source-files; "
     "truncate; logrotate -f; tar --remove-files; zip -m; 7z d; rclone delete; rclone deletefile; rclone purge; rclone sync; rclone rmdirs; borg delete; borg prune; restic forget; restic prune; cipher; gio trash; fallocate -p; "
     "Remove-Item; ri; del; erase; rd; deltree; Clear-Content; Clear-RecycleBin; Format-Volume; Clear-Disk; rmtrash; fdupes -d; jdupes -d; fdupes --delete; jdupes --delete; tmutil delete*; npm cache clean; pip cache purge; pip cache remove; yarn cache clean; pnpm store prune; conda clean; uv cache clean; zfs destroy; history -c; history -d; history -w; robocopy"),
    ("delete", "throws away work in git", "git reset --hard; git reset --merge; git reset --keep; git clean -f; git clean -x; git clean -d; git clean -X; git clean --force; git checkout --; git checkout .; "
     "git checkout -f; git checkout --force; git checkout -B; git checkout-index -f; git checkout-index --force; git checkout --ours; git checkout --theirs; git restore; git branch -D; git branch --delete; git branch -M; git branch -f; git branch --force; git tag -d; git tag -f; git tag --delete; git stash drop; "
     "git stash clear; git rm; git reflog expire; git reflog delete; git gc --prune*; git filter-branch; git filter-repo; git worktree remove; git worktree prune; git rebase -i; git rebase --interactive; git rebase --onto; git rebase --root; "
     "git update-ref -d; git switch -f; git switch --discard-changes; git switch --force; git switch -C; git read-tree; git prune; git replace; git remote remove; git remote rm; git remote prune; git lfs prune; git notes remove; "
     "git submodule deinit; git sparse-checkout; git symbolic-ref; git fast-import; bfg; hg strip; hg purge; svn revert; svn delete; jj abandon; git fetch --force; git worktree add -f"),
    ("delete", "may delete data in a database", "flyway clean; flyway undo; liquibase drop*; liquibase rollback*; dropdb; dropuser; pg_restore; mongorestore; mongoimport; pg_dropcluster; nodetool; pg_resetwal; pt-archiver; mysqlimport; createdb; createuser; initdb; pg_ctl; pg_upgrade; mysql_secure_installation"),
    ("send", "sends to others", "git push; git send-email; git request-pull; git svn; ssh; mosh; scp; sftp; ftp; lftp; tftp; rcp; rsh; rlogin; telnet; nc; ncat; netcat; socat; mail; mailx; Mail; s-nail; mutt; neomutt; sendmail; msmtp; swaks; "
     "npm publish; npm unpublish; npm deprecate; npm dist-tag; npm access; npm team; npm hook; npm login; npm token; npm owner; pnpm publish; yarn publish; yarn npm; bun publish; twine upload; cargo publish; cargo yank; cargo login; gem push; gem yank; docker push; podman push; docker login; poetry publish; uv publish; hatch publish; flit publish; "
     "rclone copy; rclone copyto; rclone move; rclone moveto; rclone serve; rclone rcat; curl -d; curl --data*; curl -F; curl --form*; curl -T; curl --upload-file; curl --json; wget --post-data; wget --post-file; wget --body-data; wget --body-file; "
     "telegram-send; slack; ngrok; cloudflared; bore; croc; wormhole; magic-wormhole; transfer; localtunnel; lt; frpc; chisel; ssh-copy-id; lp; lpr; wall; write; xdg-email; svn commit; svn import; hg push; jj git push; "
     "cvs commit; p4 submit; aws-shell; smbclient; mount.cifs; tor; onionshare; signal-cli; matrix-commander; toot; tweet; ssmtp; fax; sendfax; snmpset; mosquitto_pub; grpcurl -d; websocat; wscat; certbot; "
     "Send-MailMessage; Invoke-WebRequest; Invoke-RestMethod; iwr; irm; bitsadmin; certutil -urlcache"),
    ("install", "installs software", "pip install; pip uninstall; pip download; pip3 install; pip3 uninstall; pipx install; pipx uninstall; pipx run; pipx upgrade; pipx inject; uv add; uv remove; uv sync; uv pip install; uv pip uninstall; uv pip sync; uv tool install; uv tool run; uvx; poetry add; "
     "poetry install; poetry remove; poetry update; pdm add; pdm install; pipenv install; pipenv uninstall; conda install; conda remove; conda create; conda update; conda env create; conda env remove; conda env update; nix-collect-garbage; mamba install; npm install; npm i; npm ci; npm uninstall; npm un; npm remove; npm rm; npm update; npm add; npm link; npm init; npm create; npm exec; npm audit fix; pnpm add; pnpm install; pnpm i; pnpm remove; pnpm dlx; pnpm update; yarn add; yarn install; "
     "yarn remove; yarn global; yarn dlx; yarn create; bun add; bun install; bun remove; bunx; gem install; gem uninstall; gem update; bundle install; bundle update; bundle add; cargo install; cargo uninstall; cargo add; cargo update; cargo remove; cargo owner; pnpm up; pnpm upgrade; pnpm unlink; pnpm link; pnpm prune; yarn up; yarn upgrade; yarn set; yarn link; yarn unlink; yarn plugin; composer global; composer self-update; composer create-project; bun update; go clean -modcache; go clean -cache; go install; go get; apt install; apt remove; apt purge; apt upgrade; apt full-upgrade; apt dist-upgrade; "
     "apt autoremove; apt update; apt-get install; apt-get remove; apt-get purge; apt-get upgrade; apt-get dist-upgrade; apt-get autoremove; apt-get update; apt-mark; add-apt-repository; apt-key; aptitude; dpkg -i; dpkg -r; dpkg -P; dpkg --install; dpkg --purge; dpkg --remove; dpkg --configure; dpkg-reconfigure; "
     "yum; dnf; microdnf; zypper; yay; paru; emerge; xbps-install; apk add; apk del; apk upgrade; brew install; brew uninstall; brew upgrade; brew remove; brew rm; brew tap; brew reinstall; brew cleanup; brew services; snap install; snap remove; snap refresh; flatpak install; flatpak uninstall; flatpak update; flatpak remove; rpm -i; rpm -U; rpm -e; rpm -F; rpm --install; rpm --erase; rpm --import; "
     "nix-env; nix-channel; nix profile; nixos-rebuild; guix install; guix remove; port install; port uninstall; winget install; winget uninstall; choco install; choco uninstall; scoop install; easy_install; luarocks install; cpan; cpanm; composer require; composer install; composer remove; composer update; code --install-extension; code --uninstall-extension; make install; make uninstall; ninja install; meson install; cmake --install; "
     "ollama rm; ollama create; ollama push; npx; rustup install; rustup update; rustup toolchain; nvm install; nvm uninstall; pyenv install; pyenv uninstall; asdf install; mise install; sdk install; opam install; cabal install; stack install; mix deps.get; helm plugin; krew; vcpkg install; conan install; dotnet add; dotnet tool; nuget install; Install-Module; Install-Package; Add-AppxPackage; setup.py; easy_install3; softwareupdate; mas install; msiexec"),
    ("system", "acts with other rights", "sudo; sudoedit; su; doas; pkexec; runuser; chroot; nsenter; unshare; setcap; setfacl; visudo; passwd; chage; newusers; groupmems; chpasswd; useradd; userdel; usermod; groupadd; groupdel; groupmod; adduser; deluser; addgroup; delgroup; gpasswd; newgrp; vipw; setpriv; capsh; runas; net user; net localgroup; net share; net stop; net start; dsadd; Set-ExecutionPolicy; dscl; sysadminctl"),
    ("catastrophic", "overwrites what the machine starts from", "flashrom -w; flashrom --write; flashrom -E; flashrom --erase; efibootmgr -B; efibootmgr --delete-bootnum; dmsetup remove_all; dmsetup wipe_table"),
    ("system", "changes rights of files", "chmod -R; chmod --recursive; chown; chgrp; chattr; chmod 777; chmod 0777; chmod 666; chmod 000; chmod 0; chmod a+rwx; chmod o+w; chmod a+w; chmod u+s; chmod +s; chmod g+s; chmod 4755; chmod 6755; chmod 1777; chmod 2755; icacls; takeown; cacls; attrib; chcon; restorecon; setfattr"),
    ("system", "stops processes or the machine", "kill; pkill; killall; killall5; xkill; skill; fuser -k; shutdown; reboot; halt; poweroff; init; telinit; loginctl; systemctl; service; rc-service; initctl; launchctl; pm2 delete; pm2 kill; pm2 stop; supervisorctl; tmux kill-server; tmux kill-session; renice; Stop-Process; Stop-Service; Restart-Computer; Stop-Computer; taskkill; tskill; sc; wmic; Set-Service; Restart-Service"),
    ("system", "starts something that outlives the run", "crontab; at; batch; atrm; systemd-run; screen; tmux new-session; tmux new; nohup; disown; schtasks; Register-ScheduledTask; start-stop-daemon; daemonize; Start-Process"),
    ("system", "changes the machine", "mount; umount; swapoff; swapon; mkswap; losetup; cryptsetup; lvremove; lvcreate; lvresize; lvextend; lvreduce; lvchange; vgremove; vgcreate; vgreduce; vgchange; pvremove; pvcreate; pvmove; mdadm; zfs set; zfs rollback; zfs create; zpool; btrfs; fdisk; sfdisk; cfdisk; gdisk; sgdisk; parted; wipefs; "
     "blkdiscard; hdparm; badblocks; nvme; smartctl -s; fsck; fsck*; e2fsck; xfs_repair; tune2fs; resize2fs; dd; ddrescue; mkfs*; mke2fs; mkdosfs; mformat; diskutil; diskpart; format; iptables; ip6tables; iptables-restore; ebtables; arptables; nft; ufw; firewall-cmd; netsh; sysctl -w; sysctl -p; modprobe; insmod; rmmod; depmod; ip link; ip addr; ip address; ip route; ip rule; ip netns; ip neigh; tc; brctl; iw; rfkill; "
     "ifconfig; route; nmcli; hostnamectl; timedatectl; localectl; date -s; date --set*; hwclock; ntpdate; update-alternatives; update-grub; grub-install; grub-mkconfig; efibootmgr; mkinitcpio; update-initramfs; dracut; kexec; ldconfig; setenforce; semanage; setsebool; aa-disable; aa-complain; apparmor_parser -R; auditctl; defaults write; defaults delete; scutil --set; systemsetup; networksetup; csrutil; nvram; spctl; pmset; reg; bcdedit; vssadmin; wbadmin; dconf write; dconf reset; dconf load; gsettings set; gsettings reset; gsettings reset-recursively; xattr -w; xattr -c; xattr -d; "
     "zramctl; dmsetup; mdutil -E; mdutil -X; multipath; kpartx; iscsiadm; raspi-config; systemd-firstboot; journalctl --vacuum*; journalctl --rotate; journalctl --flush; dmesg -c; dmesg -C; dmesg --clear; Set-ItemProperty; New-ItemProperty; Remove-ItemProperty; Clear-EventLog; wevtutil; fsutil; manage-bde; Disable-NetAdapter; Set-MpPreference; auditpol"),
    ("system", "changes settings of git, of tools or of the login", "chsh; chfn; update-rc.d; chkconfig; git remote set-url; git config --edit; git config -e; ssh-keygen; ssh-add; gpg --import; gpg --delete*; gpg --gen-key; gpg --full-gen*; gpg --edit-key; gpg --export-secret*; keyctl; git hook; git maintenance; "
     "npm config set; npm config delete; npm config edit; npm set; pip config set; pip config unset; pip config edit; yarn config set; pnpm config set; go env -w; conda config; poetry config; xdg-mime default; xdg-settings set; update-ca-certificates; update-ca-trust; security add*; security delete*; security set*; direnv allow; git lfs install; pre-commit install; xhost; loadkeys; setxkbmap"),
    ("system", "acts with the owner's mouse and keyboard", "xdotool; ydotool; dotool; tmux send-keys; tmux send; screen -X; wtype; xte; wmctrl -c; wmctrl -a; cliclick; xvkbd"),
    ("secret", "shows keys or passwords", "gpg --export-secret*; security find-generic-password; security find-internet-password; security dump-keychain; security export; pass; gopass; secret-tool; kwallet-query; op; bw; git credential; git credential*; "
     "keepassxc-cli; lastpass-cli; lpass; mimikatz; unshadow; john; hashcat; hydra; tcpdump; wireshark; tshark; xinput test; logkeys; xclip -o; cmdkey; getent shadow; age -d; sops -d; sops --decrypt; ansible-vault"),
    ("unknown", "runs code that is not in the script", "expect; osascript; wscript; cscript; mshta; rundll32; regsvr32; gdb; lldb; debugfs; enable -f; complete -C; compgen -C; bind -x; m4; msfconsole; msfvenom; nmap --script*; sqlmap; ed; dc; tclsh; wish; "
     "emacs --eval; emacs -l; emacs --batch; ansible; ansible-playbook; salt; salt-ssh; pssh; puppet; chef-client; fab; k9s; entr; kmod; bpftrace; bpftool; make -f; make -E; make --eval*; gmake -f; rpcclient; wmiexec; zmodload; autoload; hash -p; mapfile -C; fc -s; fc -e; java -cp; qemu-system*; kvm"),
)  # fmt: skip
# `X ARGS…` runs ARGS: the options that take a value, and how many plain arguments stand before the command.
WRAPPERS: dict[str, tuple[str, int]] = {
    "env": ("-u --unset -C --chdir -S", 0), "nohup": ("", 0), "nice": ("-n --adjustment", 0), "ionice": ("-c -n -p", 0), "time": ("-f -o", 0),
    "timeout": ("-k --kill-after -s --signal", 1), "stdbuf": ("-i -o -e", 0), "setsid": ("", 0), "command": ("", 0), "builtin": ("", 0),
    "exec": ("-a", 0), "xargs": ("-I -n -P -L -s -d -a -E --max-args --max-procs --delimiter --arg-file", 0), "watch": ("-n --interval", 0),
    "busybox": ("", 0), "toybox": ("", 0), "sudo": ("-u -g -h -p -C -D", 0), "doas": ("-u -C", 0), "flock": ("-w -E", 1), "strace": ("-e -o -p -s", 0),
    "ltrace": ("-e -o", 0), "taskset": ("", 1), "chrt": ("", 1), "catchsegv": ("", 0), "unbuffer": ("", 0), "caffeinate": ("", 0), "parallel": ("-j", 0),
    "eatmydata": ("", 0), "proxychains": ("", 0), "torsocks": ("", 0), "faketime": ("", 1), "prlimit": ("", 0), "systemd-run": ("-p --unit", 0),
    "chroot": ("", 1), "unshare": ("", 0), "runuser": ("-u", 0), "pkexec": ("--user", 0), "poetry": ("", 1), "uv": ("", 1), "coproc": ("", 0), "not": ("", 0),
    "xvfb-run": ("-n -s -a", 0), "setarch": ("", 1), "linux64": ("", 0), "linux32": ("", 0), "dbus-run-session": ("", 0), "firejail": ("", 0), "bwrap": ("", 99), "nsenter": ("-t --target -S -G", 0),
    "ld.so": ("", 0), "ld-linux-x86-64.so.2": ("", 0), "ld-linux.so.2": ("", 0), "numactl": ("-m -N -C -p", 0), "cgexec": ("-g", 0), "start-stop-daemon": ("-p --pidfile -n --name -x --exec -u", 0), "pipenv": ("", 1),
    "direnv": ("", 2), "dotenv": ("-f", 1), "sg": ("", 1), "aa-exec": ("-p", 0), "setpriv": ("", 0), "hyperfine": ("-w -r", 0), "entr": ("", 0), "rye": ("", 1), "hatch": ("", 1), "pdm": ("", 1), "bundle": ("", 1), "chronic": ("", 0), "ts": ("", 0), "proot": ("-r -b", 0),
    "runcon": ("-t -u -r", 1), "run0": ("-u --user -g -D", 0), "fakeroot": ("-i -s -l --lib", 0), "systemd-nspawn": ("-D --directory -M --machine -u", 0), "schroot": ("-c --chroot -u --user -d", 0), "chpst": ("-u -U -e -d -n -l -m", 0), "setuidgid": ("", 1), "systemd-cat": ("-t -p", 0), "flatpak-spawn": ("", 0), "noglob": ("", 0), "nocorrect": ("", 0), "rlwrap": ("", 0), "ssh-agent": ("", 0), "dumb-init": ("", 0), "tini": ("", 0), "gosu": ("", 1), "su-exec": ("", 1), "gksudo": ("-u", 0), "gksu": ("-u", 0), "kdesu": ("-u", 0), "sshpass": ("-p -f -d -P", 0), "perf": ("", 1), "valgrind": ("", 0), "mise": ("", 1), "npx": ("-p --package", 0),
}  # fmt: skip
# Options of a command that take a value, so that the value is not mistaken for a subcommand or an operand.
VALUED: dict[str, str] = {
    "redis-cli": "-h -p -n -a -u -r -i -s --user --pass --pattern --count --type",
    "git": "-C -c --git-dir --work-tree --namespace", "kubectl": "-n --namespace --context --kubeconfig -l -o -f", "helm": "-n --namespace --kube-context",
    "docker": "-H --host --context --config -f", "docker-compose": "-f -p", "aws": "--profile --region --output --endpoint-url", "gcloud": "--project --account --zone --region",
    "curl": "-X -o -H -A -b -e -m -u -w -x -c -r -K -C -y -Y -E -Q -z -D", "wget": "-O -P -o -U -T -t -e -i -Q -w", "systemctl": "-t -H -M -p -n -o", "nomad": "-address -namespace", "argocd": "--server", "az": "-g -n -o --resource-group --name --output --subscription --query", "oci": "--profile --region", "gh": "-R --repo", "fly": "-a --app -c", "flyctl": "-a --app", "heroku": "-a --app", "openstack": "--os-cloud", "doctl": "-t --access-token --context", "vercel": "--token --scope -t -S", "podman": "-H --url", "terraform": "", "sam": "-t", "cdk": "-a --app -c", "influx": "-b -n", "oc": "-n --namespace --context", "ansible-playbook": "-i", "journalctl": "-u -n -p -t -o --since --until", "git-lfs": "", "gsutil": "-o", "s3cmd": "-c", "etcdctl": "--endpoints", "yarn": "--cwd", "pnpm": "--filter -C --dir -F", "cargo": "--manifest-path -p", "cmake": "-S -B -G -D", "ninja": "-C -j -f", "pip": "--python --log --proxy",
    "nmcli": "-f --fields -m --mode -c --colors -w --wait -g --get-values", "npm": "--prefix -w --workspace", "make": "-C -f -j -o -W", "tar": "-f -C -T -X", "ip": "-n -netns", "rclone": "--config", "sort": "-k -t -o -S -T", "head": "-n -c", "tail": "-n -c", "kill": "-s -n --signal", "sed": "-e -f -l --expression --file", "fd": "-e -E -t -d -x -X --extension --exclude --type", "fdfind": "-e -E -t -d -x -X", "restic": "-r --repo -p --password-file", "borg": "--repo", "dropdb": "-h -p -U --host --port --username --maintenance-db", "mysqladmin": "-h -u -P -p --host --user", "mongosh": "--eval --host --port -u -p --username --password --file -f", "mongo": "--eval --host --port -u -p", "awk": "-F -v -f --field-separator --assign",
}  # fmt: skip
# Which operands a command writes to: all, the last, or the value of options.
WRITES: dict[str, str] = {
    "cp": "last -t --target-directory", "mv": "all -t --target-directory", "ln": "last -t", "install": "last -t", "tee": "all", "touch": "all", "mkdir": "all",
    "rsync": "last", "chmod": "rest", "curl": "-o --output --output-dir", "wget": "-O -P --output-document --directory-prefix", "sort": "-o --output", "tar": "-C --directory",
    "unzip": "-d", "gcc": "-o", "cc": "-o", "split": "last", "patch": "-o -d", "ffmpeg": "last", "convert": "last", "pandoc": "-o --output", "dd": "of", "mknod": "all", "mkfifo": "all",
    "sed": "-i --in-place", "perl": "-i", "gzip": "all", "gunzip": "all", "bzip2": "all", "xz": "all", "zip": "first", "7z": "", "truncate": "all", "rename": "rest",
}  # fmt: skip
SHELLS = {
    "bash",
    "sh",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "ash",
    "rbash",
    "mksh",
    "csh",
    "tcsh",
    "yash",
    "elvish",
    "xonsh",
}
INTERPRETERS = {"perl": "-e -E -ne -pe", "ruby": "-e", "node": "-e -p --eval --print", "php": "-r", "lua": "-e", "deno": "eval", "bun": "-e", "R": "-e", "julia": "-e -E", "elixir": "-e", "erl": "-eval", "groovy": "-e", "scala": "-e", "ghc": "-e", "raku": "-e", "luajit": "-e", "guile": "-c", "sbcl": "--eval", "octave": "--eval", "nu": "-c", "clojure": "-e", "swift": "-e", "crystal": "eval", "tsx": "-e", "Rscript": "-e", "tclsh": "-c", "awk": "", "gawk": "", "mawk": ""}  # fmt: skip
# Names that change what other commands are or load.
GUARDED_VARIABLES = re.compile(r"(LD_|DYLD_|BASH_FUNC_|GIT_(SSH|EXTERNAL|EDITOR|PAGER|CONFIG)|PERL5|RUBYOPT|NODE_OPTIONS|PYTHON(PATH|STARTUP|HOME)$|PATH$|BASH_ENV$|ENV$|IFS$|PROMPT_COMMAND$|EDITOR$|PAGER$|SHELLOPTS$)")  # fmt: skip
# What these variables hold where nothing sets them; `$!` is a job of the script's own, as `%1` is.
USUAL = {"SHELL": "/bin/bash", "PYTHON": "python3", "CC": "cc", "CXX": "c++", "MAKE": "make", "!": "%!"}  # fmt: skip
MADE = "$(mktemp)"  # the variable that stands for what mktemp makes
# Everyday commands: what follows them is a name or a text, no subcommand; in another place they only look.
PLAIN = names(
    "ls ll la cat head tail less more grep egrep fgrep rg ag ack find fd wc sort uniq cut paste join tr sed awk diff cmp comm stat file du df free ps top htop pgrep uptime whoami id date cal uname hostname env"
    " printenv echo printf pwd cd pushd popd which type whereis man info help tldr whatis apropos tree locate basename dirname realpath readlink md5sum sha1sum sha256sum cksum xxd od hexdump strings base64 jq yq test"
    " [ true false : sleep seq expr bc read export set unset local declare return exit shift let test mkdir touch cp mv ln tee vim vi nano code open xdg-open start git python python3 node ruby perl php lua java javac"
    " gcc g++ cc clang go cargo rustc pytest ruff mypy black flake8 pylint isort tsc eslint prettier jest mocha for if while case function select time notify-send say zip unzip tar gzip gunzip 7z ffmpeg convert pandoc"
    " column nl fold fmt rev shuf split csplit iconv dos2unix dig nslookup host ping traceroute curl wget ss netstat lsof lsblk lscpu lspci lsusb mount groups w who last jobs fg bg wait history journalctl dmesg"
    " systemctl tmux screen dpkg apt apt-get apt-cache rpm brew snap pip pip3 conda npm yarn pnpm npx uv poetry bundle rails rake gradle mvn dotnet flutter sqlite3 psql mysql xmllint csvlook exiftool rename watch timeout"
    " Get-ChildItem Get-Process Get-Content Write-Host Select-String dir ipconfig systeminfo where findstr Get-Item Test-Path sort-object cls clear reset stty tput getopts hash umask ulimit compgen complete"
)
# Libraries of Python: of databases that are a file of one's own, of those that are servers, of clouds and services.
FILES_OF_TABLES = names("sqlite3 duckdb apsw")
SERVERS = names(
    "psycopg2 psycopg asyncpg pg8000 pymysql MySQLdb mysql mariadb aiomysql sqlalchemy sqlmodel pyodbc cx_Oracle oracledb pymssql snowflake"
    " clickhouse_driver clickhouse_connect cassandra trino prestodb peewee django records redis valkey pymongo motor mongoengine elasticsearch opensearchpy"
    " neo4j influxdb influxdb_client couchdb etcd3 consul hvac kazoo pymemcache meilisearch qdrant_client weaviate pinecone chromadb"
)
REMOTE_LIBRARIES = names(
    "boto3 botocore aioboto3 aiobotocore boto google googleapiclient gcloud azure msal kubernetes kubernetes_asyncio docker digitalocean hcloud linode_api4"
    " openstack libcloud oci minio b2sdk dropbox cloudflare CloudFlare heroku3 github gitlab jira atlassian slack_sdk slack slack_bolt telegram telebot aiogram discord tweepy twilio"
    " sendgrid mailjet_rest mailchimp_marketing stripe paypalrestsdk shopify notion_client todoist_api_python pika kafka confluent_kafka paho nats vobject caldav"
    " imaplib poplib O365 exchangelib googleads facebook_business mastodon praw spotipy huggingface_hub wandb fabric netmiko ldap3 pyVmomi proxmoxer"
)
MACHINE_LIBRARIES = names(
    "pip ensurepip keyring secretstorage winreg win32crypt browser_cookie3 send2trash webbrowser"
)
