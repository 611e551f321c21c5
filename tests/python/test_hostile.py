"""What vendors must never send does no harm: to the run, to its neighbours, or to itself."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import land_well, register_topic
from hostile import KINDS, NAMES, Sent, among_neighbours, neighbours, neighbours_changes
from messages import WRITERS

from landing.envelopes import ONLY_REGISTERED

pytestmark = pytest.mark.drawn

# What settings call a database or a table that no message names.
UNNAMED = "unnamed"
NAMED_FOLDERS = [name for name in NAMES if not set("/\x00:") & set(name) and len(name) < 200]
TOPICS: dict[str, list[Sent]] = {
    f"hostile-{envelope}-{kind}": among_neighbours(make(envelope), neighbours(envelope))
    for envelope in WRITERS
    for kind, make in KINDS.items()
}
ALONE = {f"hostile-{envelope}-alone": neighbours(envelope) for envelope in WRITERS}
# The same messages where nothing names their envelope.
DETECTED = {
    f"hostile-{envelope}-detected": TOPICS[f"hostile-{envelope}-cut"]
    + TOPICS[f"hostile-{envelope}-drawn"]
    for envelope in WRITERS
    if envelope not in ONLY_REGISTERED
}
NAMED = {f"hostile {name}": neighbours("oms_canal") for name in NAMED_FOLDERS}
SENT = {**TOPICS, **ALONE, **DETECTED, **NAMED}


def write_settings(project: Path) -> None:
    """Every topic but the detected ones names its envelope; TDSQL's tables have two columns."""
    for topic in {**TOPICS, **ALONE}:
        envelope = topic.split("-")[1]
        about = {"database_name": UNNAMED, "table_name": UNNAMED, "key_columns": "id"}
        register_topic(project, topic, envelope=envelope, **about)
    with (project / "seeds" / "table_columns.csv").open("a", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        for topic in [topic for topic in SENT if "-tdsql-" in topic]:
            for place in (("neighbourhood", "neighbour"), ("d", "t")):
                rows.writerow([topic, *place, 1, "id", "int", "true"])
                rows.writerow([topic, *place, 2, "name", "text", "false"])


@pytest.fixture(scope="module")
def built(project: Path, build: Callable[..., None], spark: Any) -> Any:
    """The session, after one landing of all that is hostile and one run."""
    write_settings(project)
    folder = project / "hostile"
    for topic, messages in SENT.items():
        (folder / topic).mkdir(parents=True)
        lines = b"".join(message.data + b"\n" for message in messages)
        (folder / topic / "messages.jsonl").write_bytes(lines)
    land_well(folder)
    build()
    return spark


def as_text(data: bytes) -> str:
    return data.rstrip(b"\r").decode("utf-8", "backslashreplace")


def rows_of(built: Any, table: str, columns: str = "*") -> list[dict[str, Any]]:
    """A table's rows of the hostile topics."""
    found = built.sql(f"select {columns} from {table} where topic like 'hostile%'").collect()
    return [row.asDict(recursive=True) for row in found]


def test_every_message_lands(built: Any) -> None:
    rows = rows_of(built, "bronze.messages", "topic, offset")
    places = {(row["topic"], row["offset"]) for row in rows}
    assert len(rows) == len(places)
    assert places == {
        (topic, number) for topic, messages in SENT.items() for number in range(len(messages))
    }


def test_no_message_vanishes(built: Any) -> None:
    logs = ("ddl_log", "control_log", "quarantine", "repeats")
    known = " union ".join(f"select topic, offset from silver.{log}" for log in logs)
    vanished = built.sql(
        "select topic, offset from bronze.messages where topic like 'hostile%' except"
        f" ({known} union select topic, place.offset from silver.change_log"
        " lateral view explode(messages) as place)"
    ).collect()
    assert [(row.topic, row.offset, SENT[row.topic][row.offset].data) for row in vanished] == []


def test_quarantine_gives_each_message_back_as_it_was_sent(built: Any) -> None:
    rows = rows_of(built, "silver.quarantine", "topic, offset, message, reason")
    assert len(rows) > 1000
    changed = [
        (row["topic"], row["offset"], row["reason"], sent[:200], (row["message"] or "")[:200])
        for row in rows
        if (sent := as_text(SENT[row["topic"]][row["offset"]].data)) != row["message"]
        # Of a JSON object the blanks around it are no part.
        and sent.replace("\r", " ").strip(" ") != row["message"]
    ]
    assert changed == []


ABOUT_A_CHANGE = (
    *("operation", "database_name", "schema_name", "table_name", "before", "after", "key"),
    *("previous_key", "column_types", "value_encoding", "transaction_id", "event_at", "row_index"),
)


@pytest.mark.parametrize("envelope", WRITERS)
def test_neighbours_are_in_the_log_as_they_were_sent(built: Any, envelope: str) -> None:
    """What the writers do not tell is as when they come alone."""
    changes: dict[str, list] = {}
    for row in rows_of(built, "silver.change_log"):
        if row["envelope"] == envelope and row["topic"] in {**TOPICS, **ALONE}:
            numbers = [SENT[row["topic"]][place["offset"]].neighbour for place in row["messages"]]
            if None not in numbers:
                about = {name: row[name] for name in ABOUT_A_CHANGE}
                changes.setdefault(row["topic"], []).append((numbers, about))
    alone = sorted(changes[f"hostile-{envelope}-alone"], key=lambda change: change[0])
    expected = neighbours_changes(envelope, UNNAMED)
    assert [{name: row[name] for name in expected[0]} for _, row in alone] == expected
    for kind in KINDS:
        found = sorted(changes[f"hostile-{envelope}-{kind}"], key=lambda change: change[0])
        assert found == alone


def test_values_and_names_keep_their_text(built: Any) -> None:
    rows = {
        (row["topic"], row["messages"][0]["offset"]): row
        for row in rows_of(built, "silver.change_log")
    }
    wrong, checked = [], 0
    for topic, messages in TOPICS.items():
        for number, sent in enumerate(messages):
            if sent.after is None and sent.names is None:
                continue
            row = rows.get((topic, number))
            seen = row and (sent.after in (None, row["after"]))
            seen = seen and all(row[name] == value for name, value in (sent.names or {}).items())
            checked += 1
            if not seen:
                wrong.append((topic, number, sent.data[:200], str(row and row["after"])[:200]))
    assert wrong == []
    assert checked > 1000


KINDS_OF_VALUES = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}


def test_the_reason_names_each_field_of_a_wrong_type(built: Any) -> None:
    """What it says of a field holds, by a reader of JSON of its own."""
    named = 0
    for row in rows_of(built, "silver.quarantine", "topic, reason, message"):
        if not row["topic"].endswith("-types"):
            continue
        assert "another type" not in row["reason"], row
        for path, said in re.findall(r"([\w.\[\]-]+) is (an? \w+), not an? \w+", row["reason"]):
            value = json.loads(row["message"])
            for key in re.findall(r"[\w-]+", path):
                value = value[int(key) if isinstance(value, list) else key]
            assert KINDS_OF_VALUES.get(type(value), "a number") == said, row
            named += 1
    assert named > 500


def test_laws_hold(built: Any, dbt: Callable[..., None]) -> None:
    dbt("test", "--select", "assert_nothing_vanishes", "assert_numbers_keep_their_text")
