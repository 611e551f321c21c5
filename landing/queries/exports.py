"""Reads an export of a source table: its columns as texts, and what is known of their types."""

import os
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from landing.errors import UserError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType

Setting = str | int | bool
KINDS_OF_FILES = (".csv", ".jsonl", ".parquet")
PACKED = (".gz", ".bz2", ".zst")
# A cell of CSV that is nothing; no text that a table holds.
NOTHING = "\0onelog: nothing\0"
CSV: dict[str, Setting] = {
    "header": True,
    # Each file's header must name the same columns.
    "enforceSchema": False,
    "multiLine": True,
    "quote": '"',
    "escape": '"',
    "nullValue": NOTHING,
    "emptyValue": "",
    "mode": "FAILFAST",
}
# What Spark takes for a part of a pattern.
UNREADABLE = set("*?[]{}\\")
# As the bronze tables: number texts stay exact.
JSON: dict[str, Setting] = {
    "lineSep": "\n",
    "maxNumLen": 2_000_000_000,
    "maxStringLen": 2_000_000_000,
    "maxNestingDepth": 5000,
    "mode": "FAILFAST",
}


@dataclass
class Export:
    """The rows of an export: a column of texts ``c0``, ``c1`` … for each of its own.

    ``kinds`` says by name, in their order, which values a column holds: number, double, float,
    boolean, date, clock (a local time), moment, bytes, or text, which may mean any.
    """

    rows: "DataFrame"
    kinds: dict[str, str]


def read_files(spark: "SparkSession", path: str) -> Export:
    """The rows of a file, or of a folder of files, whose name says of which kind they are.

    Raises :class:`UserError` for a name of another kind, and for a file without columns.
    """
    if os.path.exists(path) and (UNREADABLE & set(path) or ":" in PurePath(path).name):
        raise UserError(f"{path}: Spark reads no name with {' '.join(sorted(UNREADABLE))} or :")
    suffixes = [suffix for suffix in PurePath(path).suffixes if suffix not in PACKED]
    kind = suffixes[-1] if suffixes else ""
    if kind not in KINDS_OF_FILES:
        raise UserError(f"{path}: the name of an export ends in {', '.join(KINDS_OF_FILES)}")
    if kind == ".parquet":
        return _as_texts(spark.read.parquet(path))
    return _as_texts(_read_csv(spark, path) if kind == ".csv" else _read_json_lines(spark, path))


def read_jdbc(spark: "SparkSession", url: str, table: str) -> Export:
    """The rows of a table in a database; ONELOG_JDBC_USER and ONELOG_JDBC_PASSWORD open it."""
    options = {
        "url": url,
        "dbtable": table,
        "preferTimestampNTZ": "true",
        "fetchsize": "10000",
        "user": os.environ.get("ONELOG_JDBC_USER"),
        "password": os.environ.get("ONELOG_JDBC_PASSWORD"),
    }
    given = {name: value for name, value in options.items() if value is not None}
    return _as_texts(spark.read.format("jdbc").options(**given).load())


def _read_csv(spark: "SparkSession", path: str) -> "DataFrame":
    options = CSV | _line_end(spark, path)
    header = spark.read.options(**options | {"header": False}).csv(path).first()
    if header is None:
        raise UserError(f"{path} is empty: its first line has the names of the columns")
    names = [name or "" for name in header]
    _need_different(path, names)
    # Spark compares them with the header once more. Pandas gives its index no name.
    in_header = [NOTHING if name is None else name for name in header]
    return spark.read.schema(_texts(in_header)).options(**options).csv(path).toDF(*names)


def _line_end(spark: "SparkSession", path: str) -> dict[str, Setting]:
    """What to say of lines that end with CR LF: else Spark takes these two in a text for LF."""
    first = spark.read.options(lineSep="\n").text(path).first()
    is_crlf = first is not None and first[0].partition("\r")[1:] == ("\r", "")
    return {"lineSep": "\r\n"} if is_crlf else {}


def _read_json_lines(spark: "SparkSession", path: str) -> "DataFrame":
    """The columns that any of its lines has."""
    inferred = spark.read.options(**JSON).json(path).columns
    _need_different(path, inferred)
    # Of a column whose objects are all empty Spark infers nothing.
    lines = spark.read.options(lineSep="\n").text(path)
    keys = lines.selectExpr("explode(json_object_keys(value)) as name").where("name <> ''")
    names = sorted({*inferred, *(row.name for row in keys.distinct().collect())})
    if not names:
        raise UserError(f"{path} has no columns: each line is an object, a row by its columns")
    return spark.read.schema(_texts(names)).options(**JSON).json(path)


def _need_different(path: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UserError(f"{path} has more than one column {', '.join(map(repr, twice))}")


def _texts(names: list[str]) -> "StructType":
    from pyspark.sql.types import StringType, StructField, StructType

    return StructType([StructField(name, StringType()) for name in names])


def _as_texts(frame: "DataFrame") -> Export:
    places = [f"c{place}" for place in range(len(frame.columns))]
    types = [field.dataType for field in frame.schema.fields]
    texts = (
        _text(place, data_type).alias(place) for place, data_type in zip(places, types, strict=True)
    )
    rows = frame.toDF(*places).select(*texts)
    return Export(rows, dict(zip(frame.columns, map(_kind, types), strict=True)))


def _text(column: str, data_type: "DataType") -> "Column":
    from pyspark.sql import functions, types

    if isinstance(data_type, types.BinaryType):
        return functions.base64(column)
    if isinstance(data_type, types.StructType | types.ArrayType | types.MapType):
        return functions.to_json(column)
    return functions.col(column).cast("string")


def _kind(data_type: "DataType") -> str:
    from pyspark.sql import types

    kinds: dict[type[DataType], str] = {
        types.IntegralType: "number",
        types.DecimalType: "number",
        types.DoubleType: "double",
        types.FloatType: "float",
        types.BooleanType: "boolean",
        types.DateType: "date",
        types.TimestampNTZType: "clock",
        types.TimestampType: "moment",
        types.BinaryType: "bytes",
    }
    return next((kinds[kind] for kind in kinds if isinstance(data_type, kind)), "text")
