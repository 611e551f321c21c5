"""Bytes out of text: the rules of java.util.Base64, and SQL calls with one and two arguments."""

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from python_udfs.decode import decode_base16, decode_base64


def base64(text: str | None, *length: int | None) -> bytes | None:
    return decode_base64(pa.array([text]), *(pa.array([n], pa.int32()) for n in length))[0].as_py()


def base16(text: str | None, *length: int | None) -> bytes | None:
    return decode_base16(pa.array([text]), *(pa.array([n], pa.int32()) for n in length))[0].as_py()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("aGVsbG8gd29ybGQ=", b"hello world"),
        ("", b""),
        ("QQ==", b"A"),
        ("QQ", b"A"),
        ("QUI", b"AB"),
        ("QR==", b"A"),
        ("+/+/", b"\xfb\xff\xbf"),
        (None, None),
    ],
)
def test_base64_is_decoded_with_or_without_padding(text: str, value: bytes) -> None:
    assert base64(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "Q",
        "QQ=",
        "QUJD=",
        "QUJD====",
        "====",
        "=",
        "Q===",
        "QU\nI=",
        "QU I=",
        "QUI-",
        "é",
        "QQ==QQ==",
    ],
)
def test_what_is_not_base64_is_null(text: str) -> None:
    assert base64(text) is None


def test_base16_is_decoded_in_either_case() -> None:
    assert base16("0aFF") == b"\x0a\xff"
    assert base16("") == b""


@pytest.mark.parametrize("text", ["0", "0g", "0x00", "00 00", "é0", None])
def test_what_is_not_base16_is_null(text: str | None) -> None:
    assert base16(text) is None


def test_a_shorter_value_gets_the_zeros_that_were_cut() -> None:
    assert base64("QQ==", 3) == b"\0\0A"
    assert base16("41", 3) == b"\0\0A"
    assert base64("QUJD", 2) == b"ABC"
    assert base64("QQ==", None) == b"A"
    assert base64("?", 3) is None


def test_sql_calls_them_with_one_and_two_arguments(spark: SparkSession) -> None:
    row = spark.sql(
        """
        select
            decode_base64('QQ==') as plain,
            decode_base64(text, 3) as padded,
            decode_base16(text, null) as hexadecimal,
            decode_base64(null) as absent,
            decode_base64('?', 2) as wrong
        from values ('4142') as texts (text)
        """
    ).first()
    assert row.plain == b"A"
    assert row.padded == b"\xe3\x5e\x36"
    assert row.hexadecimal == b"AB"
    assert row.absent is None
    assert row.wrong is None
