"""Tells a message's envelope and whether it is sound, from its bytes alone.

A landed line is one JSON object: the message's place, then what :func:`examine` says of it.
The message's text is kept as it came; it is only looked at, never written anew.
"""

import re
from collections.abc import Callable, Mapping

import msgspec
from msgspec import Raw

UNRECOGNIZED = "unrecognized"
TOMBSTONE_ENVELOPES = {"oms_canal", "oms_debezium", "oms_debezium_flatten", "oms_debezium_smt"}
DEBEZIUM_ENVELOPES = {"oms_debezium", "oms_debezium_flatten"}

# Bronze reads up to 5,000 levels. Up to Python 3.11 the decoder recurses on Python's own limit, a
# level a call; later versions have a limit of their own, above it.
MAX_NESTING = 4000
RECURSION_LIMIT = MAX_NESTING + 500
# Spark's JSON reader gives up at a longer name, in bytes, and no option of it says otherwise.
MAX_NAME = 50_000
# A string, and whether it is a name.
NAME = re.compile(rb'("(?:[^"\\]|\\.)*+")\s*+(:?)', re.DOTALL)
# A string, which may lack its end, or a bracket.
STRUCTURE = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{\]}]', re.DOTALL)

NEWLINES_TO_SPACES = bytes.maketrans(b"\r\n", b"  ")
LONE_SURROGATE = re.compile(
    rb"(?<!\\)(?:\\\\)*\\u[dD](?:[89abAB]..(?!\\u[dD][c-fC-F])|[c-fC-F]..)", re.DOTALL
)

Fields = Mapping[str, Raw]

# The fields of one JSON object, each as its text.
fields_of: Callable[[bytes | Raw], dict[str, Raw]] = msgspec.json.Decoder(dict[str, Raw]).decode
_any_value = msgspec.json.Decoder(Raw).decode
_json_text = msgspec.json.Encoder().encode
_text = msgspec.json.Decoder(str).decode


def examine(value: bytes, registered: str | None) -> tuple[str, bytes]:
    """The bronze table of a message, and how its landed line ends.

    ``registered`` is the envelope that the topic's registry names; with it nothing is detected.
    The end is ``,"message":…}`` for one JSON object, ``,"raw":…,"problem":…}`` for what is not, and
    ``}`` for a tombstone. Python's recursion limit must be ``RECURSION_LIMIT`` or more.
    """
    text = value.rstrip(b"\r\n")
    try:
        if not text.isascii():
            text.decode()
        if text.count(b"[") + text.count(b"{") > MAX_NESTING and _nests_too_deep(text):
            raise RecursionError
        fields = fields_of(text)
        if len(text) > MAX_NAME and _has_too_long_name(text):
            raise OverflowError
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError) as error:
        return _not_an_object(text, registered, error)
    if b"\n" in text or b"\r" in text:
        text = text.translate(NEWLINES_TO_SPACES)
    envelope = _registered(fields, registered) if registered else detect(fields)
    if envelope == "oms_debezium_smt" and "payload" in fields:
        row = _unwrapped_row(fields)
        if row:
            return envelope, b'%b,"row":%b}' % (b',"message":' + text, row)
    return envelope, b',"message":%b}' % text


def examine_record(value: bytes | None, registered: str | None) -> tuple[str, bytes]:
    """As :func:`examine`; a record without a value is a tombstone, whatever its topic holds."""
    if value is None:
        return registered or UNRECOGNIZED, b"}"
    return examine(value, registered)


def reexamine(line: Fields, registered: str, is_from_file: bool) -> tuple[str, bytes]:
    """As :func:`examine`, of a message that has landed: ``line`` has the fields of its landed line.

    What landed in ``raw`` is no JSON object whatever its envelope; of a file's line ``null``, which
    is a tombstone in some envelopes only, no text may be left.
    """
    if "message" in line:
        return examine(bytes(line["message"]), registered)
    if "raw" not in line:
        return examine_record(b"null" if is_from_file else None, registered)
    if _text(line["raw"]).strip() == "null":
        return examine(b"null", registered)
    return registered, b',"raw":%b,"problem":%b}' % (line["raw"], line["problem"])


def detect(fields: Fields) -> str:
    """The envelope of a JSON object, from its own keys; the first that matches wins."""
    if _is_datastream(fields):
        return "datastream"
    payload = _inside(fields, "payload")
    for envelope, matches in DETECTORS if payload else WITHOUT_PAYLOAD:
        if matches(fields, payload):
            return envelope
    return UNRECOGNIZED


def _registered(fields: Fields, registered: str) -> str:
    """The registry's word, but Debezium's wrapper is told message by message."""
    if registered in DEBEZIUM_ENVELOPES:
        return "oms_debezium" if "payload" in fields else "oms_debezium_flatten"
    return registered


def _nests_too_deep(text: bytes) -> bool:
    depth = 0
    for found in STRUCTURE.finditer(text):
        if found[0] in (b"[", b"{"):
            depth += 1
            if depth > MAX_NESTING:
                return True
        elif found[0] in (b"]", b"}"):
            depth -= 1
    return False


def _has_too_long_name(text: bytes) -> bool:
    return any(
        found[2] and len(found[1]) > MAX_NAME and len(_text(found[1]).encode()) > MAX_NAME
        for found in NAME.finditer(text)
    )


def _not_an_object(text: bytes, registered: str | None, error: Exception) -> tuple[str, bytes]:
    envelope = registered or UNRECOGNIZED
    if text.strip() == b"null" and registered in TOMBSTONE_ENVELOPES:
        return envelope, b"}"
    raw = _json_text(text.decode("utf-8", "backslashreplace"))
    return envelope, b',"raw":%b,"problem":%b}' % (raw, _json_text(_problem(text, error)))


def _problem(text: bytes, error: Exception) -> str:
    """Why ``text`` is not one JSON object, in words that a reader of the quarantine understands."""
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 (byte {error.start})"
    if isinstance(error, RecursionError):
        return f"nests deeper than {MAX_NESTING} levels"
    if isinstance(error, OverflowError):
        return f"a name is longer than {MAX_NAME:,} bytes"
    if isinstance(error, msgspec.ValidationError):
        try:
            _any_value(text)
        except (msgspec.DecodeError, RecursionError) as deeper:
            return _problem(text, deeper)
        return f"top level is {_kind(text)}, not an object"
    if _begins_another_value(text, str(error)):
        return "more than one JSON value"
    if LONE_SURROGATE.search(text):
        return "not JSON: half of a surrogate pair in a \\u escape"
    return f"not JSON: {str(error).removeprefix('JSON is malformed: ')}"


def _kind(text: bytes) -> str:
    kinds = {b"[": "an array", b'"': "a string", b"n": "null", b"t": "true", b"f": "false"}
    return kinds.get(text.lstrip()[:1], "a number")


def _begins_another_value(text: bytes, said: str) -> bool:
    trailing = re.search(r"trailing characters \(byte (\d+)\)", said)
    # The byte is the one after the character that should not be there.
    return trailing is not None and text[int(trailing[1]) - 1] in b'{["-0123456789tfn'


def _inside(fields: Fields, name: str) -> Fields:
    """The fields of a nested object; none where it is absent or something else."""
    value = fields.get(name)
    return fields_of(value) if value is not None and _first(value) == "{" else {}


def _first(value: Raw) -> str:
    return chr(memoryview(value)[0])


def _is_datastream(fields: Fields) -> bool:
    # Its payload is the row: nothing inside it is looked at.
    return "read_method" in fields and "source_metadata" in fields and "payload" in fields


def _is_tdsql(fields: Fields, _: Fields) -> bool:
    return "logtype" in fields and "eventtypestr" in fields


def _is_oms_dataworks(fields: Fields, payload: Fields) -> bool:
    # "2.0" is the protocol's version; a heartbeat has nothing else but payload.op and its time.
    return "op" in payload and "version" in fields and bytes(fields["version"]) == b'"2.0"'


def _is_datahub_blob(fields: Fields, payload: Fields) -> bool:
    # A heartbeat has an empty schema: its time tells it from Debezium, which has ts_ms and source.
    if "op" not in payload or "source" in payload:
        return False
    if "timestamp" in payload or "sequenceId" in payload:
        return True
    schema = _inside(fields, "schema")
    return "dataColumn" in schema or "tableName" in _inside(schema, "source")


def _is_oms_default(fields: Fields, _: Fields) -> bool:
    return "recordType" in fields and "allMetaData" in fields


def _is_oms_default_extend(fields: Fields, payload: Fields) -> bool:
    # "__light_type" lies inside the image.
    return _is_oms_default(fields, payload) and any(
        "__light_type" in _inside(fields, image) for image in ("prevStruct", "postStruct")
    )


def _is_oms_shareplex(fields: Fields, _: Fields) -> bool:
    return "meta" in fields and {"op", "table"} <= _inside(fields, "meta").keys()


def _is_oms_debezium(_: Fields, payload: Fields) -> bool:
    return _is_debezium_event(payload)


def _is_oms_debezium_flatten(fields: Fields, _: Fields) -> bool:
    return _is_debezium_event(fields)


def _is_debezium_event(event: Fields) -> bool:
    if "op" in event:
        has_row = "before" in event or "after" in event or "source" in event
        return has_row or bytes(event["op"]) == b'"HEARTBEAT"'
    is_schema_change = "tableChanges" in event or ("ddl" in event and "databaseName" in event)
    is_transaction = "status" in event and "id" in event and "event_count" in event
    return is_schema_change or is_transaction


def _is_oms_canal(fields: Fields, _: Fields) -> bool:
    # Maxwell and DMS have "data" too, but as one object; Canal has an array of rows.
    if "type" not in fields:
        return False
    kinds = {_first(fields[image]) for image in ("data", "old") if image in fields}
    if not kinds <= {"[", "n"}:
        return False
    if "isDdl" in fields or "mysqlType" in fields or "sqlType" in fields:
        return True
    if "[" in kinds:
        return "table" in fields or fields.keys() <= {"data", "old", "type"}
    return bool(kinds) and "sql" in fields and "database" in fields


def _is_datahub_tuple(fields: Fields, _: Fields) -> bool:
    # The vendor writes "_excute_time_".
    is_tuple = "_excute_time_" in fields or "_source_table_" in fields
    return is_tuple and "_sequence_id_" in fields


def _is_dataworks_record(fields: Fields, _: Fields) -> bool:
    return "_sequence_id_" in fields and "_execute_time_" in fields


def _is_oms_debezium_smt(fields: Fields, payload: Fields) -> bool:
    return _is_unwrapped(fields) or _is_unwrapped(payload)


def _is_unwrapped(row: Fields) -> bool:
    return "__deleted" in row or "__op" in row


DETECTORS: tuple[tuple[str, Callable[[Fields, Fields], bool]], ...] = (
    ("tdsql", _is_tdsql),
    # Whose rows are flat: a table's own columns may be named as other envelopes' fields are.
    ("datahub_tuple", _is_datahub_tuple),
    ("dataworks_record", _is_dataworks_record),
    ("oms_debezium_smt", _is_oms_debezium_smt),
    ("oms_dataworks", _is_oms_dataworks),
    ("datahub_blob", _is_datahub_blob),
    ("oms_default_extend_column_type", _is_oms_default_extend),
    ("oms_default", _is_oms_default),
    ("oms_shareplex", _is_oms_shareplex),
    ("oms_debezium", _is_oms_debezium),
    ("oms_debezium_flatten", _is_oms_debezium_flatten),
    ("oms_canal", _is_oms_canal),
)
WITHOUT_PAYLOAD = tuple(
    (envelope, matches)
    for envelope, matches in DETECTORS
    if envelope not in {"oms_dataworks", "datahub_blob", "oms_debezium"}
)
# Read only in topics whose registry names them; elsewhere their messages are of no known envelope.
ONLY_REGISTERED = ("maxwell", "aws_dms")
ENVELOPES = ("datastream", *(envelope for envelope, _ in DETECTORS), *ONLY_REGISTERED)


def _unwrapped_row(fields: Fields) -> bytes:
    """The row inside ``{schema, payload}`` of Kafka Connect; empty where the columns lie flat.

    A table may have a column named payload: only the marks of the transform, or the schema that
    Connect writes beside it, make the payload the row.
    """
    payload = _inside(fields, "payload")
    is_connect = fields.keys() == {"schema", "payload"} and "fields" in _inside(fields, "schema")
    if not payload or not (_is_unwrapped(payload) or is_connect):
        return b""
    return bytes(fields["payload"]).translate(NEWLINES_TO_SPACES)
