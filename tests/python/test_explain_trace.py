"""`onelog explain` and `onelog trace`: what became of a message, and why a row is as it is.

A handful of messages is landed once and built once; one more is landed and not built.
"""

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from messages import (
    START,
    oms_default,
    oms_shareplex,
    oms_statement_with_sequence,
    record,
    shareplex_partial,
    tdsql,
    tdsql_statement,
    text,
)
from pyspark.sql import SparkSession
from rich.cells import cell_len

from landing.cli import main
from landing.queries.positions import in_words
from landing.queries.story import literal, rows_of
from landing.queries.trace import key_of

ESCAPE = "\x1b[31m\x9b"
ANN, ANN_PAID = ({"id": 1, "name": "Ann", "price": price} for price in ("1.10", "1.20"))
BOB, CID = {"id": 2, "name": "Bob"}, {"id": 3, "name": f"Cid {ESCAPE}"}
ALTER = "ALTER TABLE d.t ADD COLUMN note varchar(9) DEFAULT 'none'"
HEARTBEAT = text({"recordType": "HEARTBEAT", "allMetaData": {"timestamp": str(START)}})
NO_JSON = '{"a": "' + ESCAPE
SENT = {
    "story": [
        *oms_default(1, None, ANN),
        *oms_default(2, ANN, ANN_PAID),
        *oms_default(3, None, BOB),
        *oms_default(4, BOB, None),
        *oms_default(5, None, CID),
        *oms_default(6, CID, CID | {"id": 4}),
        *oms_default(2, ANN, ANN_PAID),
        NO_JSON,
        HEARTBEAT,
        *oms_statement_with_sequence(7, ALTER),
    ],
    "story-emptied": [
        *oms_default(1, None, {"id": 1, "n": "old"}),
        *oms_default(2, None, {"id": 2, "n": "old"}),
        *oms_statement_with_sequence(3, "TRUNCATE TABLE d.t"),
        *oms_default(4, None, {"id": 2, "n": "new"}),
    ],
    "story-partial": [
        *oms_shareplex(1, None, {"id": 1, "a": 1, "b": 1}),
        shareplex_partial(2, 1, id=1, a=2, b=2),
        shareplex_partial(3, 1, id=1, a=3),
    ],
    "story-keyless": [
        *oms_default(1, None, {"name": "x"}),
        *oms_default(2, None, {"name": "x"}),
        *oms_default(3, {"name": "x"}, {"name": "y"}),
    ],
    "story-renamed": [
        *oms_default(1, None, {"id": 1}),
        *oms_statement_with_sequence(2, "RENAME TABLE d.t TO d.u"),
        *oms_default(3, None, {"id": 2}, table="u"),
    ],
    "story-halves": [
        record(1, "I", id=1, a=1),
        record(2, "after", id=1, a=2),
        record(3, "before", id=1, a=2),
    ],
    "story-listed": [
        *tdsql(1, None, ["1", "2"]),
        *tdsql_statement(2, "alter table t add column note int"),
    ],
    "story-before": [record(1, "before", id=1, a=1)],
    "story-after": [
        record(2, "before", id=2, a=1),
        record(2, "after", id=2, a=2),
        record(1, "after", id=1, a=2),
    ],
}
LATE = oms_default(9, None, {"id": 9})


def what_lands(project: Path, register: Callable[..., None]) -> dict[str, list[str]]:
    with (project / "seeds" / "table_columns.csv").open("a") as file:
        file.write("story-listed,d,t,1,id,int,true\nstory-listed,d,t,2,n,int,false\n")
    register("story-partial", key_columns="id")
    of_table = {"key_columns": "id", "database_name": "d", "table_name": "t"}
    register("story-halves", **of_table)
    for topic in ("story-before", "story-after"):
        register(topic, source="story-pairs", **of_table)
    return SENT


@pytest.fixture(scope="module", autouse=True)
def built(looked_at: None, land: Callable[[dict[str, list[str]]], None]) -> None:
    land({"story": LATE})


def run(*arguments: str | int) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@functools.cache
def story(*arguments: str | int) -> dict[str, list[dict[str, Any]]]:
    """The steps of a command's answer."""
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refusal(*arguments: str | int) -> str:
    """The one line by which a command refuses."""
    result = run(*arguments)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    return result.stderr.removeprefix("onelog: ").rstrip()


def only(step: list[dict[str, Any]]) -> dict[str, Any]:
    assert len(step) == 1, step
    return step[0]


def test_a_change_that_made_the_row_is_told_from_its_text_to_the_row() -> None:
    told = story("explain", "story", 1)
    landed = only(told["landed"])
    assert landed["message"] == SENT["story"][1]
    assert landed["from"].endswith("/story/messages.jsonl, message 2 of the 10 that landed")
    envelope = only(told["envelope"])
    assert (envelope["envelope"], envelope["told_by"]) == ("oms_default", "the message's own keys")
    event = only(told["events"])
    assert (event["operation"], event["table_in_message"]) == ("UPDATE: update", "d.t")
    assert event["before"]["price"] == "1.10"
    in_log = only(told["logs"])
    assert (in_log["log"], in_log["key"]) == ("silver.change_log", {"id": "1"})
    assert in_log["key_columns"] == "id: the messages name them"
    assert in_log["position"].startswith(f"{START}, 2, ")
    row = only(told["gold"])
    assert row["does"] == "writes the whole row"
    assert row["counts"].startswith("yes: it is the base")
    assert row["row"] == {"id": "1", "name": "Ann", "price": "1.20", "note": "none"}


def test_a_change_that_a_later_one_covers_names_it() -> None:
    row = only(story("explain", "story", 0)["gold"])
    assert row["counts"] == "no: a later base stands above it, update story/0/1"
    assert row["row"]["price"] == "1.20"


def test_a_repeat_names_its_original() -> None:
    told = story("explain", "story", 6)
    in_log = only(told["logs"])
    assert (in_log["log"], in_log["repeats"]) == ("silver.repeats", "story/0/1")
    assert "gold" not in told


def test_a_message_in_quarantine_has_its_reason() -> None:
    told = story("explain", "story", 7)
    in_log = only(told["logs"])
    assert in_log["log"] == "silver.quarantine"
    assert in_log["reason"].startswith("not JSON")
    assert only(told["landed"])["message"] == NO_JSON


def test_a_heartbeat_is_in_the_control_log() -> None:
    in_log = only(story("explain", "story", 8)["logs"])
    assert (in_log["log"], in_log["kind"]) == ("silver.control_log", "heartbeat")


def test_a_statement_says_what_it_does_to_the_rows() -> None:
    told = story("explain", "story", 9)
    in_log = only(told["logs"])
    assert (in_log["log"], in_log["kind"]) == ("silver.ddl_log", "alter_table")
    does = "adds the column note to the rows below it, with the value none"
    assert only(told["gold"])["does"] == does


def test_a_half_says_that_it_waits() -> None:
    told = story("explain", "story-halves", 1)
    assert only(told["events"])["image"] == "the after half of a split update"
    assert only(told["logs"])["waits"].startswith("for its other half")
    assert only(told["logs"])["key_columns"] == "id: seeds/topics.csv names them"
    told = story("explain", "story-halves", 2)
    assert only(told["logs"])["waits"] == "for its other half; until then it touches no row"
    assert "gold" not in told


def test_a_key_of_the_settings_is_theirs_whatever_else_a_statement_does() -> None:
    told = only(story("explain", "story-listed", 0)["logs"])["key_columns"]
    assert told == "id: seeds/table_columns.csv names them"


@pytest.mark.parametrize(("topic", "offset"), [("story-before", 0), ("story-after", 2)])
def test_a_half_is_told_by_its_pair_where_the_other_half_is_in_another_topic(
    topic: str, offset: int
) -> None:
    told = story("explain", topic, offset)
    in_log = only(told["logs"])
    assert (in_log["log"], in_log["key"]) == ("silver.change_log", {"id": "1"})
    assert f"{topic}/0/{offset}" in in_log["made_of"]
    assert only(told["gold"])["row"] == {"id": "1", "a": "2"}


def test_a_message_that_is_not_built_yet_says_so() -> None:
    told = story("explain", "story", 10)
    assert list(told) == ["landed", "envelope", "not_built_yet"]
    assert only(told["landed"])["message"] == LATE[0]
    assert "run dbt run" in run("explain", "story", 10).stdout


def test_a_message_that_never_landed_is_one_line_with_those_that_did() -> None:
    reach = "partition 0 has offsets 0 to 10"
    assert refusal("explain", "story", 11) == (
        f"'story' has no message at partition 0, offset 11: {reach}"
    )
    assert refusal("explain", "story", 0, "--partition", 5).endswith(reach)
    assert 'no message of the topic "sto\'ry" has landed; topics: ' in refusal(
        "explain", "sto'ry", 0
    )


def test_a_row_is_traced_by_its_bare_key() -> None:
    told = story("trace", "story", "d.t", "1")
    first, second = told["changes"]
    assert (first["change"], first["counts"][:3]) == ("insert story/0/0", "no:")
    assert first["columns"]["name"] == {"to": "Ann"}
    assert (second["change"], second["counts"][:4]) == ("update story/0/1", "yes:")
    assert second["columns"] == {"price": {"from": "1.10", "to": "1.20"}}
    row = only(told["row"])
    assert (row["base"], row["row"]["price"]) == ("update story/0/1", "1.20")
    about, statement = told["table"]
    assert about["key_columns"] == "id: the messages name them"
    assert (statement["statement"], statement["place"]) == (ALTER, "story/0/9")


def test_columns_of_partial_images_name_the_change_that_set_them() -> None:
    told = story("trace", "story-partial", "d.t", '{"id": 1}')
    assert [change["counts"] for change in told["changes"]] == [
        "yes: it is the base, of all whole images and deletes the one above the others",
        "yes: it sets b; set again above it: a by update story-partial/0/2, "
        "id by update story-partial/0/2",
        "yes: it sets a, id",
    ]
    assert told["changes"][2]["columns"] == {"a": {"from": "2", "to": "3"}}
    row = only(told["row"])
    assert (row["base"], row["row"]) == (
        "insert story-partial/0/0",
        {"id": "1", "a": "3", "b": "2"},
    )
    assert row["columns_set_above_it"]["b"] == "update story-partial/0/1"


def test_a_deleted_row_has_a_story_too() -> None:
    told = story("trace", "story", "d.t", "2")
    assert [change["change"] for change in told["changes"]] == [
        "insert story/0/2",
        "delete story/0/3",
    ]
    assert only(told["row"])["row"] == "none: delete story/0/3 deletes it"


def test_a_changed_key_is_told_on_both_rows() -> None:
    moved = story("trace", "story", "d.t", "3")
    assert moved["changes"][1]["does"] == 'gives the row the key {"id":"4"}'
    assert only(moved["row"])["row"].startswith("none: update story/0/5 gives the row")
    assert only(story("trace", "story", "d.t", "4")["changes"])["does"] == (
        'brings the row here from the key {"id":"3"}'
    )
    assert [row["key"] for row in story("explain", "story", 5)["gold"]] == [
        {"id": "3"},
        {"id": "4"},
    ]


def test_a_floor_ends_the_rows_below_it() -> None:
    ended = only(story("trace", "story-emptied", "d.t", "1")["row"])
    assert ended["row"] == "none: TRUNCATE TABLE story-emptied/0/2 ended it"
    told = story("trace", "story-emptied", "d.t", "2")
    assert [change["does"] for change in told["changes"]] == [
        "writes the whole row",
        "ends the row",
        "writes the whole row",
    ]
    assert told["changes"][2]["columns"] == {"id": {"to": "2"}, "n": {"to": "new"}}
    assert only(told["row"])["row"] == {"id": "2", "n": "new"}
    below = only(story("explain", "story-emptied", 1)["gold"])
    assert below["counts"] == "no: below the floor of TRUNCATE TABLE story-emptied/0/2"
    floor = only(story("explain", "story-emptied", 2)["gold"])
    assert floor["does"] == "a floor: rows below it are not live"


@pytest.mark.parametrize("name", ["d.t", "d.u"])
def test_a_renamed_table_is_known_by_both_names(name: str) -> None:
    told = story("trace", "story-renamed", name, "1")
    about, statement = told["table"]
    assert (about["table"], about["names_in_messages"]) == ("d.u", ["d.t", "d.u"])
    assert (statement["place"], statement["does"]) == ("story-renamed/0/1", "calls the table d.u")
    assert only(story("explain", "story-renamed", 0)["gold"])["table"] == "d.u"
    assert only(story("explain", "story-renamed", 1)["gold"])["does"] == "calls the table d.u"


def test_a_row_without_a_key_is_named_by_its_columns_or_its_state(spark: SparkSession) -> None:
    by_columns = story("trace", "story-keyless", "d.t", '{"name": "x"}')
    assert [change["does"] for change in by_columns["changes"]] == [
        "adds a copy of the row",
        "adds a copy of the row",
        "takes a copy of the row away",
    ]
    row = only(by_columns["row"])
    assert (row["row"], row["copies"]) == ({"name": "x"}, 1)
    query = "select state_id from gold.current_rows where source = :source and row['name'] = 'x'"
    state_id = only(rows_of(spark, query, source="story-keyless"))["state_id"]
    assert story("trace", "story-keyless", "d.t", state_id) == by_columns


def test_what_trace_does_not_know_is_one_line() -> None:
    assert refusal("trace", "story", "d.t", '{"id": 7}') == (
        "d.t of 'story' has no row {\"id\": 7}; its key: id"
    )
    assert (
        refusal("trace", "story", "d.u", "1")
        == "the source 'story' has no table 'd.u'; tables: d.t"
    )
    assert refusal("trace", "no story", "d.t", "1").startswith(
        "no source is called 'no story'; sources: "
    )
    assert refusal("trace", "story-keyless", "d.t", "x").endswith(
        "it has no key: give a JSON object with columns of the row, or a state_id"
    )


@pytest.mark.parametrize("arguments", [("explain", "story", 7), ("trace", "story", "d.t", 4)])
def test_text_fits_the_terminal_and_holds_no_control_characters(
    arguments: tuple[str | int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = run(*arguments).stdout.split("\n")
    assert max(map(cell_len, lines)) <= 60
    assert all(line.isprintable() for line in lines)
    assert "[31m\\x9b" in "".join(line.strip() for line in lines)


def test_a_key_is_read_in_source_text() -> None:
    entered = '{"id": 1.10, "big": 12345678901234567890123, "name": "ä\\u0000", "none": null}'
    assert key_of(entered) == {
        "id": "1.10",
        "big": "12345678901234567890123",
        "name": "ä\0",
        "none": None,
    }
    assert key_of('{"nested": {"a": 1}}') == {"nested": '{"a": 1}'}
    assert [key_of(bare) for bare in ("7", '"7"', "{", "null")] == [None] * 4


def test_positions_are_told_in_their_numbers() -> None:
    place = "2 a0 a topic a0 a7"
    assert in_words(f"2 b12 a3 {place}", "a topic") == "12, 3 (in the source's log)"
    assert in_words(f"2 0 Y99999999687 {place}", "a topic").startswith("none, -12 (")
    long = "1" * 30
    assert in_words(f"0 z000000030{long} {place}", "a topic").startswith(f"{long} (a row of a ")


def test_texts_of_queries_are_never_sql(spark: SparkSession) -> None:
    for value in ("it's \\ \n\0 :topic {}", "", "größe 😀"):
        assert rows_of(spark, "select :value as value", value=value) == [{"value": value}]
    assert literal(["a", 1, True, None]) == "array(cast(X'61' as string), 1, true, null)"
