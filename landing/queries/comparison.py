"""What a comparison of two tables has found, and how it is told."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from landing.printable import printable
from landing.queries.shown import table as shown_table
from landing.queries.values import Rule

MISSING, TOO_MANY, DIFFERENT = "missing", "too many", "different"
TWICE_IN_LOG, TWICE_IN_EXPORT = "twice in the log", "twice in the export"
# Letters of a value that an example shows, and how many of them before the first that differs.
LONGEST_SHOWN, SHOWN_BEFORE = 200, 40
Cells = Mapping[str, str | None]


@dataclass
class Column:
    """A column that both sides have; ``place_in_export`` counts from 0."""

    name: str
    place_in_export: int
    declared: str | None
    rule: Rule


@dataclass
class Comparison:
    """How the rows of a table in the log and in an export differ.

    ``columns``: those of the key first. ``found`` counts by what is wrong: rows, and cells that
    differ. ``by_rule`` counts by column the cells that are equal only by its rule, ``by_column``
    those that differ. Without a key, ``rows_by_rule`` counts whole rows.
    """

    table: str
    keys: list[str]
    columns: list[Column]
    only_in_log: list[str]
    only_in_export: list[str]
    time_zone: str
    rows_in_log: int = 0
    rows_in_export: int = 0
    rows_by_rule: int = 0
    found: Counter[str] = field(default_factory=Counter)
    by_rule: Counter[str] = field(default_factory=Counter)
    by_column: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    @property
    def differs(self) -> bool:
        """Whether anything is wrong."""
        return self.found.total() > 0

    def lines(self) -> Iterator[str]:
        """The comparison as text."""
        yield (
            f"{self.table}: {self.rows_in_log:,} rows in the log, "
            f"{self.rows_in_export:,} in the export"
        )
        named = ", ".join(map(quoted, self.keys))
        yield f"key: {named}" if named else "no key: the copies of equal rows are counted"
        yield from self._columns()
        for names, where in ((self.only_in_log, "log"), (self.only_in_export, "export")):
            if names:
                yield f"columns only in the {where}: {', '.join(map(quoted, names))}"
        yield f"rows missing from the log: {self.found[MISSING]:,}"
        yield f"rows too many in the log: {self.found[TOO_MANY]:,}"
        if self.keys:
            yield f"cells that differ: {self.found[DIFFERENT]:,}"
        else:
            yield f"rows equal only by the rules of their columns: {self.rows_by_rule:,}"
        for kind, where in ((TWICE_IN_LOG, "log"), (TWICE_IN_EXPORT, "export")):
            if self.found[kind]:
                yield f"rows of the {where} with the key of another: {self.found[kind]:,}"
        yield from self.examples
        yield "they differ" if self.differs else "they are equal"

    def _columns(self) -> Iterator[str]:
        names = ["column", "compared as"] + ["equal only so", "different"] * bool(self.keys)
        rows = [
            [
                printable(column.name),
                column.rule.said(),
                f"{self.by_rule[column.name]:,}",
                f"{self.by_column[column.name]:,}",
            ][: len(names)]
            for column in self.columns
        ]
        for line in shown_table(names, rows, True, lambda said: None):
            yield line.rstrip("\n")

    def tell_row(self, kind: str, cells: Cells, copies: int = 1) -> None:
        """Add a row that only one side has to the examples."""
        side = "export" if kind == MISSING else "log"
        times = f"{copies} times " if copies > 1 else ""
        self.examples.append(f"only in the {side}: {times}{_row(cells)}")

    def tell_cell(self, key: Cells, name: str, in_log: str | None, in_export: str | None) -> None:
        """Add a cell that differs to the examples."""
        same = _same_letters(in_log or "", in_export or "")
        self.examples.append(
            f"different: {_row(key)} {quoted(name)}: {quoted(in_log, same)} in the log, "
            f"{quoted(in_export, same)} in the export"
        )


def quoted(text: str | None, same: int = 0) -> str:
    """A text as JSON has it, so that an empty one, blanks and NULL are seen.

    Of a long one so many letters are shown, from shortly before its first ``same`` letters end.
    """
    if text is None:
        return "NULL"
    start = max(same - SHOWN_BEFORE, 0) if len(text) > LONGEST_SHOWN else 0
    cut = text[start : start + LONGEST_SHOWN]
    before, after = "…" * (start > 0), "…" * (start + len(cut) < len(text))
    return before + printable(json.dumps(cut, ensure_ascii=False)) + after


def _row(cells: Cells) -> str:
    return "{" + ", ".join(f"{quoted(name)}: {quoted(cells[name])}" for name in cells) + "}"


def _same_letters(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
