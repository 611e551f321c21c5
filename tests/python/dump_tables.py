"""Runs dbt, then writes the rows of every table as JSON: ``dump_tables.py FILE ARGUMENT…``."""

import json
import sys
from pathlib import Path

from dbt.cli.main import dbtRunner

from landing.session import open_session

TABLES = (
    "silver.change_log",
    "silver.ddl_log",
    "silver.control_log",
    "silver.quarantine",
    "silver.repeats",
    "silver.table_schemas",
    "gold.current_rows",
    "gold.row_history",
    "gold.row_states",
)


def main(path: str, *arguments: str) -> None:
    with open_session() as spark:
        ran = dbtRunner().invoke([*arguments, "--quiet", "--exclude", "tag:typed"])
        assert ran.success, ran.exception
        tables = {}
        for name in TABLES:
            rows = [
                row.asDict(recursive=True) for row in spark.table(name).drop("built_at").collect()
            ]
            # The mark of a row that a rebuilt table no longer has: a rebuild has none.
            kept = [row for row in rows if name != "gold.row_states" or row["log_position"]]
            tables[name] = sorted(json.dumps(row, sort_keys=True, default=str) for row in kept)
        messages = spark.sql(
            "select topic, offset, coalesce(raw, message) from bronze.messages"
        ).collect()
        tables["bronze.messages"] = sorted([*row] for row in messages)
    Path(path).write_text(json.dumps(tables))


if __name__ == "__main__":
    main(*sys.argv[1:])
