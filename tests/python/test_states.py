"""Gold's state: small cases, each with its rows and versions written by hand."""

from collections.abc import Callable
from typing import Any

import pytest
from cases import CASES
from conftest import STATE_TABLES, BuiltStates, as_text
from messages import START
from state_cases import Case, Live, Version


def in_order(items: list) -> list:
    return sorted(items, key=lambda item: as_text(vars(item)))


def rows_shown(rows: list[dict[str, Any]]) -> list[Live]:
    return in_order([Live(row["row"], row["key"], row["copies"]) for row in rows])


def versions_shown(rows: list[dict[str, Any]]) -> list[Version]:
    return in_order(
        [
            Version(
                seconds(row["valid_from"]),
                seconds(row["valid_to"]),
                row["row"],
                row["key"],
                row["is_deleted"],
            )
            for row in rows
        ]
    )


def seconds(moment: Any) -> int | None:
    return None if moment is None else round(moment.timestamp()) - START


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_current_rows_are_those_of_the_case(built_states: BuiltStates, case: Case) -> None:
    last = len(built_states.current) - 1
    for number, expected in {**case.meanwhile, last: case.current}.items():
        shown = rows_shown(built_states.current[number][case.topic])
        assert shown == in_order(expected), f"after batch {number}"


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.history is not None], ids=lambda case: case.name
)
def test_history_is_that_of_the_case(built_states: BuiltStates, case: Case) -> None:
    history = built_states.incremental["gold.row_history"][case.topic]
    assert versions_shown(history) == in_order(case.history)
    for row in history:
        assert row["is_current"] == (row["end_position"] is None) == (row["valid_to"] is None)
        assert row["end_position"] is None or row["end_position"] > row["log_position"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_rebuild_gives_the_tables_of_the_three_runs(
    built_states: BuiltStates, case: Case
) -> None:
    """Law 4, of all columns but the time of building."""
    for table in STATE_TABLES:
        incremental = built_states.incremental[table][case.topic]
        rebuilt = built_states.rebuilt[table][case.topic]
        assert sorted(map(as_text, incremental)) == sorted(map(as_text, rebuilt)), table


def test_a_deleted_row_stays_as_a_tombstone(built_states: BuiltStates) -> None:
    topic = next(case.topic for case in CASES if case.name.startswith("Rows that come late"))
    (state,) = built_states.incremental["gold.row_states"][topic]
    assert (state["key"], state["is_live"]) == ({"id": "1"}, False)


def test_a_quiet_failure_of_dbt_s_listing_replaces_no_history(
    built_states: BuiltStates,
    dbt: Callable[..., None],
    spark: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from dbt.adapters.spark.impl import SparkAdapter

    tables = ("silver.events", "gold.row_states")
    before = {table: spark.table(table).count() for table in tables}
    monkeypatch.setattr(SparkAdapter, "list_relations_without_caching", lambda *_: [])
    for table in tables:
        with pytest.raises(AssertionError, match=f"{table} exists, but dbt did not see it"):
            dbt("run", "--select", table.split(".")[1])
    assert {table: spark.table(table).count() for table in tables} == before
