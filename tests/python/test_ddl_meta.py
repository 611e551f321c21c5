"""DataHub's ddlMeta: the vendor's own, and streams made by hand after Java's grammar of them."""

import base64
import json
import struct
import time
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from python_udfs.ddl_meta import ddl_meta_text, read_ddl_meta

SAMPLES = Path(__file__).parents[2] / "samples"
HEADER = b"\xac\xed\x00\x05"
OBJECT, CLASS, NULL, END_BLOCK, REFERENCE = b"\x73", b"\x72", b"\x70", b"\x78", b"\x71"


def utf(text: str | bytes) -> bytes:
    data = text if isinstance(text, bytes) else modified_utf8(text)
    return struct.pack(">H", len(data)) + data


def modified_utf8(text: str) -> bytes:
    units = text.encode("utf-16-be", "surrogatepass")
    characters = (chr(unit) for (unit,) in struct.iter_unpack(">H", units))
    data = (character.encode("utf-8", "surrogatepass") for character in characters)
    return b"".join(b"\xc0\x80" if character == b"\0" else character for character in data)


def string(text: str | bytes) -> bytes:
    return b"\x74" + utf(text)


def long_string(text: str, length: int | None = None) -> bytes:
    data = modified_utf8(text)
    return b"\x7c" + struct.pack(">Q", len(data) if length is None else length) + data


def class_description(*fields: bytes, flags: int = 2, superclass: bytes = NULL) -> bytes:
    head = CLASS + utf("com.alibaba.di.plugin.center.meta.DDLMeta") + bytes(8) + bytes([flags])
    return head + struct.pack(">H", len(fields)) + b"".join(fields) + END_BLOCK + superclass


def field(name: str, kind: str = "L", type_name: bytes | None = None) -> bytes:
    named = type_name or string("Ljava/lang/String;")
    return kind.encode() + utf(name) + (named if kind in "L[" else b"")


DDL_TEXT = field("ddlText")


def stream(*values: bytes, description: bytes = class_description(DDL_TEXT)) -> bytes:
    return HEADER + OBJECT + description + b"".join(values)


def vendor_stream() -> bytes:
    lines = [
        json.loads(line)
        for path in sorted(SAMPLES.rglob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if '"ddlMeta"' in line
    ]
    return base64.b64decode(lines[0]["payload"]["ddl"]["ddlMeta"])


def test_the_vendors_sample_holds_its_statement() -> None:
    assert read_ddl_meta(vendor_stream()) == "alter table t_shiyu_nopk add column holo text"


@pytest.mark.parametrize(
    "text", ["drop table t", "", "评论 한글 ퟿ \u0080", "😀 and \0 inside", "a" * 65_535]
)
def test_any_text_is_read_as_java_writes_it(text: str) -> None:
    assert read_ddl_meta(stream(string(text))) == text


def test_a_text_longer_than_65535_bytes_is_a_long_string() -> None:
    assert read_ddl_meta(stream(long_string("x" * 70_000))) == "x" * 70_000


def test_the_text_may_be_an_earlier_string() -> None:
    # Handles: 0 class, 1 type name, 2 the object, 3 the string of the field before.
    fields = (field("comment"), field("ddlText", type_name=REFERENCE + b"\x00\x7e\x00\x01"))
    meta = stream(
        string("drop table t"),
        REFERENCE + b"\x00\x7e\x00\x03",
        description=class_description(*fields),
    )
    assert read_ddl_meta(meta) == "drop table t"


def test_the_values_of_the_superclass_come_first() -> None:
    superclass = class_description(field("version", "J"), field("isOnline", "Z"), field("name"))
    description = class_description(field("line", "I"), DDL_TEXT, superclass=superclass)
    values = (bytes(8), b"\x01", string("not the statement"), bytes(4), string("drop table t"))
    assert read_ddl_meta(stream(*values, description=description)) == "drop table t"


def test_what_follows_the_text_is_not_read() -> None:
    description = class_description(DDL_TEXT, field("statement", "L", string("Lany/Class;")))
    assert read_ddl_meta(stream(string("x"), b"\x73garbage", description=description)) == "x"


DEEP = CLASS + utf("D") + bytes(8) + b"\x02\x00\x00" + END_BLOCK


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(b"", id="empty"),
        pytest.param(HEADER, id="only a header"),
        pytest.param(b"PK\x03\x04 something else", id="no stream"),
        pytest.param(stream(NULL), id="null"),
        pytest.param(stream(), id="cut before the text"),
        pytest.param(stream(string("x" * 50)[:-1]), id="cut in the text"),
        pytest.param(stream(long_string("x", length=2**63 - 1)), id="a huge length"),
        pytest.param(stream(long_string("x", length=2**64 - 1)), id="a negative length"),
        pytest.param(stream(string(b"\xff\xfe")), id="not UTF-8"),
        pytest.param(stream(string("\ud83d")), id="half a surrogate pair"),
        pytest.param(stream(REFERENCE + b"\x00\x7e\x00\x02"), id="a reference to the object"),
        pytest.param(stream(REFERENCE + b"\x00\x7e\xff\xff"), id="a reference to nothing"),
        pytest.param(stream(REFERENCE + b"\x00\x00\x00\x00"), id="a reference below the first"),
        pytest.param(stream(b"\x75" + b"\xff" * 40), id="an array"),
        pytest.param(stream(description=class_description(field("ddlText", "I"))), id="a number"),
        pytest.param(stream(b"\x00" * 4, description=class_description(field("a", "?"))), id="?"),
        pytest.param(stream(description=class_description()), id="no such field"),
        pytest.param(
            stream(string("x"), description=class_description(DDL_TEXT, flags=4)),
            id="externalizable",
        ),
        pytest.param(
            stream(description=class_description(superclass=REFERENCE + b"\x00\x7e\x00\x00")),
            id="a class that is its own superclass",
        ),
        pytest.param(stream(description=DEEP * 100_000), id="a deep hierarchy, cut"),
        pytest.param(stream(description=DEEP * 100_000 + NULL), id="a deep hierarchy"),
        pytest.param(HEADER + (OBJECT + DEEP) * 100_000, id="deep nesting"),
    ],
)
def test_anything_else_is_null_at_once(broken: bytes) -> None:
    started = time.process_time()
    assert read_ddl_meta(broken) is None
    assert time.process_time() - started < 2


def test_a_column_is_read_from_base64_and_keeps_its_nulls() -> None:
    meta = base64.b64encode(stream(string("x"))).decode()
    found = ddl_meta_text(pa.array([None, "not base64!", "评论", meta]))
    assert found.to_pylist() == [None, None, None, "x"]
    assert ddl_meta_text(pa.array([None], pa.string())).type == pa.string()


@settings(deadline=None)
@given(st.binary(max_size=2_000))
def test_no_bytes_raise(data: bytes) -> None:
    for broken in (data, HEADER + OBJECT + data, stream(data)):
        assert isinstance(read_ddl_meta(broken), str | None)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_no_mutation_of_the_vendors_sample_raises_or_takes_long(data: st.DataObject) -> None:
    sample = bytearray(vendor_stream())
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, 260))
        sample[place] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(sample)))
    started = time.process_time()
    read_ddl_meta(bytes(sample[:end]))
    assert time.process_time() - started < 1


@settings(deadline=None)
@given(st.text(max_size=300))
def test_every_text_comes_back(text: str) -> None:
    assert read_ddl_meta(stream(string(text))) == text
    assert read_ddl_meta(stream(long_string(text))) == text
