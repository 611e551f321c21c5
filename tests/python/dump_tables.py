"""Runs dbt, each time with the options named; writes the rows of every table after each as JSON.

The tables of a project's own come second, with commas between them.
"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt.cli.main import dbtRunner

from landing.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLES = (
    "silver.change_log",
    "silver.ddl_log",
    "silver.control_log",
    "silver.quarantine",
    "silver.repeats",
    "silver.table_schemas",
    "gold.current_rows",
    "gold.row_history",
    "resolve.row_states",
)


def main(path: str, own_tables: str, *runs: str) -> None:
    names = (*TABLES, *filter(None, own_tables.split(",")))
    with open_session() as spark:
        tables = [tables_after(spark, names, *options.split()) for options in runs]
    Path(path).write_text(json.dumps(tables))


def tables_after(spark: "SparkSession", names: tuple[str, ...], *arguments: str) -> dict[str, Any]:
    ran = dbtRunner().invoke(["run", *arguments, "--quiet"])
    assert ran.success, ran.exception
    messages = spark.sql("select topic, offset, coalesce(raw, message) from bronze.messages")
    tables = {name: rows_of(spark, name) for name in names}
    return tables | {"bronze.messages": sorted([*row] for row in messages.collect())}


def rows_of(spark: "SparkSession", name: str) -> list[str]:
    rows = [row.asDict(recursive=True) for row in spark.table(name).drop("built_at").collect()]
    # The mark of a row that a rebuilt table no longer has: a rebuild has none.
    kept = [row for row in rows if name != "resolve.row_states" or row["log_position"]]
    return sorted(json.dumps(row, sort_keys=True, default=str) for row in kept)


if __name__ == "__main__":
    main(*sys.argv[1:])
