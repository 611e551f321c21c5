"""Prints the result of a query: a table or blocks to read, JSON lines or CSV to work on."""

import itertools
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from landing.errors import UserError, first_line
from landing.queries.shown import blocks, cell, json_bytes, shown_cell, table, write_lines
from landing.session.preparing import register_functions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType

Plain = Callable[[Any], Any]
Rows = Iterable[list[Any]]


def print_query(
    spark: "SparkSession",
    query: str,
    form: str,
    out: BinaryIO,
    tell: Callable[[str], None],
    is_full: bool = False,
) -> None:
    """Run ``query`` and write its rows to ``out`` in UTF-8: table, vertical, jsonl or csv.

    ``tell`` gets what is said of the result: what a table has cut (unless ``is_full``), the number
    of rows, the seconds. Raises :class:`UserError` with the first line of what Spark says of a
    wrong query, for JSON lines of a query with two columns of one name, and where ``out`` cannot be
    written.
    """
    started = time.monotonic()
    with wrong_queries_told():
        frame = _run(spark, query)
        rows = _Counted(plain_rows(frame))
        if not write_lines(out, _written(form, frame.columns, rows, is_full, tell)):
            return
    counted = f"{rows.count:,} row{'' if rows.count == 1 else 's'}"
    tell(f"{counted}, {time.monotonic() - started:.1f} s")


@contextmanager
def wrong_queries_told() -> Iterator[None]:
    """Tell an error of Spark in one line."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        raise UserError(first_line(error)) from error


class _Counted:
    """Rows, and how many of them were taken."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.count = 0

    def __iter__(self) -> Iterator[list[Any]]:
        for row in self.rows:
            self.count += 1
            yield row


def _written(
    form: str, names: list[str], rows: Rows, is_full: bool, tell: Callable[[str], None]
) -> Iterator[str]:
    if form == "jsonl":
        _need_different(names)
        return _json_lines(names, rows)
    if form == "csv":
        return _csv_lines(names, rows)
    shown = ([shown_cell(value) for value in row] for row in rows)
    return blocks(names, shown) if form == "vertical" else table(names, shown, is_full, tell)


def _run(spark: "SparkSession", query: str) -> "DataFrame":
    """The query's result; a bare ``show tables`` lists those of every database."""
    query = query.strip().rstrip("; \n")
    if query.lower().split() != ["show", "tables"]:
        return _run_with_functions(spark, query)
    databases = [row[0] for row in spark.sql("show databases").collect()]
    frames = [spark.sql(f"show tables in `{database}`") for database in databases]
    tables = [row for frame in frames for row in frame.collect() if row.namespace]
    return spark.createDataFrame(tables, frames[0].schema)


def _run_with_functions(spark: "SparkSession", query: str) -> "DataFrame":
    """The query's result; the project's functions take a second, and few queries call them."""
    from pyspark.errors import AnalysisException

    try:
        return spark.sql(query)
    except AnalysisException as error:
        if error.getCondition() != "UNRESOLVED_ROUTINE":
            raise
        register_functions(spark)
        return spark.sql(query)


def plain_rows(frame: "DataFrame") -> Rows:
    """Rows of None, booleans, numbers, texts, lists and dicts, without loss of a digit.

    Raises :class:`UserError` for a struct with two fields of one name, and for a time that Python
    has no year for.
    """
    return _converted(frame, [_plain(field.dataType) for field in frame.schema.fields])


def _converted(frame: "DataFrame", converts: list[Plain]) -> Iterator[list[Any]]:
    try:
        for row in _with_any_times(frame).toLocalIterator():
            yield [
                None if value is None else convert(value)
                for convert, value in zip(converts, row, strict=True)
            ]
    except (ValueError, OverflowError) as error:
        raise UserError(f"a value cannot be shown ({error}): cast it to a string") from error


def _with_any_times(frame: "DataFrame") -> "DataFrame":
    """Times as clocks in UTC show them, and dates as texts: Python's years are 1 to 9999."""
    from pyspark.sql.functions import col

    types = [_shown_type(field.dataType) for field in frame.schema.fields]
    if types == [field.dataType for field in frame.schema.fields]:
        return frame
    names = [f"c{place}" for place in range(len(types))]
    numbered = frame.toDF(*names)
    return numbered.select(*(col(name).cast(cast) for name, cast in zip(names, types, strict=True)))


def _shown_type(data_type: "DataType") -> "DataType":
    from pyspark.sql import types

    if isinstance(data_type, types.TimestampType):
        return types.TimestampNTZType()
    if isinstance(data_type, types.DateType):
        return types.StringType()
    if isinstance(data_type, types.ArrayType):
        return types.ArrayType(_shown_type(data_type.elementType), data_type.containsNull)
    if isinstance(data_type, types.MapType):
        key, value = (_shown_type(part) for part in (data_type.keyType, data_type.valueType))
        return types.MapType(key, value, data_type.valueContainsNull)
    if isinstance(data_type, types.StructType):
        fields = [
            types.StructField(field.name, _shown_type(field.dataType), field.nullable)
            for field in data_type.fields
        ]
        return types.StructType(fields)
    return data_type


def _plain(data_type: "DataType") -> Plain:
    """How a value of this Spark type becomes a plain one.

    Decimals become text, since a reader of JSON numbers may take them for doubles; so do times
    (ISO, UTC), bytes (hex), and doubles that are no numbers.
    """
    from pyspark.sql import types

    if isinstance(data_type, types.StringType | types.BooleanType | types.IntegralType):
        return lambda value: value
    if isinstance(data_type, types.DecimalType):
        return lambda value: f"{value:.{data_type.scale}f}"
    if isinstance(data_type, types.FractionalType):
        return _plain_double
    if isinstance(data_type, types.BinaryType):
        return lambda value: value.hex().upper()
    if isinstance(data_type, types.TimestampType):
        return lambda value: value.isoformat(timespec="microseconds") + "Z"
    if isinstance(data_type, types.MapType):
        return _plain_map(_plain(data_type.keyType), _plain(data_type.valueType))
    if isinstance(data_type, types.ArrayType):
        element = _or_none(_plain(data_type.elementType))
        return lambda values: [element(value) for value in values]
    if isinstance(data_type, types.StructType):
        return _plain_struct(data_type)
    return str


def _plain_double(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else f"{value}inity".replace("inf", "Inf")


def _plain_map(key: Plain, value: Plain) -> Plain:
    or_none = _or_none(value)
    return lambda entries: {cell(key(name)): or_none(entry) for name, entry in entries.items()}


def _plain_struct(data_type: Any) -> Plain:
    _need_different(data_type.names)
    fields = [_or_none(_plain(field.dataType)) for field in data_type.fields]
    return lambda row: {
        name: field(value) for name, field, value in zip(data_type.names, fields, row, strict=True)
    }


def _or_none(convert: Plain) -> Plain:
    return lambda value: None if value is None else convert(value)


def _need_different(names: list[str]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise UserError(
            "an object of JSON has each name once, and the query's columns repeat "
            f"{', '.join(map(shown_cell, repeated))}: give them names with `as`"
        )


def _json_lines(names: list[str], rows: Rows) -> Iterator[str]:
    for row in rows:
        yield json_bytes(dict(zip(names, row, strict=True))).decode() + "\n"


def _csv_lines(names: list[str], rows: Rows) -> Iterator[str]:
    for row in itertools.chain([names], rows):
        yield ",".join(map(_csv_cell, row)) + "\n"


def _csv_cell(value: Any) -> str:
    """NULL is nothing, an empty text is ``""``: the csv module does not tell them apart."""
    if value is None:
        return ""
    text = cell(value)
    is_plain = text and not any(character in text for character in ',"\r\n')
    return text if is_plain else '"' + text.replace('"', '""') + '"'
