"""The state of a long log: built by onelog and by a bare window, and batches merged into it.

The log, ten changes a key, is written straight into resolve.changes, with the marks that a run of
the model would leave: what landing, flattening and resolving cost is measured elsewhere.
"""

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Cost, Report, cpu_seconds
from benchmarks.messages import write_messages
from benchmarks.onelog_steps import ignore, model_costs, run_models

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHANGES_A_KEY = 10
NAME_ID = '["state","shop",null,"orders"]'
STATISTICS = ("delta.dataSkippingStatsColumns", "state_id,table_id,log_position")
LAST_ROWS = """
    select * except (place) from (
        select *, row_number() over (partition by state_id order by log_position desc) as place
        from {log}
    ) where place = 1
"""


CHANGES = """
    select
        'change' as class, 'update' as operation, 'both' as image, 'state' as source,
        '{name_id}' as name_id, '{name_id}' as table_id, 'shop' as database_name,
        'orders' as table_name, 'oms' as value_encoding, 'UTC' as time_zone,
        false as is_partial, false as is_backfill, false as supersedes,
        timestamp '{run}' as built_at,
        md5(concat('state', key)) as state_id, map('id', key) as key,
        md5(cast(id as string)) as change_id, timestamp_seconds(1700000000 + id) as event_at,
        concat('2 ', char(96 + length(id)), id, ' 2') as log_position,
        map(
            'id', key, 'customer', concat('customer ', id), 'price', concat(id % 997, '.10'),
            'balance', concat(id, '000000000000.01'), 'state', array('new', 'paid')[id % 2],
            'note', if(id % 3 = 0, null, 'ring twice, then wait')
        ) as after
    from (
        select id, cast(pmod(xxhash64(id), {keys}) as string) as key from range({first}, {end})
    )
"""


def main(folder: Path, keys: int, merged: list[int]) -> None:
    """Measure on a log over ``keys`` rows, then merge so many more changes, a run for each."""
    import duckdb

    from landing.files.land import land_files
    from landing.session import open_session

    report = Report()
    messages = folder / "messages" / f"state_{keys}"
    write_messages(messages, 0, 2_000)
    with open_session() as spark:
        report.start_cpu = cpu_seconds()
        land_files(spark, (str(messages),))
        run_models(ignore, "+row_states")
        log = Log(spark)
        for count in (20_000, *merged):
            log.write(count, 2_000)
            run_models(ignore, "row_states")
        run_models(ignore, "row_states", "--full-refresh")
        write_window(spark, folder / "warm_up")

        log.write(keys * CHANGES_A_KEY, keys)
        # The first time pays for the compiling of code that the two have in common.
        for _ in range(2):
            report.costs["rebuild"] = state_cost("--full-refresh")
            with report.measured("window"):
                write_window(spark, folder / f"window_{keys}")
        files = [
            file.removeprefix("file://")
            for file in spark.sql("select * from silver.change_log").inputFiles()
        ]
        with report.measured("duckdb"):
            stored = f"(select * from read_parquet({files}) where class = 'change')"
            query = LAST_ROWS.format(log=stored)
            duckdb.execute(f"copy ({query}) to '{folder}/duckdb_{keys}.parquet' (format parquet)")

        check_rows(spark, folder / f"window_{keys}")
        for count in merged:
            log.write(count, keys)
            report.costs[f"merge {count}"] = state_cost()
        write_window(spark, folder / f"window_{keys}")
        check_rows(spark, folder / f"window_{keys}")
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


def state_cost(*options: str) -> Cost:
    """What the model costs in `dbt run --select row_states`, without dbt's start and its hooks."""
    told = Report()
    run_models(model_costs(told), "row_states", *options)
    return told.costs["row_states"]


class Log:
    """The log of one table, written into resolve.changes with the marks of a run.

    A run of the model `changes` tells by its marks what it has brought: that of the name says since
    which run it is there and which table it means, that of the model when it last ran.
    """

    def __init__(self, spark: "SparkSession") -> None:
        self.spark = spark
        self.written = 0

    def write(self, count: int, keys: int) -> None:
        """Append ``count`` changes of ``keys`` rows, in no order."""
        run = datetime.now(UTC).isoformat(timespec="milliseconds")
        mark_type = self.spark.table("resolve.changes").schema["mark"].dataType.simpleString()
        first, self.written = self.written, self.written + count
        changes = CHANGES.format(name_id=NAME_ID, run=run, keys=keys, first=first, end=self.written)
        self.spark.sql(f"insert into resolve.changes by name {changes}")
        # The mark of the name keeps the run that wrote it first.
        if not first:
            mark = json.dumps({"about": [NAME_ID], "since": run})
            self.spark.sql(f"""
                insert into resolve.changes by name
                select
                    '{NAME_ID}' as marked_unit, from_json(r'{mark}', '{mark_type}') as mark,
                    timestamp '{run}' as built_at
            """)
        self.spark.sql(f"""
            update resolve.changes set built_at = timestamp '{run}'
            where marked_unit in ('{NAME_ID}', '')
        """)


def check_rows(spark: "SparkSession", window: Path) -> None:
    """Refuse to tell what a state costs that is not the one of the window."""
    columns = "state_id, change_id, log_position, key, {row} as row"
    stored = spark.sql(
        f"select {columns.format(row='row')} from resolve.row_states where is_live and mark is null"
    )
    by_window = spark.sql(f"select {columns.format(row='after')} from delta.`{window}`")
    texts = "state_id, change_id, log_position, to_json(key), to_json(row)"
    hashes = [
        rows.selectExpr("count(*)", f"sum(cast(xxhash64({texts}) as decimal(38)))").first()
        for rows in (stored, by_window.where("row is not null"))
    ]
    if hashes[0] != hashes[1]:
        raise SystemExit(f"the states differ: {hashes}")


def write_window(spark: "SparkSession", folder: Path) -> None:
    """What one writes by hand: the last row of each key by a window."""
    last = spark.sql(LAST_ROWS.format(log="silver.change_log"))
    kept = ("state_id", "table_id", "source", "database_name", "table_name", "key", "after")
    about = ("log_position", "change_id", "event_at", "value_encoding", "time_zone", "built_at")
    rows = last.select(*kept, *about).write.format("delta").option(*STATISTICS)
    rows.save(str(folder), mode="overwrite")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), [int(count) for count in sys.argv[3:]])
