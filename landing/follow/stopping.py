"""How a command that goes on for days is told to stop."""

import signal
import sys
import time
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGINT)
# Seconds after which somebody who waits looks whether it is to stop.
LOOK_EVERY = 0.2


class Stop:
    """Set by the first SIGTERM or SIGINT while it listens; the second one ends the process."""

    def __init__(self) -> None:
        self._is_set = False

    def is_set(self) -> bool:
        """True once the process was told to stop."""
        return self._is_set

    def end_at_once(self) -> None:
        """Let a signal end the process: while it starts, or waits for its turn."""
        for number in SIGNALS:
            signal.signal(number, lambda number, frame: sys.exit(0))

    def listen(self) -> None:
        """Note a signal from now on. To be called after Spark's start, which takes SIGINT."""
        for number in SIGNALS:
            signal.signal(number, self._told)

    def wait(self, seconds: float) -> None:
        """Wait so many seconds, or until the process is told to stop."""
        end = time.monotonic() + seconds
        while not self._is_set and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, LOOK_EVERY))

    def _told(self, number: int, frame: FrameType | None) -> None:
        self._is_set = True
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
