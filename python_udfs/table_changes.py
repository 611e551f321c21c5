"""What Debezium's tableChanges say about tables. They are never unreadable: they say why not.

A schema change of Debezium carries the definition of each table that it left ("Schema change
topic" of Debezium's connectors), also where it has no text of a statement, as for SQL Server.
"""

import functools
import json
import re
from decimal import Decimal
from typing import Any

import pyarrow as pa

from python_udfs.ddl import DDL_TYPE, ddl_result
from python_udfs.ddl_columns import ColumnChange, Statement, Table

_NAME_PART = r'"(?:[^"]|"")*+"|[^".]++'
_NAME = re.compile(rf"(?:{_NAME_PART})(?:\.(?:{_NAME_PART})){{0,2}}")
# "DECIMAL UNSIGNED" has its length behind the first word, "character varying" behind the last one.
_QUALIFIERS = re.compile(r" (?:unsigned|signed|zerofill|with|without)\b.*", re.I | re.S)


class _Number(str):
    """A number as it is written: Python refuses integers of more than 4300 digits."""


class _UnreadableError(ValueError):
    """Not a table change; the message says why, without a word of the text."""


def parse_table_changes(texts: pa.Array) -> pa.Array:
    """The statements of each JSON array of table changes, as DDL_TYPE; NULL for NULL.

    DROP is a drop_table. CREATE and ALTER are a define_table: its ``column_changes`` add all of the
    table's columns in their order, its ``key_columns`` are the table's, or None where the array
    names none. Before it, a define_name renames a table that had another name.
    """
    return pa.array(
        [None if text is None else _read_table_changes(text) for text in texts.to_pylist()],
        DDL_TYPE,
    )


@functools.lru_cache(maxsize=4096)
def _read_table_changes(text: str) -> dict[str, Any]:
    try:
        changes = json.loads(text, parse_int=_Number, parse_float=_Number, parse_constant=_Number)
    except (ValueError, RecursionError):
        return ddl_result([Statement()], ["the table changes are no JSON"])
    if not isinstance(changes, list):
        return ddl_result([Statement()], ["the table changes are no array"])
    statements, reasons = [], []
    for number, change in enumerate(changes, 1):
        try:
            statements += _statements(change)
        except _UnreadableError as error:
            statements.append(Statement())
            reasons.append(f"table change {number} {error}")
    return ddl_result(statements, reasons)


def _statements(change: Any) -> list[Statement]:
    if not isinstance(change, dict):
        raise _UnreadableError("is no object")
    if not _text(change.get("id")):
        raise _UnreadableError("has no id")
    table = _table(change["id"])
    if change.get("type") == "DROP":
        return [Statement("drop_table", [table])]
    if change.get("type") not in ("CREATE", "ALTER"):
        raise _UnreadableError("is no CREATE, ALTER or DROP")
    definition = _definition(change.get("table"), table)
    if not _text(change.get("previousId")) or _table(change["previousId"]) == table:
        return [definition]
    renamed = _table(change["previousId"]).rename(table)
    return [Statement("define_name", [renamed]), definition]


def _definition(given: Any, table: Table) -> Statement:
    columns = given.get("columns") if isinstance(given, dict) else None
    if not columns or not isinstance(columns, list):
        raise _UnreadableError("has no columns")
    if not all(isinstance(column, dict) and _text(column.get("name")) for column in columns):
        raise _UnreadableError("has a column without a name")
    keys = given.get("primaryKeyColumnNames")
    if keys is not None and not (isinstance(keys, list) and all(map(_text, keys))):
        raise _UnreadableError("has no readable key")
    added = [
        ColumnChange(
            "add",
            column["name"],
            data_type=_data_type(column),
            is_nullable=column["optional"] if isinstance(column.get("optional"), bool) else None,
        )
        for column in sorted(columns, key=_position)
    ]
    return Statement("define_table", [table], added, keys)


def _position(column: dict[str, Any]) -> tuple[bool, Decimal]:
    """By number; columns without one come last, as they stand."""
    position = _digits(column.get("position"))
    return position is None, Decimal(position or 0)


def _data_type(column: dict[str, Any]) -> str | None:
    """``DECIMAL(9,2) UNSIGNED`` of the type's name, its length and its scale."""
    written = _text(column.get("typeName")) or _text(column.get("typeExpression"))
    length, scale = (_digits(column.get(part)) for part in ("length", "scale"))
    if not written or "(" in written or not length or length.startswith(("-", "0")):
        return written
    found = _QUALIFIERS.search(written)
    end = found.start() if found else len(written)
    return f"{written[:end]}({length}{f',{scale}' if scale else ''}){written[end:]}"


def _table(id: str) -> Table:
    """The table of an id: ``"database"."schema"."table"``, or without a schema as MySQL has it."""
    if not _NAME.fullmatch(id):
        raise _UnreadableError("has an unreadable id")
    parts = [
        part[1:-1].replace('""', '"') if part.startswith('"') else part
        for part in re.findall(_NAME_PART, id)
    ]
    *qualifiers, table_name = parts
    if not table_name:
        raise _UnreadableError("has an unreadable id")
    database_name, schema_name = ([*qualifiers, None, None])[:2]
    return Table(database_name or None, schema_name or None, table_name)


def _text(value: Any) -> str | None:
    """The value if it is a text that is not empty; JSON's escapes can write text that is none."""
    if not isinstance(value, str) or isinstance(value, _Number) or not value:
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _UnreadableError("has a text that is no Unicode") from None
    return value


def _digits(value: Any) -> str | None:
    return value if isinstance(value, str) and re.fullmatch(r"-?[0-9]+", value) else None
