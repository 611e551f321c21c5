"""CPU and wall seconds of what a step does, and the report in which it tells them."""

import contextlib
import ctypes
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

SECONDS_BETWEEN_LOOKS = 0.2
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
# By number and start of a process.
_seen: dict[tuple[int, str], int] = {}


@dataclass
class Cost:
    """Seconds of CPU (user and system, of all processes) and of the clock."""

    cpu: float
    wall: float

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.cpu + other.cpu, self.wall + other.wall)


@dataclass
class Report:
    """What a step tells: costs by name, rows and columns written, images of the sampled messages.

    ``start_cpu``: CPU seconds until the process was ready to work; ``versions`` of what it ran;
    ``figures``: other numbers by name.
    """

    costs: dict[str, Cost] = field(default_factory=dict)
    rows: int = 0
    columns: list[str] = field(default_factory=list)
    start_cpu: float = 0
    images: dict[str, dict[str, str]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def measured(self, name: str) -> Iterator[None]:
        """Put down what the body costs."""
        before = now()
        yield
        self.costs[name] = since(before)

    def add(self, name: str, cost: Cost) -> None:
        """Put down a cost beside what was put down under the same name before."""
        self.costs[name] = self.costs.get(name, Cost(0, 0)) + cost

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


def of_command(*command: str) -> Cost:
    """What a command costs from its start to the end of the last process that it left behind.

    Wall seconds are those of the command itself.
    """
    adopt_orphans()
    cpu_before, started = descendants_seconds(), time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        running = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        while running.poll() is None:
            time.sleep(SECONDS_BETWEEN_LOOKS)
            descendants_seconds()
        wall = time.monotonic() - started
        while any(state != "Z" for state, _, _ in _descendants().values()):
            time.sleep(SECONDS_BETWEEN_LOOKS)
        if running.returncode:
            output.seek(0)
            raise SystemExit(f"{' '.join(command)} failed:\n{output.read()[-4000:]}")
    return Cost(descendants_seconds() - cpu_before, wall)


def adopt_orphans() -> None:
    """Let processes whose parent has ended become children of this one, to be counted on."""
    set_child_subreaper = 36  # of linux/prctl.h
    ctypes.CDLL(None).prctl(set_child_subreaper, 1)


def cpu_seconds() -> float:
    """CPU of this process, the JVM it started, that one's Python workers, and so on down.

    Of a process that has ended it counts what it had used when it was last seen: Spark's Python
    workers leave their times to nobody.
    """
    own = os.times()
    return descendants_seconds() + own.user + own.system


def descendants_seconds() -> float:
    """CPU of the processes below this one, with what those that have ended had used."""
    for process, (_, start, used) in _descendants().items():
        _seen[process, start] = used
    return sum(_seen.values()) / TICKS_PER_SECOND


def resident_megabytes(parent: int) -> float:
    """Memory of the Java that a process started."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            status = dict(re.findall(r"(?m)^(\w+):\s*(\w+)", (process / "status").read_text()))
            if (status["Name"], status["PPid"]) == ("java", str(parent)):
                return int(status["VmRSS"]) / 1024
    return 0.0


def _descendants() -> dict[int, tuple[str, str, int]]:
    """State, start and ticks used of each process below this one; Z: it has ended, unheard."""
    parents, told = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        # After the name, which may hold blanks: state, parent; the 12th and 13th are the times, the
        # 20th the start.
        fields = stat.rpartition(")")[2].split()
        parents[int(folder.name)] = int(fields[1])
        told[int(folder.name)] = fields[0], fields[19], int(fields[11]) + int(fields[12])
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return {pid: told[pid] for pid in found if pid != os.getpid()}
