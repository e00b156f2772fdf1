"""Random scripts of file operations over a small random tree, the same ones for the same seed."""

import os
import random
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OLD = 1_500_000_000  # seconds: files of 2017, as a folder of downloads has them
ODD_NAMES = ["with space", "new\nline", "quote'\"", "-dash", "日本", "back\\slash", "com,ma:colon"]
RAW_NAME = b"\xff\xfe raw"


def grow(root: Path, seed: int) -> None:
    """Make a tree: folders, files of all sizes, links of both kinds, odd names, old times, rights,
    attributes.
    """
    choose = random.Random(seed)
    folders = [root]
    root.mkdir(parents=True)
    for n in range(6):
        folder = choose.choice(folders) / choose.choice([f"d{n}", f"d{n} x", *ODD_NAMES])
        if not folder.exists():
            folder.mkdir()
            folders.append(folder)
    files = []
    for n in range(18):
        name = choose.choice([f"f{n}", f"f{n}.txt", *ODD_NAMES, os.fsdecode(RAW_NAME)])
        file = choose.choice(folders) / name
        if not os.path.lexists(file):
            file.write_bytes(choose.randbytes(choose.choice([0, 1, 100, 5000, 70_000])))
            if choose.random() < 0.2:
                os.setxattr(file, "user.note", b"kept")
            file.chmod(choose.choice([0o644, 0o600, 0o755, 0o444]))
            files.append(file)
    for n in range(3):
        place = choose.choice(folders) / f"link{n}"
        os.symlink(choose.choice(["f1", "nowhere", str(choose.choice(files).name)]), place)
        os.link(choose.choice(files), choose.choice(folders) / f"hard{n}")
    (choose.choice(folders) / "empty").mkdir()
    for path in [*root.rglob("*"), root]:
        when = OLD + choose.randrange(10**6)
        os.utime(path, (when, when), follow_symlinks=False)


def write(root: Path, seed: int, *, as_root: bool) -> str:
    """Return a bash script of a dozen operations on what stands below `root`; it is run there."""
    choose = random.Random(seed * 7919 + 1)
    paths = sorted(os.fsencode(path.relative_to(root)) for path in root.rglob("*"))
    folders = [b"."] + [
        path
        for path in paths
        if (root / os.fsdecode(path)).is_dir() and not (root / os.fsdecode(path)).is_symlink()
    ]
    files = [path for path in paths if path not in folders]
    lines = [b"exec 2>/dev/null"]
    for n in range(choose.randrange(4, 14)):
        file, other = choose.choice(files), choose.choice(files)
        folder, into = choose.choice(folders), choose.choice(folders)
        new = (
            into + b"/" + choose.choice([b"n%d" % n, b"n%d.txt" % n, *map(os.fsencode, ODD_NAMES)])
        )
        lines.append(_operation(choose, n, file, other, folder, into, new, as_root=as_root))
        files.append(new)
    return os.fsdecode(b"\n".join(lines) + b"\ntrue\n")


def _operation(
    choose: random.Random,
    n: int,
    file: bytes,
    other: bytes,
    folder: bytes,
    into: bytes,
    new: bytes,
    *,
    as_root: bool,
) -> bytes:
    f, o, d, i, w = (
        b"'./" + each.replace(b"'", b"'\\''") + b"'" for each in (file, other, folder, into, new)
    )
    # what is copied into itself: how far that goes depends on the order of its listing
    is_into_itself = (new + b"/").startswith(file + b"/")
    c = o if is_into_itself else f
    operations = [
        b"echo new%d > %s" % (n, w),
        b"echo more >> %s" % f,
        b"echo over > %s" % f,
        b"rm -f %s" % f,
        b"rm -rf %s" % (d if folder != b"." else f),
        b"mv %s %s" % (f, w),
        b"mv -f %s %s" % (f, o),
        b"mv -T %s %s" % (d if folder != b"." else f, w),
        b"cp -p %s %s" % (f, w),
        b"cp -a %s %s" % (c if (new + b"/").startswith(folder + b"/") or folder == b"." else d, w),
        b"mkdir -p %s/sub/deep && echo x > %s/sub/deep/x" % (i, i),
        b"ln %s %s" % (f, w),
        b"ln -s %s %s" % (f, w),
        b"ln -sf elsewhere %s" % w,
        b"chmod %o %s" % (choose.choice([0o600, 0o644, 0o755, 0o400]), f),
        b"chmod %o %s" % (choose.choice([0o700, 0o755, 0o750]), d),
        b"touch -hd @%d %s" % (OLD + n, f),
        b"touch -d @%d %s" % (OLD + n, d),
        b"truncate -s %d %s" % (choose.randrange(9000), f),
        b"sed -i s/o/0/ %s" % f,
        b"cat %s > %s" % (o, f),
        b"rm -rf %s && mkdir %s && echo again > %s/again"
        % ((d, d, d) if folder != b"." else (f, f, f)),
        b"setfattr -n user.mark -v %d %s" % (n, f),
        b"setfattr -x user.note %s" % f,
        b"mkfifo %s/pipe%d" % (i, n),  # by no name that another line reads, which would wait
        b"tar cf t%d.tar %s && tar xf t%d.tar -C %s; rm -f t%d.tar" % (n, f, n, i, n),
        b"cp %s tmp%d && mv tmp%d %s" % (f, n, n, f),
        b"rsync -a %s %s" % (c, w) if n % 5 == 0 else b"cp -al %s %s" % (c, w),
        b"dd if=/dev/zero of=%s bs=1 count=3 seek=1000 conv=notrunc status=none" % f,
        b"rmdir %s" % d,
        b"mv -n %s/* %s/" % (d, i),
        b"find %s -type f -name 'f1*' -delete" % d,
        b"python3 -c 'import os,sys; os.replace(sys.argv[1], sys.argv[2])' %s %s" % (f, o),
    ]
    if as_root:
        operations += [b"chown 1234:1234 %s" % f, b"chown 1234 %s" % d]
    return choose.choice(operations)


def snapshot(root: Path, *, newer_than: float | None = None) -> dict[str, tuple[object, ...]]:
    """Return all that a tree is: bytes, types, rights, owners, links, attributes, times. Of what
    was changed after
    `newer_than`, the time is left out."""
    with _open(root) as paths:
        return _snapshot(root, paths, newer_than)


@contextmanager
def _open(root: Path) -> Iterator[dict[Path, int]]:
    """Yield all paths with their types and rights; folders that are closed to us are open
    meanwhile."""
    found: dict[Path, int] = {}
    folders = [root]
    for path in folders:
        found[path] = path.lstat().st_mode
        if path.lstat().st_uid == os.geteuid():
            path.chmod(found[path] | 0o700)
        for entry in os.scandir(path):
            below = path / entry.name
            found[below] = below.lstat().st_mode
            if entry.is_dir(follow_symlinks=False):
                folders.append(below)
    yield found
    for path in reversed(folders):
        path.chmod(stat.S_IMODE(found[path]))


def _snapshot(
    root: Path, modes: dict[Path, int], newer_than: float | None
) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    names: dict[int, list[str]] = {}
    for path in sorted(modes, key=os.fsencode):
        status = path.lstat()
        name = str(path.relative_to(root))
        names.setdefault(status.st_ino, []).append(name)
        content: object = None
        if stat.S_ISREG(status.st_mode):
            content = path.read_bytes()
        elif stat.S_ISLNK(status.st_mode):
            content = os.readlink(path)
        time = (
            None if newer_than is not None and status.st_mtime >= newer_than else status.st_mtime_ns
        )
        marks = tuple(
            (each, os.getxattr(path, each, follow_symlinks=False))
            for each in sorted(os.listxattr(path, follow_symlinks=False))
        )
        found[name] = (
            modes[path],
            status.st_uid,
            status.st_gid,
            status.st_rdev,
            content,
            marks,
            time,
        )
    for group in names.values():
        if len(group) > 1 and not stat.S_ISDIR(os.lstat(root / group[0]).st_mode):
            for name in group:
                found[name] = (*found[name], tuple(group))
    return found
