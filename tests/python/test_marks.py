"""Laws 3 and 4 across runs: settings that move tables, clocks, late starts, single rebuilds.

All cases land and build together; then stored models are rebuilt one by one; then all of them.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from conftest import UNTYPED, as_text, was_rebuilt_away
from messages import datahub_blob, oms_canal, oms_debezium, record, tdsql_event, tdsql_statement

import dbt_onelog

Rows = dict[str, list[str]]
TABLES = (
    "silver.change_log",
    "silver.ddl_log",
    "silver.control_log",
    "silver.quarantine",
    "silver.repeats",
    "silver.table_schemas",
    "gold.current_rows",
    "gold.row_history",
    "resolve.row_states",
)
# Every stored model; two that build nothing of each other share a run.
REBUILT = ("events", "mentions", "statements row_states", "replays facts", "changes")
PREFIX = "marks-"
SHARED = datahub_blob(1, None, {"id": 1, "a": "x"})
KEYLESS = record(1, "I", a="x")
SECOND_SOURCE = "11111111-2222-3333-4444-555555555555"


@dataclass(frozen=True)
class Built:
    """The tables after each run, after single models were rebuilt, and after a full refresh."""

    runs: list[Rows]
    after_single_rebuilds: dict[str, Rows]
    rebuilt: Rows
    now_later: list[bool]


def topic(name: str) -> str:
    return f"{PREFIX}{name}"


def from_second_source(message: str) -> str:
    event = json.loads(message)
    number = event["gtid"].rpartition(":")[2]
    return json.dumps(event | {"gtid": f"{SECOND_SOURCE}:{number}"})


@pytest.fixture(scope="module")
def built(
    spark: Any,
    dbt: Callable[..., None],
    land: Callable[[dict[str, list[str]]], None],
    register: Callable[..., None],
) -> Built:
    def tables() -> Rows:
        return {table: rows_of(spark, table) for table in TABLES}

    def run() -> Rows:
        dbt("run", *UNTYPED)
        return tables()

    table = {"database_name": "d", "table_name": "t"}
    # A repeat whose original leaves for another source.
    for name in ("original", "copy"):
        register(topic(name), source=topic("one"))
    # Two changes that become one when their topics come to share a source.
    register(topic("left"), **table)
    register(topic("right"), **table)
    # A half that waits, then a repeat of the other half before it.
    register(topic("halves"), **table, key_columns="id")
    # The start of a GTID source that falls: the later topic brings it at a lower offset.
    create = tdsql_statement(1, "create table t (id int primary key, a varchar(9))")[0]
    first = tdsql_event(2, "insert", None, ["1", "'first'"])
    late = tdsql_event(1, "update", ["1", "'first'"], ["1", "'late'"])
    for name in ("early-line", "late-line"):
        register(topic(name), source=topic("lines"))
    runs = []
    land(
        {
            topic("original"): SHARED,
            topic("copy"): SHARED,
            topic("left"): [KEYLESS],
            topic("right"): [KEYLESS],
            topic("halves"): [record(2, "after", id=2, a="y")],
            topic("early-line"): [create, first, *oms_noise(3), from_second_source(late)],
            topic("clock"): oms_debezium(1, None, {"id": 1, "a": "x"}),
            topic("keys"): oms_canal(1, None, {"id": 1, "a": "x"}),
        }
    )
    runs.append(run())
    for name in ("left", "right"):
        register(topic(name), **table, source=topic("both"))
    register(topic("original"), source=topic("other"))
    land(
        {
            topic("halves"): [record(2, "after", id=2, a="y"), record(2, "before", id=1, a="x")],
            topic("late-line"): [from_second_source(tdsql_event(0, "gtid", None, None))],
        }
    )
    # The host's clock stands ten seconds behind.
    real = dbt_onelog.now
    dbt_onelog.now = lambda: real() - 10_000_000
    land({topic("clock"): oms_debezium(2, {"id": 1, "a": "x"}, {"id": 1, "a": "y"})})
    register(topic("clock"), key_columns="id")
    try:
        runs.append(run())
        before = built_at(spark)
        land({topic("clock"): oms_debezium(3, {"id": 1, "a": "y"}, {"id": 1, "a": "z"})})
        runs.append(run())
        now_later = [built_at(spark) > before]
    finally:
        dbt_onelog.now = real
    singles = {}
    for names in REBUILT:
        dbt("run", "--full-refresh", "--select", *names.split())
        singles[names] = run()
    dbt("run", "--full-refresh", *UNTYPED)
    return Built(runs, singles, tables(), now_later)


def oms_noise(count: int) -> list[str]:
    """Events of TDSQL that are no rows."""
    return [tdsql_event(at, "xid", None, None) for at in range(50, 50 + count)]


def built_at(spark: Any) -> Any:
    return spark.sql("select max(built_at) from silver.change_log").first()[0]


def rows_of(spark: Any, table: str) -> list[str]:
    rows = [row.asDict(recursive=True) for row in spark.table(table).drop("built_at").collect()]
    kept = [
        row
        for row in rows
        if row.get("mark") is None and not (table.endswith("row_states") and was_rebuilt_away(row))
    ]
    return sorted(as_text(row) for row in kept)


def of_source(rows: list[str], *sources: str) -> list[dict[str, Any]]:
    found = [json.loads(row) for row in rows]
    return [row for row in found if row["source"] in sources]


def test_a_repeat_is_a_change_again_when_its_original_leaves_for_another_source(
    built: Built,
) -> None:
    before, after = built.runs[0]["silver.change_log"], built.runs[1]["silver.change_log"]
    assert [row["topic"] for row in of_source(before, topic("one"))] == [topic("copy")] or [
        row["topic"] for row in of_source(before, topic("one"))
    ] == [topic("original")]
    moved = of_source(after, topic("one"), topic("other"))
    assert sorted(row["topic"] for row in moved) == [topic("copy"), topic("original")]


def test_two_changes_are_one_when_their_topics_come_to_share_a_source(built: Built) -> None:
    (change,) = of_source(built.runs[1]["silver.change_log"], topic("both"))
    (row,) = of_source(built.runs[1]["gold.current_rows"], topic("both"))
    assert (change["key"], row["copies"]) == (None, 1)


def test_a_half_that_comes_late_takes_the_place_of_the_one_that_waited(built: Built) -> None:
    (change,) = of_source(built.runs[1]["silver.change_log"], topic("halves"))
    assert (change["image"], len(change["messages"])) == ("both", 2)
    assert len([r for r in built.runs[1]["silver.repeats"] if topic("halves") in r]) == 1


def test_a_clock_that_goes_back_hides_no_batch_and_no_setting(built: Built) -> None:
    (row,) = of_source(built.runs[1]["gold.current_rows"], topic("clock"))
    assert (row["row"]["a"], row["key"]) == ("y", {"id": "1"})
    (row,) = of_source(built.runs[2]["gold.current_rows"], topic("clock"))
    assert row["row"]["a"] == "z"
    assert built.now_later == [True], "each run's time is greater than any before"


@pytest.mark.parametrize("models", REBUILT)
def test_one_model_rebuilt_and_a_run_give_the_same_tables(built: Built, models: str) -> None:
    for table in TABLES:
        assert built.after_single_rebuilds[models][table] == built.runs[-1][table], table


@pytest.mark.parametrize("table", TABLES)
def test_a_full_refresh_gives_the_tables_of_the_runs(built: Built, table: str) -> None:
    assert built.rebuilt[table] == built.runs[-1][table]


def test_a_line_whose_start_falls_moves_its_rows(built: Built) -> None:
    rows = of_source(built.runs[-1]["gold.current_rows"], topic("lines"))
    assert [row["row"]["a"] for row in rows] == ["first"], "the second source began first"
