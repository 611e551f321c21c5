"""What landing makes of one message: its envelope, and whether it is one JSON object."""

import csv
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, seed, settings
from hypothesis import strategies as st

from landing.envelopes import (
    ENVELOPES,
    MAX_NESTING,
    ONLY_REGISTERED,
    RECURSION_LIMIT,
    UNRECOGNIZED,
    examine,
)
from landing.lines import LineBuilder

SAMPLES = Path(__file__).parents[2] / "samples"
SOURCES = Path(__file__).parents[2] / "models" / "bronze"


@pytest.fixture(autouse=True)
def recursion_limit() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(RECURSION_LIMIT)
    yield
    sys.setrecursionlimit(before)


def envelope_of(message: str | dict, registered: str | None = None) -> str:
    text = message if isinstance(message, str) else json.dumps(message)
    return examine(text.encode(), registered)[0]


def landed(message: bytes, registered: str | None = None) -> dict:
    """The landed line's own keys, without those of its place."""
    return json.loads(b"{" + examine(message, registered)[1].removeprefix(b","))


def problem(message: bytes) -> str:
    return landed(message)["problem"]


def without_registry(envelope: str) -> str:
    """What the envelope's messages are told as where no registry names it."""
    return UNRECOGNIZED if envelope in ONLY_REGISTERED else envelope


@pytest.mark.parametrize("folder", sorted(SAMPLES.iterdir()), ids=lambda folder: folder.name)
def test_every_vendor_sample_is_told_from_its_own_keys(folder: Path) -> None:
    expected = "datastream" if folder.name.startswith("datastream") else folder.name
    messages = (folder / "messages.jsonl").read_bytes().splitlines()
    assert {examine(message, None)[0] for message in messages} == {without_registry(expected)}


def test_every_envelope_has_a_bronze_table() -> None:
    declared = "".join(path.read_text() for path in SOURCES.glob("*__sources.yml"))
    assert [name for name in ENVELOPES if f"- name: {name}\n" not in declared] == []


STRANGERS: dict[str, Any] = {
    "Maxwell insert": {
        "database": "test", "table": "e", "type": "insert", "ts": 1, "xid": 8, "commit": True,
        "data": {"id": 1, "m": 4.2}, "old": {"m": 4.1},
    },
    "Maxwell DDL": {
        "type": "table-alter", "database": "test", "table": "e", "old": {"columns": []},
        "def": {"columns": []}, "ts": 1, "sql": "alter table e add column f int",
    },
    "Maxwell table-create": {
        "type": "table-create", "database": "test", "table": "e", "def": {}, "ts": 1, "sql": "…",
    },
    "GoldenGate": {
        "table": "QASOURCE.TCUSTMER", "op_type": "U", "op_ts": "2015-11-05 18:45:39",
        "current_ts": "2016-10-05T10:15:51", "pos": "00000000000000002928",
        "before": {"CUST_CODE": "WILL"}, "after": {"CUST_CODE": "WILL"},
    },
    "DMS data": {
        "data": {"id": 1}, "metadata": {"record-type": "data", "operation": "insert",
        "schema-name": "s", "table-name": "t"},
    },
    "DMS control": {"control": {}, "metadata": {"record-type": "control"}},
    "Tencent DTS": {
        "version": 1, "tag": 0, "messageType": "INSERT", "fileName": "mysql-bin.000004",
        "position": 5, "schemaName": "db", "tableName": "t", "columns": [{"name": "id"}],
        "oldColumns": None, "newColumns": [{"dataType": 3, "value": "MQ=="}], "sql": None,
    },
    "an event of something else": {"type": "login", "data": [1, 2], "user": "a"},
    "a GeoJSON": {"type": "FeatureCollection", "features": []},
    "an empty object": {},
}  # fmt: skip


@pytest.mark.parametrize("name", STRANGERS)
def test_a_stranger_is_not_taken_for_a_known_envelope(name: str) -> None:
    assert envelope_of(STRANGERS[name]) == UNRECOGNIZED


KNOWN: dict[str, tuple[Any, str]] = {
    "Canal of Flink's sink": (
        {"data": [{"id": "1"}], "old": None, "type": "INSERT", "database": "d", "table": "t"},
        "oms_canal",
    ),
    "Canal's deleted row in old": (
        {"data": None, "old": [{"id": "1"}], "type": "DELETE", "table": "t"}, "oms_canal",
    ),
    "bare Canal": ({"data": [{"id": 1}], "type": "INSERT"}, "oms_canal"),
    "Canal DDL that says isDdl false": (
        {"data": None, "isDdl": False, "sql": "create …", "type": "CREATE", "database": "d"},
        "oms_canal",
    ),
    "Canal create database": (
        {"data": None, "sql": "create database d", "type": "QUERY", "table": "", "database": "d"},
        "oms_canal",
    ),
    "Debezium without schema": (
        {"payload": {"op": "c", "after": {"id": 1}, "source": {"db": "d"}}}, "oms_debezium",
    ),
    "Debezium with schema null": (
        {"schema": None, "payload": {"op": "r", "after": {"id": 1}}}, "oms_debezium",
    ),
    "flat Debezium": ({"op": "d", "before": {"id": 1}}, "oms_debezium_flatten"),
    "Debezium truncate": ({"op": "t", "source": {"table": "t"}}, "oms_debezium_flatten"),
    "OMS Debezium heartbeat": ({"payload": {"op": "HEARTBEAT"}}, "oms_debezium"),
    "Debezium transaction": (
        {"status": "BEGIN", "id": "5:1", "event_count": None}, "oms_debezium_flatten",
    ),
    "Debezium schema change": (
        {"payload": {"source": {}, "databaseName": "d", "ddl": None, "tableChanges": []}},
        "oms_debezium",
    ),
    "DataHub heartbeat": (
        {"schema": {}, "payload": {"op": "MHEARTBEAT", "timestamp": {"eventTime": 1}}},
        "datahub_blob",
    ),
    "DataWorks heartbeat": (
        {"version": "2.0", "payload": {"op": "HEARTBEAT", "timestamp": {"eventTime": 1}}},
        "oms_dataworks",
    ),
    "unwrapped row of the wider family": ({"id": 1, "__op": "u"}, "oms_debezium_smt"),
    "unwrapped row in Connect's wrapper": (
        {"schema": None, "payload": {"id": 1, "__deleted": "true"}}, "oms_debezium_smt",
    ),
    "default before its extension": (
        {"recordType": "INSERT", "allMetaData": {}, "postStruct": {"a": "__light_type"}},
        "oms_default",
    ),
    "tuple with its table": ({"_sequence_id_": "1", "_excute_time_": 1}, "datahub_tuple"),
    "flat row with columns of Debezium's names": (
        {"_sequence_id_": "1", "_execute_time_": 1, "id": 7, "ddl": "drop table t",
         "databaseName": "shop"},
        "dataworks_record",
    ),
    "flat row with columns of a transaction's names": (
        {"_sequence_id_": "1", "_excute_time_": 1, "id": 7, "status": "END", "event_count": 3},
        "datahub_tuple",
    ),
    "flat row with columns of Canal's names": (
        {"_sequence_id_": "1", "_execute_time_": 1, "data": [1], "type": 2, "table": 3},
        "dataworks_record",
    ),
    "flat row with columns of SharePlex's names": (
        {"_sequence_id_": "1", "_execute_time_": 1, "meta": {"op": 1, "table": 3}},
        "dataworks_record",
    ),
    "unwrapped row with columns of Debezium's names": (
        {"id": 1, "op": "x", "source": "web", "__deleted": "false"}, "oms_debezium_smt",
    ),
    "unwrapped row with columns of a statement's names": (
        {"id": 1, "ddl": "drop table t", "databaseName": "d", "__op": "c"}, "oms_debezium_smt",
    ),
    "unwrapped row with columns of a transaction's names": (
        {"id": 1, "status": "BEGIN", "event_count": 1, "__op": "c"}, "oms_debezium_smt",
    ),
    "unwrapped row with columns of Canal's names": (
        {"type": "QUERY", "data": None, "sql": "drop table t", "database": "d", "__deleted": "0"},
        "oms_debezium_smt",
    ),
    "unwrapped row of Connect with columns of DataHub's names": (
        {"schema": None, "payload": {"op": "x", "timestamp": 5, "__deleted": "false"}},
        "oms_debezium_smt",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_what_real_traffic_sends_is_told(name: str) -> None:
    message, envelope = KNOWN[name]
    assert envelope_of(message) == envelope


def test_the_registry_is_believed_without_a_look() -> None:
    assert envelope_of({"field1": "1"}, "oms_debezium_smt") == "oms_debezium_smt"
    assert envelope_of({"recordType": "INSERT", "allMetaData": {}}, "tdsql") == "tdsql"


@pytest.mark.parametrize("registered", ["oms_debezium", "oms_debezium_flatten"])
def test_debeziums_wrapper_is_told_message_by_message(registered: str) -> None:
    assert envelope_of({"payload": {"op": "c"}}, registered) == "oms_debezium"
    assert envelope_of({"op": "c"}, registered) == "oms_debezium_flatten"


def test_a_null_is_a_tombstone_only_where_the_registry_lets_it_be_one() -> None:
    assert examine(b"null", "oms_debezium_smt") == ("oms_debezium_smt", b"}")
    assert examine(b" null\r", "oms_canal") == ("oms_canal", b"}")
    assert landed(b"null", "tdsql")["problem"] == "top level is null, not an object"
    assert problem(b"null") == "top level is null, not an object"


def test_a_registered_topics_broken_message_stays_with_its_envelope() -> None:
    assert examine(b"{", "oms_canal")[0] == "oms_canal"
    assert examine(b"{", None)[0] == UNRECOGNIZED


def test_the_row_of_connects_wrapper_stands_beside_the_message() -> None:
    message = b'{"schema":null,"payload":\n {"id": 1.10, "__op":"u"}}'
    assert b',"row":{"id": 1.10, "__op":"u"}}' in examine(message, None)[1]
    assert landed(message)["message"]["schema"] is None


def test_a_column_named_payload_is_not_taken_for_a_wrapper() -> None:
    assert "row" not in landed(b'{"id":1,"payload":{"a":1},"__deleted":"false"}')
    assert "row" not in landed(b'{"schema":"s","payload":{"a":1}}', "oms_debezium_smt")
    connect = b'{"schema":{"type":"struct","fields":[]},"payload":{"a":1}}'
    assert landed(connect, "oms_debezium_smt")["row"] == {"a": 1}


EXACT = [
    '{"n":1.10,"m":1E+2,"k":-0}',
    '{"n":' + "7" * 50_000 + "}",
    '{"n":' + "9." + "1" * 1_071 + "}",
    '{"t":"' + "x" * 10_000_000 + '"}',
    '{"t":' + "[" * 2_000 + "]" * 2_000 + "}",
    '{"t":"\\u0001😀é\\/","\\u0000":"\\ud83d\\ude00"}',
    '{ "a" : 1 , "a" : 2 }',
]


@pytest.mark.parametrize("text", EXACT, ids=lambda text: text[:20])
def test_a_sound_message_is_kept_letter_for_letter(text: str) -> None:
    assert examine(text.encode(), None) == (UNRECOGNIZED, f',"message":{text}}}'.encode())


def test_line_ends_inside_a_message_become_spaces_and_nothing_else_does() -> None:
    assert examine(b'{\r\n "a": "b\\n" }\n', None)[1] == b',"message":{   "a": "b\\n" }}'


PROBLEMS = {
    b'{"type":"A"}},"offset":5}': "not JSON: trailing characters",
    b'{"a":1} {"b":2}': "more than one JSON value",
    b'{"a":1}{"b":2}': "more than one JSON value",
    b'{"a":"\xff"}': "not UTF-8 (byte 6)",
    b'{"\xc3":1}': "not UTF-8 (byte 2)",
    b'{"a":"\xed\xa0\x80"}': "not UTF-8 (byte 6)",
    b'{"a":"\\ud800"}': "not JSON: half of a surrogate pair in a \\u escape",
    b'{"a":NaN}': "not JSON: invalid character",
    b'{"a":01}': "not JSON: invalid number",
    b'{"a":"\x01"}': "not JSON: invalid character",
    b'{"a":1': "not JSON: Input data was truncated",
    b"[1,2]": "top level is an array, not an object",
    b"[1": "not JSON: Input data was truncated",
    b'"text"': "top level is a string, not an object",
    b"1.5": "top level is a number, not an object",
    b"true": "top level is true, not an object",
    b'{"a":' + b"[" * 9_000 + b"]" * 9_000 + b"}": f"nests deeper than {MAX_NESTING} levels",
    b"[" * 9_000 + b"]" * 9_000: f"nests deeper than {MAX_NESTING} levels",
    b'{"a":[{"%s":1}]}' % (b"k" * 50_001): "a name is longer than 50,000 bytes",
    b'{"%s" : 1}' % (b"\xc3\xa9" * 25_001): "a name is longer than 50,000 bytes",
}


@pytest.mark.parametrize("message", PROBLEMS, ids=lambda message: repr(message[:30]))
def test_what_is_not_one_object_says_why_and_keeps_its_text(message: bytes) -> None:
    line = landed(message)
    assert line["problem"].startswith(PROBLEMS[message])
    assert line["raw"] == message.decode("utf-8", "backslashreplace")
    assert "message" not in line


@pytest.mark.parametrize(
    "message",
    [
        b'{"a":[{"%s":1}]}' % (b"k" * 50_000),
        b'{"%s":1}' % (b"\\u0041" * 20_000),
        b'{"a":["%s",":"],"":"\\":"}' % (b"v" * 60_000),
    ],
    ids=["as long as a name may be", "as long with its escapes", "a value"],
)
def test_a_name_that_spark_reads_is_sound(message: bytes) -> None:
    assert landed(message)["message"] == json.loads(message)


TOKENS = ["{", "}", "[", "]", ",", ":", '"', "\\", "\\ud800", "\\u0001", "\n", "\r", " ", "null"]
TOKENS += ["1", "-0.0", "1e5", "true", "NaN", '"op"', '"payload"', '"schema"', '"type"', '"data"']
TOKENS += ['"before"', '"after"', '"source"', '"__deleted"', '"_sequence_id_"', "é", "😀", "\x00"]
NAMES_THAT_TELL = ["payload", "schema", "op", "type", "data", "old", "meta", "table", "prevStruct"]
NAMES_THAT_TELL += ["source", "fields", "version", "recordType", "allMetaData", "sql", "before"]
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES_THAT_TELL) | st.text(max_size=3), inside)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(NAMES_THAT_TELL), JSON_VALUES, min_size=1).map(
    lambda fields: json.dumps(fields, ensure_ascii=False)
)


@st.composite
def spliced(draw: st.DrawFn) -> str:
    """An object's text with a piece put in, anywhere."""
    text = draw(OBJECTS)
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(st.sampled_from(TOKENS)) + text[at:]


TEXTS = (
    st.lists(st.sampled_from(TOKENS), max_size=12).map(lambda parts: "".join(parts).encode())
    | OBJECTS.map(str.encode)
    | spliced().map(str.encode)
    | st.binary(max_size=20)
)
REGISTERED = st.sampled_from([None, *ENVELOPES])


@seed(1)
@settings(max_examples=1500, deadline=None, database=None)
@given(TEXTS, REGISTERED)
@example(b'{"schema":{"fields":[]},"payload":{"a":"\\u0001"},"payload":5}', "oms_debezium_smt")
@example(b'{"payload":null}', None)
def test_of_any_bytes_landing_makes_one_line_that_gives_them_back(
    message: bytes, registered: str | None
) -> None:
    lines = LineBuilder(datetime(2024, 1, 1, tzinfo=UTC))
    lines.add('a"b\\c\n${x}', 0, 7, [message], registered)
    line = lines.to_arrow()["line"][0].as_py()
    assert "\n" not in line and "\r" not in line
    fields = json.loads(line)
    assert (fields["topic"], fields["offset"]) == ('a"b\\c\n${x}', 7)
    sent = message.rstrip(b"\r\n")
    if "message" in fields:
        # As a reader of JSON sees it, and letter for letter but for line ends between its tokens.
        text = sent.decode().replace("\n", " ").replace("\r", " ")
        assert fields["message"] == json.loads(text)
        assert f',"message":{text}' in line
    elif "raw" in fields:
        assert fields["raw"] == sent.decode("utf-8", "backslashreplace")
        assert fields["problem"]
    else:
        assert sent.strip() == b"null"


@seed(2)
@settings(max_examples=500, deadline=None, database=None)
@given(TEXTS)
def test_what_lands_as_a_message_is_one_json_object(message: bytes) -> None:
    """Judged by another reader: half surrogates, NaN and the like must not reach Spark's."""
    end = examine(message, None)[1]
    try:
        strict = json.loads(message.decode(), parse_constant=no_constant)
        json.dumps(strict, ensure_ascii=False).encode()
        is_object = isinstance(strict, dict)
    except (ValueError, RecursionError):
        is_object = False
    assert end.startswith(b',"message":') == is_object


def no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def test_a_record_without_a_value_is_known_in_every_table_of_bronze() -> None:
    seed_file = SAMPLES.parent / "seeds" / "operation_codes.csv"
    with seed_file.open(newline="") as codes:
        known = {
            row["envelope"]
            for row in csv.DictReader(codes)
            if (row["operation_code"], row["class"]) == ("tombstone", "control")
        }
    assert known == {*ENVELOPES, UNRECOGNIZED}
