"""A prompt for queries, with history and completion of names."""

import contextlib
import readline
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from landing.session.preparing import home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORDS = (
    *("select", "from", "where", "group by", "order by", "limit", "distinct", "count(*)", "join"),
    *("show tables", "describe", "explode", "map_keys", "to_json", "decode_base64"),
)
SCHEMAS = ("silver", "gold", "bronze")
ENTRIES_KEPT = 1000


def asked(spark: "SparkSession") -> Iterator[str]:
    """The queries that a person enters, each up to its semicolon, until the end of the input."""
    history = home() / "sql_history"
    _use(history, Names(spark))
    try:
        while True:
            lines: list[str] = []
            try:
                while not lines or not lines[-1].rstrip().endswith(";"):
                    lines.append(input("......> " if lines else "onelog> "))
                    if lines[0].strip().lower() in ("", "exit", "quit"):
                        break
            except KeyboardInterrupt:
                print()
                continue
            except EOFError:
                print()
                return
            if lines[0].strip().lower() in ("exit", "quit"):
                return
            if lines[0].strip():
                yield "\n".join(lines)
    finally:
        with contextlib.suppress(OSError):
            readline.write_history_file(history)


def _use(history: Path, names: "Names") -> None:
    with contextlib.suppress(OSError):
        readline.read_history_file(history)
    readline.set_history_length(ENTRIES_KEPT)
    readline.set_completer(names.completion)
    readline.set_completer_delims(" \t\n,;()=<>")
    readline.parse_and_bind("tab: complete")


class Names:
    """The words, tables and columns that may go on from what was typed."""

    def __init__(self, spark: "SparkSession") -> None:
        self.spark = spark
        self.tables: list[str] = []
        self.columns: dict[str, list[str]] = {}

    def completion(self, typed: str, number: int) -> str | None:
        """The number-th word that begins with what was typed, as readline asks for it."""
        known = {*WORDS, *self._tables(), *self._columns(readline.get_line_buffer())}
        found = sorted(word for word in known if word.startswith(typed))
        return found[number] if number < len(found) else None

    def _tables(self) -> list[str]:
        if not self.tables:
            self.tables = [
                f"{schema}.{row.tableName}"
                for schema in SCHEMAS
                for row in self.spark.sql(f"show tables in {schema}").collect()
            ]
        return self.tables

    def _columns(self, line: str) -> list[str]:
        """Those of the tables that the line names."""
        for name in self._tables():
            if name in line and name not in self.columns:
                self.columns[name] = self.spark.table(name).columns
        return [column for name in self.columns if name in line for column in self.columns[name]]
