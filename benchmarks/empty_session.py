"""What a process costs that starts Spark, asks it for nothing, and ends."""

import os
from pathlib import Path

from benchmarks.measure import Report, cpu_seconds


def main() -> None:
    """Open a session and run one statement."""
    from landing.session import open_session

    report = Report()
    with report.measured("empty session"), open_session() as spark:
        spark.sql("select 1").collect()
        report.start_cpu = cpu_seconds()
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


if __name__ == "__main__":
    main()
