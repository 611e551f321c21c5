"""Reads the rows of a landed message from its text, by the vendor's document and Python's json.

The reader shares nothing with the models. Tests compare its rows with the change log, value by
value: numbers stay the text that was sent, nested values their JSON text.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Image = dict[str, str | None]
# Values without names, as TDSQL sends them.
Values = list[str | None]
Place = tuple[str, int, int]


class Row(NamedTuple):
    """The images of one changed row; None for an image that the message does not bring."""

    before: Image | Values | None
    after: Image | Values | None


Reader = Callable[[str], list[Row]]

DECODER = json.JSONDecoder(parse_int=str, parse_float=str, strict=False)
BETWEEN = re.compile(r"[\s,:]*")
RECORD_FIELDS = {"_sequence_id_", "_operation_type_", "_before_image_", "_after_image_"}
RECORD_FIELDS |= {"_execute_time_", "_excute_time_", "_source_table_"}
# What Debezium's transform adds to a row.
SMT_FIELDS = "deleted op ts_ms ts_us ts_ns connector name version snapshot db schema table"
SMT_FIELDS += " collection file pos row gtid lsn scn txId commit_lsn change_lsn event_serial_no"
SMT_FIELDS += " commit_scn rs_id ssn sequence ord server_id thread query xmin"
SMT_NAMES = {f"__{name}" for name in SMT_FIELDS.split()}
SMT_PREFIXES = ("__source_", "__transaction_")
# Debezium's word for a value that the log does not repeat, as a text, as bytes, as an hstore, and
# as a list of texts, of numbers and of UUIDs.
WORD = "__debezium_unavailable_value"
NOT_SENT = {
    WORD,
    "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==",
    f'{{"{WORD}":"{WORD}"}}',
    f'["{WORD}"]',
    json.dumps([*WORD.encode()], separators=(",", ":")),
    '["b68a35a7-17ad-35b3-af2a-ae46edb4545a"]',
}
ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}
ESCAPES |= {"%": "\\%", "_": "\\_"}


def parts(text: str) -> list[str]:
    """The JSON texts inside an object (names and values in turn) or an array."""
    found, place = [], BETWEEN.match(text, 1).end()
    while text[place] not in "]}":
        _, end = DECODER.raw_decode(text, place)
        found.append(text[place:end])
        place = BETWEEN.match(text, end).end()
    return found


def fields(text: str) -> dict[str, str]:
    """The JSON text of each field of an object; nothing where the text is no object."""
    found = parts(text) if text.startswith("{") else []
    return dict(zip(map(json.loads, found[::2]), found[1::2], strict=True))


def items(text: str) -> list[str]:
    """The JSON text of each item of an array; nothing where the text is no array."""
    return parts(text) if text.startswith("[") else []


def at(text: str, *path: str) -> str:
    """The JSON text at a path of names, null where there is none."""
    for name in path:
        text = fields(text).get(name, "null")
    return text


def value(text: str) -> str | None:
    """A JSON value as the change log shows it: strings unescaped, all else as it was sent."""
    if text == "null":
        return None
    return json.loads(text, strict=False) if text.startswith('"') else text


def columns(text: str) -> Image:
    return {name: value(sent) for name, sent in fields(text).items()}


def image(text: str) -> Image | None:
    """An object without a column is no image."""
    return columns(text) or None


def changed(
    word: str | None,
    before: Image | Values | None,
    after: Image | Values | None,
    words: Sequence[str] = ("INSERT", "UPDATE", "DELETE"),
) -> list[Row]:
    """The row that a message of one of these words changes; the last is a delete's."""
    return [Row(before, None if word == words[-1] else after)] if word in words else []


def record(message: str) -> list[Row]:
    """DataWorks and DataHub TUPLE: the flags say which image the columns are."""
    sent = columns(message)
    row = {name: text for name, text in sent.items() if name not in RECORD_FIELDS} or None
    before, after = (row if sent.get(f"_{flag}_image_") == "Y" else None for flag in Row._fields)
    return [Row(before, after)] if sent.get("_operation_type_") in ("I", "U", "D") else []


def datahub_blob(message: str) -> list[Row]:
    payload = at(message, "payload")
    words = ("INSERT", "UPDATE", "UPDATE_BEFOR", "UPDATE_BEFORE", "UPDATE_AFTER", "DELETE")
    before, after = (image(at(payload, name, "dataColumn")) for name in Row._fields)
    return changed(value(at(payload, "op")), before, after, words)


def oms_default(message: str) -> list[Row]:
    before, after = (image(at(message, name)) for name in ("prevStruct", "postStruct"))
    words = ("INSERT", "ROW", "UPDATE", "DELETE")
    return changed(value(at(message, "recordType")), before, after, words)


def oms_default_extend_column_type(message: str) -> list[Row]:
    """`__light_type` gives the types of the columns."""
    return [
        Row(*((isinstance(sent, dict) and without(sent, {"__light_type"})) or None for sent in row))
        for row in oms_default(message)
    ]


def without(sent: Image | None, names: Iterable[str]) -> Image:
    return {name: text for name, text in (sent or {}).items() if name not in names}


def oms_canal(message: str) -> list[Row]:
    """`data` holds the rows, `old` the former values of the columns that an update changed."""
    kind, statement, is_ddl = (value(at(message, name)) for name in ("type", "sql", "isDdl"))
    data, old = at(message, "data"), at(message, "old")
    if statement and (is_ddl == "true" or data == old == "null"):
        return []
    if kind == "INSERT":
        return [Row(None, image(row)) for row in items(data)]
    if kind == "DELETE":
        # Older sinks of Flink CDC send the deleted rows in `old`.
        return [Row(image(row), None) for row in items(old if data == "null" else data)]
    if kind != "UPDATE":
        return []
    former = items(old) + ["null"] * len(items(data))
    return [
        Row(None if changed == "null" else columns(row) | columns(changed), image(row))
        for row, changed in zip(items(data), former, strict=False)
    ]


def oms_dataworks(message: str) -> list[Row]:
    payload = at(message, "payload")
    before, after = (image(at(payload, name, "data")) for name in Row._fields)
    return changed(value(at(payload, "op")), before, after)


def oms_shareplex(message: str) -> list[Row]:
    """An update brings the changed columns in `data` and the row before it in `key`."""
    data, key = image(at(message, "data")), image(at(message, "key"))
    rows = {
        "ins": Row(None, data),
        "upd": Row(key, {**key, **(data or {})} if key else data),
        "del": Row(data, None),
    }
    kind = value(at(message, "meta", "op"))
    return [rows[kind]] if kind in rows else []


def oms_debezium(message: str) -> list[Row]:
    return oms_debezium_flatten(at(message, "payload"))


def oms_debezium_flatten(message: str) -> list[Row]:
    kind = value(at(message, "op"))
    before, after = (debezium_image(at(message, name)) for name in Row._fields)
    return [Row(before, None if kind == "d" else after)] if kind in ("c", "u", "d", "r") else []


def debezium_image(text: str) -> Image | None:
    """MongoDB's image is a document in a string: the row is its id and its text."""
    if text.startswith('"'):
        document = str(value(text))
        return {"_id": document_id(at(document, "_id")), "data": document}
    sent = columns(text)
    return with_values(sent) if sent else None


def with_values(sent: Image) -> Image:
    """The columns whose values the log repeats."""
    return {name: text for name, text in sent.items() if text not in NOT_SENT}


def document_id(text: str) -> str | None:
    """An id that is an object has no blanks between its parts."""
    return json.dumps(json.loads(text), separators=(",", ":")) if text[0] in "{[" else value(text)


def oms_debezium_smt(message: str) -> list[Row]:
    """Kafka Connect may wrap the row in `schema` and `payload`."""
    is_wrapped = fields(message).keys() == {"schema", "payload"}
    sent = columns(at(message, "payload") if is_wrapped else message)
    row = without(sent, SMT_NAMES | {name for name in sent if name.startswith(SMT_PREFIXES)})
    row = with_values(row)
    is_delete = sent.get("__deleted") == "true" or sent.get("__op") == "d"
    return [Row(row or None, None) if is_delete else Row(None, row or None)]


def tdsql(message: str) -> list[Row]:
    """`where` and `field` hold SQL literals in the order of the table's columns."""
    images = [list(map(sql_value, items(at(message, name)))) for name in ("where", "field")]
    before, after = (values or None for values in images)
    words = ("insert", "update", "delete")
    return changed(value(at(message, "eventtypestr")), before, after, words)


def sql_value(text: str) -> str | None:
    """What a MySQL literal means: only quoted ones are unescaped."""
    literal = value(text)
    if literal is None or literal.upper() == "NULL":
        return None
    quoted = re.fullmatch(r"(?s)(['\"])(.*)\1", literal)
    if not quoted:
        return literal
    quote, inside = quoted.groups()
    return re.sub(
        rf"(?s)\\(.)|{quote}{quote}",
        lambda found: ESCAPES.get(found[1], found[1]) if found[1] else quote,
        inside,
    )


def datastream(message: str) -> list[Row]:
    """One image: of a delete the row that was deleted."""
    metadata = at(message, "source_metadata")
    words = [value(at(metadata, name)) or "" for name in ("change_type", "mod_type")]
    is_delete = value(at(metadata, "is_deleted")) == "true" or any(
        word.endswith("DELETE") for word in words
    )
    payload = at(message, "payload")
    row = None if payload == "null" else image(payload)
    return [Row(row, None) if is_delete else Row(None, row)]


def maxwell(message: str) -> list[Row]:
    """`data` is the row, `old` the former values of the columns that an update changed."""
    row = image(at(message, "data"))
    kind = value(at(message, "type"))
    if kind in ("insert", "bootstrap-insert"):
        return [Row(None, row)]
    if kind == "delete":
        return [Row(row, None)]
    if kind != "update":
        return []
    old = at(message, "old")
    # Columns that were NULL may be left out: nothing at all is not known to be all.
    is_unknown = old != "null" and not columns(old)
    return [Row(None if is_unknown else (row or {}) | columns(old), row)]


def aws_dms(message: str) -> list[Row]:
    """`data` is the row, of a delete the one that was deleted; control records have none."""
    kind, word = (value(at(message, "metadata", name)) for name in ("record-type", "operation"))
    row, before = image(at(message, "data")), image(at(message, "before-image"))
    if kind != "data":
        return []
    rows = {"delete": Row(row, None), "update": Row(before, row)}
    return [rows.get(word or "", Row(None, row))]


READERS: dict[str, Reader] = {
    "dataworks_record": record,
    "datahub_tuple": record,
    "datahub_blob": datahub_blob,
    "oms_default": oms_default,
    "oms_default_extend_column_type": oms_default_extend_column_type,
    "oms_canal": oms_canal,
    "oms_dataworks": oms_dataworks,
    "oms_shareplex": oms_shareplex,
    "oms_debezium": oms_debezium,
    "oms_debezium_flatten": oms_debezium_flatten,
    "oms_debezium_smt": oms_debezium_smt,
    "tdsql": tdsql,
    "datastream": datastream,
    "maxwell": maxwell,
    "aws_dms": aws_dms,
}


@dataclass
class Comparison:
    """What a comparison of messages with the logs found.

    ``values``: how many values are equal. ``altered``: changes whose images are not those of their
    messages, each as (place, read, logged). ``lost``: places and numbers of rows, or of messages
    without a row, that no log has.
    """

    values: int = 0
    altered: list[tuple[Place, Row, Row]] = field(default_factory=list)
    lost: list[tuple[Place, int]] = field(default_factory=list)


def compare_with_logs(spark: Any, topics: Iterable[str]) -> Comparison:
    """Read every message of the topics anew, and look for its rows in the logs."""
    topics, found = set(topics), Comparison()

    def rows_of(table: str) -> list[Any]:
        return [row for row in spark.table(table).collect() if row["topic"] in topics]

    def places_of(*tables: str) -> set[Place]:
        return {place_of(row) for table in tables for row in rows_of(table)}

    messages = {place_of(row): row for row in rows_of("bronze.messages")}
    quarantined = places_of("silver.quarantine")
    read = {
        place: READERS[row["envelope"]](row["message"])
        for place, row in messages.items()
        if row["message"] and place not in quarantined
    }
    lists, known = column_lists(spark), set()
    for change in rows_of("silver.change_log"):
        places = [
            (change["topic"], sent["partition"], sent["offset"]) for sent in change["messages"]
        ]
        number = change["row_index"]
        known |= {(place, number) for place in places}
        sent = [row for place in places for row in read.get(place, [])[number : number + 1]]
        # Each half of a split update brings one image.
        images = (
            next((row[name] for row in sent if row[name] is not None), None) for name in (0, 1)
        )
        row = Row(*(with_names(one, lists, change) for one in images))
        logged = Row(change["before"], change["after"])
        if row == logged:
            found.values += sum(len(one or ()) for one in logged)
        else:
            found.altered.append((places[0], row, logged))
    known |= {(place_of(row), row["row_index"]) for row in rows_of("silver.repeats")}
    without_rows = places_of("silver.ddl_log", "silver.control_log", "silver.repeats") | quarantined
    for place in messages:
        rows = range(len(read.get(place, [])))
        found.lost += [(place, number) for number in rows if (place, number) not in known]
        if not rows and place not in without_rows:
            found.lost.append((place, 0))
    return found


def place_of(row: Any) -> Place:
    return row["topic"], row["partition"], row["offset"]


def column_lists(spark: Any) -> dict[tuple, list[tuple[str, list[str]]]]:
    """Each table's lists of columns, with the position from which on a list holds."""
    found: dict[tuple, dict[str, dict[int, str]]] = {}
    versions = spark.table("silver.table_schemas").collect()
    for row in [*spark.table("settings.table_columns").collect(), *versions]:
        table = (row["source"], row["database_name"], row["table_name"])
        start = row.asDict().get("valid_from_position", "")
        found.setdefault(table, {}).setdefault(start, {})[row["ordinal"]] = row["column_name"]
    return {
        table: sorted((start, [names[n] for n in sorted(names)]) for start, names in lists.items())
        for table, lists in found.items()
    }


def with_names(sent: Image | Values | None, lists: dict, change: Any) -> Image | None:
    """Positional values by the list of columns that holds at the change's position."""
    if not isinstance(sent, list):
        return sent
    table = (change["source"], change["database_name"], change["table_name"])
    names = [names for start, names in lists[table] if start <= change["log_position"]][-1]
    return dict(zip(names, sent, strict=True))
