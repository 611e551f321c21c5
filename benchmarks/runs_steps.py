"""What one `dbt run` costs, each as a cold process, on a log of so many messages.

With nothing new since the run before, and with a few new messages of the three envelopes.
"""

import os
import sys
from pathlib import Path

from benchmarks.measure import Cost, Report, of_command
from benchmarks.messages import write_messages

PROGRAMS = Path(sys.executable).parent


def main(folder: Path, logged: int, new: int) -> None:
    """Measure on ``logged`` messages of each envelope, then with ``new`` more of each."""
    messages = folder / "messages" / f"runs_{logged}"
    write_messages(messages / "logged", 0, logged)
    write_messages(messages / "new", logged, new)
    report = Report()
    report.costs["landing the log"] = land(messages / "logged")
    report.costs["first"] = run()
    report.costs["nothing new"] = run()
    report.costs["landing"] = land(messages / "new")
    report.costs["new"] = run()
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


def land(folder: Path) -> Cost:
    """`onelog land files`."""
    return of_command(str(PROGRAMS / "onelog"), "land", "files", str(folder))


def run() -> Cost:
    """`dbt run` of the whole project."""
    return of_command(str(PROGRAMS / "dbt"), "run", "--quiet")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
