"""What one `dbt run` costs, each as a cold process, on a log of so many messages.

With nothing new since the run before, and with a few new messages of the three envelopes.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import Cost, Report, of_command
from benchmarks.messages import write_messages

PROGRAMS = Path(sys.executable).parent


def main(folder: Path, logged: int, new: int) -> None:
    """Measure on ``logged`` messages of each envelope, then with ``new`` more of each."""
    messages = folder / "messages" / f"runs_{logged}"
    write_messages(messages / "logged", 0, logged)
    write_messages(messages / "new", logged, new)
    write_messages(messages / "more", logged + new, new)
    report = Report()
    report.costs["landing the log"] = land(messages / "logged")
    report.costs["first"] = run()
    report.costs["nothing new"] = run()
    report.costs["landing"] = land(messages / "new")
    report.costs["new"] = run()
    # Spark's log of its own work costs something itself.
    land(messages / "more")
    report.figures |= megabytes_of_run()
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


def land(folder: Path) -> Cost:
    """`onelog land files`."""
    return of_command(str(PROGRAMS / "onelog"), "land", "files", str(folder))


def run(*options: str) -> Cost:
    """`dbt run` of the whole project, or of what the options select."""
    return of_command(str(PROGRAMS / "dbt"), "run", "--quiet", *options)


def megabytes_of_run(*options: str) -> dict[str, float]:
    """What the tasks of a run have read and written, by Spark's own log."""
    java_options = os.environ.get("ONELOG_JAVA_OPTIONS", "")
    with tempfile.TemporaryDirectory() as folder:
        logged = f"-Dspark.eventLog.enabled=true -Dspark.eventLog.dir=file://{folder}"
        plain = "-Dspark.eventLog.compress=false"
        os.environ["ONELOG_JAVA_OPTIONS"] = f"{java_options} {logged} {plain}"
        run(*options)
        os.environ["ONELOG_JAVA_OPTIONS"] = java_options
        read = written = 0
        for path in Path(folder).rglob("events_*"):
            for line in path.open():
                if line.startswith('{"Event":"SparkListenerTaskEnd"'):
                    metrics = json.loads(line).get("Task Metrics", {})
                    read += metrics.get("Input Metrics", {}).get("Bytes Read", 0)
                    written += metrics.get("Output Metrics", {}).get("Bytes Written", 0)
    return {"megabytes read": read / 1e6, "megabytes written": written / 1e6}


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
