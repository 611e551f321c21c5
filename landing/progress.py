"""Shows on stderr what a command is doing, how far it is and how long it has taken."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SECONDS_BETWEEN_LOOKS = 0.5
# In a log file a step that takes this long gets a line, and one more each time it has.
SECONDS_BETWEEN_LINES = 30


class Progress:
    """One line on a terminal that goes with the command; plain lines, and few, elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status = console.status("starting Spark")
        self._step = "starting Spark"
        self._begun = time.monotonic()
        self._told = 0.0

    def say(self, step: str) -> None:
        """Go on with another step."""
        self._step, self._begun, self._told = step, time.monotonic(), 0.0
        self._status.update(step)

    @contextmanager
    def counted(self, spark: "SparkSession") -> Iterator[None]:
        """Tell how many of the step's tasks Spark has done, for as long as the body runs."""
        self.say("reading the tables")
        try:
            tracker = spark.sparkContext.statusTracker()
        except Exception:
            # Over Spark Connect there is no such thing.
            yield
            return
        stop = Event()
        watching = Thread(target=self._watch, args=(tracker, stop), daemon=True)
        watching.start()
        try:
            yield
        finally:
            stop.set()
            watching.join()

    def _watch(self, tracker: Any, stop: Event) -> None:
        while not stop.wait(SECONDS_BETWEEN_LOOKS):
            try:
                tasks = _tasks(tracker)
            except Exception:
                # Java has ended: the command itself will tell.
                return
            self.tell(*tasks, time.monotonic() - self._begun)

    def tell(self, done: int, tasks: int, seconds: float) -> None:
        """Show the step after so many seconds: ``done`` of its ``tasks`` that Spark knows of."""
        far = f"{done:,} of {tasks:,} tasks, " if tasks else ""
        line = f"{self._step}: {far}{seconds:.0f} s"
        if self._console.is_terminal:
            self._status.update(line)
        elif seconds - self._told >= SECONDS_BETWEEN_LINES:
            self._told = seconds
            print(line, file=self._console.file, flush=True)


@contextmanager
def progress() -> Iterator[Progress]:
    """Show what goes on while the body runs; a terminal's line is gone after it."""
    shown = Progress(Console(stderr=True))
    with shown._status:
        yield shown


def _tasks(tracker: Any) -> tuple[int, int]:
    """Of the stages at work: tasks done, and all tasks."""
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    known = [stage for stage in stages if stage is not None]
    done = sum(stage.numCompletedTasks for stage in known)
    return done, sum(stage.numTasks for stage in known)
