"""Reads a Spark table as records: which of its columns say what, and by which its rows are new."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from landing.errors import UserError, first_line

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructField

OFFSET = "offset"
TEXTS = ("string", "binary")
WHOLE_NUMBERS = ("tinyint", "smallint", "int", "bigint")
TIMES = ("timestamp", "timestamp_ntz")
# The columns that are read where a table has them, each with the types it may have.
TYPES: Mapping[str, tuple[str, ...]] = {
    "value": TEXTS,
    "topic": ("string",),
    "partition": WHOLE_NUMBERS,
    "offset": WHOLE_NUMBERS,
    "timestamp": TIMES,
    "key": TEXTS,
}
EXACT_NUMBERS = (*WHOLE_NUMBERS, "decimal")
ORDERED = (*EXACT_NUMBERS, "float", "double", "string", "date", *TIMES)


@dataclass(frozen=True)
class Source:
    """A table's rows as records, with the column ``by`` where it is not the offset.

    ``topic`` is NULL where the rows name theirs; ``by`` is NULL where no column tells what is new,
    ``by_type`` also where the offset does.
    """

    name: str
    topic: str | None
    by: str | None
    by_type: str | None
    frame: "DataFrame"


def read_source(spark: "SparkSession", name: str, topic: str | None, by: str | None) -> Source:
    """The table or view ``name``, of which odd parts stand in backticks.

    Raises :class:`UserError` where there is none, or its columns are not what they must be.
    """
    from pyspark.errors import PySparkException

    try:
        parts = spark._jsparkSession.sessionState().sqlParser().parseMultipartIdentifier(name)
        parts = _full_name(spark, [parts.apply(number) for number in range(parts.size())])
        table = spark.table(name)
    except PySparkException as error:
        raise UserError(f"table {name} cannot be read: {first_line(error)}") from error
    columns = {field.name.lower(): field for field in table.schema.fields}
    by = _by(name, columns, by)
    if topic and "topic" in columns:
        raise UserError(f"table {name} has a column topic: --topic is for tables without one")
    _check_types(name, columns)
    constant = None if "topic" in columns else topic or parts[-1]
    return Source(
        name=".".join(parts),
        topic=constant,
        by=by,
        by_type=None if by is None or by == OFFSET else columns[by].dataType.simpleString(),
        frame=_records(table, columns, constant, by),
    )


def _full_name(spark: "SparkSession", parts: list[str]) -> list[str]:
    """One name for a table, however it was written; a path (delta.`/a/b`) keeps its letters."""
    if len(parts) == 1:
        parts = [spark.catalog.currentDatabase(), *parts]
    if parts[0].lower() == "spark_catalog":
        parts = parts[1:]
    return [part if "/" in part else part.lower() for part in parts]


def _by(name: str, columns: Mapping[str, "StructField"], by: str | None) -> str | None:
    if by is None or by.lower() == OFFSET:
        if by and OFFSET not in columns:
            raise UserError(_no_column(name, by, columns))
        return OFFSET if OFFSET in columns else None
    if OFFSET in columns:
        raise UserError(f"table {name} has a column offset and lands by it: leave --by out")
    if by.lower() not in columns:
        raise UserError(_no_column(name, by, columns))
    type_name = _bare(columns[by.lower()].dataType.simpleString())
    if type_name not in ORDERED:
        raise UserError(f"table {name}: column {by} of type {type_name} has no order to land by")
    return by.lower()


def _no_column(name: str, by: str, columns: Mapping[str, "StructField"]) -> str:
    return f"table {name} has no column {by} to land by; it has {', '.join(columns)}"


def _check_types(name: str, columns: Mapping[str, "StructField"]) -> None:
    if "value" not in columns:
        raise UserError(f"table {name} has no column value: land a view that names it so")
    for column, types in TYPES.items():
        found = columns[column].dataType.simpleString() if column in columns else types[0]
        if _bare(found) not in types:
            wanted = " or ".join(types)
            raise UserError(f"table {name}: column {column} is {found}, and must be {wanted}")


def compares(one: str | None, other: str | None) -> bool:
    """Do the values of two types have one order? Those of exact numbers do, whatever their size."""
    return one == other or {_bare(one or ""), _bare(other or "")} <= {*EXACT_NUMBERS}


def _bare(type_name: str) -> str:
    """A type's name without its parameters."""
    return type_name.split("(")[0].split(" ")[0]


def _records(
    table: "DataFrame", columns: Mapping[str, "StructField"], topic: str | None, by: str | None
) -> "DataFrame":
    from pyspark.sql.functions import col, lit

    def column(name: str) -> "Column":
        quoted = columns[name].name.replace("`", "``") if name in columns else None
        return lit(None) if quoted is None else col(f"`{quoted}`")

    return table.select(
        (column("topic") if topic is None else lit(topic)).alias("topic"),
        (column("partition").try_cast("int") if "partition" in columns else lit(0)).alias(
            "partition"
        ),
        column("offset").cast("bigint").alias("offset"),
        column("timestamp").cast("timestamp").alias("timestamp"),
        column("key").cast("binary").alias("key"),
        column("value").cast("binary").alias("value"),
        (lit(None) if by is None or by == OFFSET else column(by)).alias("by"),
    )
