"""The state of a long log: built by onelog and by a bare window, and a batch merged into it.

The log, ten changes a key, is written straight into resolve.changes: what landing and
flattening cost is measured elsewhere.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Report, cpu_seconds
from benchmarks.messages import write_messages
from benchmarks.onelog_steps import model_costs, run_models

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHANGES_A_KEY = 10
LAST_ROWS = """
    select * except (place) from (
        select *, row_number() over (partition by state_id order by log_position desc) as place
        from {log}
    ) where place = 1
"""


def main(folder: Path, keys: int, merged: int) -> None:
    """Measure on a log over ``keys`` rows, then merge ``merged`` more changes."""
    import duckdb

    from landing.files.land import land_files
    from landing.session import open_session

    report = Report()
    messages = folder / "messages" / f"state_{keys}"
    write_messages(messages, 0, 2_000)
    with open_session() as spark:
        report.start_cpu = cpu_seconds()
        land_files(spark, (str(messages),))
        run_models(lambda event: None, "+row_states")
        write_log(spark, 0, 20_000, 2_000)
        run_models(lambda event: None, "row_states")
        run_models(lambda event: None, "row_states", "--full-refresh")
        write_window(spark, folder / "warm_up")

        write_log(spark, 20_000, keys * CHANGES_A_KEY, keys)
        # The first time pays for the compiling of code that the two have in common.
        for _ in range(2):
            run_models(model_costs(report), "row_states", "--full-refresh")
            report.costs["rebuild"] = report.costs.pop("row_states")
            with report.measured("window"):
                write_window(spark, folder / f"window_{keys}")
        log = spark.sql("select * from resolve.changes where class = 'change'")
        files = [file.removeprefix("file://") for file in log.inputFiles()]
        with report.measured("duckdb"):
            query = LAST_ROWS.format(log=f"read_parquet({files})")
            duckdb.sql(query).write_parquet(str(folder / f"duckdb_{keys}.parquet"))
        report.rows = spark.sql("select 1 from resolve.row_states where is_live").count()

        write_log(spark, 20_000 + keys * CHANGES_A_KEY, merged, keys)
        run_models(model_costs(report), "row_states")
        report.costs["merge"] = report.costs.pop("row_states")
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


def write_log(spark: "SparkSession", first: int, count: int, keys: int) -> None:
    """Append changes numbered from ``first``, their keys in no order."""
    spark.sql(f"""
        insert into resolve.changes by name
        select
            'change' as class, 'update' as operation, 'both' as image, 'state' as source,
            '["state","shop",null,"orders"]' as table_id, 'shop' as database_name,
            'orders' as table_name, 'oms' as value_encoding, 'UTC' as time_zone,
            false as is_partial, false as is_split, current_timestamp() as built_at,
            md5(concat('state', key)) as state_id, map('id', key) as key,
            md5(cast(id as string)) as change_id, timestamp_seconds(1700000000 + id) as event_at,
            concat('2 ', char(96 + length(id)), id, ' 2') as log_position,
            map(
                'id', key, 'customer', concat('customer ', id), 'price', concat(id % 997, '.10'),
                'balance', concat(id, '000000000000.01'), 'state', array('new', 'paid')[id % 2],
                'note', if(id % 3 = 0, null, 'ring twice, then wait')
            ) as after
        from (select id, cast(pmod(xxhash64(id), {keys}) as string) as key
              from range({first}, {first + count}))
    """)


def write_window(spark: "SparkSession", folder: Path) -> None:
    """What one writes by hand: the last row of each key by a window."""
    last = spark.sql(LAST_ROWS.format(log="silver.change_log"))
    kept = ("state_id", "table_id", "source", "database_name", "table_name", "key", "after")
    about = ("log_position", "change_id", "event_at", "value_encoding", "time_zone", "built_at")
    last.select(*kept, *about).write.format("delta").save(str(folder), mode="overwrite")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
