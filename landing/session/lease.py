"""Commands that write take turns on a warehouse of several hosts, by a lease that lies with it.

The lease is a folder of numbered files. Each is written as Delta writes a commit: of all who write
the same number one succeeds, on any store that Delta's tables are safe on. (In a folder of this
machine Delta's commits are safe within one process alone: there a file gets its name by a link,
which fails where the name is taken.) The newest file says who holds the lease; its holder writes
another one every few seconds. Who waits measures by its own clock for how long none came: the
clocks of two hosts are never compared.
"""

import atexit
import contextlib
import os
import signal
import socket
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from landing.errors import LandingError, UserError
from landing.session.jvm import jvm
from landing.session.turns import command_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDER = "lease"
SECONDS = "ONELOG_LEASE_SECONDS"
# A holder that is silent for so long counts as dead: pauses of Java or of a store are shorter.
PATIENCE = 60.0
# Files that a holder writes in that time, looks of one who waits, and files that are left.
BEATS, LOOKS, KEPT = 6, 30, 10
# The catalog of a home on one machine: it lets one command at a time work there.
CATALOG = "spark.hadoop.javax.jdo.option.ConnectionURL"
OF_ONE_PROCESS = "jdbc:derby:;"
LOST = "another command may be at work on this warehouse: this one was silent too long; try again"
_held: list["Lease"] = []


def is_shared(settings: Mapping[str, str]) -> bool:
    """Whether more than one command may work on the warehouse of a session's settings."""
    return not settings.get(CATALOG, "").startswith(OF_ONE_PROCESS)


def hold_lease(spark: "SparkSession") -> None:
    """Hold the lease for this process until :func:`leave_lease`; wait for it where it is not free.

    Who holds it meanwhile is said on stderr. Does nothing on a home of one machine.
    """
    if not _held and is_shared({CATALOG: spark.conf.get(CATALOG, "") or ""}):
        lease = Lease(spark, f"{command_line()} on {socket.gethostname()} (process {os.getpid()})")
        lease.take(lambda said: print(f"onelog: {said}", file=sys.stderr, flush=True))
        _held.append(lease)
        atexit.register(leave_lease)


def confirm_lease() -> None:
    """Show before a commit that this process lives, where it holds the lease.

    Raises :class:`LeaseLostError` where another one holds it by now.
    """
    for lease in _held:
        lease.confirm()


def leave_lease() -> None:
    """Let others write, where this process holds the lease; Spark must still be there."""
    while _held:
        _held.pop().leave()


def patience() -> float:
    """Seconds of silence after which a holder counts as dead."""
    text = os.environ.get(SECONDS) or PATIENCE
    try:
        if (seconds := float(text)) > 0:
            return seconds
    except ValueError:
        pass
    raise UserError(f"{SECONDS} is {text!r}: set it to a number of seconds above 0")


class LeaseLostError(LandingError):
    """Another command has the lease: this one must commit nothing any more."""

    def __init__(self) -> None:
        super().__init__(LOST)


class Lease:
    """This process's part in the lease of the warehouse that a session works on.

    ``name``: what others are told of it. Two may have the same, as processes 1 of two containers
    whose hosts are called alike: what is written has a token, which no two have.
    """

    def __init__(self, spark: "SparkSession", name: str) -> None:
        java = jvm(spark)
        self._path: Any = java.org.apache.hadoop.fs.Path
        self._folder = f"{spark.conf.get('spark.sql.warehouse.dir')}/{FOLDER}"
        self._settings = spark._jsc.hadoopConfiguration()
        self._files = self._path(self._folder).getFileSystem(self._settings)
        self._files.mkdirs(self._path(self._folder))
        self._store = java.org.apache.spark.sql.delta.storage.LogStore.apply(spark._jsparkSession)
        self._as_scala: Any = java.scala.jdk.javaapi.CollectionConverters.asScala
        self._list: Any = java.java.util.List
        # One line: of an object store, it is read without its ends of lines.
        self._me = f"{' '.join(name.split())}\t{uuid.uuid4().hex}"
        self._patience = patience()
        self._number = 0
        self._turn = threading.Lock()
        self._is_over = threading.Event()
        self._staying = threading.Thread(target=self._stay, daemon=True)

    def take(self, say: Callable[[str], None]) -> None:
        """Hold the lease once nobody does, or once its holder counts as dead."""
        seen, since, told = -1, 0.0, ""
        while True:
            number, holder = self._newest()
            if number != seen:
                seen, since = number, time.monotonic()
            is_silent = time.monotonic() > since + self._patience
            if (not holder or is_silent) and self._write(number + 1, self._me):
                break
            name = holder.partition("\t")[0]
            if name not in ("", told):
                say(f"waiting for {name}, at work on this warehouse")
                told = name
            time.sleep(self._patience / LOOKS)
        self._staying.start()

    def confirm(self) -> None:
        """Show that the holder lives; raise :class:`LeaseLostError` where it has lost the lease."""
        with self._turn:
            if not self._write(self._number + 1, self._me):
                raise LeaseLostError

    def leave(self) -> None:
        """Let the next one have it."""
        self._is_over.set()
        # Where Java or the store has gone, the lease ends by itself.
        with self._turn, contextlib.suppress(Exception):
            self._write(self._number + 1, "")

    def _stay(self) -> None:
        """Show that the holder lives, until it leaves; end this process where it has lost it."""
        shown = time.monotonic()
        while not self._is_over.wait(self._patience / BEATS):
            with self._turn:
                if self._is_over.is_set():
                    return
                try:
                    is_held = self._write(self._number + 1, self._me)
                except Exception:
                    # The store may answer again in time.
                    is_held = time.monotonic() < shown + self._patience
                else:
                    shown = time.monotonic()
            if not is_held:
                print(f"onelog: {LOST}", file=sys.stderr, flush=True)
                os.kill(os.getpid(), signal.SIGKILL)

    def _newest(self) -> tuple[int, str]:
        """The greatest number, and who wrote it: an empty text where nobody holds the lease."""
        number = max(self._numbers(), default=0)
        if not number:
            return 0, ""
        try:
            return number, self._read(number)
        except Exception:
            # Its writer has gone on, and this file with it.
            if number in self._numbers():
                raise
            return self._newest()

    def _read(self, number: int) -> str:
        return self._store.read(self._file(number), self._settings).mkString()

    def _write(self, number: int, holder: str) -> bool:
        """Write the file of a number; False where somebody has written it, or a greater one."""
        # An earlier try may have been answered by an error, and have worked.
        if not self._add(number, holder) and self._read(number) != holder:
            return False
        numbers = self._numbers()
        if max(numbers) > number:
            return False
        self._number = number
        for older in numbers:
            if older <= number - KEPT:
                self._files.delete(self._file(older), False)
        return True

    def _add(self, number: int, holder: str) -> bool:
        """Write the file of a number at once and whole; False where there is one."""
        from py4j.protocol import Py4JJavaError

        if self._files.getScheme() == "file":
            return self._add_link(Path(self._file(number).toUri().getPath()), holder)
        lines = self._as_scala(self._list.of(holder).iterator())
        try:
            self._store.write(self._file(number), lines, False, self._settings)
        except Py4JJavaError as error:
            if "FileAlreadyExists" not in error.java_exception.getClass().getName():
                raise
            return False
        return True

    @staticmethod
    def _add_link(file: Path, holder: str) -> bool:
        with tempfile.NamedTemporaryFile(
            "w", dir=file.parent, prefix=".", encoding="utf-8"
        ) as whole:
            whole.write(holder)
            whole.flush()
            try:
                file.hardlink_to(whole.name)
            except FileExistsError:
                return False
            except OSError as error:
                raise UserError(
                    f"{file} cannot be made by a hard link ({error.strerror}), and so commands take"
                    " turns: the warehouse of several needs a file system that has these"
                ) from error
        return True

    def _file(self, number: int) -> Any:
        return self._path(f"{self._folder}/{number:020}")

    def _numbers(self) -> list[int]:
        found = self._files.listStatus(self._path(self._folder))
        names = [status.getPath().getName() for status in found]
        return [int(name) for name in names if name.isdigit()]
