"""Typed gold: each macro by the vendors' own words, written models, real deletes."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import agate
import jinja2
import pytest
import yaml
from commands import land_well
from conftest import STORED
from dbt.context import exceptions_jinja as compiler
from dbt_common.exceptions import CompilationError
from shared_landings import TESTS, Failures, Landings, land_together, shares_landings

from landing.typed.declared_types import fits, typed_macro
from landing.typed.models import OWN_COLUMNS, READ_COLUMNS, _aliases, _jinja_text, choose_table

ROOT = Path(__file__).parents[2]
MACROS = ROOT / "macros"
SAMPLE_DOUBLE = "9.99999999999999909326625337248461995470488734032045693707225049331647E-308"


def render(call: str, **context: Any) -> str:
    """The SQL of one macro call, as dbt renders it; ``context``: what dbt knows of the model."""
    paths = [*(MACROS / "typed").glob("*.sql"), MACROS / "spark__escape_single_quotes.sql"]
    macros = "".join(path.read_text() for path in paths)
    environment = jinja2.Environment(extensions=["jinja2.ext.do"])
    # They call each other by the name of their project.
    named: dict[str, Any] = {"last_read_micros": lambda: 0}
    environment.globals.update(context, onelog=named)
    named.update(vars(environment.from_string(macros).module))
    return environment.from_string(macros + "{{ " + call + " }}").render().strip()


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def comparable(value: Any) -> Any:
    """A value as it comes from Spark: times in this machine's zone, bytes as an array."""
    if isinstance(value, datetime):
        return value.astimezone(UTC)
    return bytes(value) if isinstance(value, bytearray) else value


# --- what a text becomes: (macro call, [(encoding, text, value[, zone[, declared type]]), …])

NUMBERS: list[tuple[str, Any]] = [
    (
        "typed_decimal('v', 9, 2)",
        [
            # "A decimal numeral is displayed based on the data passed in … without removing zeros"
            ("oms", "1.10", Decimal("1.10")),
            ("oms", "1.100", Decimal("1.10")),
            ("oms", "-7", Decimal("-7.00")),
            ("oms", "1.105", None),
            ("oms", "9999999.99", Decimal("9999999.99")),
            ("oms", "9999999.995", None),
            ("oms", "10000000", None),
            # "Scientific notation is used."
            ("oms", "1.2E+3", Decimal("1200.00")),
            ("oms_debezium", "12E-1", Decimal("1.20")),
            ("oms_debezium", "1200E-4", Decimal("0.12")),
            ("oms_debezium", "1.2E-2", None),
            ("oms_debezium", "0E-10", Decimal("0.00")),
            ("oms", "1E-999999999", None),
            ("oms", "1E-99999", None),
            ("oms", "1E99999", None),
            ("tdsql", "+.5", Decimal("0.50")),
            ("tdsql", "5.", Decimal("5.00")),
            ("oms", SAMPLE_DOUBLE, None),
            ("oms", "", None),
            ("oms", ".", None),
            ("oms", "NaN", None),
            ("oms", "٣", None),
            ("oms", "****", None),
            ("oms", None, None),
        ],
    ),
    (
        "typed_decimal('v', 38, 0)",
        [
            ("oms", "9" * 38, Decimal("9" * 38)),
            ("oms", "1" + "0" * 38, None),
            ("oms", "9" * 38 + ".5", None),
            ("oms", "0." + "0" * 40 + "1", None),
            ("oms", "1.5E1", Decimal(15)),
            ("oms", "100.5E1", Decimal(1005)),
            ("oms", "1200.00E-2", Decimal(12)),
            ("oms", "1200.50E-2", None),
            ("oms", "1.5E0", None),
        ],
    ),
    ("typed_decimal('v', 38, 38)", [("oms", "0." + "1" * 38, Decimal("0." + "1" * 38))]),
    ("typed_decimal('v', 20, 0)", [("oms", "10223372036854775806", Decimal(10223372036854775806))]),
    (
        "typed_bigint('v')",
        [
            ("oms", "9223372036854775807", 2**63 - 1),
            ("oms", "-9223372036854775808", -(2**63)),
            ("oms", "9223372036854775808", None),
            ("datahub", "1.0", 1),
            ("datahub", "1.5", None),
            ("oms", "1E3", 1000),
            ("oms", "abc", None),
        ],
    ),
    (
        "typed_int('v')",
        [
            ("oms", "2147483647", 2**31 - 1),
            ("oms", "2147483648", None),
            ("oms", "4294967297", None),
            ("oms", "2022", 2022),
        ],
    ),
    (
        "typed_double('v')",
        [
            ("oms", "1.2222", 1.2222),
            ("oms", SAMPLE_DOUBLE, float(SAMPLE_DOUBLE)),
            ("oms", "1e400", None),
            ("oms", "1e-400", None),
            ("oms", "0e-400", 0.0),
            ("oms", "1.5d", None),
            ("oms", "0x1p3", None),
            ("kafka_connect", "-Infinity", float("-inf")),
        ],
    ),
    (
        "typed_boolean('v')",
        [
            # OMS: "true is converted to 1 and false is converted to 0"; others true and false.
            ("oms", "1", True),
            ("oms", "0", False),
            ("datahub", "true", True),
            ("datastream", "False", False),
            ("oms", "2", None),
            ("oms", "yes", None),
        ],
    ),
]

BYTES: list[tuple[str, Any]] = [
    (
        "typed_binary('v')",
        [
            ("oms", "aGVsbG8gd29ybGQ=", b"hello world"),
            ("datahub", "AP8=", b"\x00\xff"),
            ("datastream", "", b""),
            ("oms", "a*==", None),
            # MySQL's bytes are hex, PostgreSQL's base64: short ones may be either.
            ("datastream", "aGVsbG8gd29ybGQ=", b"hello world"),
            ("datastream", "DEADBEEF", None),
            ("datastream", "DEADBEEF4567", None),
            ("datastream", "dead", None),
            ("datastream", "DEADBEEF45", b"\xde\xad\xbe\xef\x45"),
            ("datastream", "6A", b"j"),
            ("datastream", "DEADBEEF" * 2, b"\xde\xad\xbe\xef" * 2),
            ("datastream", "DEADBEEFx", None),
            ("datastream", "DEADBEEx", b"\x0c\x40\x03\x04\x41\x31"),
            ("oms", "DEADBEEF", b"\x0c\x40\x03\x04\x41\x05"),
            ("oms_debezium", "6A", b"j"),
            ("oms_debezium", "aGVsbG8=", None),
            ("kafka_connect", "AQ==", b"\x01"),
            ("tdsql", "0x00fF", b"\x00\xff"),
            ("tdsql", "x'00FF'", b"\x00\xff"),
            ("tdsql", "näme", "näme".encode()),
            ("canal", "\u00ff\u0000a\n", b"\xff\x00a\n"),
            ("canal", "\u0100", None),
            # Which a line end of Java's may follow.
            ("canal", "abc\u2028", None),
            ("maxwell", "AAECAw==", b"\0\x01\x02\x03"),
        ],
    ),
    (
        "typed_binary('v', 4)",
        [
            # "the zeros in the most significant bits are removed … after decoding are consistent"
            ("oms", "AQI=", b"\0\0\x01\x02"),
            ("oms", "AAABAg==", b"\0\0\x01\x02"),
            ("oms", "", b"\0\0\0\0"),
            ("oms", "AQIDBAU=", None),
            ("oms_debezium", "0102", b"\0\0\x01\x02"),
            # MySQL's log lacks the zero bytes at the end of a BINARY, a bootstrap has them.
            ("maxwell", "AQI=", b"\x01\x02\0\0"),
            ("maxwell", "AQIAAA==", b"\x01\x02\0\0"),
            ("canal", "\u00ff\u0002", b"\xff\x02\0\0"),
            ("canal", "\u0001\u0002\u0000\u0000\u0000", None),
            ("canal", "\u0100", None),
            ("maxwell", "AQIDBAU=", None),
            ("maxwell", "a*==", None),
            # Six bytes of base64 are too many, three are not.
            ("datastream", "DEADBEEF", b"\xde\xad\xbe\xef"),
            ("datastream", "DEAD", None),
            ("datastream", "DEADBEEF45", None),
            ("datastream", "6A", b"j\0\0\0"),
            ("datastream", "AQI=", b"\x01\x02\0\0"),
            ("datahub", "AQI=", b"\x01\x02\0\0"),
            ("tdsql", "x'0102'", b"\x01\x02\0\0"),
            ("tdsql", "j", b"j\0\0\0"),
            ("tdsql", "jjjjj", None),
        ],
    ),
    (
        "typed_binary('v', 2)",
        [
            ("datastream", "DEAD", b"\xde\xad"),
            ("datastream", "DEADBEEF", None),
            ("datastream", "AQI=", b"\x01\x02"),
        ],
    ),
    (
        "typed_binary('v', 16)",
        [
            ("datastream", "00112233445566778899aabbccddeeff", bytes(range(0, 256, 17))),
            ("datastream", "ABEiM0RVZneImaq7zN3u/w==", bytes(range(0, 256, 17))),
            ("datastream", "DEADBEEF4567", None),
        ],
    ),
    (
        "typed_bit('v', 10)",
        [
            ("oms", "Aw==", b"\0\x03"),
            # "BIT … Base64-encoded Bytes value rather than the LONG data type" before 3.3.0
            ("oms", "3", b"\0\x03"),
            ("oms", "1000", b"\x03\xe8"),
            ("oms", "1024", None),
            ("oms_debezium", "10", b"\0\x10"),
            ("maxwell", "63", b"\0\x3f"),
            ("tdsql", "b'1000000001'", b"\x02\x01"),
            ("tdsql", "513", b"\x02\x01"),
            ("kafka_connect", "true", b"\0\x01"),
            # Debezium's Bits: "in little-endian form"
            ("kafka_connect", "AQI=", b"\x02\x01"),
            ("kafka_connect", "AwA=", b"\0\x03"),
            ("kafka_connect", "Aw==", b"\0\x03"),
            ("kafka_connect", "/wM=", b"\x03\xff"),
            ("kafka_connect", "AQID", None),
            ("kafka_connect", "1000", b"\x03\xe8"),
            ("kafka_connect", "a*==", None),
        ],
    ),
    (
        "typed_bit('v', 64)",
        [
            ("oms", "18446744073709551615", b"\xff" * 8),
            ("oms", "18446744073709551616", None),
            # Both four digits and three bytes of base64.
            ("oms", "1234", None),
            ("kafka_connect", "1234", None),
            ("kafka_connect", "AQIDBAUGB4A=", b"\x80\x07\x06\x05\x04\x03\x02\x01"),
        ],
    ),
    (
        "typed_bit('v', 1)",
        [("kafka_connect", "true", b"\x01"), ("kafka_connect", "false", b"\0")],
    ),
]

TIMES: list[tuple[str, Any]] = [
    (
        "typed_date('v')",
        [
            ("oms", "2020-11-25", date(2020, 11, 25)),
            ("canal", "2023-02-30", None),
            ("oms", "0000-00-00", None),
            ("oms", "2023-00-01", None),
            ("oms", "2023", None),
            ("oms", "2023-1-1", None),
            ("oms", "19311", None),
            ("oms", "2020-11-25 00:00:00", date(2020, 11, 25)),
            ("oms", "2020-11-25 00:00:01", None),
            ("oms", "9999-12-31", date(9999, 12, 31)),
            # "The number of days since January 1st, 1970."
            ("oms_debezium", "19311", date(2022, 11, 15)),
            ("oms_debezium", "19358", date(2023, 1, 1)),
            ("oms_debezium", "-1", date(1969, 12, 31)),
            ("oms_debezium", "0", date(1970, 1, 1)),
            ("oms_debezium", "9999999", None),
            ("kafka_connect", "99999999999", None),
            # "DATE: … a 13-digit timestamp in milliseconds"
            ("datahub", "1605312000000", date(2020, 11, 14)),
            ("datahub", "1605283200000", date(2020, 11, 14), "Asia/Shanghai"),
            ("datahub", "1605339932000", None),
            ("datahub", "1605283200000", None, "Asia/Nowhere"),
            ("datastream", "2019-11-07", date(2019, 11, 7)),
            ("datastream", "1573084800000000", date(2019, 11, 7)),
            ("tdsql", "2023-01-01", date(2023, 1, 1)),
        ],
    ),
    (
        "typed_time('v')",
        [
            ("oms", "00:01:02", "00:01:02"),
            ("oms", "00:01:02.500000", "00:01:02.5"),
            ("oms", "00:01:02.000", "00:01:02"),
            ("oms", "00:01:02.123456789", "00:01:02.123456789"),
            ("oms", "10:00:00", "10:00:00"),
            # Before 3.3.0: "[:ss]"
            ("oms", "10:30", "10:30:00"),
            ("oms", "-838:59:59", "-838:59:59"),
            ("oms", "839:00:00", None),
            ("oms", "12:61:00", None),
            ("oms", "10:00:00\n", None),
            # "The temporal value, in microseconds, since 00:00:00"
            ("oms_debezium", "36060000000", "10:01:00"),
            ("oms_debezium", "0", "00:00:00"),
            ("oms_debezium", "-1500000", "-00:00:01.5"),
            ("oms_debezium", "3020400000000", None),
            ("kafka_connect", "36060000", "10:01:00", "UTC", "io.debezium.time.Time"),
            ("kafka_connect", "36060000000000", "10:01:00", "UTC", "io.debezium.time.NanoTime"),
            ("datastream", "36060000000", "10:01:00"),
            ("datastream", "10:01:00.250", "10:01:00.25"),
            ("oms", "36060000000", None),
        ],
    ),
    (
        "typed_datetime('v')",
        [
            ("oms", "2020-11-25 00:01:02", utc("2020-11-25 00:01:02")),
            ("oms", "2020-11-25 00:01:02", utc("2020-11-24 16:01:02"), "Asia/Shanghai"),
            # "YYYY-MM-DD HH:mm:ss[.nnnnnnnnn] [zoneId]"
            (
                "oms",
                "2020-11-25 00:01:02.012345 Asia/Shanghai",
                utc("2020-11-24 16:01:02.012345"),
            ),
            ("oms", "2020-11-25 00:01:02 +08:00", utc("2020-11-24 16:01:02"), "Europe/Berlin"),
            ("oms", "2020-11-25 00:01:02.012345000", utc("2020-11-25 00:01:02.012345")),
            ("oms", "2020-11-25 00:01:02.012345678", None),
            ("oms", "2020-11-25 00:01:02 UTC ", None),
            ("oms", "2020-11-25T00:01:02Z\t", None),
            ("oms", "2020-11-25T00:01:02Z\x00", None),
            ("oms", "2020-11-25 00:01:02 +08:00\x01", None),
            ("oms", "2020-11-25 00:01:02 UTC\x7f", None),
            # "YYYY-MM-DDTHH:mm[:ss] in OMS of a version earlier than V3.3.0"
            ("oms", "2020-11-25T00:01", utc("2020-11-25 00:01")),
            ("oms", "2020-11-25T00:010", None),
            ("oms", "2020-11-25T00:01:02", utc("2020-11-25 00:01:02")),
            ("oms", "0000-00-00 00:00:00", None),
            ("oms", "2023-02-30 00:00:00", None),
            ("oms", "2020-11-25", None),
            ("oms", "12:00:00", None),
            ("oms", "2020-11-25 00:01:02", None, "Asia/Nowhere"),
            # An hour that the zone skipped, one that it had twice (the earlier), around a change.
            ("oms", "2023-03-12 02:30:00", None, "America/New_York"),
            ("oms", "2023-11-05 01:30:00", utc("2023-11-05 05:30:00"), "America/New_York"),
            # "a 13-digit timestamp" of DataWorks 2.0 and DataHub: a moment
            ("oms", "1590315269000", utc("2020-05-24 10:14:29"), "Asia/Shanghai"),
            ("oms", "1590315269000.000000000", utc("2020-05-24 10:14:29")),
            ("oms", "1590315269000.123456789", None),
            ("datahub", "1605339932000", utc("2020-11-14 07:45:32"), "Asia/Shanghai"),
            ("datahub", "-1", utc("1969-12-31 23:59:59.999")),
            # "in milliseconds, since 1970-01-01 00:00:00, excluding the time zone"
            ("oms_debezium", "1668489131000", utc("2022-11-15 05:12:11")),
            ("oms_debezium", "1668489131000", utc("2022-11-14 21:12:11"), "Asia/Shanghai"),
            ("oms_debezium", "0", utc("1970-01-01 00:00:00")),
            ("oms_debezium", "1678588200000", None, "America/New_York"),
            ("oms_debezium", "1668489131000", None, "Asia/Nowhere"),
            ("oms_debezium", "253402300799000", utc("9999-12-31 23:59:59")),
            ("oms_debezium", "253402300800000", None),
            (
                "kafka_connect",
                "1668489131000001",
                utc("2022-11-15 05:12:11.000001"),
                "UTC",
                "io.debezium.time.MicroTimestamp",
            ),
            (
                "kafka_connect",
                "1668489131000000001",
                None,
                "UTC",
                "io.debezium.time.NanoTimestamp",
            ),
            ("datastream", "2019-11-07T02:15:39", utc("2019-11-07 02:15:39")),
            ("tdsql", "2017-11-22 19:27:53.5", utc("2017-11-22 11:27:53.5"), "Asia/Shanghai"),
            ("tdsql", "1511350073", None),
        ],
    ),
    (
        "typed_timestamp('v')",
        [
            # "[second-level timestamp][.nnnnnnnnn]"
            ("oms", "1606233662.012345", utc("2020-11-24 16:01:02.012345"), "Asia/Shanghai"),
            ("oms", "1606233662.5", utc("2020-11-24 16:01:02.5")),
            ("oms", "1606233662.012345678", None),
            ("oms", "1606233662.012345000", utc("2020-11-24 16:01:02.012345")),
            # Before 3.3.0: "an integer in seconds"
            ("oms", "1606233662", utc("2020-11-24 16:01:02")),
            # "If the time is invalid, 0000-00-00 00:00:00 is displayed"; MySQL's 0 means the same.
            ("oms", "0000-00-00 00:00:00", None),
            ("oms", "0", None),
            ("oms", "0.000000", None),
            ("oms", "1590315269000", utc("2020-05-24 10:14:29")),
            ("oms", "2020-11-25 00:01:02 Asia/Shanghai", utc("2020-11-24 16:01:02")),
            # "YYYY-MM-DDTHH:mm:ss[.nnnnnnnnn]Z … The time zone is UTC+0"
            ("oms_debezium", "2022-11-15T05:12:11Z", utc("2022-11-15 05:12:11"), "Asia/Shanghai"),
            ("oms_debezium", "2022-11-15T05:12:11.1234567Z", None),
            ("datahub", "1605339932000", utc("2020-11-14 07:45:32")),
            ("datastream", "2019-11-07T02:15:39", utc("2019-11-07 02:15:39"), "Asia/Shanghai"),
            ("datastream", "2019-11-07T07:37:16.808Z", utc("2019-11-07 07:37:16.808")),
            ("datastream", "2019-11-07 07:37:16+02:00", utc("2019-11-07 05:37:16")),
            ("datastream", "1573112236808", utc("2019-11-07 07:37:16.808")),
            ("datastream", "1573112236808.0", utc("2019-11-07 07:37:16.808")),
            ("kafka_connect", "1573112236808.00", utc("2019-11-07 07:37:16.808")),
            ("datastream", "1573112236808123", utc("2019-11-07 07:37:16.808123")),
            ("tdsql", "2017-11-22 19:27:53", utc("2017-11-22 11:27:53"), "Asia/Shanghai"),
            ("tdsql", "0000-00-00 00:00:00", None),
            ("oms", "1.606E9", None),
            ("oms", "99999999999999999999", None),
        ],
    ),
]

# Hostile texts, each of which took hours when a pattern went back over its digits or Java read them
LONG = 1_000_000
LONG_TEXTS: list[tuple[str, Any]] = [
    ("typed_double('v')", [("oms", "1" * LONG + "x", None)]),
    (
        "typed_decimal('v', 9, 2)",
        [
            ("oms", "1" * LONG, None),
            ("oms", "0." + "0" * LONG + "1E5", None),
            ("oms", "1" + "0" * LONG + "1E5", None),
        ],
    ),
    ("typed_timestamp('v')", [("datahub", "1605339932000." + "0" * LONG, None)]),
]

TEXTS: list[tuple[str, Any]] = [
    (
        "typed_text('v')",
        [
            ("oms", "INTERVAL '3' DAY", "INTERVAL '3' DAY"),
            ("datastream", '{"a": 1.10}', '{"a": 1.10}'),
            ("oms", "POINT(1 2)", "POINT(1 2)"),
            ("oms", "9" * 65, "9" * 65),
        ],
    )
]


def call_name(argument: Any) -> str:
    return argument if isinstance(argument, str) else ""


@pytest.mark.parametrize(
    ("call", "cases"), NUMBERS + BYTES + TIMES + LONG_TEXTS + TEXTS, ids=call_name
)
def test_texts_are_typed_without_loss_or_are_null(spark: Any, call: str, cases: list) -> None:
    # As dbt-spark sets it for each statement.
    spark.conf.set("spark.sql.ansi.enabled", "false")
    rows = [
        (place, {"v": text}, encoding, *(more or ["UTC"]))
        for place, (encoding, text, _, *more) in enumerate(cases)
    ]
    frame = spark.createDataFrame(
        [(*row[:4], {"v": row[4]} if len(row) > 4 else None) for row in rows],
        "place int, row map<string,string>, value_encoding string, time_zone string,"
        " column_types map<string,string>",
    )
    typed = frame.selectExpr("place", f"{render(call)} as typed").collect()
    wrong = {
        cases[place][:2]: (comparable(value), cases[place][2])
        for place, value in typed
        if comparable(value) != cases[place][2]
    }
    assert wrong == {}


# --- which macro a declared type gets


@pytest.mark.parametrize(
    ("declared", "encoding", "macro", "arguments", "data_type"),
    [
        ("DECIMAL(9, 2)", "oms", "typed_decimal", [9, 2], "decimal(9,2)"),
        ("decimal(38,10) unsigned", "tdsql", "typed_decimal", [38, 10], "decimal(38,10)"),
        ("decimal(39,0)", "tdsql", "typed_text", [], "string"),
        ("DECIMAL", "oms", "typed_text", [], "string"),
        ("NUMBER(*,2)", "oms", "typed_decimal", [38, 2], "decimal(38,2)"),
        ("NUMBER(2,5)", "oms", "typed_decimal", [5, 5], "decimal(5,5)"),
        ("NUMBER(5,-2)", "oms", "typed_decimal", [7, 0], "decimal(7,0)"),
        # Oracle's NUMBER(*) is NUMBER: of any scale.
        ("NUMBER(*)", "oms", "typed_text", [], "string"),
        ("NUMBER(38,*)", "oms", "typed_text", [], "string"),
        ("decimal(5,*)", "tdsql", "typed_text", [], "string"),
        ("decimal(1,2,3)", "tdsql", "typed_text", [], "string"),
        ("decimal(-5,2)", "tdsql", "typed_text", [], "string"),
        (f"decimal({'1' * 5000})", "tdsql", "typed_text", [], "string"),
        (f"decimal(5,{'1' * 5000})", "tdsql", "typed_text", [], "string"),
        # OMS's samples: BIGINT 10223372036854775806, INT64 9223372036854775806
        ("BIGINT", "oms", "typed_decimal", [20, 0], "decimal(20,0)"),
        ("INT64", "oms", "typed_bigint", [], "bigint"),
        ("bigint(20)", "tdsql", "typed_bigint", [], "bigint"),
        ("bigint(20) unsigned", "tdsql", "typed_decimal", [20, 0], "decimal(20,0)"),
        ("int(10) unsigned", "tdsql", "typed_bigint", [], "bigint"),
        ("tinyint(1)", "tdsql", "typed_int", [], "int"),
        ("LONG", "datahub", "typed_bigint", [], "bigint"),
        ("DATE", "datahub", "typed_timestamp", [], "timestamp"),
        ("DATE", "oms", "typed_date", [], "date"),
        ("timestamp(6) with time zone", "tdsql", "typed_timestamp", [], "timestamp"),
        ("timestamp without time zone", "oms", "typed_datetime", [], "timestamp"),
        ("io.debezium.time.MicroTime", "kafka_connect", "typed_time", [], "string"),
        ("datetime(6)", "canal", "typed_datetime", [], "timestamp"),
        ("binary(16)", "oms", "typed_binary", [16], "binary"),
        ("varbinary(16)", "oms", "typed_binary", [], "binary"),
        ("binary(8000)", "oms", "typed_binary", [8000], "binary"),
        # No database has such a column: each cell would be filled up to a gigabyte.
        ("binary(999999999)", "oms", "typed_binary", [], "binary"),
        ("bit(10)", "oms", "typed_bit", [10], "binary"),
        # OMS's own word for the type says no length.
        ("BIT", "oms", "typed_binary", [], "binary"),
        ("bit", "canal", "typed_bit", [1], "binary"),
        ("bit(64)", "canal", "typed_bit", [64], "binary"),
        ("bit(65)", "canal", "typed_text", [], "string"),
        ("bit(0)", "canal", "typed_text", [], "string"),
        ("bit(²)", "canal", "typed_text", [], "string"),
        ("bit(n)", "canal", "typed_text", [], "string"),
        ("binary(²)", "oms", "typed_text", [], "string"),
        (f"binary({'1' * 5000})", "oms", "typed_text", [], "string"),
        ("varbinary(max)", "oms", "typed_binary", [], "binary"),
        ("serial", "kafka_connect", "typed_int", [], "int"),
        ("JSON", "oms", "typed_text", [], "string"),
        ("GEOMETRY", "oms", "typed_text", [], "string"),
        ("INTERVAL DAY(2) TO SECOND(6)", "oms", "typed_text", [], "string"),
        ("enum('a','b)')", "tdsql", "typed_text", [], "string"),
        (None, "oms", "typed_text", [], "string"),
    ],
)
def test_declared_types_have_their_macros(
    declared: str | None, encoding: str, macro: str, arguments: list[int], data_type: str
) -> None:
    assert typed_macro(declared, encoding) == (macro, arguments, data_type)


@pytest.mark.parametrize(
    ("declared", "macro", "arguments", "data_type"),
    [
        # "DATE, TIMESTAMP … DateTime: YYYY-MM-DD HH:mm:ss[.nnnnnnnnn] [zoneId]"
        ("DATE", "typed_datetime", [], "timestamp"),
        ("TIMESTAMP(6)", "typed_datetime", [], "timestamp"),
        ("TIMESTAMP(6) WITH TIME ZONE", "typed_timestamp", [], "timestamp"),
        # "NUMBER, FLOAT … BigDecimal: Exact decimal numerals"
        ("NUMBER", "typed_text", [], "string"),
        ("FLOAT", "typed_text", [], "string"),
        ("FLOAT(10)", "typed_text", [], "string"),
        ("NUMBER(*)", "typed_text", [], "string"),
        ("NUMBER(*,0)", "typed_decimal", [38, 0], "decimal(38,0)"),
        ("DOUBLE PRECISION", "typed_text", [], "string"),
        ("BINARY_FLOAT", "typed_double", [], "double"),
        ("BINARY_DOUBLE", "typed_double", [], "double"),
        ("INTEGER", "typed_decimal", [38, 0], "decimal(38,0)"),
        ("INT", "typed_decimal", [38, 0], "decimal(38,0)"),
        ("SMALLINT", "typed_decimal", [38, 0], "decimal(38,0)"),
        ("NUMBER(9,2)", "typed_decimal", [9, 2], "decimal(9,2)"),
        ("RAW(16)", "typed_binary", [], "binary"),
    ],
)
def test_oracle_s_words_are_read_as_oracle_means_them(
    declared: str, macro: str, arguments: list[int], data_type: str
) -> None:
    assert typed_macro(declared, "oms", "oracle") == (macro, arguments, data_type)


@pytest.mark.parametrize(
    ("declared", "contract", "does_fit"),
    [
        ("DATE", "date", True),
        ("DATE", "timestamp", True),
        ("DATE", "int", False),
        ("FLOAT", "double", True),
        ("FLOAT", "string", True),
        ("INTEGER", "int", True),
        ("INTEGER", "decimal(38,0)", True),
        ("INTEGER", "decimal(9,0)", False),
        ("decimal(9,0)", "int", True),
        ("decimal(10,0)", "int", False),
        ("decimal(19,0)", "bigint", False),
        ("NUMBER(9,2)", "decimal(8,2)", False),
    ],
)
def test_a_contract_fits_what_a_type_means_in_some_database(
    declared: str, contract: str, does_fit: bool
) -> None:
    assert fits(declared, None, contract) == does_fit


def test_serial_of_mysql_is_an_unsigned_bigint() -> None:
    expected = ("typed_decimal", [20, 0], "decimal(20,0)")
    assert typed_macro("SERIAL", "canal", "mysql") == expected
    assert typed_macro("SERIAL", "datastream", "postgres") == ("typed_int", [], "int")


@pytest.mark.parametrize("encoding", ["oms", "tdsql", "kafka_connect"])
def test_bit_of_a_statement_has_one_bit(encoding: str) -> None:
    assert typed_macro("bit", encoding, "mysql") == ("typed_bit", [1], "binary")


WEIRD_NAMES = [
    "Order ID",
    "order_id",
    "it's",
    'say "no"',
    "back\\slash",
    "{{ 7 * 7 }}",
    "{% endif %}",
    "${spark.app.name}",
    "😀",
    "价格",
    "__proto__",
    "row",
    "event_at",
    "select",
    "1st",
    "line\nbreak",
    "line\n",
    "return\rand next\x85line",
    "",
    "cast_failures",
    "x" * 300,
    "X" * 300,
    "-- drop",
]


def test_every_column_gets_a_plain_name_of_its_own() -> None:
    aliases = _aliases(WEIRD_NAMES)
    assert len(set(aliases.values())) == len(WEIRD_NAMES)
    assert not set(aliases.values()) & {*OWN_COLUMNS, *READ_COLUMNS, "select"}
    assert all(alias.isascii() and alias.isidentifier() for alias in aliases.values())
    assert aliases["order_id"] == "order_id"


@pytest.mark.parametrize("name", WEIRD_NAMES)
def test_names_survive_jinja(name: str) -> None:
    assert jinja2.Environment().from_string(f"{{{{ {_jinja_text(name)} }}}}").render() == name


# --- which table is meant

SPELLED = {"app": ["app", "tenant.app"], "hr": ["tenant.hr"], "v1.app": ["v1.app"]}
KNOWN = [
    {
        "source": "typed",
        "database_name": names[-1],
        "database_names": json.dumps(names),
        "schema_name": None,
        "table_name": "orders",
        "table_id": json.dumps(["typed", identity, None, "orders"]),
    }
    for identity, names in SPELLED.items()
]


@pytest.mark.parametrize(
    ("asked", "identity"),
    [
        ("tenant.app", "app"),
        ("app", "app"),
        ("tenant.hr", "hr"),
        ("hr", "hr"),
        ("v1.app", "v1.app"),
    ],
)
def test_a_table_is_chosen_by_any_name_of_its_database(asked: str, identity: str) -> None:
    table = choose_table(agate.Table.from_object(KNOWN), "typed", asked, None, "orders")
    assert json.loads(table["table_id"] or "")[1] == identity
    assert table["database_name"] == asked


@pytest.mark.parametrize("asked", ["v1.hr", "v2.app", "tenant.v1.app", None])
def test_a_database_that_no_table_has_chooses_none_nor_does_one_that_is_left_out(
    asked: str | None,
) -> None:
    with pytest.raises(CompilationError, match=r"database_name: tenant\.app"):
        choose_table(agate.Table.from_object(KNOWN), "typed", asked, None, "orders")


def test_a_model_without_a_database_has_the_rows_of_messages_that_name_it(spark: Any) -> None:
    """Datastream's Oracle names it in some messages only, and maybe in later ones."""
    states = [
        ("unnamed", None, ["typed", None, "HR", "T"]),
        ("named", "DB1", ["typed", None, "HR", "T"]),
        ("of another table", "shop", ["typed", "shop", "HR", "T"]),
    ]
    spark.createDataFrame(
        [(state, database, json.dumps(table)) for state, database, table in states],
        "state_id string, database_name string, table_id string",
    ).selectExpr(
        "*",
        "'typed' as source",
        "'T' as table_name",
        "true as is_live",
        *(f"null as {name}" for name in ("copies", "change_id", "event_at", "built_at", "row")),
        *(f"null as {name}" for name in ("value_encoding", "column_types", "time_zone")),
    ).createOrReplaceTempView("oracle_states")
    of_dbt = {
        "config": lambda **_: "",
        "is_incremental": lambda: False,
        "ref": lambda _: "oracle_states",
        "return": lambda value: value,
    }
    rows = spark.sql(render("changed_rows('typed', none, 'T')", **of_dbt)).collect()
    assert sorted(row.state_id for row in rows) == ["named", "unnamed"]


# --- what did not fit


def failures_sql(columns: dict[str, str | None], *typed: str) -> str:
    """The SQL of cast_failures in a model of these columns, each with its meta's source_column."""
    described = {
        name: {"name": name, "config": {"meta": {"source_column": shown} if shown else {}}}
        for name, shown in columns.items()
    }
    model = {"name": "orders", "columns": described, "typed_columns": list(typed)}
    of_dbt = {"exceptions": compiler, "tojson": json.dumps, "execute": True}
    modules = {"onelog": {"OWN_COLUMNS": OWN_COLUMNS}}
    return " ".join(render("cast_failures()", model=model, modules=modules, **of_dbt).split())


def test_all_columns_that_show_one_of_the_source_are_checked() -> None:
    sql = failures_sql({"price": None, "price_text": "price", "paid": None}, "price", "paid")
    assert "row['price'] is not null and (price is null or price_text is null)" in sql
    assert "row['paid'] is not null and (paid is null)" in sql


def test_a_column_of_the_source_is_not_the_model_s_own_of_that_name() -> None:
    sql = failures_sql({"seen": "event_at"} | dict.fromkeys(OWN_COLUMNS), "event_at")
    assert "row['event_at'] is not null and (seen is null)" in sql
    with pytest.raises(CompilationError, match='"event_at"'):
        failures_sql(dict.fromkeys([*OWN_COLUMNS, "seen"]), "event_at")


# --- a table of its own: written, built, changed, rebuilt

TYPES = {
    "id": "int64",
    "price": "decimal(9,2)",
    "born": "date",
    "seen": "timestamp",
    "flags": "bit(10)",
} | {name: "varchar(300)" for name in WEIRD_NAMES}


def canal(operation: str, *rows: dict[str, Any] | None) -> str:
    return json.dumps(
        {
            "database": "shop",
            "table": "Typed Orders",
            "type": operation,
            "isDdl": False,
            "es": 1609344671000,
            "pkNames": ["id"],
            "mysqlType": TYPES,
            "data": [{"id": place} | row for place, row in enumerate(rows, 1) if row is not None],
            "old": [{"price": "0"} for row in rows if row is not None]
            if operation == "UPDATE"
            else None,
        }
    )


def oms_default(record_type: str, row: dict[str, str]) -> str:
    about = {"dbType": "OB_ORACLE", "db": "tenant.APP", "table_name": "ORDERS"}
    second = "1609344671" if record_type == "DDL" else "1609344672"
    return json.dumps(
        {
            "recordType": record_type,
            "allMetaData": about | {"timestamp": second},
            "postStruct": row,
        }
    )


STATEMENT = "create table ORDERS (ID integer, PRICE number(9,2), PAID date, primary key (ID))"
TENANT = [oms_default("DDL", {"ddl": STATEMENT}), oms_default("INSERT", {"ID": "1"})]


@pytest.fixture(scope="module")
def land(project: Path, spark: Any) -> Iterator[Callable[..., None]]:
    gold = project / "models" / "gold"
    listing = (gold / "cast_failures.sql").read_text()
    path, tenant = project / "typed" / "1.jsonl", project / "tenants" / "1.jsonl"
    for folder in (path.parent, tenant.parent):
        folder.mkdir()
    tenant.write_text("\n".join(TENANT) + "\n")
    path.with_name("0.jsonl").write_text("\n".join(NAMED) + "\n")
    others = [tenant.parent, ROOT / "samples"]

    def land_messages(*messages: str) -> None:
        path.write_text("".join(f"{message}\n" for message in messages))
        land_well(path.parent, *others)
        # They land with the first messages.
        others.clear()

    yield land_messages
    # Other files build the same project.
    (gold / "cast_failures.sql").write_text(listing)
    shutil.rmtree(gold / "typed", ignore_errors=True)


def arguments(**names: str) -> tuple[str, ...]:
    names = {"source": "typed", "database_name": "shop", "table_name": "Typed Orders"} | names
    return "run-operation", "write_model", "--args", json.dumps(names)


def refusal(capsys: Any, *command: str) -> str:
    """What dbt says of an operation that must fail."""
    from dbt.cli.main import dbtRunner

    assert not dbtRunner().invoke([*command, "--quiet"]).success
    return capsys.readouterr().out


def found(spark: Any, query: str) -> list[tuple]:
    return [tuple(comparable(value) for value in row) for row in spark.sql(query).collect()]


ORDERS = "select id, price, born, seen, flags from gold.typed_orders order by id"
FAILURES = """
    select column_name, value from gold.cast_failures
    where model_name = 'typed_orders' order by column_name
"""


def test_one_command_makes_a_typed_table_that_follows_its_source(
    project: Path, spark: Any, dbt: Callable[..., list[Any]], land: Callable[..., None], capsys: Any
) -> None:
    weird = {name: f"value of {name}" for name in WEIRD_NAMES}
    first = {"price": "1.10", "born": "2023-01-01", "seen": "1606233662.012345", "flags": "3"}
    second = {"price": "2.005", "born": "2023-02-30", "seen": "0000-00-00 00:00:00", "flags": None}
    land(canal("INSERT", first | weird, second, {"price": "7"}))
    dbt("run", "--select", "+current_rows", "+table_schemas", "tag:typed")
    dbt(*arguments())
    assert "already" in refusal(capsys, *arguments())
    assert "no name" in refusal(capsys, *arguments(model_name="../x"))
    assert "table_name: Typed Orders" in refusal(capsys, *arguments(table_name="nothing"))
    written = sorted(path.name for path in (project / "models/gold/typed").iterdir())
    assert written == ["typed_orders.sql", "typed_orders.yml"]

    chosen = "typed_orders", "cast_failures"
    dbt("run", "--select", *chosen)
    again = {ran.node.name: ran.message for ran in dbt("run", "--select", "typed_orders")}
    assert again["typed_orders"] == "nothing new", "what it has read is known from its first run on"
    seen = utc("2020-11-24 16:01:02.012345")
    before = [
        (1, Decimal("1.10"), date(2023, 1, 1), seen, b"\0\x03"),
        (2, None, None, None, None),
        (3, Decimal("7.00"), None, None, None),
    ]
    assert found(spark, ORDERS) == before
    failures = [("born", "2023-02-30"), ("price", "2.005"), ("seen", "0000-00-00 00:00:00")]
    assert found(spark, FAILURES) == failures
    row = spark.sql("select * from gold.typed_orders where id = 1").first().asDict()
    aliases = _aliases([*TYPES])
    assert {name: row[aliases[name]] for name in WEIRD_NAMES} == weird

    land(
        canal("DELETE", None, second),
        canal("UPDATE", first | {"price": "0.20"}),
        canal("INSERT", None, None, None, {"price": "8"}),
    )
    dbt("run", *STORED, *chosen)
    after = [
        (1, Decimal("0.20"), date(2023, 1, 1), seen, b"\0\x03"),
        (3, Decimal("7.00"), None, None, None),
        (4, Decimal("8.00"), None, None, None),
    ]
    assert found(spark, ORDERS) == after
    assert found(spark, FAILURES) == []
    dbt("run", "--full-refresh", "--select", *chosen)
    assert found(spark, ORDERS) == after
    dbt("test", "--select", *chosen, "assert_every_typed_model_shows_its_failures")


def test_the_samples_are_typed(spark: Any) -> None:
    """After the test above, which builds them."""
    row = spark.sql("select * from gold.oms_debezium_table_name where c01 = 2").first()
    assert (row.c02, row.c03, row.c04) == (Decimal(12312), Decimal("1241.41000"), b"a")
    assert (row.c08, row.c10, row.c16, row.c25) == (412124124, 2.4212412, "f", 2022)
    assert comparable(row.c21) == comparable(row.c24) == utc("2022-11-15 05:12:11")
    assert (row.c22, row.c23, row.c20) == (date(2022, 11, 15), "10:01:00", b"j")
    assert found(spark, "select * from gold.cast_failures where model_name like 'oms_%'") == []


def test_a_typed_column_under_another_name_must_say_so(
    project: Path, spark: Any, dbt: Callable[..., None]
) -> None:
    """Else its failures would go unseen."""
    folder = project / "models/gold/typed"
    texts = {path: path.read_text() for path in folder.iterdir()}
    for path, text in texts.items():
        path.write_text(text.replace("as price", "as cost").replace("name: price", "name: cost"))
    with pytest.raises(AssertionError, match="source_column"):
        dbt("run", "--select", "typed_orders")
    for path, text in texts.items():
        path.write_text(text)


def test_a_model_that_the_list_forgets_is_found(project: Path, dbt: Callable[..., None]) -> None:
    listing = project / "models/gold/cast_failures.sql"
    text = listing.read_text()
    listing.write_text(text.replace("    'typed_orders',\n", ""))
    with pytest.raises(AssertionError):
        dbt("test", "--select", "assert_every_typed_model_shows_its_failures")
    listing.write_text(text)


ALTER = (
    "alter table `Typed Orders` drop column born, modify price decimal(20,5), modify id int,"
    " rename column seen to looked, drop column flags, add column flags bit(10)"
)


def stated(second: int, statement: str) -> str:
    about = {"database": "shop", "table": "Typed Orders", "type": "ALTER", "isDdl": True}
    return json.dumps(about | {"es": 1609344671000 + 1000 * second, "sql": statement, "data": None})


def of_table(name: str, *messages: str) -> list[str]:
    """Messages about the table Typed Orders, as messages about another one."""
    return [message.replace("Typed Orders", name) for message in messages]


@pytest.fixture(scope="module")
def drift(
    project: Path, spark: Any, dbt: Callable[..., None], land: Callable[..., None]
) -> dict[str, list[Any]]:
    """What assert_contracts_follow_their_tables finds of the model above and of two copies of it.

    The table of each was altered. Then a column of the second copy's table got another name, which
    its contract has. The same befell the model's own table, which was then dropped and made anew.
    """
    row, altered = canal("INSERT", {"price": "1"}), stated(1, ALTER)
    renamed = stated(2, "alter table `Typed Orders` rename column price to cost")
    dropped = stated(3, "drop table `Typed Orders`")
    created = stated(4, "create table `Typed Orders` (id bigint, born date, cost decimal(9,2))")
    keyless = {"database": "shop", "table": "Plain", "type": "INSERT", "isDdl": False}
    land(
        *of_table("Altered Orders", row, altered),
        *of_table("Costly Orders", row, altered, renamed),
        *(altered, renamed, dropped, created, row),
        *of_table("New Orders", canal("INSERT", None, {"price": "5"})),
        json.dumps(keyless | {"es": 1609344673000, "data": [{"a": "1"}]}),
    )
    dbt("run", *STORED, "ddl_log", "typed_orders")

    folder = project / "models/gold/typed"
    model = (folder / "typed_orders.sql").read_text()
    contract = (folder / "typed_orders.yml").read_text()
    column = "  - name: price\n"
    assert column in contract
    shown = f"{column}    config:\n      meta:\n        source_column: cost\n"
    of_cost = contract.replace(column, shown)
    copies = {"altered_orders": contract, "costly_orders": of_cost}
    try:
        (folder / "typed_orders.yml").write_text(of_cost)
        for name, text in copies.items():
            table = name.replace("_", " ").title()
            (folder / f"{name}.sql").write_text(model.replace("Typed Orders", table))
            (folder / f"{name}.yml").write_text(text.replace("typed_orders", name))
        rows = contracts_left_behind(project, spark, dbt)
    finally:
        (folder / "typed_orders.yml").write_text(contract)
        for name in copies:
            (folder / f"{name}.sql").unlink(missing_ok=True)
            (folder / f"{name}.yml").unlink(missing_ok=True)
    return {
        name: [row for row in rows if row.model_name == name] for name in ("typed_orders", *copies)
    }


def contracts_left_behind(project: Path, spark: Any, dbt: Callable[..., None]) -> list[Any]:
    """The rows of assert_contracts_follow_their_tables."""
    dbt("test", "--select", "assert_contracts_follow_their_tables")
    compiled = project / "target/compiled/onelog/tests/assert_contracts_follow_their_tables.sql"
    return spark.sql(compiled.read_text()).collect()


def told(drift: list[Any]) -> list[tuple]:
    return sorted((row.column_name, row.action, row.becomes) for row in drift)


def test_a_statement_that_leaves_a_contract_behind_is_named(drift: dict[str, list[Any]]) -> None:
    rows = drift["altered_orders"]
    assert told(rows) == [
        ("born", "drop", None),
        ("price", "modify", "decimal(20,5)"),
        ("seen", "rename", "looked"),
    ]
    assert {row.statement for row in rows} == set(of_table("Altered Orders", ALTER))
    assert all(row.position for row in rows)


def test_a_contract_is_compared_with_what_a_column_is_now(drift: dict[str, list[Any]]) -> None:
    """A type that was given under another name, a table that is made anew."""
    assert ("cost", "modify", "decimal(20,5)") in told(drift["costly_orders"])
    assert told(drift["typed_orders"]) == []


def test_types_that_statements_give_are_found_behind_a_tenant(
    project: Path, dbt: Callable[..., None]
) -> None:
    """After the first test, which builds them."""
    dbt(*arguments(source="tenants", database_name="tenant.APP", table_name="ORDERS"))
    written = yaml.safe_load((project / "models/gold/typed/orders.yml").read_text())
    types = {column["name"]: column["data_type"] for column in written["models"][0]["columns"]}
    stated = types["id"], types["price"], types["paid"]
    assert stated == ("decimal(38,0)", "decimal(9,2)", "timestamp")


def named_order(record_type: str, database: str, number: int, price: str, second: int) -> str:
    """A row of the table Named Orders; MySQL's databases have no tenants."""
    about = {
        "dbType": "MYSQL" if database.startswith("v1.") else "OB_MYSQL",
        "db": database,
        "table_name": "Named Orders",
        "timestamp": str(1609344671 + second),
        "record_primary_key": "id",
        "record_primary_value": str(number),
    }
    row = {"id": str(number), "price": price}
    images = {
        "prevStruct": None if record_type == "INSERT" else row,
        "postStruct": None if record_type == "DELETE" else row,
    }
    return json.dumps({"recordType": record_type, "allMetaData": about} | images)


# Of two models of one table, the second one names the tenant.
NAMED_MODELS = ("named_orders", "tenant_orders")
NAMED = [
    named_order("INSERT", "app", 1, "1", second=0),
    named_order("INSERT", "app", 2, "2", second=1),
    named_order("INSERT", "v1.app", 9, "9", second=2),
]


@pytest.fixture(scope="module")
def failures(
    project: Path,
    spark: Any,
    dbt: Callable[..., None],
    land: Callable[..., None],
    drift: dict[str, list[Any]],
) -> Failures:
    """What became of the tests that share their runs: what they ask for lands, and dbt runs."""

    def land_and_run(*messages: Any) -> str:
        land(*messages)
        dbt("run", *STORED, "typed_orders", *NAMED_MODELS)
        return ""

    return land_together(TESTS[__name__], land_and_run, lambda _: (project, spark, dbt))


@shares_landings
def test_a_table_that_was_renamed_takes_its_rows_with_it(
    project: Path, spark: Any, dbt: Callable[..., None]
) -> Landings:
    """After the runs above, which build the model; also where the states are made whole."""
    before = found(spark, ORDERS)
    assert [row[:2] for row in before] == [(1, Decimal("1.00"))]

    def renamed(*names: str) -> str:
        pairs = ", ".join(f"`{old}` to `{new}`" for old, new in reversed([*pairwise(names)]))
        about = {"database": "shop", "table": "", "type": "RENAME", "isDdl": True}
        return json.dumps(about | {"es": 1609344674000, "sql": f"rename table {pairs}"})

    yield renamed("New Orders", "Typed Orders", "Old Orders")
    assert [row[:2] for row in found(spark, ORDERS)] == [(2, Decimal("5.00"))]
    plan = project / "macros/stamped/stamped_plan.sql"
    text = plan.read_text()
    plan.write_text(text.replace("plan.whole | length > 2000", "plan.whole"))
    try:
        yield renamed("Old Orders", "Typed Orders", "New Orders")
    finally:
        plan.write_text(text)
    assert found(spark, ORDERS) == before
    assert found(spark, "select copies from gold.current_rows where table_name = 'Plain'") == [(1,)]


@shares_landings
def test_a_typed_table_has_its_rows_with_and_without_the_tenant(
    project: Path, spark: Any, dbt: Callable[..., None]
) -> Landings:
    """After the runs above. Of two models, one names the tenant, before any message does."""
    models = NAMED_MODELS
    folder = project / "models/gold/typed"
    queries = [f"select id, price from gold.{model} order by id" for model in models]

    def prices() -> list[list[tuple]]:
        return [found(spark, query) for query in queries]

    about = {"database_name": "app", "table_name": "Named Orders", "model_name": models[0]}
    dbt(*arguments(**about))
    of_tenant = [folder / f"tenant_orders.{suffix}" for suffix in ("sql", "yml")]
    try:
        for path in of_tenant:
            text = path.with_stem(models[0]).read_text()
            text = text.replace("database_name='app'", "database_name='tenant.app'")
            path.write_text(text.replace(*models))
        dbt("run", "--select", *models)
        first = [("1", "1"), ("2", "2")]
        assert prices() == [first, []]

        yield (
            named_order("UPDATE", "tenant.app", 1, "5", second=3),
            named_order("INSERT", "tenant.app", 3, "3", second=4),
            named_order("DELETE", "tenant.app", 2, "2", second=5),
            named_order("UPDATE", "app", 3, "4", second=6),
        )
        last = 2 * [[("1", "5"), ("3", "4")]]
        assert prices() == last
        dbt("run", "--full-refresh", "--select", *models)
        assert prices() == last

        altered = json.loads(named_order("DDL", "app", 0, "", second=8))
        altered["postStruct"] = {"ddl": "alter table `Named Orders` drop column price"}
        yield json.dumps(altered)
        left_behind = {row.model_name for row in contracts_left_behind(project, spark, dbt)}
        assert left_behind >= {*models}
    finally:
        for path in of_tenant:
            path.unlink(missing_ok=True)


@pytest.mark.usefixtures("failures")
def test_a_table_whose_new_name_is_taken_back_takes_its_rows_with_it(
    spark: Any, dbt: Callable[..., None], land: Callable[..., None]
) -> None:
    """After the tests above: before it got the name it was dropped, as another line says late."""

    def prices() -> list[tuple]:
        dbt("run", *STORED, "typed_orders")
        return found(spark, "select id, price from gold.typed_orders")

    row = canal("INSERT", None, None, {"price": "9"}).replace("Typed Orders", "Late Orders")
    names = "`Typed Orders` to `Gone Orders`, `Late Orders` to `Typed Orders`"
    land(row, stated(5, f"rename table {names}"))
    assert prices() == [(3, Decimal("9.00"))]
    about = {"dbType": "MYSQL", "db": "shop", "table_name": "Late Orders"}
    late = {"recordType": "DDL", "allMetaData": about | {"timestamp": "1609344672"}}
    land(json.dumps(late | {"postStruct": {"ddl": "drop table `Late Orders`"}}))
    assert prices() == []


def test_a_typed_table_is_left_alone_while_its_table_has_nothing_new(
    project: Path, spark: Any, dbt: Callable[..., list[Any]], land: Callable[..., None]
) -> None:
    """After the runs above. To merge no rows takes Delta seconds, and most tables are quiet."""
    model = project / "models/gold/typed/typed_orders.sql"

    def is_merged(*stored: str, options: Sequence[str] = ()) -> bool:
        results = dbt("run", *options, "--select", *stored, "typed_orders")
        (message,) = [ran.message for ran in results if ran.node.name == "typed_orders"]
        return message != "nothing new"

    def prices() -> list[tuple]:
        return found(spark, "select id, price from gold.typed_orders where id > 6 order by id")

    stored = STORED[1]
    land(*of_table("Other Orders", canal("INSERT", {"price": "1"})))
    is_merged()
    assert not is_merged(stored)
    land(canal("INSERT", *[None] * 6, {"price": "7"}))
    assert is_merged(stored)
    assert prices() == [(7, Decimal("7.00"))]
    # A delete leaves no row by which the model could tell how far it has read.
    deleted = canal("DELETE", *[None] * 6, {"price": "7"})
    land(deleted.replace("1609344671000", "1609344679000"), canal("INSERT", *[None] * 7, {}))
    assert is_merged(stored)
    assert not is_merged()
    assert prices() == [(8, None)]
    model.write_text(model.read_text() + "-- said otherwise\n")
    assert is_merged()
    dbt("run", "--full-refresh", "--select", "row_states")
    assert is_merged()
    # Nothing is read, so nothing counts as read.
    land(canal("INSERT", *[None] * 8, {"price": "9"}))
    dbt("run", *STORED)
    assert is_merged(options=["--empty"])
    assert is_merged()
    assert prices() == [(8, None), (9, Decimal("9.00"))]
