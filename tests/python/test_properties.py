"""Law 3 on random workloads: order, cuts and repeats of the messages leave no trace."""

from collections import Counter
from typing import Any

import pytest
from conftest import STATE_TABLES, BuiltStates, as_text
from workloads import WORKLOADS, rows_left, versions

# What the log says of a change; the rest is where the change came from and when it was built.
CHANGE = (
    "operation",
    "before",
    "after",
    "key",
    "previous_key",
    "is_partial",
    "image",
    "event_at",
    "database_name",
    "table_name",
)
VERSION = ("key", "row", "is_deleted", "is_current", "valid_from", "valid_to")


def both(tables: dict[str, Any], table: str, name: str) -> list[list[dict[str, Any]]]:
    """The rows of the messages in order, and of those in disorder, each in the log's order."""
    return [
        sorted(tables[table][f"{manner}-{name}"], key=lambda row: row["log_position"] or "")
        for manner in ("ordered", "shuffled")
    ]


def in_text(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> list[str]:
    return [as_text([row[column] for column in columns]) for row in rows]


def entries(row: dict[str, Any]) -> tuple:
    return tuple(sorted(row.items()))


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_log_is_the_same_in_any_order(built_states: BuiltStates, name: str) -> None:
    ordered, shuffled = both(built_states.incremental, "silver.change_log", name)
    changes = [step for step in WORKLOADS[name].steps if not step.statement]
    assert len(ordered) >= len(changes), "every change is in the log"
    assert in_text(shuffled, CHANGE) == in_text(ordered, CHANGE), str(WORKLOADS[name])


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_rows_are_those_that_the_table_holds(built_states: BuiltStates, name: str) -> None:
    workload = WORKLOADS[name]
    for rows in both(built_states.incremental, "gold.current_rows", name):
        assert all((row["key"] is not None) == workload.has_key for row in rows), str(workload)
        shown = Counter({entries(row["row"]): row["copies"] for row in rows})
        assert shown == rows_left(workload), str(workload)


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_history_is_that_of_the_table(built_states: BuiltStates, name: str) -> None:
    workload = WORKLOADS[name]
    ordered, shuffled = both(built_states.incremental, "gold.row_history", name)
    assert in_text(shuffled, VERSION) == in_text(ordered, VERSION), str(workload)
    shown: dict[str, list[tuple[bool, tuple]]] = {}
    for row in ordered:
        version = (row["is_deleted"], entries(row["row"]))
        shown.setdefault(row["key"]["id"], []).append(version)
    assert shown == versions(workload), str(workload)


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_rebuild_gives_the_same_tables(built_states: BuiltStates, name: str) -> None:
    for table in STATE_TABLES:
        for incremental, rebuilt in zip(
            both(built_states.incremental, table, name),
            both(built_states.rebuilt, table, name),
            strict=True,
        ):
            kept, anew = (sorted(map(as_text, rows)) for rows in (incremental, rebuilt))
            assert kept == anew, f"{table} of {WORKLOADS[name]}"
