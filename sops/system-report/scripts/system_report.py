"""Reports on this computer: system, processor, memory, disks, uptime, the processes with the most
memory. Reads only."""

import os
import platform
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import psutil

SAMPLE_SECONDS = 0.3
PSEUDO = {
    "squashfs",
    "tmpfs",
    "devtmpfs",
    "overlay",
    "proc",
    "sysfs",
    "devfs",
    "autofs",
    "nullfs",
    "efivarfs",
}
WORDS = {
    "en": {
        "head": "**Memory {free} free of {memory}, disk `{mount}` {disk_free} free of {disk}, processor {cpu} busy, up {up}.**",
        "system": "System",
        "processor": "Processor",
        "cores": "{logical} logical cores, {cpu} busy, load {load} (1, 5, 15 minutes)",
        "address": "Address",
        "memory": "Memory",
        "used": "{used} used ({percent:.0f} %), {free} free of {total}",
        "swap": "Swap",
        "no_swap": "none",
        "disk": "Disk `{mount}`",
        "up": "Running since",
        "since": "{when} ({up})",
        "top": "Most memory",
        "process": "{size}  {name} (process {pid})",
        "unknown": "not known",
        "day": "{n} d ",
    },
    "zh": {
        "head": "**内存空闲 {free}，共 {memory}；磁盘 `{mount}` 空闲 {disk_free}，共 {disk}；处理器占用 {cpu}；已运行 {up}。**",
        "system": "系统",
        "processor": "处理器",
        "cores": "{logical} 个逻辑核心，占用 {cpu}，负载 {load}（1、5、15 分钟）",
        "address": "IP 地址",
        "memory": "内存",
        "used": "已用 {used}（{percent:.0f} %），空闲 {free}，共 {total}",
        "swap": "交换空间",
        "no_swap": "无",
        "disk": "磁盘 `{mount}`",
        "up": "开机时间",
        "since": "{when}（{up}）",
        "top": "内存占用最多",
        "process": "{size}  {name}（进程 {pid}）",
        "unknown": "未知",
        "day": "{n} 天 ",
    },
}


def readable(size: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TB"


def duration(seconds: float, words: dict[str, str]) -> str:
    days, rest = divmod(int(seconds), 86400)
    return (
        words["day"].format(n=days) if days else ""
    ) + f"{rest // 3600}:{rest % 3600 // 60:02} h"


def system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = f"macOS {platform.mac_ver()[0]}" if sys.platform == "darwin" else platform.system()
    return (
        f"{name}, {platform.system()} {platform.release()}, {platform.machine()}, {platform.node()}"
    )


def addresses() -> str:
    """Return the addresses of this computer in its networks, without those of itself."""
    found = [
        f"{each.address} ({name})"
        for name, all_of in psutil.net_if_addrs().items()
        for each in all_of
        if each.family == socket.AF_INET and not each.address.startswith("127.")
    ]
    return ", ".join(found)


def disks() -> list[tuple[str, float, float]]:
    """Mount point, bytes used and free, of what holds files; each device once, that of `/`
    first."""
    mounts = {"/": "/"}
    for part in psutil.disk_partitions(all=False):
        if part.fstype not in PSEUDO and Path(part.mountpoint).is_dir():
            mounts.setdefault(part.mountpoint, part.device)
    seen: set[int] = set()
    found: list[tuple[str, float, float]] = []
    for mount in mounts:
        try:
            device, usage = Path(mount).stat().st_dev, psutil.disk_usage(mount)
        except OSError:
            continue
        if usage.total and device not in seen:
            seen.add(device)
            found.append((mount, usage.used, usage.free))
    return found


def processes() -> list[tuple[int, str, int]]:
    """Return the resident bytes, name and id of the five processes that use the most memory."""
    found = []
    for process in psutil.process_iter(["name", "memory_info"]):
        if memory := process.info["memory_info"]:
            found.append((memory.rss, process.info["name"] or "?", process.pid))
    return sorted(found, reverse=True)[:5]


def one_line(text: str) -> str:
    text = "".join(char if char.isprintable() else "?" for char in text)
    return text.replace("`", "'")


def report(words: dict[str, str]) -> str:
    cpu = f"{psutil.cpu_percent(SAMPLE_SECONDS):.0f} %"
    memory, swap, mounts = psutil.virtual_memory(), psutil.swap_memory(), disks()
    booted = psutil.boot_time()
    up = duration(time.time() - booted, words)
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    used = memory.total - memory.available
    lines = []
    if mounts:
        mount, used_there, free = mounts[0]
        said = {
            "mount": mount,
            "disk": readable(used_there + free),
            "disk_free": readable(free),
            "cpu": cpu,
            "up": up,
        }
        lines = [
            words["head"].format(
                free=readable(memory.available), memory=readable(memory.total), **said
            ),
            "",
        ]

    def amount(total: float, used: float, free: float) -> str:
        percent = 100 * used / total
        return words["used"].format(
            used=readable(used), free=readable(free), total=readable(total), percent=percent
        )

    facts = [
        (words["system"], one_line(system())),
        (
            words["processor"],
            words["cores"].format(
                logical=psutil.cpu_count() or words["unknown"], cpu=cpu, load=load
            ),
        ),
        (words["address"], addresses() or words["unknown"]),
        (words["memory"], amount(memory.total, used, memory.available)),
        (
            words["swap"],
            amount(swap.total, swap.used, swap.free) if swap.total else words["no_swap"],
        ),
    ]
    facts += [
        (words["disk"].format(mount=one_line(mount)), amount(used + free, used, free))
        for mount, used, free in mounts
    ]
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(booted))
    facts.append((words["up"], words["since"].format(when=when, up=up)))
    lines += [f"- {name}: {value}" for name, value in facts]
    lines += ["", f"{words['top']}:", ""]
    lines += [
        f"{n}. {words['process'].format(size=readable(size), name=one_line(name), pid=pid)}"
        for n, (size, name, pid) in enumerate(processes(), 1)
    ]
    return "\n".join(lines) + "\n"


def main(given: Mapping[str, str]) -> None:
    sys.stdout.write(report(WORDS[given.get("lang", "en")]))


if __name__ == "__main__":
    main(os.environ)
