"""What PowerShell and cmd would do: their commands by any of their names, in any case, also where bash starts them.

Only what plainly reads passes; a path such as C:\\Windows has no meaning here beyond being vital. Source: the names that
PowerShell's `Get-Alias` and cmd's `help` list.
"""

from __future__ import annotations

import re

from safety import everything
from safety.paths import SYSTEM
from safety.tables import Risk, names
from text import pattern

PROGRAMS = {"powershell", "pwsh", "cmd"}
_RULES: tuple[tuple[Risk, str, str], ...] = (
    ("delete", "deletes files or what is in them for good",
     "remove-item ri del erase rd deltree clear-content clc clear-recyclebin clear-item cli remove-itemproperty rp clear-itemproperty vssadmin wbadmin cipher remove-aduser remove-vm remove-website"),
    ("install", "installs software", "install-module install-package install-script add-appxpackage winget choco scoop msiexec install-windowsfeature enable-windowsoptionalfeature uninstall-package"),
    ("send", "sends to others", "send-mailmessage invoke-webrequest iwr invoke-restmethod irm wget curl start-bitstransfer bitsadmin certutil invoke-command icm enter-pssession new-pssession"),
    ("system", "changes the machine, its users or its rights",
     "set-executionpolicy reg bcdedit schtasks register-scheduledtask stop-computer restart-computer takeown icacls cacls net netsh sc wmic wevtutil clear-eventlog set-service stop-service restart-service new-service"
     " stop-process spps kill taskkill tskill set-itemproperty sp new-itemproperty set-mppreference add-mppreference disable-netadapter set-acl new-localuser remove-localuser add-localgroupmember disable-localuser"
     " shutdown logoff fsutil auditpol manage-bde disable-bitlocker setx start-process saps runas attrib diskpart format set-netfirewallprofile new-netfirewallrule rename-computer"),
    ("unknown", "runs what is only known when it runs", "invoke-expression iex invoke-item ii mshta rundll32 regsvr32 wscript cscript add-type"),
    ("catastrophic", "empties or formats a drive", "format-volume clear-disk initialize-disk remove-partition"),
)  # fmt: skip
_BY_NAME = {name: (risk, reason) for risk, reason, listed in _RULES for name in names(listed)}
_READS = pattern(
    r"import-(csv|clixml|powershelldatafile)|new-(object|timespan|guid)|(get|test|select|where|sort|measure|compare|convertto|convertfrom|resolve|show|find|group|join|split)-\w+|write-(host|output)|format-(list|table|wide|custom|hex)|out-(string|host|null|default)"
    r"|dir|ls|gci|cat|gc|type|echo|pwd|gl|cd|sl|ps|gps|gsv|gi|gp|sls|select|where|sort|measure|ft|fl|fw|ver|vol|tree|findstr|find|where|systeminfo|tasklist|whoami|hostname|ipconfig|ping|help|set|exit|more|fc|comp|\?|h|history"
)
_READING_USES = {"reg": "query", "schtasks": "/query", "sc": "query", "vssadmin": "list", "bcdedit": "/enum", "netsh": "show", "wbadmin": "get", "icacls": "", "winget": "list", "choco": "list"}  # fmt: skip
_VITAL = pattern(
    r"(?i)[\"']?([a-z]:[\\/]*(windows([\\/]+system32)?|users|program files( \(x86\))?)?|\$\{?(env:)?(systemroot|windir|userprofile|systemdrive|home|homedrive|programfiles|programfiles\(x86\)|programdata|programw6432|allusersprofile|public|homepath)\}?|%(systemroot|windir|userprofile|systemdrive|home|homedrive|programfiles|programfiles\(x86\)|programdata|programw6432|allusersprofile|public|homepath)%|~|hk(lm|cu|cr):?)[\\/]*(\*(\.\*)?)?[\\/]*[\"']?"
)
_CHOOSES = pattern(r"(?i)-(filter|include|exclude)\b|where-object|\*\.\w")
_ERASERS = names(
    "remove-item ri del erase rd rmdir rm deltree clear-content clc takeown icacls format reg"
)
_TRIED = pattern(r"(?i)\s-whatif(:\$true)?(\s|$)")
_SEPARATORS = pattern(r"(\|\||&&|[;|&\n(){}])")
_LISTERS = names("get-childitem gci ls dir gi get-item")
_QUOTED = pattern(r"'[^'\n]*'|\"[^\"\n]*\"")


def is_known(name: str) -> bool:
    """Whether a name, in whatever case, is a command of Windows that does more than read."""
    return name.lower() in _BY_NAME and not name.islower()


def empties(name: str, words: list[str]) -> bool:
    """Whether a command of Windows, as bash would start it, deletes or locks the system or a whole home."""
    return name.lower() in _ERASERS - {"rm", "rmdir"} and any(
        _VITAL.fullmatch(word) for word in words if word[1:]
    )


def given(name: str, values: list[str | None]) -> str | None:
    """The text that `powershell -c …`, `-EncodedCommand …` or `cmd /c …` is given; None when it is not known."""
    for at, value in enumerate(values):
        if value is None:
            return None
        rest = values[at + 1 :]
        if re.fullmatch(r"(?i)-e(nc|ncodedcommand|c)?", value) and name != "cmd":
            return _decoded(rest[0] if rest else None)
        if (
            name == "powershell"
            and not value.startswith(("-", "/"))
            and (at == 0 or re.match(r"(?i)-(nop|noni|nol|mta|sta)", values[at - 1] or ""))
        ):
            return (
                None
                if None in rest or value.endswith(".ps1")
                else " ".join([value, *(each or "" for each in rest)])
            )
        if re.fullmatch(r"(?i)-c(ommand)?|/[ck]", value):
            return None if None in rest else " ".join(each or "" for each in rest)
    return None


def _decoded(text: str | None) -> str | None:
    import base64  # rarely needed, and slow to import

    try:
        return base64.b64decode(text or "", validate=True).decode("utf-16-le") if text else None
    except ValueError:
        return None


def judge(text: str) -> list[tuple[Risk, str]]:
    """What the commands of a text would do, each kind once; "unknown" for those that nobody knows."""
    found: dict[tuple[Risk, str], None] = {}
    listed: list[str] = []  # what `Get-ChildItem PLACE |` hands on
    for statement in _SEPARATORS.split(
        _QUOTED.sub(lambda quoted: re.sub(r"[;|&(){}]", "_", quoted[0]), text)
    ):
        words = statement.split()
        if _TRIED.search(statement) and "-" in words[0]:  # a cmdlet that says what it would do
            continue
        if words and words[0].lower() in _LISTERS and not _CHOOSES.search(statement):
            listed = words[1:]
        elif _SEPARATORS.fullmatch(statement):
            listed = listed if statement in "|(){" else []
            continue
        if "in" in words[:3] and words[0].startswith("$"):
            words = words[words.index("in") + 1 :]
            listed = words[1:] if words and words[0].lower() in _LISTERS else listed
        if words and (
            words[0].startswith("$") or words[0].lower() in ("@", "%", "foreach-object", "foreach")
        ):
            words = words[words.index("=") + 1 :] if "=" in words else words[1:]
        if words:
            found |= dict.fromkeys(
                _of([*words, *listed] if words[0].lower() in _ERASERS else words)
            )
    return list(found)


def _of(words: list[str]) -> list[tuple[Risk, str]]:
    name = words[0].strip("\"'").lower().removesuffix(".exe")
    operands = [word for word in words[1:] if not word.startswith("-")]
    vital = [
        word
        for word in operands
        if _VITAL.fullmatch(word) or word.strip("\"'").rstrip("*").rstrip("/") in SYSTEM | {""}
    ]
    if what := everything.taken(name, " ".join(words[1:])):
        return [("catastrophic", f"{name}: would take {what} with it")]
    if name in _ERASERS and vital:
        return [("catastrophic", f"{name} on {vital[0]}: the system or a whole home")]
    if name == "diskpart" or (
        name == "format" and any(re.match(r"[A-Za-z]:", word) for word in operands)
    ):
        return [("catastrophic", f"{name}: empties or formats a drive")]
    if (reading := _READING_USES.get(name)) is not None and (
        (reading and reading in [word.lower() for word in words])
        or (not reading and len(operands) == 1)
    ):
        return []
    if name == "rm" or name == "rmdir":
        return [("delete", f"{name}: deletes files for good")]
    if name in _BY_NAME:
        risk, reason = _BY_NAME[name]
        return [(risk, f"{name}: {reason}")]
    if _READS.fullmatch(name) or re.fullmatch(r"[\d.'\"$_\[\]].*", name):
        return []
    return [("unknown", f"{name}: a command of Windows that is not known here")]
