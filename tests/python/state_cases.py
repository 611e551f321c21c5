"""Small cases of gold's state: batches of messages, and the rows and versions that they leave."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from messages import (
    START,
    UNAVAILABLE,
    as_sent,
    datahub_blob,
    datahub_blob_event,
    datastream,
    datastream_event,
    datastream_message,
    datastream_oracle,
    datastream_read,
    datastream_sqlserver,
    dataworks_record,
    debezium,
    debezium_document,
    debezium_oracle,
    debezium_read,
    maxwell,
    oms_canal,
    oms_dataworks_read,
    oms_debezium,
    oms_default,
    oms_full_synchronization,
    oms_shareplex,
    record,
    shareplex_partial,
    shareplex_read,
    shareplex_statement,
    tdsql,
    tdsql_event,
    tdsql_statement,
    text,
    with_light_types,
)

TABLE = {"database_name": "d", "table_name": "t"}
KEYED = {"key_columns": "id"}
LONG = 902  # changes of one row: gold.row_history folds 16 at a time, and stretches of 512


@dataclass(frozen=True)
class Live:
    """An expected row of gold.current_rows."""

    row: dict[str, str | None]
    key: dict[str, str | None] | None
    copies: int = 1


@dataclass(frozen=True)
class Version:
    """An expected row of gold.row_history, its times in seconds after the start."""

    start: int | None
    end: int | None
    row: dict[str, str | None] | None
    key: dict[str, str | None]
    is_deleted: bool = False


@dataclass(frozen=True)
class Case:
    """``settings`` stand before, ``meanwhile`` after the batch of that number, from 0."""

    name: str
    batches: list[list[str]]
    current: list[Live]
    history: list[Version] | None = None
    meanwhile: dict[int, list[Live]] = field(default_factory=dict)
    settings: dict[int, dict[str, str]] = field(default_factory=dict)

    @property
    def topic(self) -> str:
        return "state-" + re.sub("[^a-z0-9]+", "-", self.name.lower())


def live(**row: Any) -> Live:
    """A row whose key is its id."""
    return Live(as_sent(row), {"id": str(row["id"])})


def partly_known(key: Any, **row: Any) -> Live:
    """A row of which only some columns ever came."""
    return Live(as_sent(row), {"id": str(key)})


def copies(number: int, **row: Any) -> Live:
    """Equal rows of a table without a key."""
    return Live(as_sent(row), None, number)


def version(start: int, end: int | None, **row: Any) -> Version:
    return Version(start, end, as_sent(row), {"id": str(row["id"])})


def last_of_each(at: int) -> dict[str, int]:
    """The columns of a row whose a, b and c were set to the time by one change after the other."""
    written_at = {name: range(first, at + 1, 3) for name, first in (("a", 3), ("b", 4), ("c", 2))}
    return {name: times[-1] if times else 1 for name, times in written_at.items()}


def deleted(start: int, end: int | None, **row: Any) -> Version:
    """A delete with the row's last image."""
    return Version(start, end, as_sent(row), {"id": str(row["id"])}, is_deleted=True)


def document(**fields: Any) -> dict[str, str | None]:
    """The row of a document of MongoDB, whose _id is a number."""
    return {"_id": str(fields["_id"]), "data": text(fields)}


def live_document(**fields: Any) -> Live:
    return Live(document(**fields), {"_id": str(fields["_id"])})


def written(*changes: list[str]) -> list[str]:
    """The messages of several changes."""
    return [message for change in changes for message in change]


def without_nulls(messages: list[str]) -> list[str]:
    """Maxwell's messages as they are where output_nulls is off."""

    def sent(row: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in row.items() if value is not None}

    found = map(json.loads, messages)
    return [
        text({name: sent(part) if isinstance(part, dict) else part for name, part in one.items()})
        for one in found
    ]


def keyed_by(columns: list[str], messages: list[str]) -> list[str]:
    """Canal's messages with these pkNames."""
    return [json.dumps(json.loads(message) | {"pkNames": columns}) for message in messages]


FULL_IMAGES = [
    Case(
        "The greatest position wins also when it lands first",
        settings={0: KEYED},
        batches=[
            oms_debezium(30, {"id": 1, "a": "x"}, {"id": 1, "a": "z"}),
            oms_debezium(20, {"id": 1, "a": "w"}, {"id": 1, "a": "x"}),
            oms_debezium(5, None, {"id": 1, "a": "w"}),
        ],
        current=[live(id=1, a="z")],
        history=[
            version(5, 20, id=1, a="w"),
            version(20, 30, id=1, a="x"),
            version(30, None, id=1, a="z"),
        ],
    ),
    Case(
        "The greatest position of one batch wins",
        settings={0: KEYED},
        batches=[
            written(
                oms_debezium(2, {"id": 1, "a": "w"}, {"id": 1, "a": "x"}),
                oms_debezium(13, {"id": 1, "a": "x"}, {"id": 1, "a": "z"}),
                oms_debezium(1, None, {"id": 1, "a": "w"}),
            )
        ],
        current=[live(id=1, a="z")],
    ),
    Case(
        "Rows that come late after a delete stay deleted",
        settings={0: KEYED},
        batches=[
            oms_debezium(3, {"id": 1, "a": "y"}, None),
            oms_debezium(1, None, {"id": 1, "a": "x"}),
            oms_debezium(2, {"id": 1, "a": "x"}, {"id": 1, "a": "y"}),
        ],
        current=[],
        meanwhile={0: [], 1: []},
        history=[
            version(1, 2, id=1, a="x"),
            version(2, 3, id=1, a="y"),
            deleted(3, None, id=1, a="y"),
        ],
    ),
    Case(
        "An insert after a delete is a new row without the columns of the old one",
        settings={0: KEYED},
        batches=[
            oms_debezium(1, None, {"id": 1, "a": "x", "b": "y"}),
            oms_debezium(2, {"id": 1, "a": "x", "b": "y"}, None),
            oms_debezium(3, None, {"id": 1, "a": "z"}),
        ],
        current=[live(id=1, a="z")],
        meanwhile={0: [live(id=1, a="x", b="y")], 1: []},
        history=[
            version(1, 2, id=1, a="x", b="y"),
            deleted(2, 3, id=1, a="x", b="y"),
            version(3, None, id=1, a="z"),
        ],
    ),
    Case(
        "A delete that comes after the row's second insert leaves that alone",
        settings={0: KEYED},
        batches=[
            oms_debezium(3, None, {"id": 1, "a": "z"}),
            written(
                oms_debezium(2, {"id": 1, "a": "x"}, None),
                oms_debezium(1, None, {"id": 1, "a": "x"}),
            ),
        ],
        current=[live(id=1, a="z")],
    ),
    Case(
        "A delete of a row that never came shows the row that it takes away",
        settings={0: KEYED},
        batches=[oms_debezium(3, {"id": 1, "a": "x"}, None)],
        current=[],
        history=[deleted(3, None, id=1, a="x")],
    ),
    Case(
        "NULL is a value and an absent column none",
        settings={0: KEYED},
        batches=[
            oms_debezium(1, None, {"id": 1, "a": "x", "b": "x"}),
            oms_debezium(2, {"id": 1, "a": "x", "b": "x"}, {"id": 1, "a": None}),
        ],
        current=[live(id=1, a=None)],
    ),
    Case(
        "Messages that come again change nothing",
        settings={0: KEYED},
        batches=[
            oms_debezium(1, None, {"id": 1, "a": "x"}),
            written(
                oms_debezium(2, {"id": 1, "a": "x"}, {"id": 1, "a": "y"}),
                oms_debezium(1, None, {"id": 1, "a": "x"}),
            ),
            oms_debezium(2, {"id": 1, "a": "x"}, {"id": 1, "a": "y"}) * 2,
        ],
        current=[live(id=1, a="y")],
        history=[version(1, 2, id=1, a="x"), version(2, None, id=1, a="y")],
    ),
    Case(
        "Streams that follow GTIDs name file and offset otherwise",
        batches=[
            [
                datastream_event(
                    at, change, {"id": 1}, {"binlog_file": file, "binlog_position": at}
                )
                for at, change, file in [
                    (4, "DELETE", "mysql-bin.000010"),
                    (900, "INSERT", "mysql-bin.000009"),
                ]
            ]
        ],
        current=[],
    ),
    Case(
        "A message that says no place stands by its time, then by its place in the topic",
        batches=[
            [
                datastream_event(at, change, {"id": 1}, {})
                for at, change in [(1, "INSERT"), (2, "DELETE"), (2, "UPDATE"), (1, "UPDATE")]
            ]
        ],
        current=[live(id=1)],
        history=[
            version(1, 1, id=1),
            version(1, 2, id=1),
            deleted(2, 2, id=1),
            version(2, None, id=1),
        ],
    ),
    Case(
        "Oracle's table is the same with and without a physical row id",
        batches=[
            [
                datastream_message(
                    1,
                    {"id": 1},
                    "oracle-backfill",
                    change_type="INSERT",
                    schema="s",
                    database="XE",
                ),
                datastream_message(
                    2,
                    {"id": 1},
                    "oracle-cdc-logminer",
                    change_type="DELETE",
                    schema="s",
                    row_id="A",
                    scn=2,
                    primary_keys=["id"],
                ),
            ]
        ],
        current=[],
    ),
]

EQUAL_COORDINATES = [
    Case(
        "Within a transaction of MongoDB the topic tells what came last",
        batches=[
            [
                debezium_document(1, "c", None, {"_id": 1, "a": "x"}),
                debezium_document(1, "d", {"_id": 1, "a": "x"}, None),
                debezium_document(1, "d", {"_id": 2, "a": "x"}, None),
                debezium_document(1, "c", None, {"_id": 2, "a": "y"}),
            ]
        ],
        current=[live_document(_id=2, a="y")],
    ),
    Case(
        "A document that a transaction of MongoDB sets back has three versions",
        batches=[
            [debezium_document(1, "u", None, {"_id": 1, "a": value}) for value in ("x", "y", "x")]
        ],
        current=[live_document(_id=1, a="x")],
        history=[
            Version(1, end, document(_id=1, a=value), {"_id": "1"})
            for end, value in [(1, "x"), (1, "y"), (None, "x")]
        ],
    ),
    Case(
        "At one place of Oracle's log the topic tells what came last",
        settings={0: KEYED},
        batches=[
            [
                debezium_oracle(1, "c", None, {"id": 1, "a": "x"}),
                debezium_oracle(1, "d", {"id": 1, "a": "x"}, None),
                debezium_oracle(1, "d", {"id": 2, "a": "x"}, None),
                debezium_oracle(1, "c", None, {"id": 2, "a": "y"}),
            ]
        ],
        current=[live(id=2, a="y")],
    ),
    Case(
        "At one place of SQL Server's log the topic tells what came last",
        batches=[
            [
                datastream_sqlserver(1, "INSERT", {"id": 1, "a": "x"}),
                datastream_sqlserver(1, "DELETE", {"id": 1, "a": "x"}),
                datastream_sqlserver(1, "DELETE", {"id": 2, "a": "x"}),
                datastream_sqlserver(1, "INSERT", {"id": 2, "a": "y"}),
            ]
        ],
        current=[live(id=2, a="y")],
    ),
    Case(
        "The old row of a changed key stands below the new row of another at its place",
        batches=[
            [
                datastream_event(1, "UPDATE-INSERT", {"id": 2, "a": "x"}),
                datastream_event(1, "UPDATE-DELETE", {"id": 2, "a": "y"}),
            ]
        ],
        current=[live(id=2, a="x")],
    ),
    Case(
        "Events of MongoDB stand by their time, in whatever unit it is written",
        batches=[
            [
                debezium_document(2, "u", None, {"_id": 1, "a": "y"}),
                debezium_document(1, "u", None, {"_id": 1, "a": "x"}).replace(
                    f"{START + 1}000", f"{START + 1}000000000"
                ),
            ]
        ],
        current=[live_document(_id=1, a="y")],
    ),
]

WITHOUT_A_PLACE = [
    Case(
        "A message of Datastream without a place stands below every one that has one",
        batches=[
            datastream(2, None, {"id": 1, "a": "x"}),
            [datastream_event(3, "DELETE", {"id": 1, "a": "x"}, {})],
            [
                datastream_event(5, "UPDATE", {"id": 2, "a": "y"}, {}),
                datastream_event(4, "UPDATE", {"id": 2, "a": "x"}, {}),
            ],
        ],
        current=[live(id=1, a="x"), live(id=2, a="y")],
    ),
    Case(
        "A message of Debezium without a place stands below every one that has one",
        settings={0: KEYED},
        batches=[
            oms_debezium(2, None, {"id": 1, "a": "x"}),
            [debezium(3, "d", {"id": 1, "a": "x"}, None, snapshot="false")],
            [
                debezium(5, "u", None, {"id": 2, "a": "y"}),
                debezium(4, "u", None, {"id": 2, "a": "x"}),
            ],
        ],
        current=[live(id=1, a="x"), live(id=2, a="y")],
    ),
    Case(
        "A row of TDSQL without a GTID stands below every one that has one",
        batches=[
            written(
                tdsql_statement(1, "create table t (id int primary key, a varchar(9))"),
                tdsql(2, None, ["1", "'x'"]),
            ),
            [tdsql_event(3, "delete", ["1", "'x'"], None, gtid="")],
            [
                tdsql_event(5, "update", ["2", "'x'"], ["2", "'y'"], gtid=""),
                tdsql_event(4, "insert", None, ["2", "'x'"], gtid=""),
            ],
        ],
        current=[live(id=1, a="x"), live(id=2, a="y")],
    ),
]

PARTIAL_IMAGES = [
    Case(
        "Each column has its last writer in whatever order partial images land",
        settings={0: KEYED},
        batches=[
            written(
                oms_shareplex(1, None, {"id": 1, "a": 9, "b": 9, "c": 9}),
                [shareplex_partial(14, 1, a=4)],
            ),
            [shareplex_partial(3, 1, a=5, b=5)],
            [shareplex_partial(2, 1, a=6, b=6, c=6)],
        ],
        current=[live(id=1, a=4, b=5, c=6)],
        meanwhile={0: [live(id=1, a=4, b=9, c=9)], 1: [live(id=1, a=4, b=5, c=9)]},
        history=[
            version(1, 2, id=1, a=9, b=9, c=9),
            version(2, 3, id=1, a=6, b=6, c=6),
            version(3, 14, id=1, a=5, b=5, c=6),
            version(14, None, id=1, a=4, b=5, c=6),
        ],
    ),
    Case(
        "A long run of partial images sets its columns one after the other",
        settings={0: KEYED},
        batches=[
            written(
                oms_shareplex(1, None, {"id": 1, "a": 1, "b": 1, "c": 1}),
                [shareplex_partial(at, 1, **{"abc"[at % 3]: at}) for at in range(2, LONG, 2)],
            ),
            [shareplex_partial(at, 1, **{"abc"[at % 3]: at}) for at in range(3, LONG, 2)],
        ],
        current=[live(id=1, a=LONG - 2, b=LONG - 1, c=LONG - 3)],
        history=[
            version(at, at + 1 if at < LONG - 1 else None, id=1, **last_of_each(at))
            for at in range(1, LONG)
        ],
    ),
    Case(
        "In a partial image NULL wins like any value and an absent column never does",
        settings={0: KEYED},
        batches=[
            oms_shareplex(1, None, {"id": 1, "a": 1, "b": 1}),
            [shareplex_partial(3, 1, a=None)],
            [shareplex_partial(2, 1, a=2)],
        ],
        current=[live(id=1, a=None, b=1)],
    ),
    Case(
        "A full image covers the partial images below it",
        settings={0: KEYED},
        batches=[
            [shareplex_partial(2, 1, a=2, c=2)],
            oms_shareplex(3, {"id": 1, "a": 2, "b": 1}, {"id": 1, "a": 2, "b": 3}),
            [shareplex_partial(1, 1, b=1)],
        ],
        current=[live(id=1, a=2, b=3)],
        meanwhile={0: [partly_known(1, a=2, c=2)]},
    ),
    Case(
        "A base that comes late fills in what partial images above it left out",
        settings={0: KEYED},
        batches=[
            [shareplex_partial(5, 1, a=5)],
            oms_shareplex(2, None, {"id": 1, "a": 2, "b": 2}),
            oms_shareplex(3, {"id": 1, "a": 2, "b": 2}, {"id": 1, "a": 3, "b": 3}),
        ],
        current=[live(id=1, a=5, b=3)],
        meanwhile={0: [partly_known(1, a=5)], 1: [live(id=1, a=5, b=2)]},
    ),
    Case(
        "A partial image without a base is live",
        settings={0: KEYED},
        batches=[[shareplex_partial(2, 1, a=2)], [shareplex_partial(1, 1, a=1, b=1)]],
        current=[partly_known(1, a=2, b=1)],
    ),
    Case(
        "A partial image is live also where a statement drops all its columns",
        settings={0: KEYED},
        batches=[
            [shareplex_partial(2, 1, a=2)],
            shareplex_statement(3, "alter table t drop column a"),
            [shareplex_partial(4, 2, b=4)],
        ],
        current=[partly_known(1), partly_known(2, b=4)],
        meanwhile={0: [partly_known(1, a=2)], 1: [partly_known(1)]},
        history=[
            Version(2, None, {}, {"id": "1"}),
            Version(4, None, {"b": "4"}, {"id": "2"}),
        ],
    ),
    Case(
        "A partial image above a delete makes the row live with its own columns",
        settings={0: KEYED},
        batches=[
            written(
                oms_shareplex(1, None, {"id": 1, "a": 1, "b": 1}),
                oms_shareplex(2, {"id": 1, "a": 1, "b": 1}, None),
            ),
            [shareplex_partial(3, 1, a=3)],
        ],
        current=[partly_known(1, a=3)],
        meanwhile={0: []},
        history=[
            version(1, 2, id=1, a=1, b=1),
            deleted(2, 3, id=1, a=1, b=1),
            Version(3, None, {"a": "3"}, {"id": "1"}),
        ],
    ),
    Case(
        "A partial image below a delete that had landed is dead",
        settings={0: KEYED},
        batches=[
            oms_shareplex(3, {"id": 1, "a": 1, "b": 1}, None),
            [shareplex_partial(2, 1, a=3)],
            oms_shareplex(1, None, {"id": 1, "a": 1, "b": 1}),
        ],
        current=[],
    ),
    Case(
        "A value that the source did not send keeps the one of before",
        settings={0: KEYED},
        batches=[
            oms_debezium(2, {"id": 1, "a": 1}, {"id": 1, "a": 2, "long": UNAVAILABLE}),
            oms_debezium(1, None, {"id": 1, "a": 1, "long": "text"}),
        ],
        current=[live(id=1, a=2, long="text")],
    ),
    Case(
        "A partial image with a changed key is completed from its own old row",
        settings={0: KEYED},
        batches=[
            oms_debezium(2, {"id": 1, "a": 1, "b": 1}, {"id": 2, "a": 2, "b": UNAVAILABLE}),
            oms_debezium(1, None, {"id": 1, "a": 1, "b": 1}),
        ],
        current=[live(id=2, a=2, b=1)],
    ),
    Case(
        "An image without its key's columns is of the row before",
        batches=[
            datahub_blob(1, None, {"id": 1, "a": "x"}),
            [
                datahub_blob_event(
                    2,
                    "UPDATE",
                    {"dataColumn": [{"name": "a", "type": "STRING"}], "primaryKey": ["id"]},
                    before={"dataColumn": {"id": 1, "a": "x"}},
                    after={"dataColumn": {"a": "y"}},
                )
            ],
        ],
        current=[live(id=1, a="y")],
        history=[version(1, 2, id=1, a="x"), version(2, None, id=1, a="y")],
    ),
]

KEY_CHANGES = [
    Case(
        "The old key is the new one with the values of a before image that has some columns only",
        settings={0: {"key_columns": "a|b"}},
        batches=[
            oms_debezium(1, None, {"a": 1, "b": 5, "c": "x"}),
            oms_debezium(2, {"a": 1}, {"a": 2, "b": 5, "c": "x"}),
        ],
        current=[Live({"a": "2", "b": "5", "c": "x"}, {"a": "2", "b": "5"})],
        meanwhile={0: [Live({"a": "1", "b": "5", "c": "x"}, {"a": "1", "b": "5"})]},
    ),
    Case(
        "A table has one key also where its messages name another one later",
        batches=[
            keyed_by(["id"], oms_canal(1, None, {"id": 1, "region": "x", "a": 1})),
            keyed_by(
                ["id", "region"],
                oms_canal(2, {"id": 1, "region": "x", "a": 1}, {"id": 1, "region": "x", "a": 2}),
            ),
        ],
        current=[
            Live({"id": "1", "region": "x", "a": "2"}, {"id": "1", "region": "x"}),
        ],
        meanwhile={0: [live(id=1, region="x", a=1)]},
    ),
    Case(
        "A changed key deletes the old one and sets the new one",
        settings={0: KEYED},
        batches=[
            oms_debezium(1, None, {"id": 1, "a": "x"}),
            oms_debezium(2, {"id": 1, "a": "x"}, {"id": 2, "a": "y"}),
        ],
        current=[live(id=2, a="y")],
        history=[
            version(1, 2, id=1, a="x"),
            deleted(2, None, id=1, a="x"),
            version(2, None, id=2, a="y"),
        ],
    ),
    Case(
        "A whole row with a changed key has none of the columns that became NULL",
        settings={0: {"envelope": "maxwell"}},
        batches=[
            without_nulls(maxwell(1, None, {"id": 1, "a": "x", "b": "y"})),
            without_nulls(
                maxwell(2, {"id": 1, "a": "x", "b": "y"}, {"id": 2, "a": "x", "b": None})
            ),
        ],
        current=[live(id=2, a="x")],
        meanwhile={0: [live(id=1, a="x", b="y")]},
    ),
    Case(
        "Keys that move on and back end the same in reverse",
        settings={0: KEYED},
        batches=[
            oms_debezium(3, {"id": 2, "a": "y"}, {"id": 1, "a": "z"}),
            oms_debezium(2, {"id": 1, "a": "x"}, {"id": 2, "a": "y"}),
            oms_debezium(1, None, {"id": 1, "a": "x"}),
        ],
        current=[live(id=1, a="z")],
    ),
    Case(
        "Two rows exchange their keys over a third",
        settings={0: KEYED},
        batches=[
            written(
                oms_debezium(1, None, {"id": 1, "a": "x"}),
                oms_debezium(2, None, {"id": 2, "a": "y"}),
                oms_debezium(5, {"id": 9, "a": "x"}, {"id": 2, "a": "x"}),
            ),
            written(
                oms_debezium(4, {"id": 2, "a": "y"}, {"id": 1, "a": "y"}),
                oms_debezium(3, {"id": 1, "a": "x"}, {"id": 9, "a": "x"}),
            ),
        ],
        current=[live(id=1, a="y"), live(id=2, a="x")],
    ),
    Case(
        "A delete and an update of one place are a changed key",
        batches=[
            datastream(2, {"id": 1, "a": "x"}, {"id": 2, "a": "x"}),
            datastream(1, None, {"id": 1, "a": "x"}),
        ],
        current=[live(id=2, a="x")],
    ),
    Case(
        "Bytes of a fixed length are the same with and without their leading zeros",
        batches=[
            [with_light_types(message, id="BINARY", a="INT")]
            for message in [
                oms_full_synchronization({"id": "AAABAg==", "a": 1}),
                *oms_default(5, {"id": "AQI=", "a": 1}, {"id": "AQI=", "a": 2}),
            ]
        ],
        current=[live(id="AQI=", a=2)],
    ),
]

BACKFILLS = [
    Case(
        "A snapshot of Debezium that lands later loses to changes and deletes",
        settings={0: KEYED},
        batches=[
            written(
                oms_debezium(1, None, {"id": 1, "a": "new"}),
                oms_debezium(2, {"id": 2, "a": "old"}, None),
            ),
            [debezium_read({"id": number, "a": "old"}) for number in (1, 2, 3)],
        ],
        current=[live(id=1, a="new"), live(id=3, a="old")],
    ),
    Case(
        "A backfill of Datastream that lands later loses to changes and deletes",
        batches=[
            written(
                datastream(1, None, {"id": 1, "a": "new"}),
                datastream(2, {"id": 2, "a": "old"}, None),
            ),
            [datastream_read({"id": number, "a": "old"}) for number in (1, 2, 3)],
        ],
        current=[live(id=1, a="new"), live(id=3, a="old")],
    ),
    Case(
        "A full synchronization of OMS that lands later loses to changes and deletes",
        batches=[
            written(
                oms_default(1, None, {"id": 1, "a": "new"}),
                oms_default(2, {"id": 2, "a": "old"}, None),
            ),
            [oms_full_synchronization({"id": number, "a": "old"}) for number in (1, 2, 3)],
        ],
        current=[live(id=1, a="new"), live(id=3, a="old")],
    ),
    Case(
        "Of two backfills the later read wins",
        settings={0: KEYED},
        batches=[
            [debezium_read({"id": 1, "a": "second"}, at=2000)],
            [debezium_read({"id": 1, "a": "first"}, at=1000)],
        ],
        current=[live(id=1, a="second")],
    ),
    *(
        Case(
            f"Of two full synchronizations by {read.__name__} the later written wins",
            settings={0: KEYED},
            batches=[
                [read({"id": number, "a": "second"}, at=2000 + number) for number in range(8)],
                [read({"id": number, "a": "first"}, at=1000) for number in range(8)],
            ],
            current=[live(id=number, a="second") for number in range(8)],
        )
        for read in (oms_dataworks_read, shareplex_read)
    ),
]

SPLIT_UPDATES = [
    Case(
        "The old row of a split update alone changes nothing",
        settings={0: TABLE | KEYED},
        batches=[
            dataworks_record(1, None, {"id": 1, "a": "x"}),
            [record(2, "before", id=1, a="y")],
        ],
        current=[live(id=1, a="x")],
        history=[version(1, None, id=1, a="x")],
    ),
    Case(
        "The new row of a split update alone is an upsert",
        settings={0: TABLE | KEYED},
        batches=[[record(2, "after", id=1, a="y")], dataworks_record(1, None, {"id": 1, "a": "x"})],
        current=[live(id=1, a="y")],
        meanwhile={0: [live(id=1, a="y")]},
    ),
    Case(
        "A split update whose old row comes late moves its key",
        settings={0: TABLE | KEYED},
        batches=[
            dataworks_record(1, None, {"id": 1, "a": "x"}),
            [record(2, "after", id=2, a="y")],
            [record(2, "before", id=1, a="x")],
        ],
        current=[live(id=2, a="y")],
        meanwhile={1: [live(id=1, a="x"), live(id=2, a="y")]},
        history=[
            version(1, 2, id=1, a="x"),
            deleted(2, None, id=1, a="x"),
            version(2, None, id=2, a="y"),
        ],
    ),
    Case(
        "A split update whose new row comes late moves its key",
        settings={0: TABLE | KEYED},
        batches=[
            written(
                dataworks_record(1, None, {"id": 1, "a": "x"}), [record(2, "before", id=1, a="x")]
            ),
            [record(2, "after", id=2, a="y")],
        ],
        current=[live(id=2, a="y")],
        meanwhile={0: [live(id=1, a="x")]},
    ),
    Case(
        "A split update below a later one stays below it when its half comes late",
        settings={0: TABLE | KEYED},
        batches=[
            [record(2, "after", id=1, a="y")],
            dataworks_record(3, {"id": 1, "a": "y"}, {"id": 1, "a": "z"}),
            written(
                [record(2, "before", id=1, a="x")], dataworks_record(1, None, {"id": 1, "a": "x"})
            ),
        ],
        current=[live(id=1, a="z")],
    ),
    Case(
        "A split update with fewer columns sets those that it brings",
        settings={0: TABLE | KEYED},
        batches=[
            dataworks_record(1, None, {"id": 1, "a": "x", "b": "x"}),
            [record(2, "after", id=1, a="y")],
            [record(2, "before", id=1, a="x", b="x")],
        ],
        current=[live(id=1, a="y", b="x")],
    ),
    Case(
        "A split update without a key whose old row comes late counts once",
        settings={0: TABLE},
        batches=[
            dataworks_record(1, None, {"a": "x"}),
            [record(2, "after", a="y")],
            [record(2, "before", a="x")],
        ],
        current=[copies(1, a="y")],
        meanwhile={1: [copies(1, a="x"), copies(1, a="y")]},
    ),
    Case(
        "A split update without a key whose new row comes late counts once",
        settings={0: TABLE},
        batches=[
            written(dataworks_record(1, None, {"a": "x"}), [record(2, "before", a="x")]),
            [record(2, "after", a="y")],
            written(dataworks_record(1, None, {"a": "x"}), [record(2, "after", a="y")]),
        ],
        current=[copies(1, a="y")],
        meanwhile={0: [copies(1, a="x")], 1: [copies(1, a="y")]},
    ),
]

WITHOUT_A_KEY = [
    Case(
        "Equal rows count and an update takes one copy and adds one",
        batches=[
            oms_canal(1, None, {"a": "x"}) * 2,
            oms_canal(2, {"a": "x"}, {"a": "y"}),
            oms_canal(3, None, {"a": "y"}),
        ],
        current=[copies(1, a="x"), copies(2, a="y")],
        meanwhile={0: [copies(2, a="x")], 1: [copies(1, a="x"), copies(1, a="y")]},
        history=[],
    ),
    Case(
        "No copies are not shown and fewer than none are",
        batches=[
            written(oms_canal(1, None, {"a": "x"}), oms_canal(1, None, {"a": "y"})),
            oms_canal(2, {"a": "x"}, None),
            written(oms_canal(3, {"a": "z"}, None) * 2, oms_canal(3, {"a": None}, {"a": "y"})),
        ],
        current=[copies(2, a="y"), copies(-2, a="z"), copies(-1, a=None)],
        meanwhile={1: [copies(1, a="y")]},
    ),
    Case(
        "A delete without a key that lands before its insert",
        batches=[oms_debezium(2, {"a": "x"}, None), oms_debezium(1, None, {"a": "x"})],
        current=[],
        meanwhile={0: [copies(-1, a="x")]},
    ),
    Case(
        "Messages that come again count once",
        batches=[
            oms_debezium(1, None, {"a": "x"}),
            written(oms_debezium(1, None, {"a": "x"}), oms_debezium(2, {"a": "x"}, {"a": "y"}) * 2),
            oms_debezium(2, {"a": "x"}, {"a": "y"}),
        ],
        current=[copies(1, a="y")],
    ),
    Case(
        "An old row that lacks columns is completed from its own new row",
        batches=[
            oms_debezium(1, None, {"a": "x", "b": 1}),
            oms_debezium(2, {"a": "x"}, {"a": "y", "b": 1}),
        ],
        current=[copies(1, a="y", b=1)],
    ),
    Case(
        "A whole row without a key has none of the columns that became NULL",
        settings={0: {"envelope": "maxwell"}},
        batches=[
            without_nulls(maxwell(1, None, {"a": "x", "b": "y"})),
            without_nulls(maxwell(2, {"a": "x", "b": "y"}, {"a": "z", "b": None})),
            without_nulls(maxwell(3, {"a": "z", "b": None}, None)),
        ],
        current=[],
        meanwhile={0: [copies(1, a="x", b="y")], 1: [copies(1, a="z")]},
    ),
    Case(
        "The physical row id of Oracle serves as a key",
        batches=[
            [
                datastream_oracle(1, "INSERT", "AAA", {"A": "x"}),
                datastream_oracle(2, "INSERT", "AAB", {"A": "x"}),
            ],
            [
                datastream_oracle(4, "UPDATE", "AAA", {"A": "z"}),
                datastream_oracle(5, "DELETE", "AAB", {"A": "x"}),
            ],
            [datastream_oracle(3, "UPDATE", "AAA", {"A": "y"})],
        ],
        current=[Live({"A": "z"}, {"row_id": "AAA"})],
    ),
]

LATE_SETTINGS = [
    Case(
        "A table's name and then its key come late",
        batches=[
            written(
                dataworks_record(1, None, {"id": 1, "a": "x"}),
                dataworks_record(2, {"id": 1, "a": "x"}, {"id": 1, "a": "y"}),
            ),
            [record(3, "before", id=1, a="y")],
            [record(3, "after", id=1, a="z")],
        ],
        settings={1: TABLE, 2: TABLE | KEYED},
        current=[live(id=1, a="z")],
        meanwhile={0: [], 1: [copies(1, id=1, a="y")]},
        history=[
            version(1, 2, id=1, a="x"),
            version(2, 3, id=1, a="y"),
            version(3, None, id=1, a="z"),
        ],
    ),
    Case(
        "A table that gets another name leaves no rows under the old one",
        settings={0: TABLE | KEYED | {"table_name": "misspelt"}, 1: TABLE | KEYED},
        batches=[dataworks_record(1, None, {"id": 1, "a": "x"}), [], []],
        current=[live(id=1, a="x")],
        history=[version(1, None, id=1, a="x")],
    ),
    Case(
        "A key that comes late makes one row of many contents",
        batches=[
            written(
                oms_debezium(1, None, {"id": 1, "a": "x"}),
                oms_debezium(2, None, {"id": 2, "a": "x"}),
            ),
            oms_debezium(4, {"id": 1, "a": "x"}, {"id": 1, "a": "z"}),
            oms_debezium(3, {"id": 2, "a": "x"}, None),
        ],
        settings={2: KEYED},
        current=[live(id=1, a="z")],
        meanwhile={1: [copies(1, id=1, a="z"), copies(1, id=2, a="x")]},
    ),
]

STATE_CASES = [
    *FULL_IMAGES,
    *EQUAL_COORDINATES,
    *WITHOUT_A_PLACE,
    *PARTIAL_IMAGES,
    *KEY_CHANGES,
    *BACKFILLS,
    *SPLIT_UPDATES,
    *WITHOUT_A_KEY,
    *LATE_SETTINGS,
]
