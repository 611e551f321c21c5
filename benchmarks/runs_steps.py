"""What one command costs, each as a cold process, on a log of so many messages.

With nothing new since the run before, and with a few new messages of the three envelopes.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import Cost, Report, of_command
from benchmarks.messages import write_messages

PROGRAMS = Path(sys.executable).parent


def main(folder: Path, logged: int, new: int) -> None:
    """Measure on ``logged`` messages of each envelope, then with ``new`` more of each."""
    messages = folder / "messages" / f"runs_{logged}"
    write_messages(messages / "logged", 0, logged)
    news = ("new", "for build", "for the logged run", "for the logged build")
    for number, name in enumerate(news):
        write_messages(messages / name, logged + number * new, new)
    report = Report()
    report.costs["landing the log"] = land(messages / "logged")
    report.costs["first"] = run()
    report.costs["nothing new"] = run()
    report.costs["landing"] = land(messages / "new")
    report.costs["new"] = run()
    land(messages / "for build")
    report.costs["build"] = build()
    # Spark's log of its own work costs something itself.
    with bytes_told(report, "landing"):
        land(messages / "for the logged run")
    with bytes_told(report, "new"):
        run()
    land(messages / "for the logged build")
    with bytes_told(report, "build"):
        build()
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


def land(folder: Path) -> Cost:
    """`onelog land files`."""
    return of_command(str(PROGRAMS / "onelog"), "land", "files", str(folder))


def run(*options: str) -> Cost:
    """`dbt run` of the whole project, or of what the options select."""
    return of_command(str(PROGRAMS / "dbt"), "run", "--quiet", *options)


def build() -> Cost:
    """`dbt build`: the same with the tests of what is new, but for dbt's unit tests."""
    build = ("build", "--quiet", "--exclude-resource-type", "unit_test")
    return of_command(str(PROGRAMS / "dbt"), *build)


@contextmanager
def bytes_told(report: Report, name: str) -> Iterator[None]:
    """Put down what the tasks of the command in the body have read and written, in megabytes.

    Spark's own log of its work says so.
    """
    java_options = os.environ.get("ONELOG_JAVA_OPTIONS", "")
    with tempfile.TemporaryDirectory() as folder:
        logged = f"-Dspark.eventLog.enabled=true -Dspark.eventLog.dir=file://{folder}"
        plain = "-Dspark.eventLog.compress=false"
        os.environ["ONELOG_JAVA_OPTIONS"] = f"{java_options} {logged} {plain}"
        yield
        os.environ["ONELOG_JAVA_OPTIONS"] = java_options
        read = written = 0
        for path in Path(folder).rglob("events_*"):
            for line in path.open():
                if line.startswith('{"Event":"SparkListenerTaskEnd"'):
                    metrics = json.loads(line).get("Task Metrics", {})
                    read += metrics.get("Input Metrics", {}).get("Bytes Read", 0)
                    written += metrics.get("Output Metrics", {}).get("Bytes Written", 0)
    report.figures |= {f"{name} read": read / 1e6, f"{name} written": written / 1e6}


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
