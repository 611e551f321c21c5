"""(e) The whole way by hand, in one script: flatten, drop repeats, keep each key's last row.

The log is the one of ``from_json_job``. Both of the others are windows by `row_number` over all of
it, as is usual where nothing is known of what came before.
"""

import os
import sys
from pathlib import Path

from benchmarks.from_json_job import STATISTICS, flatten_batch
from benchmarks.measure import Report, cpu_seconds
from benchmarks.messages import MEASURED_BATCH

CURRENT_ROWS = """
    with numbered as (
        select
            *,
            row_number() over (partition by topic, change_id order by batch, offset) as arrival
        from change_log
    ),

    placed as (
        select
            *,
            row_number() over (
                partition by topic, database_name, table_name, key['id']
                order by log_position desc
            ) as place
        from numbered
        where arrival = 1
    )

    select
        topic, partition, offset, source, database_name, schema_name, table_name, key,
        after as row, operation, log_position, change_id, event_at, value_encoding, time_zone
    from placed
    where place = 1 and operation <> 'delete'
"""


def main(folder: Path) -> None:
    """Make the log and the current rows of what onelog has landed in ``folder``/onelog."""
    from landing.session import open_session

    landed = folder / "onelog" / "bronze.db" / "messages"
    written = str(folder / "by_hand" / "change_log")
    current = str(folder / "by_hand" / "current_rows")
    report = Report()
    with open_session() as spark:
        report.start_cpu = cpu_seconds()
        for batch in range(1, MEASURED_BATCH + 1):
            with report.measured("by hand"):
                flatten_batch(spark, landed, batch, written)
                spark.read.format("delta").load(written).createOrReplaceTempView("change_log")
                rows = spark.sql(CURRENT_ROWS)
                rows.write.format("delta").option(*STATISTICS).save(current, mode="overwrite")
        report.rows = spark.read.format("delta").load(current).count()
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
