"""A story in steps: each says a rule, and what was found by it as names and values."""

import json
import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from rich.cells import cell_len

from landing.queries.shown import GAP, labelled, shown_cell, terminal_width, write_lines
from landing.queries.sql import plain_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Found = dict[str, Any]
PARAMETER = re.compile(r"(?<![:\w]):([a-z_]+)\b")
# A longer value is cut where a person reads it.
LONGEST_SHOWN = 2000


class Step(NamedTuple):
    """One step of a story: its name, the rule that holds there, and what it found."""

    name: str
    rule: str
    found: list[Found]


def print_story(steps: Iterable[Step], form: str, out: BinaryIO) -> None:
    """Write a story to ``out`` in UTF-8: text for a person, or one JSON object.

    The object has the name of each step with the list of what it found. No control character of a
    message is written as it is.
    """
    write_lines(out, _json(steps) if form == "json" else _text(steps))


def rows_of(spark: "SparkSession", query: str, **values: Any) -> list[Found]:
    """The rows of a query as plain values by name; ``values`` stand for its ``:names``."""
    frame = spark.sql(PARAMETER.sub(lambda found: literal(values[found[1]]), query))
    return [dict(zip(frame.columns, row, strict=True)) for row in plain_rows(frame)]


def literal(value: Any) -> str:
    """A value as SQL. A text is written by its bytes, so that nothing in it can be SQL.

    Delta's parser passes over the parameters that Spark's own one knows.
    """
    if value is None:
        return "null"
    if isinstance(value, bool | int):
        return str(value).lower()
    if isinstance(value, str):
        return f"cast(X'{value.encode('utf-8', 'backslashreplace').hex()}' as string)"
    return f"array({', '.join(map(literal, value))})"


def place(found: Found, prefix: str = "") -> str:
    """Where a message lies, as topic/partition/offset."""
    return "/".join(str(found[prefix + part]) for part in ("topic", "partition", "offset"))


def listed(names: Iterable[str], most: int = 10) -> str:
    """Some names in one line, and how many more there are."""
    names = list(map(shown_cell, names))
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(names[:most]) or "none") + more


def _json(steps: Iterable[Step]) -> Iterator[str]:
    yield json.dumps({step.name: step.found for step in steps}) + "\n"


def _text(steps: Iterable[Step]) -> Iterator[str]:
    for number, step in enumerate(steps):
        yield "\n" * (number > 0) + f"-- {step.name.replace('_', ' ')} ".ljust(24, "-") + "\n"
        yield from (f"{line}\n" for line in textwrap.wrap(step.rule, terminal_width()))
        indent = max((cell_len(name) for found in step.found for name in found), default=0) + GAP
        for found in step.found:
            yield "\n"
            for name, value in found.items():
                if value is not None:
                    yield from labelled(name, _cut(shown_cell(value)), indent)


def _cut(text: str) -> str:
    if len(text) <= LONGEST_SHOWN:
        return text
    return f"{text[:LONGEST_SHOWN]}… ({len(text)} characters; --format json has them all)"
