"""How vendors write one change of a row: its place in the log, the row before, the row after.

A change's place is a small number; its time is so many seconds after ``START``. Rows are columns
with numbers, texts or None; ``as_sent`` gives the texts that the log must hold of them.
"""

import functools
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

Row = dict[str, Any]
Writer = Callable[[int, Row | None, Row | None], list[str]]

START = 1_700_000_000
# Its own coordinates cross a digit: as texts, the later file would be the lesser one.
FIRST_LOG_FILE = 999_999
# The columns that make a row's key, where the row has them.
KEY_COLUMNS = ("id", "part", "_id", "row_id")
# The source whose rows are named by a row id beside them: here it is a column, "row_id".
WITH_ROW_IDS = "oracle_row_ids"
# What a statement calls a column of the key begins so.
RENAMED_KEY = "key_"
# Debezium's word for a value that the log does not repeat.
UNAVAILABLE = "__debezium_unavailable_value"


def as_sent(row: Row) -> dict[str, str | None]:
    """The row in source text."""
    return {name: None if value is None else str(value) for name, value in row.items()}


def text(message: dict[str, Any]) -> str:
    return json.dumps(message, ensure_ascii=False)


def iso_time(at: int) -> str:
    return datetime.fromtimestamp(START + at, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def log_file(at: int) -> str:
    return f"mysql-bin.{FIRST_LOG_FILE + at // 10:06}"


def record(sequence: int, image: str, **row: Any) -> str:
    """A DataWorks record: ``image`` is I, D, or a half of an update (before, after)."""
    flags = {"I": "NY", "D": "YN", "before": "YN", "after": "NY"}[image]
    return text(
        {
            "_sequence_id_": str(sequence),
            "_operation_type_": image if image in "ID" else "U",
            "_execute_time_": (START + sequence) * 1000,
            "_before_image_": flags[0],
            "_after_image_": flags[1],
            **row,
        }
    )


def dataworks_record(at: int, before: Row | None, after: Row | None) -> list[str]:
    """An update is two messages, one a row image."""
    if before and after:
        return [record(at, "before", **before), record(at, "after", **after)]
    return [record(at, "D" if before else "I", **(after or before or {}))]


def datahub_tuple(at: int, before: Row | None, after: Row | None) -> list[str]:
    """The DataWorks record with its table's name, and the document's spelling of the time."""
    return [
        message.replace('"_execute_time_"', '"_source_table_": "t", "_excute_time_"')
        for message in dataworks_record(at, before, after)
    ]


def datahub_blob(at: int, before: Row | None, after: Row | None) -> list[str]:
    """An update is two messages, one a row image."""
    if before and after:
        return [
            datahub_blob_row(at, "UPDATE_BEFOR", before, None),
            datahub_blob_row(at, "UPDATE_AFTER", None, after),
        ]
    return [datahub_blob_row(at, operation(before, after, "INSERT", "", "DELETE"), before, after)]


def partial_after(writer: Writer) -> Writer:
    """DataHub's updates whose after image has the key and the changed columns only."""
    return lambda at, before, after: writer(
        at, before, key_of(after or {}) | changed_columns(before, after)
    )


def datahub_blob_row(at: int, op: str, before: Row | None, after: Row | None) -> str:
    row = after or before or {}
    columns = [{"name": name, "type": "STRING"} for name in row]
    return datahub_blob_event(
        at,
        op,
        {"dataColumn": columns, "primaryKey": key_names(row)},
        before=before and {"dataColumn": before},
        after=after and {"dataColumn": after},
        ddl=None,
    )


def datahub_blob_statement(at: int, statement: str) -> list[str]:
    ddl = {"text": statement, "ddlMeta": None}
    return [datahub_blob_event(at, statement_word(statement), {}, ddl=ddl)]


def datahub_blob_event(at: int, op: str, schema: dict[str, Any], **payload: Any) -> str:
    return text(
        {
            "version": "0.0.1",
            "schema": schema | {"source": {"dbType": "MySQL", "dbName": "d", "tableName": "t"}},
            "payload": {
                "op": op,
                **payload,
                "sequenceId": str(at),
                "timestamp": {"eventTime": (START + at) * 1000},
            },
        }
    )


def oms_default(at: int, before: Row | None, after: Row | None, table: str = "t") -> list[str]:
    """The sequence is a second and a counter; ten changes share a second."""
    row = after or before or {}
    names = key_names(row)
    second = START + at // 10
    return [
        text(
            {
                "recordType": operation(before, after, "INSERT", "UPDATE", "DELETE"),
                "allMetaData": {
                    "db": "d",
                    "table_name": table,
                    "timestamp": str(second),
                    "storeDataSequence": f"{second}{at}",
                    "record_primary_key": "\x01".join(names),
                    "record_primary_value": key_text(row, names),
                },
                "prevStruct": before,
                "postStruct": after,
            }
        )
    ]


def oms_statement(at: int, statement: str) -> list[str]:
    """A statement has no sequence, only its second."""
    about = {"db": "d", "table_name": "t", "timestamp": str(START + at // 10)}
    return [text({"recordType": "DDL", "allMetaData": about, "postStruct": {"ddl": statement}})]


def renumbered(messages: list[str], part: str, **numbers: Any) -> list[str]:
    """With other numbers in this part of the message."""
    found = list(map(json.loads, messages))
    for message in found:
        message[part] |= numbers
    return list(map(text, found))


def oms_statement_with_sequence(at: int, statement: str) -> list[str]:
    """One that stands where a row of that place would."""
    (message,) = oms_statement(at, statement)
    parts = json.loads(message)
    parts["allMetaData"]["storeDataSequence"] = f"{START + at // 10}{at}"
    return [text(parts)]


def oms_default_extend_column_type(at: int, before: Row | None, after: Row | None) -> list[str]:
    return list(map(with_light_types, oms_default(at, before, after)))


def extend_statement(at: int, statement: str) -> list[str]:
    return list(map(with_light_types, oms_statement_with_sequence(at, statement)))


def with_light_types(message: str, **types: str) -> str:
    """Its images with the types of their columns among them, VARCHAR where none is given."""
    parts = json.loads(message)
    for image in (parts.get("prevStruct"), parts["postStruct"]):
        if image:
            image["__light_type"] = {
                name: {"schemaType": types.get(name, "VARCHAR")} for name in image
            }
    return text(parts)


def oms_dataworks(at: int, before: Row | None, after: Row | None) -> list[str]:
    row = after or before or {}
    columns = [{"name": name, "type": "VARCHAR"} for name in row]
    return [
        oms_dataworks_event(
            at,
            operation(before, after, "INSERT", "UPDATE", "DELETE"),
            {"column": columns, "pk": key_names(row)},
            before=before and {"data": before},
            after=after and {"data": after},
            ddl=None,
        )
    ]


def oms_dataworks_read(row: Row, at: int) -> str:
    """A row of a full synchronization: OMS says when it wrote it, and no time of the source."""
    moment = {"eventTime": None, "systemTime": (START + at) * 1000}
    (message,) = renumbered(oms_dataworks(0, None, row), "payload", timestamp=moment, scn="null")
    return message


def shareplex_read(row: Row, at: int) -> str:
    """A row of a full synchronization: OMS says when it wrote it, and no time of the source."""
    (message,) = renumbered(
        oms_shareplex(0, None, row), "meta", time=None, posttime=iso_time(at), scn=None
    )
    return message


def oms_dataworks_statement(at: int, statement: str) -> list[str]:
    """One that stands where a row of that number would."""
    about = {"column": None, "pk": None}
    ddl = {"text": statement}
    op = statement_word(statement)
    return [oms_dataworks_event(at, op, about, before=None, after=None, ddl=ddl)]


def oms_dataworks_event(at: int, op: str, schema: dict[str, Any], **payload: Any) -> str:
    source = {"dbType": "ob_mysql", "dbName": "d", "schema": None, "table": "t"}
    place = {"timestamp": {"eventTime": (START + at) * 1000}, "scn": str(at)}
    return text(
        {
            "version": "2.0",
            "schema": {"source": source} | schema,
            "payload": {"op": op} | payload | place,
            "extend": {},
        }
    )


def tdsql_row(at: int, before: Row | None, after: Row | None) -> list[str]:
    """The row's values in the order of its columns."""
    return tdsql(at, literals(before) if before else None, literals(after) if after else None)


def literals(row: Row) -> list[str]:
    return [sql_literal(value) for value in row.values()]


def sql_literal(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
    return "NULL" if value is None else str(value)


def tdsql(at: int, where: list[str] | None, field: list[str] | None) -> list[str]:
    """A row's values without names, as SQL literals."""
    return [tdsql_event(at, operation(where, field, "insert", "update", "delete"), where, field)]


def tdsql_statement(at: int, statement: str) -> list[str]:
    return [tdsql_event(at, "query", None, None, sql=statement)]


def tdsql_event(
    at: int, kind: str, where: list[str] | None, field: list[str] | None, **more: str
) -> str:
    return text(
        {
            "logtype": "mysqlbinlog",
            "eventtypestr": kind,
            "db": "d",
            "table": "t",
            "begintime": START + at,
            "gtid": f"35be190b-d019-11e7-ab7a-a0423f32c225:{at}",
            "event_index": "1",
            "where": where or [],
            "field": field or [],
            **more,
        }
    )


def oms_full_synchronization(row: Row) -> str:
    """An insert that says no time."""
    (message,) = oms_default(0, None, row)
    parts = json.loads(message)
    parts["allMetaData"] |= {"timestamp": None, "storeDataSequence": None}
    return text(parts)


def oms_shareplex(at: int, before: Row | None, after: Row | None) -> list[str]:
    """An update brings the changed columns and the whole row before."""
    if before and after:
        changed = {name: value for name, value in after.items() if value != before[name]}
        return [shareplex(at, "upd", key_text(after), data=changed, key=before)]
    row = after or before or {}
    return [shareplex(at, "ins" if after else "del", key_text(row), data=row)]


def shareplex_partial(at: int, key: Any, **changed: Any) -> str:
    """An update without the row before: only the row's id names its key."""
    return shareplex(at, "upd", str(key), data=changed)


def partial_shareplex(at: int, before: Row | None, after: Row | None) -> list[str]:
    return [shareplex_partial(at, key_text(after or {}), **changed_columns(before, after))]


def shareplex_statement(at: int, statement: str) -> list[str]:
    return [shareplex(at, "ddl", "", sql={"ddl": statement})]


def shareplex(at: int, op: str, key_values: str, **images: Row) -> str:
    return text(
        {
            **images,
            "meta": {
                "op": op,
                "table": "d.t",
                "rowid": f"d.t-{key_values}",
                "time": iso_time(at),
                "scn": str(at),
            },
        }
    )


def oms_debezium(at: int, before: Row | None, after: Row | None) -> list[str]:
    """Debezium of the wider family, with the change's place in the database's log."""
    place = {"file": log_file(at), "pos": at % 10 * 111, "row": 0, "snapshot": "false"}
    return [debezium(at, operation(before, after, "c", "u", "d"), before, after, **place)]


def debezium_statement(at: int, statement: str) -> list[str]:
    source = {"connector": "mysql", "name": "shop", "db": "d", "ts_ms": (START + at) * 1000}
    place = {"file": log_file(at), "pos": at % 10 * 111, "snapshot": "false"}
    change = {"source": source | place, "databaseName": "d", "ddl": statement, "tableChanges": []}
    return [text({"payload": change})]


def oms_debezium_flatten(at: int, before: Row | None, after: Row | None) -> list[str]:
    return list(map(without_wrapper, oms_debezium(at, before, after)))


def debezium_flatten_statement(at: int, statement: str) -> list[str]:
    return list(map(without_wrapper, debezium_statement(at, statement)))


def without_wrapper(message: str) -> str:
    return text(json.loads(message)["payload"])


def oms_debezium_smt(at: int, before: Row | None, after: Row | None) -> list[str]:
    """Rows alone, ordered by their place in the topic; a changed key is a delete and a row."""
    moment = {"__source_ts_ms": (START + at) * 1000}
    rows = [after | {"__deleted": "false"}] if after else []
    if before and (after is None or key_of(before) != key_of(after)):
        rows.insert(0, before | {"__deleted": "true"})
    return [text(row | moment) for row in rows]


def partial_debezium(at: int, before: Row | None, after: Row | None) -> list[str]:
    """Long values that did not change are not sent."""
    sent = changed_columns(before, after) | key_of(after or {})
    new = {name: sent.get(name, UNAVAILABLE) for name in after or {}}
    return oms_debezium(at, before, new)


def partial_debezium_flatten(at: int, before: Row | None, after: Row | None) -> list[str]:
    return list(map(without_wrapper, partial_debezium(at, before, after)))


def debezium_read(row: Row, at: int = 1000) -> str:
    """A row of a snapshot that does not say where in the log it was taken."""
    return debezium(at, "r", None, row, snapshot="true")


def debezium_oracle(scn: int, op: str, before: Row | None, after: Row | None) -> str:
    """A change of Oracle, with all that its log says of its place."""
    place = {"commit_scn": scn, "scn": scn, "rs_id": "0x000001.00000001.0001", "ssn": 0}
    return debezium(scn, op, before, after, connector="oracle", schema="s", **place)


def debezium_document(at: int, op: str, before: Row | None, after: Row | None) -> str:
    """A change of MongoDB: images are texts, and a transaction has one place for all its events."""
    images = [text(image) if image else None for image in (before, after)]
    place: dict[str, Any] = {"connector": "mongodb", "table": None, "collection": "t", "ord": 1}
    return debezium(at, op, *images, **place)


def debezium(at: int, op: str, before: Any, after: Any, **place: Any) -> str:
    moment = (START + at) * 1000
    source = {"connector": "mysql", "name": "shop", "db": "d", "table": "t", "ts_ms": moment}
    return text({"payload": {"op": op, "before": before, "after": after, "source": source | place}})


def oms_canal(at: int, before: Row | None, after: Row | None) -> list[str]:
    """Ordered by its place in the topic; ``old`` has the columns that changed."""
    row = after or before or {}
    changed = {name: value for name, value in (before or {}).items() if value != row[name]}
    return [
        text(
            {
                "database": "d",
                "table": "t",
                "type": operation(before, after, "INSERT", "UPDATE", "DELETE"),
                "isDdl": False,
                "es": (START + at) * 1000,
                "pkNames": key_names(row) or None,
                "data": [row],
                "old": [changed] if before and after else None,
            }
        )
    ]


def canal_statement(at: int, statement: str) -> list[str]:
    kind, moment = statement_word(statement), (START + at) * 1000
    about = {"database": "d", "table": "t", "type": kind, "isDdl": True, "es": moment}
    return [text({**about, "sql": statement, "data": None, "old": None})]


def maxwell(at: int, before: Row | None, after: Row | None) -> list[str]:
    """Ordered by its place in the topic; ``old`` has the columns that changed, where some did."""
    row = after or before or {}
    changed = {name: value for name, value in (before or {}).items() if value != row[name]}
    return [
        text(
            {
                "database": "d",
                "table": "t",
                "type": operation(before, after, "insert", "update", "delete"),
                "ts": START + at,
                "xid": at,
                "commit": True,
                "primary_key_columns": key_names(row),
                "data": row,
                **({"old": changed} if before and after and changed else {}),
            }
        )
    ]


def aws_dms(at: int, before: Row | None, after: Row | None) -> list[str]:
    """Ordered by its place in the topic; the row before is whole, as MySQL gives it."""
    metadata = {
        "timestamp": f"{iso_time(at)}.5Z",
        "record-type": "data",
        "operation": operation(before, after, "insert", "update", "delete"),
        "schema-name": "s",
        "table-name": "t",
        "transaction-id": at,
        "commit-timestamp": f"{iso_time(at)}Z",
    }
    images = {"data": after or before} | ({"before-image": before} if before and after else {})
    return [text(images | {"metadata": metadata})]


def maxwell_statement(at: int, statement: str) -> list[str]:
    """Once for each of its tables; that of the second one is left out, which may be called t."""
    about = {"database": "d", "ts": (START + at) * 1000, "sql": statement}
    kinds = {"CREATE": "table-create", "ERASE": "table-drop"}
    kind = kinds.get(statement_word(statement), "table-alter")
    names = ["t", *(["x"] if ", x to " in statement else [])]
    return [text({"type": kind, "table": name, **about}) for name in names]


def datastream(at: int, before: Row | None, after: Row | None) -> list[str]:
    """MySQL: whole rows; a changed key is a delete and an update at one place."""
    if before and after and key_of(before) != key_of(after):
        return [
            datastream_event(at, "UPDATE-DELETE", before),
            datastream_event(at, "UPDATE-INSERT", after),
        ]
    change = operation(before, after, "INSERT", "UPDATE", "DELETE")
    return [datastream_event(at, change, after or before or {})]


def datastream_event(at: int, change: str, row: Row, place: dict[str, Any] | None = None) -> str:
    """``place``: what the metadata say of its place, where they do not as a rule."""
    return datastream_message(
        at,
        row,
        "mysql-cdc-binlog",
        change_type=change,
        is_deleted=change.endswith("DELETE"),
        database="d",
        primary_keys=key_names(row),
        **{"log_file": log_file(at), "log_position": at % 10 * 111} if place is None else place,
    )


def datastream_read(row: Row, at: int = 1000) -> str:
    """A backfilled row: no place in the log, whenever it was read."""
    return datastream_message(
        at,
        row,
        "mysql-backfill-fulldump",
        change_type="INSERT",
        database="d",
        primary_keys=key_names(row),
    )


def datastream_oracle(at: int, change: str, row_id: str, row: Row) -> str:
    """Oracle without primary keys: the physical row id is all that names a row."""
    return datastream_message(
        at,
        row,
        "oracle-cdc-logminer",
        change_type=change,
        is_deleted=change == "DELETE",
        schema="s",
        row_id=row_id,
        scn=at,
        rs_id="0x000001.00000001.0001",
        ssn=0,
    )


def datastream_sqlserver(at: int, change: str, row: Row) -> str:
    """Two changes of one time stand where their log number says."""
    return datastream_message(
        at,
        row,
        "sqlserver-cdc",
        change_type=change,
        is_deleted=change == "DELETE",
        database="d",
        schema="dbo",
        lsn="00000025:00000728:0003",
        primary_keys=["id"],
    )


def datastream_message(at: int, row: Row, read_method: str, **metadata: Any) -> str:
    return text(
        {
            "uuid": f"{read_method}-{at}-{metadata['change_type']}",
            "read_method": read_method,
            "read_timestamp": f"{iso_time(at)}Z",
            "source_timestamp": f"{iso_time(at)}Z",
            "object": "t",
            "source_metadata": {"table": "t", **metadata},
            "payload": row,
        }
    )


def datastream_of(source: str, at: int, before: Row | None, after: Row | None) -> list[str]:
    """Whole rows; a changed key is a delete and an insert, of Oracle's at one place."""
    if before and after and key_of(before) != key_of(after):
        is_oracle = source in ("oracle", WITH_ROW_IDS)
        changes = ("UPDATE-DELETE", "UPDATE-INSERT") if is_oracle else ("DELETE", "INSERT")
        return [
            datastream_event_of(source, at, changes[0], before),
            datastream_event_of(source, at, changes[1], after, number=2 * at + 1),
        ]
    change = operation(before, after, "INSERT", "UPDATE", "DELETE")
    return [datastream_event_of(source, at, change, after or before or {})]


def datastream_event_of(
    source: str, at: int, change: str, row: Row, number: int | None = None, capture: str = "NEW_ROW"
) -> str:
    """``number``: its place among all events, twice the change's where it is the first of two.

    Several changes share a second wherever the source has a finer order than its time.
    """
    number = 2 * at if number is None else number
    is_read = change == "READ"
    keys: dict[str, Any] = {"primary_keys": key_names(row)}
    if source == WITH_ROW_IDS:
        source, keys = "oracle", {"row_id": row.get("row_id")}
        row = {name: value for name, value in row.items() if name != "row_id"}
    event: dict[str, Any] = {
        "uuid": f"{source}-{change}-{number}",
        "read_method": f"{source}-{'backfill' if is_read else 'cdc'}",
        "read_timestamp": f"{iso_time(at)}Z",
        "source_timestamp": f"{iso_time(at // 4)}Z",
        "object": "d_t",
        "payload": row,
    }
    found: dict[str, Any] = {
        "table": "t",
        "change_type": "INSERT" if is_read else change,
        "is_deleted": change == "DELETE",
        **keys,
    }
    match source:
        case "oracle":
            # Some messages name no database; the log's order is that of the numbers, not of the
            # texts.
            place = {"scn": 999_990 + at // 4, "rs_id": f" 0x{at // 2:06x}.10.0001 ", "ssn": at % 2}
            found |= {"schema": "s", "database": "d" if at % 2 else None, **place}
        case "postgres":
            found |= {"schema": "s", "lsn": f"{15 + number // 16:X}/{number % 16 << 12:X}"}
        case "sqlserver":
            # The key may differ from the payload in case.
            names = [name.upper() for name in found.pop("primary_keys")]
            lsn = f"{number // 64:08x}:{number // 8 % 8:08x}:{number % 8:04x}"
            found |= {"database": "d", "schema": "dbo", "lsn": lsn, "replication_index": names}
        case "mongodb":
            event["sort_keys"] = [START + at // 4, number]
            found |= {"table": None, "collection": "t", "database": "d"}
        case "spanner":
            found |= {
                "change_type": None,
                "mod_type": found["change_type"],
                "snapshot": is_read,
                "database_id": "d",
                "value_capture_type": capture,
                "commit_timestamp": f"{iso_time(at // 4)}.123456Z",
                "record_sequence": f"{at:08}",
                "mod_index": str(number % 2),
            }
        case "salesforce":
            event["source_timestamp"] = f"{iso_time(number)}Z"
            found |= {"table": None, "object_name": "t", "domain": "my.salesforce.com"}
    return text(event | {"source_metadata": found})


def partial_spanner(at: int, before: Row | None, after: Row | None) -> list[str]:
    row = key_of(after or {}) | changed_columns(before, after)
    return [datastream_event_of("spanner", at, "UPDATE", row, capture="NEW_VALUES")]


def operation(before: Any, after: Any, insert: str, update: str, delete: str) -> str:
    """The vendor's word for what happened between the two rows."""
    if before is None:
        return insert
    return delete if after is None else update


def statement_word(statement: str) -> str:
    """The word of DataHub, DataWorks and Canal for what a statement does."""
    word = statement.split()[0].upper()
    return "ERASE" if word == "DROP" else word


def key_names(row: Row) -> list[str]:
    """The columns of its table's key, of which a statement may have changed the name."""
    renamed = [name for name in row if name.startswith(RENAMED_KEY)]
    return [name for name in KEY_COLUMNS if name in row] + renamed


def key_of(row: Row) -> Row:
    return {name: row[name] for name in key_names(row)}


def key_text(row: Row, names: Sequence[str] | None = None) -> str:
    """The key's values as OMS joins them."""
    return "\x01".join(str(row[name]) for name in (key_names(row) if names is None else names))


def changed_columns(before: Row | None, after: Row | None) -> Row:
    """What the update changed, and one column at least."""
    new = after or {}
    changed = {name: value for name, value in new.items() if (before or {}).get(name, ...) != value}
    return changed or dict(list(new.items())[-1:])


# Where messages of the envelopes name their table, which the writers call t.
TABLE_NAMES = (
    *("table", "tableName", "table_name", "table-name"),
    *("_source_table_", "collection", "object_name"),
)


def about(message: str, table: str, key: Sequence[str]) -> str:
    """The message as of a table of this name, and with these key columns where it names any."""
    parts = json.loads(message)
    holders = [holder for holder in (parts, parts.get("schema"), parts.get("payload")) if holder]
    inside = ("source", "allMetaData", "source_metadata", "metadata")
    for holder in [*holders, *(one[name] for one in holders for name in inside if name in one)]:
        for name in TABLE_NAMES:
            if holder.get(name) == "t":
                holder[name] = table
        for name in ("primaryKey", "pk", "pkNames", "primary_key_columns"):
            if holder.get(name):
                holder[name] = list(key)
        if holder.get("record_primary_key"):
            row = parts["postStruct"] or parts["prevStruct"]
            holder["record_primary_key"] = "\x01".join(key)
            holder["record_primary_value"] = key_text(row, key)
    if meta := parts.get("meta"):
        values = meta["rowid"].partition("-")[2]
        named = dict(zip(key_names(dict.fromkeys(key)), values.split("\x01"), strict=False))
        row = named | parts.get("key", {}) | parts.get("data", {})
        meta["table"] = f"d.{table}"
        meta["rowid"] = f"d.{table}-{key_text(row, key) if row.keys() >= set(key) else values}"
    return text(parts)


WRITERS: dict[str, Writer] = {
    "dataworks_record": dataworks_record,
    "datahub_tuple": datahub_tuple,
    "datahub_blob": datahub_blob,
    "oms_default": oms_default,
    "oms_default_extend_column_type": oms_default_extend_column_type,
    "oms_canal": oms_canal,
    "oms_dataworks": oms_dataworks,
    "oms_shareplex": oms_shareplex,
    "oms_debezium": oms_debezium,
    "oms_debezium_flatten": oms_debezium_flatten,
    "oms_debezium_smt": oms_debezium_smt,
    "tdsql": tdsql_row,
    "datastream": datastream,
    "maxwell": maxwell,
    "aws_dms": aws_dms,
}
# Datastream's other sources: the writer of the envelope is that of MySQL.
DATASTREAM_WRITERS: dict[str, Writer] = {
    f"datastream_{source}": functools.partial(datastream_of, source)
    for source in (
        *("oracle", WITH_ROW_IDS, "postgres", "sqlserver", "mongodb", "spanner", "salesforce"),
    )
}
# An update of a row with a key that brings its changed columns only.
PARTIAL_WRITERS: dict[str, Writer] = {
    "dataworks_record": partial_after(dataworks_record),
    "datahub_tuple": partial_after(datahub_tuple),
    "datahub_blob": partial_after(datahub_blob),
    "oms_shareplex": partial_shareplex,
    "oms_debezium": partial_debezium,
    "oms_debezium_flatten": partial_debezium_flatten,
    "datastream_spanner": partial_spanner,
}
