"""The agent's end of a holder (holder.py): starts the process that a stage lives in, and tells it
what to mount."""

from __future__ import annotations

import marshal
import os
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sandbox import kernel
from sandbox.cells import bubblewrap
from sandbox.undo.places import Layer, StageError

if TYPE_CHECKING:
    from sandbox.undo.entries import Entry

HOLDER = Path(__file__).with_name("holder.py")
ANSWER_SECONDS = 20.0
STILL_USED_SECONDS = 3.0  # for processes that were killed to be gone
BUSY = 16


class HolderError(StageError):
    """The holder could not mount. `path` is where, `number` the errno."""

    def __init__(self, number: int, path: str) -> None:
        super().__init__(f"{path}: {os.strerror(number)}")
        self.number, self.path = number, path


class Mounting(NamedTuple):
    """Hold what is hidden and shown in a stage beside its layers (holder.py)."""

    masks: list[str]
    shows: list[str]
    veils: list[str]
    binds: Sequence[str] = ()
    walls: Sequence[str] = ()


class Holder:
    """A namespace of mounts with one command in it.

    Start a process with `words()` before the command and `descriptor` passed on, then say
    `started`."""

    def __init__(self) -> None:
        self._talk, self._inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._talk.settimeout(ANSWER_SECONDS)
        self.pid = 0
        self.is_locked = False  # mounts to what they lie on, so that no overlay covers both
        self._spare: Entry | None = None

    @property
    def descriptor(self) -> int:
        """Return the descriptor that the process must inherit."""
        return self._inner.fileno()

    def words(self) -> list[str]:
        """Return the words to put before the command."""
        return [*kernel.python(), str(HOLDER), str(self.descriptor), "--"]

    def started(self, pid: int) -> None:
        """Take note of the process that was started."""
        self.pid = pid
        self._inner.close()

    def mount(self, layers: Sequence[Layer], mounting: Mounting) -> None:
        """Mount a stage. Raises HolderError, and then nothing is mounted."""
        covers = [(layer.lower, layer.upper, layer.work) for layer in layers]
        given = bubblewrap.file(marshal.dumps({"layers": covers, **mounting._asdict()}))
        try:
            self._tell(b"mount", [given])
        finally:
            os.close(given)

    def umount(self, patience_seconds: float = STILL_USED_SECONDS) -> tuple[list[str], list[str]]:
        """Take the mounts away; that this succeeds proves that no process is left in them. Return
        the hidden files that were opened, and the layers in others that were written to. Raises
        HolderError."""
        end = time.monotonic() + patience_seconds
        while True:
            try:
                names = [os.fsdecode(path) for path in self._tell(b"umount", [])]
                between = names.index("")
                return names[between + 1 :], names[:between]
            except HolderError as error:
                if error.number != BUSY or time.monotonic() > end:
                    raise
            time.sleep(0.005)

    def lend(self) -> Entry | None:
        """Return the empty entry of a stage that has changed nothing, for the next one."""
        entry, self._spare = self._spare, None
        return entry

    def keep(self, entry: Entry) -> bool:
        """Keep an empty entry. False where this has ended."""
        if self._talk.fileno() < 0 or self._spare:
            return False
        self._spare = entry
        return True

    def close(self) -> None:
        """End the command and the namespace. May be called again."""
        self._talk.close()
        self._inner.close()
        if entry := self.lend():
            with suppress(OSError):  # the next start removes what is left
                entry.remove()

    def _tell(self, order: bytes, given: list[int]) -> list[bytes]:
        """Return what the answer names. Raises StageError."""
        try:
            socket.send_fds(self._talk, [order], given)
            answer = self._talk.recv(65_536)
        except OSError as error:
            raise StageError(f"the stage does not answer: {error}") from error
        if not answer:
            raise StageError("the stage has ended")
        said, *names = answer.split(b"\0")
        if said != b"ok":
            _, number, path = answer.split(b" ", 2)
            raise HolderError(int(number), os.fsdecode(path))
        return names


class BareCell:
    """A namespace with one idle supervisor in it, whose processes have all rights that we have but
    the network: for what is to be run in a stage outside of the agent's cells."""

    def __init__(self) -> None:
        """Raise StageError."""
        from sandbox.cells import levels, mounts

        self.holder = Holder()
        self.talk, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        rights = ["--cap-add", "ALL"] if os.geteuid() == 0 else []
        apart = ["--unshare-pid", "--unshare-net", "--die-with-parent", "--as-pid-1"]
        bare = ["--dev-bind", "/", "/", "--proc", "/proc", "--"]
        supervised = mounts.supervisor(inner.fileno(), "-1", 1 << 40, 1 << 50, 1 << 30, 1 << 20)
        words = [levels.bubblewrap(), *apart, *rights, *bare, *supervised]
        try:
            self.process = subprocess.Popen(
                [*self.holder.words(), *words],
                cwd="/",
                stdin=subprocess.DEVNULL,
                pass_fds=[self.holder.descriptor, inner.fileno()],
                start_new_session=True,
            )
        except OSError as error:
            raise StageError(f"no stage can be started: {error}") from error
        finally:
            inner.close()
        self.holder.started(self.process.pid)

    def wait(self) -> None:
        """Wait until the supervisor is up; one whose Python is loaded from a mount would hold that
        mount for ever. Raises OSError.
        """
        self.talk.settimeout(ANSWER_SECONDS)
        self.talk.send(b"term")  # there is nobody yet; it answers who is left
        self.talk.recv(16_384)

    def run(
        self, argv: Sequence[str], cwd: str, env: dict[str, str], seconds: float
    ) -> tuple[int, bytes]:
        """Run a command to its end, and end what it leaves behind. Returns exit code and output."""
        fields = [cwd, str(len(argv)), *argv, *(f"{name}={value}" for name, value in env.items())]
        orders = bubblewrap.file(b"\0".join(map(os.fsencode, fields)))
        output = bubblewrap.file(b"")
        try:
            socket.send_fds(self.talk, [b"run"], [orders, output])
            code = self._code(seconds)
            return code, os.pread(output, os.fstat(output).st_size, 0)
        finally:
            os.close(orders)
            os.close(output)

    def _code(self, seconds: float) -> int:
        self.talk.settimeout(seconds)
        while True:
            try:
                word, _, rest = self.talk.recv(16_384).partition(b" ")
            except TimeoutError:
                self.talk.settimeout(ANSWER_SECONDS)
                self.talk.send(b"kill")
                continue
            if word == b"done":
                return int(rest)
            if word == b"ended":
                self.talk.send(b"kill")
            elif not word:
                raise StageError("the cell of the stage has ended")

    def close(self) -> None:
        """End everything in it. May be called again."""
        self.talk.close()
        self.holder.close()
        self.process.wait()
