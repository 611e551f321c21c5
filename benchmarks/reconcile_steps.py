"""What `onelog reconcile` costs, as a cold process, on a table of so many rows and its export."""

import os
import sys
from pathlib import Path

from benchmarks.measure import Report, of_command
from benchmarks.messages import write_messages
from benchmarks.onelog_steps import ignore, run_models
from benchmarks.state_steps import Log

PROGRAMS = Path(sys.executable).parent
COLUMNS = ("id", "customer", "price", "balance", "state", "note")


def main(folder: Path, rows: int) -> None:
    """Build a state of ``rows`` rows, export it, and compare the two."""
    from landing.files.land import land_files
    from landing.session import open_session

    report = Report()
    write_messages(folder / "messages" / "reconciled", 0, 2_000)
    export = folder / "export.parquet"
    with open_session() as spark:
        land_files(spark, (str(folder / "messages" / "reconciled"),))
        run_models(ignore, "+current_rows")
        Log(spark).write(rows, rows)
        run_models(ignore, "row_states", "--full-refresh")
        columns = ", ".join(f"row['{name}'] as {name}" for name in COLUMNS)
        table = spark.sql(f"select {columns} from gold.current_rows where source = 'state'")
        table.write.parquet(str(export))
        report.rows = spark.read.parquet(str(export)).count()
    report.costs["reconcile"] = of_command(
        str(PROGRAMS / "onelog"), "reconcile", "state", "shop.orders", "--with", str(export)
    )
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
