"""Commands on one home take turns: one holds it until its JVM, too, has ended."""

import fcntl
import os
import sys
import time
from pathlib import Path
from typing import IO

from landing.printable import printable
from landing.session.java import SessionError

PATIENCE = 5.0  # seconds without a word: the JVM of a command that is over needs one or two to end
_held: dict[Path, IO[str]] = {}


def take_home(home: Path) -> int:
    """Hold a home for this process; while another command does, say which one and wait.

    Returns the lock's descriptor, which the JVM inherits: the system frees the home when the last
    of both has ended, however that comes. Raises :class:`SessionError` for a home that cannot be
    written in.
    """
    if home not in _held:
        lock = _open_lock(home)
        if not _is_free(lock):
            lock.seek(0)
            holder = lock.read().strip() or "another command"
            print(f"onelog: waiting for {holder}, at work in {home}", file=sys.stderr, flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate(0)
        lock.write(f"{command_line()} (process {os.getpid()})")
        lock.flush()
        _held[home] = lock
    return _held[home].fileno()


def command_line() -> str:
    """What others are told of this process's command: its name and its first words."""
    return printable(" ".join([Path(sys.argv[0]).name, *sys.argv[1:3]]))


def leave_homes() -> None:
    """Let others work on the homes that this process holds, once its JVM has ended."""
    while _held:
        _held.popitem()[1].close()


def _open_lock(home: Path) -> IO[str]:
    try:
        home.mkdir(parents=True, exist_ok=True)
        return open(home / "at_work.lock", "a+")  # held as long as the process
    except OSError as error:
        advice = "set ONELOG_HOME to a folder where you may write"
        message = f"the home {home} cannot be written in ({error.strerror}): {advice}"
        raise SessionError(message) from error


def _is_free(lock: IO[str]) -> bool:
    """Take the lock if it is free, or becomes so soon."""
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > give_up:
                return False
            time.sleep(0.1)
        else:
            return True
