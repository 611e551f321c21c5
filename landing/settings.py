"""Refuses seeds that a run would read without a word and take for something else."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

from landing.printable import printable
from landing.topics import TOPICS, SettingsError, read_seed, read_topics

TABLE_COLUMNS = Path("seeds/table_columns.csv")
# What Java takes beside the regions that Python knows: short names, old regions, and offsets of up
# to 18 hours.
ZONE = re.compile(
    """
    ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|EST|HST|IET|IST|JST|MIT|MST|NET|NST|PLT
    |PNT|PRT|PST|SST|VST|UTC|GMT|UT|Z|SystemV/.*
    |(UTC|GMT|UT)?[+-]([0-9]|0[0-9]|1[0-8])(:[0-9]{1,2}(:[0-9]{2})?|[0-9]{2}([0-9]{2})?)?
    """,
    re.VERBOSE,
)
# What Spark reads as an integer without losing a part of it, and as a boolean.
ORDINAL = re.compile(r"\+?0*[1-9][0-9]{0,8}(\.0*)?")
TRUE, FALSE = {"t", "true", "y", "yes", "1"}, {"f", "false", "n", "no", "0"}
TABLE = ("source", "database_name", "table_name")
NUMBER_THEM = "number its columns from 1"

Row = dict[str, str]


def check_settings(project: Path) -> None:
    """Raise :class:`SettingsError` for the first mistake in a project's seeds."""
    for row in read_topics(project):
        _check_topic(row)
    tables: defaultdict[tuple[str, ...], dict[tuple[str, ...], Row]] = defaultdict(dict)
    for row in read_seed(project, TABLE_COLUMNS, "source"):
        if any(row.values()):
            # An equal line says nothing more.
            tables[tuple(row.get(name, "") for name in TABLE)][tuple(row.values())] = row
    for (source, *place), rows in tables.items():
        table = printable(f"{source} {'.'.join(filter(None, place))}")
        for problem in _problems([*rows.values()]):
            raise SettingsError(f"{TABLE_COLUMNS}: table {table} {problem}")


def _check_topic(row: Row) -> None:
    said = f"{TOPICS}: topic {printable(row['topic'])} has the"
    key_columns, zone = row.get("key_columns", ""), row.get("time_zone", "")
    if any(name != name.strip() for name in key_columns.split("|")):
        advice = "leave out the blanks around the names"
        raise SettingsError(f"{said} key_columns {key_columns!r}: {advice}")
    if zone and not _is_zone(zone):
        advice = "write a region as Asia/Shanghai, or an offset as +08:00"
        raise SettingsError(f"{said} time_zone {zone!r}, which is none: {advice}")


def _is_zone(name: str) -> bool:
    """False for what is surely no time zone to Java."""
    if ZONE.fullmatch(name):
        return True
    regions = available_timezones()
    return not regions or name in regions


def _problems(rows: list[Row]) -> Iterator[str]:
    """What is wrong with the rows of one table."""
    names = [row.get("column_name", "") for row in rows]
    ordinals = [row.get("ordinal", "") for row in rows]
    keys = [row.get("is_key", "") for row in rows]
    for name, ordinal, key in zip(names, ordinals, keys, strict=True):
        if not name:
            yield f"has an empty column_name, with the ordinal {ordinal!r}: name the column"
        if key and key.lower() not in TRUE | FALSE:
            yield f"has the is_key {key!r} for its column {name!r}: write true or false"
        if ordinal and not ORDINAL.fullmatch(ordinal):
            yield f"has the ordinal {ordinal!r} for its column {name!r}: {NUMBER_THEM}"
    # A list of nothing but the key needs no order.
    if "" in ordinals and (any(ordinals) or not TRUE.issuperset(map(str.lower, keys))):
        yield f"has no ordinal for its column {names[ordinals.index('')]!r}: {NUMBER_THEM}"
    for name in _repeated(names):
        yield f"has the column_name {name!r} more than once: keep one line each"
    for number in _repeated(int(float(ordinal)) for ordinal in ordinals if ordinal):
        yield f"has the ordinal {number} more than once: {NUMBER_THEM}"


def _repeated(values: Iterable[Any]) -> Iterator[Any]:
    return (value for value, count in Counter(values).items() if count > 1)
