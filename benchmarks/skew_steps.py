"""Uneven logs beside even ones: one row that has all changes, one table that has nearly all rows.

The changes of rows are written straight into resolve.changes, as ``state_steps`` does. The tables
come as messages, through all models.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Cost, Report, cpu_seconds
from benchmarks.messages import canal, write_messages
from benchmarks.onelog_steps import ignore, model_costs, run_models
from benchmarks.state_steps import Log, state_cost

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = 10


def main(folder: Path, changes: int, messages: int) -> None:
    """Measure so many changes of few and of many rows, then so many messages of ten tables."""
    from landing.files.land import land_files
    from landing.session import open_session

    report = Report()
    write_messages(folder / "messages" / "skew", 0, 2_000)
    with open_session() as spark:
        report.start_cpu = cpu_seconds()
        land_files(spark, (str(folder / "messages" / "skew"),))
        run_models(ignore, "+row_history +row_states")
        log = Log(spark)
        for images in ("whole", "partial"):
            for rows, name in ((changes // 10, "warm"), (changes // 10, "even"), (1, "one row")):
                spark.sql("delete from resolve.changes where marked_unit is null")
                log.write(changes, rows, is_partial=images == "partial")
                report.costs[f"{name}, {images}, state"] = state_cost("--full-refresh")
                with report.measured(f"{name}, {images}, history"):
                    read_history(spark)
        spark.sql("delete from resolve.changes where marked_unit is null")
        for place, name in enumerate(("warm", "even", "one table")):
            topics = folder / "messages" / f"skew_{place}"
            write_tables(topics, place * messages, messages, is_even=name != "one table")
            land_files(spark, (str(topics),))
            told = Report()
            run_models(model_costs(told), "+row_states")
            report.costs[f"{name}, run"] = sum(told.costs.values(), Cost(0, 0))
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


def read_history(spark: "SparkSession") -> None:
    """Make every version of every row, and drop it."""
    spark.table("gold.row_history").write.format("noop").mode("overwrite").save()


def write_tables(folder: Path, first: int, count: int, is_even: bool) -> None:
    """Write messages of ten tables: a tenth of them each, or nine tenths of the first one's."""
    (folder / "tables").mkdir(parents=True)
    with open(folder / "tables" / "messages.jsonl", "w", encoding="utf-8", newline="\n") as file:
        file.writelines(_messages(first, count, is_even))


def _messages(first: int, count: int, is_even: bool) -> Iterator[str]:
    for number in range(first, first + count):
        # The kind of a change goes by the number's last digit.
        table = number // 10 % TABLES
        if not is_even:
            table = table if number // 100 % 10 == 0 else 0
        yield canal(number).replace('"table":"orders"', f'"table":"orders_{table}"') + "\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
