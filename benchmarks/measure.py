"""CPU and wall seconds of what a step does, and the report in which it tells them."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
# By number and start of a process.
_seen: dict[tuple[int, str], int] = {}


@dataclass
class Cost:
    """Seconds of CPU (user and system, of all processes) and of the clock."""

    cpu: float
    wall: float


@dataclass
class Report:
    """What a step tells: costs by name, rows and columns written, images of the sampled messages.

    ``start_cpu``: CPU seconds until the process was ready to work; ``versions`` of what it ran.
    """

    costs: dict[str, Cost] = field(default_factory=dict)
    rows: int = 0
    columns: list[str] = field(default_factory=list)
    start_cpu: float = 0
    images: dict[str, dict[str, str]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def measured(self, name: str) -> Iterator[None]:
        """Put down what the body costs."""
        before = now()
        yield
        self.costs[name] = since(before)

    def add_images(self, images: list[dict[str, str] | None]) -> None:
        """Keep the row images that a step has written, by their ``image_id``."""
        self.images |= {image["image_id"]: image for image in images if image}

    def write(self, path: Path) -> None:
        """Hand the report to the process that asked for it."""
        path.write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, path: Path) -> "Report":
        """The report that a step's process has written."""
        told = json.loads(path.read_text())
        return cls(**told | {"costs": {name: Cost(**cost) for name, cost in told["costs"].items()}})


def now() -> Cost:
    """What this process and its descendants have used so far."""
    return Cost(cpu_seconds(), time.monotonic())


def since(before: Cost) -> Cost:
    """What has been used since ``before``."""
    after = now()
    return Cost(after.cpu - before.cpu, after.wall - before.wall)


def cpu_seconds() -> float:
    """CPU of this process, the JVM it started, that one's Python workers, and so on down.

    Of a process that has ended it counts what it had used when it was last seen: Spark's Python
    workers leave their times to nobody.
    """
    parents, ticks = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        # After the name, which may hold blanks: state, parent; the 12th and 13th are the times, the
        # 20th the start.
        fields = stat.rpartition(")")[2].split()
        parents[int(folder.name)] = int(fields[1])
        ticks[int(folder.name)] = fields[19], int(fields[11]) + int(fields[12])
    mine = {os.getpid()}
    while found := {pid for pid, parent in parents.items() if parent in mine} - mine:
        mine |= found
    for pid in mine:
        start, used = ticks[pid]
        _seen[pid, start] = used
    return sum(_seen.values()) / TICKS_PER_SECOND
