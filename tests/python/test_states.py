"""Gold's state: cases written by hand, and laws 3 and 4 on random workloads, of one build."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from cases import CASES
from chance import SEED
from conftest import as_text, was_rebuilt_away
from messages import START
from state_cases import Case, Live, Version
from test_expire import age, expire_well
from test_reroute import reroute
from test_runs import REBUILT
from workloads import (
    NUMBER_OF_BATCHES,
    WORKLOADS,
    envelope_of,
    first_settings,
    in_disorder,
    in_order,
    rows_left,
    topic_settings,
    versions,
)

# The rows of a table by source.
Rows = dict[str, list[dict[str, Any]]]
# What first lands as another envelope, and is moved when the settings are mended.
LAND_AT_FIRST = [name for name, drawn in WORKLOADS.items() if in_disorder(drawn, name)[name][0]]
REROUTED = random.Random(SEED).sample(LAND_AT_FIRST, 6 if SEED else 1)
# In every second soak, what the first runs have built of these leaves bronze before the last run.
EXPIRING = {*WORKLOADS} - {*REROUTED} if SEED % 2 else set()
STATE_TABLES = ("silver.change_log", "gold.current_rows", "gold.row_history", "resolve.row_states")


@dataclass(frozen=True)
class BuiltStates:
    """What gold showed after each batch, all tables after the last one, and after a rebuild."""

    current: list[Rows]
    incremental: dict[str, Rows]
    rebuilt: dict[str, Rows]


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


@pytest.fixture(scope="module")
def built_states(
    spark: Any,
    dbt: Callable[..., None],
    build: Callable[..., None],
    land: Callable[[dict[str, list[str]]], None],
    register: Callable[..., None],
) -> BuiltStates:
    """All state cases and all workloads: landed in three batches, each built, then rebuilt.

    A soak also rebuilds a model between two of the runs, and may let batches expire. The rebuild
    is then one of all that lies above the events.
    """

    def register_all(settings: dict[str, dict[str, str]]) -> None:
        for topic, of_topic in settings.items():
            register(topic, **of_topic)

    batches = {case.topic: case.batches for case in CASES}
    for name, workload in WORKLOADS.items():
        ordered, shuffled = f"ordered-{name}", f"shuffled-{name}"
        batches |= in_order(workload, ordered) | in_disorder(workload, shuffled)
        first = first_settings(workload, shuffled)
        if name in REROUTED:
            is_smt = envelope_of(workload) == "oms_debezium_smt"
            first[shuffled]["envelope"] = "oms_canal" if is_smt else "oms_debezium_smt"
        register_all(topic_settings(workload, ordered) | first)

    def rows_of(table: str) -> Rows:
        found: Rows = {topic: [] for topic in batches}
        for row in spark.table(table).drop("built_at").collect():
            fields = row.asDict(recursive=True)
            if row["source"] in found and not was_rebuilt_away(fields):
                found[row["source"]].append(fields)
        return found

    expiring = {
        topic
        for name in EXPIRING
        for manner in ("ordered", "shuffled")
        for topic in topic_settings(WORKLOADS[name], f"{manner}-{name}")
    }

    def land_batch(number: int) -> None:
        """What is to expire lands apart: what waits for a reroute must not."""
        cuts = {
            topic: cut[number] for topic, cut in batches.items() if cut[number:] and cut[number]
        }
        if of_expiring := {topic: cut for topic, cut in cuts.items() if topic in expiring}:
            land(of_expiring)
            if number < NUMBER_OF_BATCHES - 1:
                age(spark)
        land({topic: cut for topic, cut in cuts.items() if topic not in expiring})

    current = []
    for number in range(NUMBER_OF_BATCHES):
        for case in CASES:
            if number in case.settings:
                register(case.topic, **case.settings[number])
        for name, workload in WORKLOADS.items():
            # After the first run, or with the last messages.
            if number == 1 + workload.disorder % 2:
                shuffled = f"shuffled-{name}"
                settings = topic_settings(workload, shuffled)
                if name in REROUTED:
                    settings[shuffled]["envelope"] = envelope_of(workload)
                register_all(settings)
                if name in REROUTED:
                    reroute(shuffled)
        if SEED and number == 1:
            rebuilt = random.Random(SEED).choice(REBUILT)
            dbt("run", "--full-refresh", "--select", *rebuilt.split())
        if EXPIRING and number == NUMBER_OF_BATCHES - 1:
            said = expire_well("--with-quarantine")
            assert f"{number} batches" in said, said
        land_batch(number)
        build()
        current.append(rows_of("gold.current_rows"))
    incremental = {table: rows_of(table) for table in STATE_TABLES}
    build("--full-refresh", *(["--exclude", "events"] if EXPIRING else []))
    return BuiltStates(current, incremental, {table: rows_of(table) for table in STATE_TABLES})


def by_text(items: list) -> list:
    return sorted(items, key=lambda item: as_text(vars(item)))


def rows_shown(rows: list[dict[str, Any]]) -> list[Live]:
    return by_text([Live(row["row"], row["key"], row["copies"]) for row in rows])


def versions_shown(rows: list[dict[str, Any]]) -> list[Version]:
    return by_text(
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
        assert shown == by_text(expected), f"after batch {number}"


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.history is not None], ids=lambda case: case.name
)
def test_history_is_that_of_the_case(built_states: BuiltStates, case: Case) -> None:
    history = built_states.incremental["gold.row_history"][case.topic]
    assert versions_shown(history) == by_text(case.history or [])
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
    (state,) = built_states.incremental["resolve.row_states"][topic]
    assert (state["key"], state["is_live"]) == ({"id": "1"}, False)


def test_a_quiet_failure_of_dbt_s_listing_replaces_no_history(
    built_states: BuiltStates,
    dbt: Callable[..., None],
    spark: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from dbt.adapters.spark.impl import SparkAdapter

    tables = ("resolve.events", "resolve.row_states")
    before = {table: spark.table(table).count() for table in tables}
    monkeypatch.setattr(SparkAdapter, "list_relations_without_caching", lambda *_: [])
    for table in tables:
        with pytest.raises(AssertionError, match=f"{table} exists, but dbt did not see it"):
            dbt("run", "--select", table.split(".")[1])
    assert {table: spark.table(table).count() for table in tables} == before


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


@pytest.mark.drawn
@pytest.mark.parametrize("name", WORKLOADS)
def test_the_log_is_the_same_in_any_order(built_states: BuiltStates, name: str) -> None:
    ordered, shuffled = both(built_states.incremental, "silver.change_log", name)
    changes = [step for step in WORKLOADS[name].steps if not step.statement]
    assert len(ordered) >= len(changes), "every change is in the log"
    assert in_text(shuffled, CHANGE) == in_text(ordered, CHANGE), str(WORKLOADS[name])


@pytest.mark.drawn
@pytest.mark.parametrize("name", WORKLOADS)
def test_the_rows_are_those_that_the_table_holds(built_states: BuiltStates, name: str) -> None:
    workload = WORKLOADS[name]
    for rows in both(built_states.incremental, "gold.current_rows", name):
        has_key = bool(workload.shape.key)
        assert all((row["key"] is not None) == has_key for row in rows), str(workload)
        shown: Counter[tuple] = Counter()
        for row in rows:
            shown[row["table_name"], entries(row["row"])] += row["copies"]
        assert shown == rows_left(workload), str(workload)


@pytest.mark.drawn
@pytest.mark.parametrize("name", WORKLOADS)
def test_the_history_is_that_of_the_table(built_states: BuiltStates, name: str) -> None:
    workload = WORKLOADS[name]
    ordered, shuffled = both(built_states.incremental, "gold.row_history", name)
    assert in_text(shuffled, VERSION) == in_text(ordered, VERSION), str(workload)
    shown: dict[tuple, list[tuple[bool, tuple]]] = {}
    for row in ordered:
        version = (row["is_deleted"], entries(row["row"]))
        shown.setdefault((row["table_name"], entries(row["key"])), []).append(version)
    assert shown == versions(workload), str(workload)


@pytest.mark.drawn
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
