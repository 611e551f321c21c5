"""What landing costs, each time as a cold process, from a folder in which so many files lie."""

import os
import sys
from pathlib import Path

from benchmarks.measure import Report
from benchmarks.messages import canal, lines
from benchmarks.runs_steps import bytes_told, land, run


def main(folder: Path, files: int, messages: int, new: int) -> None:
    """Measure with ``messages`` in ``files`` files, then with a file of ``new`` more, twice."""
    topic = folder / "messages" / f"folder_{files}" / "canal"
    topic.mkdir(parents=True)
    each = messages // files
    for number in range(files):
        write_file(topic / f"{number:06d}.jsonl", number * each, each)
    report = Report()
    report.costs["first"] = land(topic)
    run()
    report.costs["nothing new"] = land(topic)
    write_file(topic / "new.jsonl", messages, new)
    report.costs["landing"] = land(topic)
    report.costs["new"] = run()
    write_file(topic / "newer.jsonl", messages + new, new)
    with bytes_told(report, "landing"):
        land(topic)
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


def write_file(path: Path, first: int, count: int) -> None:
    """Write ``count`` messages, numbered from ``first``."""
    path.write_text("".join(lines(canal, first, count)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
