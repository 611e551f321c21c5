"""Makes the archive of Java classes by which every later command starts in about half the time.

Most of a start goes into loading Spark's classes one by one; Java can map them from a file that an
earlier process has written on its way out. `make setup` runs this once; all works without it.
"""

import io
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from landing.session.preparing import class_archive

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What the commands do most: JSON and Delta, written and read, maps, aggregates and windows.
STATEMENTS = (
    "create table lines (text string) using json",
    """insert into lines values ('{"id":1}'), ('x')""",
    "create table rows (id bigint, row map<string, string>) using delta",
    "insert into rows select count(*), map('id', max(text)) from lines group by text",
    "merge into rows using (select 1 as id) as new on rows.id = new.id when matched then delete",
    "create view all_rows as select *, row_number() over (order by id) as number from rows",
    "select map_keys(row), number from all_rows",
)


def main() -> None:
    """Do what commands do in a home that is thrown away, and leave the archive behind."""
    archive = class_archive()
    archive.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ["ONELOG_HOME"] = home
        from landing.session import SHORT_LIVED, open_session

        # Ivy fetches the jars that the archive is about.
        with open_session(SHORT_LIVED):
            pass
        os.environ["SPARK_SUBMIT_OPTS"] = f'-XX:ArchiveClassesAtExit="{archive}" -Xlog:disable'
        with open_session(SHORT_LIVED) as spark:
            _do_what_commands_do(spark, Path(home))
    if not archive.exists():
        sys.exit("Java wrote no archive of its classes; every command works, but starts slower")


def _do_what_commands_do(spark: "SparkSession", home: Path) -> None:
    from landing.files.land import land_files
    from landing.queries.sql import print_query

    for statement in STATEMENTS:
        spark.sql(statement).collect()
    file = home / "topic" / "a.jsonl"
    file.parent.mkdir()
    # The second time the topic is known.
    for message in ("{}", "[]"):
        file.write_text(message)
        land_files(spark, (str(file),))
    print_query(spark, "select * from bronze.batches", "table", io.BytesIO(), lambda said: None)


if __name__ == "__main__":
    main()
