"""Makes the archive of Java classes by which every later command starts in about half the time.

Most of a start goes into loading Spark's classes one by one; Java can map them from a file that an
earlier process has written on its way out. `make setup` runs this once; all works without it.
"""

import os
import sys
import tempfile

from landing.session.preparing import class_archive

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
    """Run the statements in a home that is thrown away, and leave the archive behind."""
    archive = class_archive()
    archive.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as home:
        options = f'-XX:ArchiveClassesAtExit="{archive}" -Xlog:disable'
        os.environ.update(ONELOG_HOME=home, SPARK_SUBMIT_OPTS=options)
        from landing.session import SHORT_LIVED, open_session

        with open_session(SHORT_LIVED) as spark:
            for statement in STATEMENTS:
                spark.sql(statement).collect()
    if not archive.exists():
        sys.exit("Java wrote no archive of its classes; every command works, but starts slower")


if __name__ == "__main__":
    main()
