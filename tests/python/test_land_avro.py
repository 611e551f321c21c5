"""Datastream's Avro files: each logical type as JSON shows it, and files that are none."""

import gzip
import io
import json
import math
import struct
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
import yaml
from commands import land, land_well
from fastavro.write import Writer
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from landing.avro import blocks as avro_blocks
from landing.avro import messages as avro_messages
from landing.avro.messages import HEADER, MAGIC, BrokenFileError, read_messages
from landing.files import contents, reading
from landing.files.contents import SourceFile
from landing.files.listing import FoundFile
from landing.lines import DECIMAL_DIGITS

DATE = {"type": "int", "logicalType": "date"}
MILLIS = {"type": "long", "logicalType": "timestamp-millis"}
MICROS = {"type": "long", "logicalType": "timestamp-micros"}


def decimal(precision: int, scale: int, **kind: Any) -> dict[str, Any]:
    kind = kind or {"type": "bytes"}
    return {**kind, "logicalType": "decimal", "precision": precision, "scale": scale}


def logical(kind: str, logical_type: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": logical_type, **more}


def record(record_name: str, **fields: Any) -> dict[str, Any]:
    listed = [{"name": field, "type": kind} for field, kind in fields.items()]
    return {"type": "record", "name": record_name, "fields": listed}


SYNC = b"0123456789abcdef"


def as_stored(schema: Any) -> Any:
    """The schema without logical types: its writer takes values as Avro stores them."""
    if isinstance(schema, list):
        return [as_stored(inner) for inner in schema]
    if isinstance(schema, dict):
        dropped = ("logicalType", "precision", "scale")
        return {key: as_stored(value) for key, value in schema.items() if key not in dropped}
    return schema


def container(schema: dict[str, Any], records: list[Any], **options: Any) -> bytes:
    """An Avro file of records as they are stored, whose header has ``schema`` as it stands."""
    file = io.BytesIO()
    fastavro.writer(file, as_stored(schema), records, sync_marker=SYNC, **options)
    return header(schema, options.get("codec", "null")) + file.getvalue().split(SYNC, 1)[1]


def header(schema: dict[str, Any], codec: str = "null") -> bytes:
    file = io.BytesIO()
    meta = {"avro.schema": json.dumps(schema).encode(), "avro.codec": codec.encode()}
    fastavro.schemaless_writer(file, HEADER, {"magic": MAGIC, "meta": meta, "sync": SYNC})
    return file.getvalue()


def messages(data: bytes) -> list[bytes]:
    return list(read_messages(io.BytesIO(data)))


def shown(schema: Any, value: Any) -> str:
    """The text that stands in a message's JSON for a value."""
    (message,) = messages(container(record("r", v=schema), [{"v": value}]))
    assert json.loads(message).keys() == {"v"}
    return message.removeprefix(b'{"v":').removesuffix(b"}").decode()


def unscaled(number: int, size: int = 28) -> bytes:
    return number.to_bytes(size, "big", signed=True)


TIMESTAMP_TZ = record("timestampTz", timestamp=MICROS, offset=logical("int", "time-millis"))
TIME_TZ = record(
    "timeTz", time=logical("long", "time-micros"), offset=logical("int", "time-millis")
)
DATE_TIME = record("datetime", date=DATE, time=logical("long", "time-micros"))
INTERVAL = record("interval", months="int", hours="int", micros="long")
LAST_DAY = (date(9999, 12, 31) - date(1970, 1, 1)).days
DAY = 86_400_000_000

VALUES = [
    ("boolean", True, "true"),
    ("int", -(2**31), "-2147483648"),
    ("long", 2**63 - 1, "9223372036854775807"),
    # "DECIMAL (p,s): An arbitrary-precision signed decimal number … number"
    (decimal(65, 30), unscaled(-(10**65 - 1)), f"-{'9' * 35}.{'9' * 30}"),
    (decimal(65, 30), unscaled(1), f"0.{'0' * 29}1"),
    (decimal(65, 30), unscaled(0), f"0.{'0' * 30}"),
    (decimal(10, 2), unscaled(110, 2), "1.10"),
    (decimal(10, 2), unscaled(-5, 1), "-0.05"),
    (decimal(10, 2), b"", "0.00"),
    (decimal(38, 0), unscaled(10**37, 16), "1" + "0" * 37),
    (decimal(10, 2, type="fixed", name="f", size=5), unscaled(-123_456, 5), "-1234.56"),
    # What is no logical type is left aside.
    (decimal(10, -2), b"\x01", '"AQ=="'),
    (logical("string", "decimal", scale=2), "x", '"x"'),
    ("bytes", b"\x00\xff", '"AP8="'),
    ({"type": "fixed", "name": "f", "size": 2}, b"\x00\xff", '"AP8="'),
    ("string", "", '""'),
    ("string", 'a"\\\n\u0000é😀', r'"a\"\\\n\u0000é😀"'),
    (logical("string", "varchar", length=7), "text", '"text"'),
    (record("varchar", value="string", length="int"), {"value": "x", "length": 9}, '"x"'),
    (logical("string", "number"), "18446744073709551615.10", '"18446744073709551615.10"'),
    (logical("string", "uuid"), "c0ffee00-0000-0000", '"c0ffee00-0000-0000"'),
    (
        logical("fixed", "uuid", name="u", size=16),
        bytes.fromhex("c0ffee00000000000000000000000001"),
        '"c0ffee00-0000-0000-0000-000000000001"',
    ),
    ({"type": "enum", "name": "e", "symbols": ["RED", "BLUE"]}, "BLUE", '"BLUE"'),
    # "JSON: nested JSON"
    (logical("string", "json"), '{"a": 1.10, "a": [null]}', '{"a": 1.10, "a": [null]}'),
    (logical("string", "json"), '{\n  "a": 1\r}', r'"{\n  \"a\": 1\r}"'),
    (logical("string", "json"), '{"a": NaN}', r'"{\"a\": NaN}"'),
    (logical("string", "json"), "", '""'),
    (logical("string", "json"), "[" * 100_000, '"' + "[" * 100_000 + '"'),
    # "DATE: string [ISO-8601]"
    (DATE, 0, '"1970-01-01"'),
    (DATE, -1, '"1969-12-31"'),
    (DATE, -719_162, '"0001-01-01"'),
    (DATE, LAST_DAY, '"9999-12-31"'),
    (DATE, LAST_DAY + 1, '"+10000-01-01"'),
    (DATE, -719_163 - 366, '"-0001-12-31"'),
    (logical("int", "time-millis"), 1, '"00:00:00.001"'),
    (logical("long", "time-micros"), DAY - 1, '"23:59:59.999999"'),
    (logical("long", "time-micros"), DAY, '"24:00:00"'),
    # "TIME INTERVAL: long"; MySQL's TIME goes below zero and beyond a day.
    (logical("long", "time-interval-micros"), -3_020_399_000_001, "-3020399000001"),
    (MILLIS, 1_573_112_236_808, '"2019-11-07T07:37:16.808Z"'),
    (MILLIS, -1, '"1969-12-31T23:59:59.999Z"'),
    (MICROS, 1, '"1970-01-01T00:00:00.000001"'),
    (MICROS, -1, '"1969-12-31T23:59:59.999999"'),
    (MICROS, (LAST_DAY + 1) * DAY - 1, '"9999-12-31T23:59:59.999999"'),
    (MICROS, (LAST_DAY + 1) * DAY, '"+10000-01-01T00:00:00"'),
    (MICROS, 9_223_372_036_825_200_000, '"infinity"'),
    (MICROS, -9_223_372_036_832_400_000, '"-infinity"'),
    (logical("long", "timestamp-nanos"), 1, '"1970-01-01T00:00:00.000000001"'),
    (logical("long", "local-timestamp-millis"), 1, '"1970-01-01T00:00:00.001"'),
    (logical("long", "local-timestamp-micros"), 0, '"1970-01-01T00:00:00"'),
    (DATE_TIME, {"date": 1, "time": 1}, '"1970-01-02T00:00:00.000001"'),
    (TIMESTAMP_TZ, {"timestamp": 0, "offset": 0}, '"1970-01-01T00:00:00Z"'),
    (TIMESTAMP_TZ, {"timestamp": 1, "offset": -12_600_000}, '"1969-12-31T20:30:00.000001-03:30"'),
    (TIME_TZ, {"time": DAY - 1_000_000, "offset": 36_000_000}, '"23:59:59+10:00"'),
    (INTERVAL, {"months": 14, "hours": 26, "micros": 3_500_000}, '"P14MT26H3.500000S"'),
    (INTERVAL, {"months": -1, "hours": 0, "micros": -1}, '"P-1MT-0.000001S"'),
    (INTERVAL, {"months": 0, "hours": 0, "micros": 0}, '"PT0S"'),
    (
        logical("fixed", "duration", name="d", size=12),
        struct.pack("<3I", 1, 2, 3_004),
        '"P1M2DT3.004S"',
    ),
    (
        record("calendarDate", year="int", month="int", day="int"),
        {"year": 2020, "month": 2, "day": 30},
        '"2020-02-30"',
    ),
    (record("year", year="int"), {"year": 1999}, "1999"),
    # "FLOAT: number", the shortest that is the same float; JSON has no number for the last ones.
    ("float", struct.unpack("<f", struct.pack("<f", 45.67))[0], "45.67"),
    ("float", 1.0, "1.0"),
    ("double", 0.1, "0.1"),
    ("double", 5e-324, "5e-324"),
    ("double", -0.0, "-0.0"),
    ("double", math.nan, '"NaN"'),
    ("double", math.inf, '"Infinity"'),
    ("float", -math.inf, '"-Infinity"'),
    # Unions, maps, arrays, records in records
    (["null", decimal(4, 1)], unscaled(-15, 1), "-1.5"),
    (["null", decimal(4, 1)], None, "null"),
    (["null", "long", "string", "boolean"], "text", '"text"'),
    ({"type": "array", "items": ["string", "long"]}, ["bin.000025", 7], '["bin.000025",7]'),
    ({"type": "map", "values": decimal(4, 1)}, {"a": b"\x0f"}, '{"a":1.5}'),
    ({"type": "array", "items": {"type": "array", "items": DATE}}, [[0]], '[["1970-01-01"]]'),
    (
        record("i", d=decimal(4, 1), n=["null", "int"]),
        {"d": b"\x0f", "n": None},
        '{"d":1.5,"n":null}',
    ),
]


@pytest.mark.parametrize(("schema", "value", "text"), VALUES, ids=range(len(VALUES)))
def test_every_type_is_shown_as_json_shows_it(schema: Any, value: Any, text: str) -> None:
    assert shown(schema, value) == text


def test_a_logical_type_may_stand_beside_the_type() -> None:
    # The document's own schema of `datetime`: {"name": "date", "type": "int", "logicalType": …}
    schema = record("r", d="int", t="long")
    schema["fields"][0] |= {"logicalType": "date"}
    schema["fields"][1] |= {"logicalType": "timestamp-micros"}
    assert messages(container(schema, [{"d": 0, "t": 0}])) == [
        b'{"d":"1970-01-01","t":"1970-01-01T00:00:00"}'
    ]


def test_a_type_is_known_by_its_name_where_it_stands_again() -> None:
    varchar = record("varchar", value="string", length="int")
    schema = record("r", a=varchar, b=["null", "varchar"], c="varchar")
    value = {"value": "x", "length": 1}
    assert messages(container(schema, [{"a": value, "b": value, "c": value}])) == [
        b'{"a":"x","b":"x","c":"x"}'
    ]


ARRAY = record(
    "multidimensionalArray_a",
    nestedArray=["null", {"type": "array", "items": "multidimensionalArray_a"}],
    elementValue=["null", decimal(4, 1)],
)


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {"nestedArray": None, "elementValue": b"\x0f"}
    for _ in range(depth):
        value = {"nestedArray": [value], "elementValue": None}
    return value


def test_arrays_of_postgresql_contain_themselves() -> None:
    assert shown(ARRAY, nested(1)) == (
        '{"nestedArray":[{"nestedArray":null,"elementValue":1.5}],"elementValue":null}'
    )


def in_namespace(namespace: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "namespace": namespace}


def test_types_of_one_name_in_two_namespaces_are_two_types() -> None:
    value, nothing = record("n", v="int"), in_namespace("b", record("n"))
    values = {"type": "array", "items": "n"}
    schema = in_namespace("a", record("r", one=value, none=nothing, again="b.n", values=values))
    row = {"one": {"v": 1}, "none": {}, "again": {}, "values": [{"v": 2}]}
    assert messages(container(schema, [row])) == [
        b'{"one":{"v":1},"none":{},"again":{},"values":[{"v":2}]}'
    ]


def test_values_and_files_may_be_long() -> None:
    schema = record("r", n="long", t="string")
    rows = [{"n": n, "t": "x" * (10_000_000 if n == 5 else 10)} for n in range(20_000)]
    for codec in ("null", "deflate", "snappy"):
        shown = messages(container(schema, rows, codec=codec))
        assert [json.loads(text) for text in shown] == rows


def test_a_table_may_have_thousands_of_columns_that_are_null() -> None:
    columns = {f"c{number}": ["null", "int"] for number in range(3_000)}
    row = dict.fromkeys(columns)
    assert json.loads(*messages(container(record("r", **columns), [row]))) == row


def test_a_text_that_is_not_utf_8_keeps_its_bytes() -> None:
    schema = record("r", b="bytes", t=["null", {"type": "array", "items": "string"}])
    data = container(schema, [{"b": b"a", "t": ["é1"]}, {"b": b"a", "t": ["é2"]}])
    assert messages(data.replace("é1".encode(), b"\xff11")) == [
        b'{"b":"YQ==","t":["\xff11"]}',
        '{"b":"YQ==","t":["é2"]}'.encode(),
    ]


@pytest.mark.parametrize("more", [{}, {"next": ["null", "r"]}], ids=["flat", "recursive"])
def test_a_key_that_is_not_utf_8_keeps_its_bytes(more: dict[str, Any]) -> None:
    of_map = {"type": "map", "values": ["null", "string", decimal(4, 1)]}
    schema = record("r", m=of_map, i={"type": "array", "items": of_map}, **more)
    ends = dict.fromkeys(more)
    end = b',"next":null}' if more else b"}"
    rows = [
        {"m": {'"é1': "é2", "b": b"\x0f", "c": None}, "i": [{}, {"é1": "é"}], **ends},
        {"m": {"é": None}, "i": [], **ends},
    ]
    data = container(schema, rows).replace("é1".encode(), b"\xff11")
    assert messages(data.replace("é2".encode(), b"\xff22")) == [
        b'{"m":{"\\"\xff11":"\xff22","b":1.5,"c":null},"i":[{},{"\xff11":"\xc3\xa9"}]' + end,
        '{"m":{"é":null},"i":[]'.encode() + end,
    ]


@pytest.fixture
def limits_of_a_task() -> Iterator[None]:
    digits, depth = sys.get_int_max_str_digits(), sys.getrecursionlimit()
    yield
    sys.set_int_max_str_digits(digits)
    sys.setrecursionlimit(depth)


def read_in_a_task(path: Path) -> dict[str, Any]:
    """The only row that a task makes of a file, as Spark calls it."""
    file = FoundFile(str(path), "topic", path.suffix, path.stat().st_size, 0, is_named=True)
    read = reading._avro_reader({SourceFile(file, 0, file.bytes, ""): "file"})
    task = pa.RecordBatch.from_pylist([{"split": "0#file", "content": None}])
    ((row,),) = (batch.to_pylist() for batch in read([task]))
    return row


@pytest.mark.usefixtures("limits_of_a_task")
def test_a_decimal_may_be_as_long_as_postgresqls_longest(tmp_path: Path) -> None:
    schema, longest = record("r", v=decimal(DECIMAL_DIGITS, 16_383)), 10**DECIMAL_DIGITS - 1
    sound, too_long = (
        container(schema, [{"v": unscaled(number, 62_000)}]) for number in (longest, longest + 1)
    )
    row = read_in_a_task(write(tmp_path / "1.avro", sound))
    assert row["problem"] is None
    assert row["value"].decode() == f'{{"v":{"9" * 131_072}.{"9" * 16_383}}}'
    row = read_in_a_task(write(tmp_path / "2.avro", too_long))
    assert row["value"] is None
    assert "147455 digits" in row["problem"]


@pytest.mark.usefixtures("limits_of_a_task")
def test_a_message_that_spark_could_not_take_breaks_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LONGEST", 40)
    # JSON has six letters for a byte.
    longest, too_long = (container(TEXT, [{"t": "\1" * length}]) for length in (5, 6))
    assert read_in_a_task(write(tmp_path / "1.avro", longest))["problem"] is None
    row = read_in_a_task(write(tmp_path / "2.avro", too_long))
    assert row["value"] is None
    assert row["problem"] == "a message is longer than 40 bytes"


@given(st.integers(-(10**65) + 1, 10**65 - 1), st.integers(0, 65))
def test_a_decimal_keeps_every_digit(number: int, scale: int) -> None:
    text = shown(decimal(65, scale), unscaled(number))
    assert int(text.replace(".", "")) == number
    assert len(text.partition(".")[2]) == scale


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_reads_back_as_the_same_float(number: float) -> None:
    assert struct.pack("<f", float(shown("float", number))) == struct.pack("<f", number)


SMALL = record("r", n="long", t="string")
ROWS = [{"n": n, "t": "text"} for n in range(100)]
MIXED = [{"a": nested(n % 4), "n": n, "t": "text" * n} for n in range(10)]


def varint(number: int) -> bytes:
    number = (number << 1) ^ (number >> 63)
    groups = []
    while True:
        number, group = number >> 7, number & 127
        groups.append(group | (128 if number else 0))
        if not number:
            return bytes(groups)


def with_block(schema: Any, count: int, content: bytes, size: int | None = None) -> bytes:
    """A file whose only block says to hold ``count`` records in ``size`` bytes."""
    size = len(content) if size is None else size
    return header(schema) + varint(count) + varint(size) + content + SYNC


def checksum(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(4, "big")


TEXT, NOTHING, LOOP = record("r", t="string"), record("r"), record("r", next=["null", "r"])
DEEP: Any = "int"
for _ in range(200):
    DEEP = {"type": "array", "items": DEEP}
CHAIN = [record("t0", a="int"), *(record(f"t{n}", a=f"t{n - 1}") for n in range(1, 200))]
# Each type makes twice as many values as the one before, and none takes a byte.
DOUBLED = record("d0")
for n in range(1, 41):
    DOUBLED = record(f"d{n}", a=DOUBLED, b=f"d{n - 1}")

NULLS = record("i", set="boolean", a="null", b="null")


def items(of: Any, count: int, item: bytes) -> bytes:
    """A file whose only record is an array of so many items."""
    content = varint(count) + item * count + b"\0"
    return with_block(record("r", a={"type": "array", "items": of}), 1, content)


HOSTILE = {
    "not an Avro file": b"Nothing of Avro",
    "not an Avro file, or cut": b"Obj\x01\x04",
    "a block holds more": with_block(TEXT, 1, b"\x02a\x02b"),
    "Expected 1152921504606846976 bytes": with_block(TEXT, 1, varint(2**60) + b"a"),
    "Expected -5 bytes": with_block(TEXT, 1, varint(-5) + b"abcdefgh"),
    "a block is larger than 268435456 bytes": with_block(TEXT, 1, b"\x02a", size=2**50),
    "a block of -5 bytes": with_block(TEXT, 1, b"\x02a", size=-5),
    "its header is larger": b"Obj\x01\x02\x02a" + varint(2**40),
    "its codec is zstandard": header(TEXT, "zstandard"),
    "its records hold nothing": with_block(NOTHING, 2**40, b""),
    "items of an array hold nothing": with_block(
        record("r", a={"type": "array", "items": "null"}), 1, varint(2**60)
    ),
    "nests too deep": with_block(LOOP, 1, varint(1) * 1_000_000 + varint(0)),
    "a number of more than 64 bits": with_block(LOOP, 1, b"\xff" * 100_000 + b"\0"),
    "nests deeper than 100 levels": header(record("r", a=DEEP)),
    "schema nests deeper": header(record("r", a=CHAIN)),
    "more than 1000 values without a byte": with_block(
        record("r", a=["null", DOUBLED]), 1, varint(1)
    ),
    "several values without a byte": items(NULLS, 1, b"\1"),
    "a name of more than 255": items(record("i", **{"n" * 256: "boolean"}), 1, b"\1"),
    "more than 255 characters": header(
        record("r", e={"type": "enum", "name": "e", "symbols": ["S" * 256]})
    ),
    "sync marker": with_block(TEXT, 1, b"\x02a").replace(SYNC, b"another marker!!", 1),
    "a block's checksum does not fit": container(TEXT, [{"t": "a"}], codec="snappy").replace(
        checksum(b"\x02a"), b"\0\0\0\0"
    ),
    "(after 1 records)": with_block(TEXT, 2, b"\x02a"),
}


@pytest.mark.parametrize("said", HOSTILE)
def test_a_hostile_file_ends_with_its_reason(said: str) -> None:
    with pytest.raises(BrokenFileError) as error:
        messages(HOSTILE[said])
    assert said in str(error.value)


ITSELF = ["null", {"type": "array", "items": "r"}]
# Compressed to a few kilobytes, millions of such items would fill the memory of any machine.
MANY = {
    "records": items(record("i", set="boolean"), 5_000, b"\1"),
    "arrays": items({"type": "array", "items": "int"}, 5_000, b"\0"),
    "texts": items("string", 5_000, b"\0"),
    "of a type in itself": with_block(
        record("r", more=ITSELF), 1, b"\2" + varint(5_000) + b"\0" * 5_001
    ),
}


@pytest.mark.parametrize("many", MANY)
def test_the_values_of_a_record_are_bounded(many: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(messages(MANY[many])) == 1, "a small block may hold as many as it likes"
    monkeypatch.setattr(avro_messages, "SMALL_BLOCK", 1_000)
    monkeypatch.setattr(avro_messages, "MOST_READINGS", 4_000)
    with pytest.raises(BrokenFileError, match="a record has too many values"):
        messages(MANY[many])


def test_a_type_that_contains_itself_is_an_item() -> None:
    loop = record("r", a="null", b="null", more=ITSELF)
    with pytest.raises(BrokenFileError, match="several values without a byte"):
        messages(with_block(loop, 1, b"\0"))


@pytest.mark.parametrize("rows", [MIXED, ROWS], ids=["recursive", "flat"])
def test_the_values_of_a_block_are_not_bounded(
    rows: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = record("r", a=ARRAY, n="long", t="string") if rows is MIXED else SMALL
    monkeypatch.setattr(avro_messages, "SMALL_BLOCK", 0)
    monkeypatch.setattr(avro_messages, "MOST_READINGS", 20)
    assert len(messages(container(schema, rows))) == len(rows)


DATED = record("a", a="int", next=["null", "a"])
DATED["fields"][0] |= {"logicalType": "date"}
HIDDEN_LOOPS = {
    "of another namespace": in_namespace(
        "a", record("a", x=in_namespace("b", record("a", v="int")), next=["null", "a.a"])
    ),
    "a field": DATED,
}


@pytest.mark.parametrize("namesake", HIDDEN_LOOPS)
def test_no_namesake_hides_that_a_type_contains_itself(namesake: str) -> None:
    """The compiled part of fastavro would end the process."""
    with pytest.raises(BrokenFileError, match="nests too deep"):
        messages(with_block(HIDDEN_LOOPS[namesake], 1, b"\x02\x02" * 200_000 + b"\x02\x00"))


@pytest.mark.parametrize(
    "nothing",
    [
        in_namespace("a", record("n")),
        {"type": "fixed", "name": "a.n", "size": -1},
        decimal(4, 1, type="fixed", name="a.n", size=0),
    ],
    ids=["a record", "of negative size", "a decimal"],
)
def test_items_that_hold_nothing_are_found(nothing: dict[str, Any]) -> None:
    namesake = in_namespace("b", record("n", v="int"))
    schema = record("r", a=nothing, b=namesake, c={"type": "array", "items": "a.n"})
    with pytest.raises(BrokenFileError, match="items of an array hold nothing"):
        messages(with_block(schema, 1, b"\x02" + varint(2**20) + b"\x00"))


def bomb(codec: str) -> bytes:
    """A file of a record, then of a block that grows to 64 MB."""
    file = io.BytesIO()
    writer = Writer(file, TEXT, codec=codec, sync_marker=SYNC)
    for text in ("small", "x" * (1 << 26)):
        writer.write({"t": text})
        writer.flush()
    return file.getvalue()


@pytest.mark.parametrize("codec", ["deflate", "bzip2", "xz", "snappy"])
def test_a_block_is_never_decompressed_beyond_its_bound(
    codec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(avro_blocks, "LARGEST", 1 << 22)
    data = bomb(codec)
    read = read_messages(io.BytesIO(data))
    assert next(read) == b'{"t":"small"}'
    tracemalloc.start()
    with pytest.raises(BrokenFileError, match=r"larger than 4194304 bytes.* \(after 1 records\)"):
        next(read)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(data) < 1 << 22 and most < 1 << 25


def test_a_file_that_is_cut_anywhere_is_broken_or_ends_with_a_block() -> None:
    data = container(SMALL, ROWS, sync_interval=200)
    whole = messages(data)
    for length in range(len(data)):
        got: list[bytes] = []
        try:
            got += read_messages(io.BytesIO(data[:length]))
        except BrokenFileError:
            continue
        assert data[:length].endswith(SYNC) and got == whole[: len(got)]


SOUND = [
    container(record("r", a=ARRAY, n="long", t="string"), MIXED),
    container(record("r", n="long", t="string", v=["null", decimal(9, 2)]), ROWS),
]


@pytest.mark.parametrize("sound", SOUND, ids=["recursive", "flat"])
@given(changed=st.data())
def test_a_file_with_any_byte_changed_is_read_or_broken(
    sound: bytes, changed: st.DataObject
) -> None:
    data = bytearray(sound)
    for _ in range(changed.draw(st.integers(1, 4))):
        data[changed.draw(st.integers(0, len(data) - 1))] = changed.draw(st.integers(0, 255))
    try:
        assert all(read_messages(io.BytesIO(bytes(data))))
    except BrokenFileError as error:
        assert str(error)


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def texts(spark: SparkSession, topic: str) -> list[str]:
    rows = spark.table("bronze.messages").where(f"topic = '{topic}'").orderBy("offset").collect()
    assert [row.offset for row in rows] == list(range(len(rows)))
    return [row.message for row in rows]


SMALL_TEXTS = [f'{{"n":{n},"t":"text"}}' for n in range(100)]


def test_files_land_with_their_neighbours_in_name_order(
    spark: SparkSession, tmp_path: Path
) -> None:
    # gs://bucket/path/<object>/yyyy/mm/dd/hh/mm/<file>
    folder = tmp_path / "shop_orders" / "2024" / "05" / "06" / "11" / "53"
    write(folder / "1.avro", container(SMALL, ROWS[:40], codec="deflate", sync_interval=100))
    write(folder / "2.avro.gz", container(SMALL, ROWS[40:60]))
    write(folder / "3.jsonl", "\n".join(SMALL_TEXTS[60:90]).encode())
    write(folder / "4:{x}#é.avro", container(SMALL, ROWS[90:]))
    write(folder / "5.avro", container(SMALL, []))
    output = land_well(tmp_path)
    assert texts(spark, "shop_orders") == SMALL_TEXTS
    assert f"skipped, holds no message: file:{folder}/5.avro" in output
    assert f"skipped, landed before: file:{folder}/1.avro" in land_well(tmp_path)


def test_a_broken_file_is_said_and_leaves_its_neighbours_alone(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder, data = tmp_path / "half_uploaded", container(SMALL, ROWS, sync_interval=200)
    write(folder / "1.avro", container(SMALL, ROWS[:10]))
    cut = write(folder / "2.avro", data[:-100])
    cut_in_gzip = write(folder / "3.avro", gzip.compress(data)[:-100]).rename(folder / "3.avro.gz")
    deep = write(folder / "4.avro", HOSTILE["nests too deep"])
    write(folder / "5.jsonl", SMALL_TEXTS[10].encode())
    for landed_first in ("batch", "nothing new"):
        result = land(folder)
        assert result.exit_code == 2
        assert landed_first in result.stdout
        assert result.stderr.startswith("onelog: not landed, as they cannot be read whole: ")
        assert result.stderr.count("\n") == 1
        assert all(f"file:{path}: " in result.stderr for path in (cut, cut_in_gzip, deep))
        assert texts(spark, "half_uploaded") == SMALL_TEXTS[:11]
    cut.write_bytes(data)
    land(cut)
    assert texts(spark, "half_uploaded") == [*SMALL_TEXTS[:11], *SMALL_TEXTS]


def test_files_that_python_cannot_open_come_through_spark(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (contents, reading):
        monkeypatch.setattr(module, "is_local", lambda path: False)
    folder = tmp_path / "from: afar {[1]}"
    write(folder / "1.avro", container(SMALL, ROWS[:40]))
    write(folder / "2.avro.gz", container(SMALL, ROWS[40:60]))
    lines = write(folder / "3.jsonl", "\n".join(SMALL_TEXTS[60:90]).encode() + b"\n{")
    land_well(folder)
    assert texts(spark, folder.name) == SMALL_TEXTS[:90]
    lines.write_bytes("\n".join(SMALL_TEXTS[60:]).encode())
    land_well(folder)
    assert texts(spark, folder.name) == SMALL_TEXTS
    monkeypatch.setattr(reading, "MOST_BROUGHT", 100)
    write(folder / "4.avro", container(SMALL, ROWS))
    write(folder / "5.jsonl", b"{}\n")
    result = land(folder)
    assert result.exit_code == 2
    assert "4.avro: it has more than 100 bytes: copy it to this machine" in result.stderr
    assert texts(spark, folder.name) == [*SMALL_TEXTS, "{}"]


CASES = yaml.safe_load((Path(__file__).parents[1] / "cases" / "datastream.yml").read_text())
# What names the topic, and when it was.
NOT_COMPARED = {
    *("change_id", "state_id", "topic", "source", "batch", "received_at", "built_at"),
}


def is_time(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(datetime.fromisoformat(value))
    except ValueError:
        return False


def as_avro(event: dict[str, Any]) -> bytes:
    """The Avro file of an event: a schema that fits it, and the values as Avro stores them."""
    numbers = iter(range(10**6))

    def typed(value: Any, name: str = "") -> tuple[Any, Any]:
        if name in ("source_timestamp", "read_timestamp") and is_time(value):
            moment = datetime.fromisoformat(value)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            micros = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
            return (MICROS, micros) if micros % 1000 else (MILLIS, micros // 1000)
        match value:
            case None:
                return ["null", "string"], None
            case bool() | str() | int():
                return {bool: "boolean", str: "string", int: "long"}[type(value)], value
            case Decimal():
                # Decimal's own arithmetic rounds to 28 digits.
                digits = unscaled(int(str(value).replace(".", "")))
                return ["null", decimal(65, -int(value.as_tuple().exponent))], digits
            case list():
                kinds, items = [], []
                for item in value:
                    kind, stored = typed(item)
                    kinds.append(kind)
                    items.append(stored)
                different = [kind for n, kind in enumerate(kinds) if kind not in kinds[:n]]
                return {"type": "array", "items": different or "string"}, items
            case dict():
                pairs = {key: typed(inner, key) for key, inner in value.items()}
                types = {key: kind for key, (kind, _) in pairs.items()}
                fields = {key: inner for key, (_, inner) in pairs.items()}
                return record(f"r{next(numbers)}", **types), fields
        raise TypeError(value)

    schema, stored = typed(event)
    return container(schema, [stored])


def compared(row: Any) -> str:
    fields = {name: value for name, value in row.asDict(True).items() if name not in NOT_COMPARED}
    text = json.dumps(fields, default=str, sort_keys=True)
    # A position ends with its topic; nested JSON keeps its blanks, an Avro record has none.
    return text.replace(row.topic, "topic").replace('\\": ', '\\":')


def test_avro_and_json_of_the_same_events_are_the_same_changes(
    spark: SparkSession, build: Callable[..., None], tmp_path: Path
) -> None:
    for number, case in enumerate(CASES):
        for place, text in enumerate(case["messages"]):
            event = json.loads(text, parse_float=Decimal)
            name = f"{place:03}"
            write(tmp_path / f"avro-{number}" / f"{name}.avro", as_avro(event))
            write(tmp_path / f"json-{number}" / f"{name}.json", text.encode())
    land_well(tmp_path)
    build()
    changes = spark.table("silver.change_log").orderBy("offset", "row_index")
    assert changes.where("topic like 'avro-%'").count() > len(CASES)
    for number, case in enumerate(CASES):
        avro, from_json = (
            [compared(row) for row in changes.where(f"topic = '{form}-{number}'").collect()]
            for form in ("avro", "json")
        )
        assert avro == from_json, case["name"]
