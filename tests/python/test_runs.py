"""Laws 3 to 5 across runs: settings that move tables, clocks, late starts, reroutes, rebuilds.

All cases share one home. A case is a generator: where it yields, one run of dbt builds what every
case has landed until then. Cases land together, in as few batches as one of them needs. After the
last run come stored models rebuilt one by one, a run with nothing new, and a full refresh; they
leave every table as the runs left it.
"""

import json
import random
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from conftest import STORED as STAMPED
from conftest import as_text, was_rebuilt_away
from dbt.context import base
from dump_tables import TABLES as SHOWN
from messages import (
    canal_statement,
    datahub_blob,
    datahub_blob_row,
    debezium_read,
    debezium_statement,
    oms_canal,
    oms_debezium,
    oms_debezium_flatten,
    oms_default,
    oms_statement,
    record,
    tdsql,
    tdsql_event,
    tdsql_statement,
)
from pyspark.sql import SparkSession
from test_reroute import BARE_ROWS, CANAL, batches, counted, place, reroute, silver

import dbt_onelog
from landing import maintain
from landing.bronze import store
from landing.session.marks import FILE

Runs = Generator[None, None, None]
TABLES = ("resolve.events", *SHOWN)
STORED = (
    "events",
    "mentions",
    "mention_names",
    "statements",
    "replays",
    "facts",
    "changes",
    "row_states",
)
# Every stored model. The next run makes whole what reads a model with units that was made whole:
# the log and the states are rebuilt beside models that leave them as they are.
REBUILT = ("events replays", "mentions facts", "mention_names row_states", "statements changes")
PREFIX = "runs-"
# Before the last ones are rebuilt, the settings of one topic change and another one's first batch
# comes: some models then know of it, others do not.
ANEW, WAITING = f"{PREFIX}anew", f"{PREFIX}waiting"
# Of this one, a row comes after the first ones were rebuilt.
LEFT_OUT = f"{PREFIX}left-out-names"
TABLE = {"database_name": "d", "table_name": "t"}
SECOND_SOURCE = "11111111-2222-3333-4444-555555555555"


@dataclass
class Waiting:
    """The batches of a round: the first one that each case lands becomes the first one, and so on.

    ``next_batch``: to which of them the present case comes next.
    """

    batches: list[dict[str, list[str]]] = field(default_factory=list)
    next_batch: int = 0

    def add(self, messages: dict[str, list[str]]) -> None:
        if self.next_batch == len(self.batches):
            self.batches.append({})
        batch = self.batches[self.next_batch]
        assert not batch.keys() & messages.keys(), "each case has topics of its own"
        batch |= messages
        self.next_batch += 1


@dataclass
class World:
    """What a case may do. ``dbt`` is for single models: the runs come where cases yield.

    ``rerouted``: the batches that land first, of cases that reroute; ``waiting``: those of all.
    """

    spark: SparkSession
    run: Callable[..., list[Any]]
    run_all: Callable[..., None]
    land_batch: Callable[[dict[str, list[str]]], None]
    register: Callable[..., None]
    patch: pytest.MonkeyPatch
    rerouted: Waiting = field(default_factory=Waiting)
    waiting: Waiting = field(default_factory=Waiting)

    def land(self, messages: dict[str, list[str]], apart: bool = False) -> None:
        """Land messages by topic; ``apart``: in a batch that only cases which reroute land in.

        A reroute has a batch read again, with all that lies in it.
        """
        (self.rerouted if apart else self.waiting).add(messages)

    def land_waiting(self) -> None:
        for batch in (*self.rerouted.batches, *self.waiting.batches):
            self.land_batch(batch)
        self.rerouted, self.waiting = Waiting(), Waiting()

    def dbt(self, *arguments: str) -> None:
        self.land_waiting()
        self.run(*arguments)

    def build(self) -> None:
        self.land_waiting()
        self.run_all()

    def reroute(self, name: str) -> str:
        self.land_waiting()
        return reroute(name)

    def rows(self, table: str, where: str, columns: str = "*") -> list[Any]:
        return self.spark.sql(f"select {columns} from {table} where {where}").collect()

    def live(self, source: str) -> set[tuple[str, str]]:
        """The live rows of a source: names of tables, and rows as JSON."""
        found = self.rows("gold.current_rows", f"source = '{source}'")
        return {(row.table_name, as_text(row.row)) for row in found}


def topic(name: str) -> str:
    return f"{PREFIX}{name}"


def a_repeat_is_a_change_again_when_its_original_leaves_for_another_source(world: World) -> Runs:
    one, other = topic("one"), topic("other")
    names = [topic("original"), topic("copy")]
    for name in names:
        world.register(name, source=one)
    shared = datahub_blob(1, None, {"id": 1, "a": "x"})
    world.land({name: shared for name in names})
    yield
    assert len(world.rows("silver.change_log", f"source = '{one}'")) == 1
    world.register(names[0], source=other)
    yield
    moved = world.rows("silver.change_log", f"source in ('{one}', '{other}')")
    assert sorted(row.topic for row in moved) == sorted(names)


def two_changes_are_one_when_their_topics_come_to_share_a_source(world: World) -> Runs:
    names, both = [topic("left"), topic("right")], topic("both")
    for name in names:
        world.register(name, **TABLE)
    world.land({name: [record(1, "I", a="x")] for name in names})
    yield
    for name in names:
        world.register(name, **TABLE, source=both)
    yield
    (change,) = world.rows("silver.change_log", f"source = '{both}'")
    (row,) = world.rows("gold.current_rows", f"source = '{both}'")
    assert (change.key, row.copies) == (None, 1)


def a_half_that_comes_late_takes_the_place_of_the_one_that_waited(world: World) -> Runs:
    """Before the other half come repeats of the first one, which stay where they are."""
    name = topic("halves")
    world.register(name, **TABLE, key_columns="id")
    after = record(2, "after", id=2, a="y")
    world.land({name: [after]})
    yield
    world.land({name: [after]})
    yield
    world.land({name: [after, record(2, "before", id=1, a="x")]})
    yield
    (change,) = world.rows("silver.change_log", f"topic = '{name}'")
    assert (change.image, len(change.messages)) == ("both", 2)
    assert len(world.rows("silver.repeats", f"topic = '{name}'")) == 2


def halves_that_no_table_explains_are_in_quarantine_each(world: World) -> Runs:
    """They come in two batches, and are one update when the settings name their table."""
    name = topic("unnamed-halves")
    world.land({name: [record(2, "before", id=1, a="x")]})
    yield
    world.land({name: [record(2, "after", id=1, a="y")]})
    yield
    kept = world.rows("silver.quarantine", f"topic = '{name}'")
    assert sorted((row.offset, '"y"' in row.message) for row in kept) == [(0, False), (1, True)]
    world.register(name, **TABLE, key_columns="id")
    yield
    (change,) = world.rows("silver.change_log", f"topic = '{name}'")
    assert (change.image, change.after) == ("both", {"id": "1", "a": "y"})


def a_line_whose_start_falls_moves_its_rows(world: World) -> Runs:
    """The later topic brings the start of a GTID source, at a lower offset."""
    names, source = [topic("early-line"), topic("late-line")], topic("lines")
    for name in names:
        world.register(name, source=source)
    create = tdsql_statement(1, "create table t (id int primary key, a varchar(9))")[0]
    first = tdsql_event(2, "insert", None, ["1", "'first'"])
    late = tdsql_event(1, "update", ["1", "'first'"], ["1", "'late'"])
    others = [tdsql_event(at, "xid", None, None) for at in range(50, 53)]
    world.land({names[0]: [create, first, *others, from_second_source(late)]})
    yield
    world.land({names[1]: [from_second_source(tdsql_event(0, "gtid", None, None))]})
    yield
    assert world.live(source) == {("t", '{"a": "first", "id": "1"}')}, "its source began first"


def from_second_source(message: str) -> str:
    event = json.loads(message)
    number = event["gtid"].rpartition(":")[2]
    return json.dumps(event | {"gtid": f"{SECOND_SOURCE}:{number}"})


def a_clock_that_goes_back_hides_no_batch_and_no_setting(world: World) -> Runs:
    name = topic("clock")
    row = {"id": 1, "a": "x"}

    def newest() -> Any:
        return world.rows("silver.change_log", "true", "max(built_at)")[0][0]

    world.land({name: oms_debezium(1, None, row)})
    yield
    # The host's clock is an hour behind, and shows several runs the same time.
    stands_at = dbt_onelog.now() - 3_600_000_000
    with world.patch.context() as patch:
        patch.setitem(base.get_context_modules()["onelog"], "now", lambda: stands_at)
        before = newest()
        world.land({name: oms_debezium(2, row, row | {"a": "y"})})
        world.register(name, key_columns="id")
        yield
        (found,) = world.rows("gold.current_rows", f"source = '{name}'")
        assert (found.row["a"], found.key) == ("y", {"id": "1"})
        between = newest()
        world.land({name: oms_debezium(3, row | {"a": "y"}, row | {"a": "z"})})
        yield
        (found,) = world.rows("gold.current_rows", f"source = '{name}'")
        assert found.row["a"] == "z"
        assert before < between < newest(), "each run's time is greater than any before"


SHOP = {"database_name": "shop", "table_name": "orders", "key_columns": "id"}
ORDERS = [
    record(1, "I", id=1, name="joe", amount=1.5),
    record(2, "I", id=2, name="ann", amount=None),
    record(3, "before", id=1, name="joe", amount=1.5),
    record(3, "after", id=1, name="jo", amount=1.5),
    # The key changes.
    record(4, "before", id=2, name="ann", amount=None),
    record(4, "after", id=3, name="ann", amount=None),
    record(5, "D", id=1, name="jo", amount=1.5),
    # An insert after the delete: a new row.
    record(6, "I", id=1, name="joan", amount=2),
    # A half whose other half never comes.
    record(7, "before", id=3, name="ann", amount=None),
]
# Place columns and times of building are no part of what the laws compare.
COMPARED = """
    change_id, envelope, topic, source, database_name, table_name, operation,
    to_json(array_sort(map_entries(before))) as before,
    to_json(array_sort(map_entries(after))) as after,
    to_json(array_sort(map_entries(key))) as key,
    to_json(array_sort(map_entries(previous_key))) as previous_key,
    event_at, is_partial, image
"""


def any_cut_repetition_and_late_settings_give_the_same_rows(world: World) -> Runs:
    """Laws 3 and 4 on one workload: halves apart, messages twice, settings that come late."""
    cut, shuffled, late = names = [topic(name) for name in ("cut", "shuffled", "late")]
    order = random.Random(7).sample(ORDERS, len(ORDERS))
    world.register(cut, **SHOP)
    world.register(shuffled, **SHOP)
    world.land({cut: ORDERS[:3], shuffled: order[:5], late: ORDERS})
    yield
    orphan = [change for change in changes(world, cut) if change[-1] == "before"]
    assert len(orphan) == 1, "the half that has come is to be found"
    assert changes(world, late) == []
    assert len(world.rows("silver.quarantine", f"topic = '{late}'")) == len(ORDERS)

    world.land({cut: ORDERS[3:]})
    world.land({cut: ORDERS[:4], shuffled: order[3:]})
    world.register(late, **SHOP)
    yield
    found = {name: changes(world, name) for name in names}
    assert len(world.rows("silver.repeats", f"topic = '{cut}'")) == 4
    assert orphan[0][0] in {change[0] for change in found[cut]}, "the pair keeps its id"
    assert len(found[late]) == 7, "what a setting explains leaves quarantine by itself"
    assert world.rows("silver.quarantine", f"topic = '{late}'") == []
    for name in names:
        assert world.live(name) == {
            ("orders", '{"amount": "2", "id": "1", "name": "joan"}'),
            ("orders", '{"amount": null, "id": "3", "name": "ann"}'),
        }, name
    without_names = [
        [change[1:2] + change[4:] for change in sorted(rows, key=lambda one: str(one[4:]))]
        for rows in found.values()
    ]
    assert without_names[0] == without_names[1] == without_names[2]


def changes(world: World, name: str) -> list[tuple]:
    return [tuple(row) for row in world.rows("silver.change_log", f"topic = '{name}'", COMPARED)]


def a_key_that_another_topic_named_is_gone_when_that_topic_leaves(world: World) -> Runs:
    named, unnamed, shared = topic("named"), topic("unnamed"), topic("shared")
    world.register(named, source=shared)
    world.register(unnamed, source=shared)
    world.land({named: datahub_blob(1, None, {"id": 1}), unnamed: oms_debezium(2, None, {"id": 2})})
    yield
    assert [row.key for row in world.rows("silver.change_log", f"topic = '{unnamed}'")] == [
        {"id": "2"}
    ]
    world.register(named, source=named)
    yield
    assert [row.key for row in world.rows("silver.change_log", f"topic = '{unnamed}'")] == [None]


def what_a_stopped_build_had_read_is_still_done(world: World) -> Runs:
    """It knew of a late statement, and stopped before the rows behind it were read anew."""
    name = topic("stopped")
    create = tdsql_statement(1, "create table t (id int primary key, a varchar(9))")
    world.land({name: [*create, *tdsql(12, None, ["1", "2"])]})
    yield
    world.land({name: tdsql_statement(10, "alter table t change a b varchar(9) first")})
    world.dbt("run", "--select", f"+name_spans,{STAMPED[1]}")
    world.land({name: tdsql_statement(20, "alter table t add column c int")})
    yield
    assert world.live(name) == {("t", '{"b": "1", "c": null, "id": "2"}')}


def a_topic_goes_by_the_names_of_its_settings(world: World) -> Runs:
    """Until these change, before single models are rebuilt."""
    world.register(ANEW, **TABLE | {"database_name": "other"}, key_columns="id")
    world.land({ANEW: [record(1, "I", id=1, a="x")]})
    yield
    (row,) = world.rows("gold.current_rows", f"source = '{ANEW}'")
    assert row.database_name == "other"


def silver_follows_a_reroute(world: World) -> Runs:
    """With a batch that holds other topics, a repeat, and a message that nobody can read.

    The other topic also has rows in a batch that is not rewritten.
    """
    name, other = topic("rerouted"), topic("beside")
    world.land({other: [CANAL % 2]})
    world.land({name: [*BARE_ROWS, "[1]"], other: [CANAL % 1, '{"no":"envelope"}']}, apart=True)
    world.land({name: ['{"id":"1","name":"jo"}']}, apart=True)
    yield
    assert len(world.rows("silver.quarantine", f"topic = '{name}'")) == 4
    before = place(world.spark, "bronze.messages", name)
    others = silver(world.spark, other)
    world.register(name, envelope="oms_debezium_smt", table_name="people", key_columns="id")
    yield
    said = world.reroute(name)
    assert f"{name}: 4 messages moved from unrecognized to oms_debezium_smt" in said
    for table in ("oms_debezium_smt", "messages"):
        assert place(world.spark, f"bronze.{table}", name) == before
    assert place(world.spark, "bronze.unrecognized", name) == []
    assert len(place(world.spark, "bronze.unrecognized", other)) == 1
    assert batches(world.spark) == counted(world.spark)
    yield
    followed = silver(world.spark, name)
    assert [len(followed[log]) for log in ("events", "change_log", "quarantine")] == [4, 3, 1]
    assert world.live(name) == {
        ("people", '{"id": "1", "name": "jo"}'),
        ("people", '{"id": "2", "name": "1.10"}'),
    }
    assert silver(world.spark, other) == others


def what_statements_did_goes_with_them(world: World) -> Runs:
    """One source loses its last statement, one keeps that of another table."""
    none, some = topic("none-left"), topic("some-left")
    moved = {
        f"{none}-ddl": [
            *tdsql_statement(1, "create table t (id int primary key, a varchar(9))"),
            *tdsql_statement(3, "alter table t drop column a"),
        ],
        f"{some}-ddl": [
            *oms_statement(20, "truncate table t"),
            *oms_statement(20, "alter table u add column b int default 7"),
            *oms_statement(20, "alter table v rename to w"),
        ],
    }
    kept = {
        f"{none}-rows": [*tdsql(2, None, ["1", "'x'"])],
        f"{some}-rows": [
            *oms_default(11, None, {"id": 1}, table="t"),
            *oms_default(12, None, {"id": 2}, table="u"),
            *oms_default(13, None, {"id": 3}, table="v"),
            *oms_default(31, None, {"id": 4}, table="w"),
            *oms_default(14, None, {"id": 5}, table="x"),
        ],
        f"{some}-other-ddl": oms_statement(20, "truncate table x"),
    }
    for name in moved | kept:
        world.register(name, source=none if name.startswith(none) else some)
    world.land(moved | kept, apart=True)
    yield
    assert world.live(none) == {("t", '{"id": "1"}')}
    assert world.live(some) == {
        ("u", '{"b": "7", "id": "2"}'),
        ("w", '{"id": "3"}'),
        ("w", '{"id": "4"}'),
    }
    for name in moved:
        world.register(name, source=name.removesuffix("-ddl"), envelope="oms_debezium")
        assert "moved from" in world.reroute(name)
    yield
    assert world.live(none) == set(), "its row waits for its column list"
    assert world.live(some) == {
        (table, f'{{"id": "{number}"}}') for number, table in enumerate("tuvw", 1)
    }


def a_late_statement_acts_by_time_on_rows_of_other_lines(world: World) -> Runs:
    """Its position in its own line is above the rows that the others have."""
    late, rows, said, canal = [topic(name) for name in ("late-create", "rows", "said", "canal")]
    world.register(rows, source=canal)
    world.register(said, source=canal)
    (row,) = tdsql(10, None, ["1", "2"])
    world.land({late: [from_second_source(row)], rows: oms_canal(10, None, {"id": 1})})
    yield
    assert world.live(late) == set(), "its column list is not known"
    rename = canal_statement(5, "rename table t to u")
    world.land(
        {
            late: tdsql_statement(5, "create table t (a int, b int)"),
            said: [*oms_canal(1, None, {"id": 9}), *rename],
        }
    )
    yield
    assert world.live(late) == {("t", '{"a": "1", "b": "2"}')}
    assert world.live(canal) == {("t", '{"id": "1"}'), ("u", '{"id": "9"}')}


def a_repeat_is_one_in_whatever_form_of_its_envelope(world: World) -> Runs:
    """The connector's converter was set otherwise, and sent its last event again."""
    name = topic("forms")
    world.land({name: oms_debezium(1, None, {"a": 1})})
    yield
    world.land({name: oms_debezium_flatten(1, None, {"a": 1})})
    yield
    assert len(world.rows("silver.change_log", f"topic = '{name}'")) == 1
    (row,) = world.rows("gold.current_rows", f"source = '{name}'")
    assert row.copies == 1


def a_repeat_may_stand_at_a_lower_place_of_another_topic(world: World) -> Runs:
    """OMS's positions end with the place; this one is above those of all other cases."""
    names, shared = [topic("higher-place"), topic("lower-place")], topic("places")
    for name in names:
        world.register(name, source=shared)
    (repeated,) = oms_default(90_001, None, {"a": 1})
    world.land({names[0]: [*oms_default(90_000, None, {"a": 2}), repeated]})
    yield
    world.land({names[1]: [repeated]})
    yield
    assert len(world.rows("silver.repeats", f"topic = '{names[1]}'")) == 1
    found = world.rows("gold.current_rows", f"source = '{shared}'")
    assert [row.copies for row in found] == [1, 1]


def a_pair_takes_back_what_its_half_did_to_another_row(world: World) -> Runs:
    """A half with the changed column alone has no key; a half of another content may pair anew."""
    partial, pairs = topic("partial-half"), [topic("pairs-anew"), topic("pairs-as-before")]
    half = datahub_blob_row(2, "UPDATE_AFTER", None, {"a": "y"})
    first = {partial: [*datahub_blob(1, None, {"id": 1, "a": "x"}), half]}
    late = {partial: [datahub_blob_row(2, "UPDATE_BEFOR", {"id": 1, "a": "x"}, None)]}
    # The order of two contents' hashes decides in which of the topics the pair changes.
    for name, (old, new) in zip(pairs, [(2, 1), (1, 2)], strict=True):
        world.register(name, **TABLE, key_columns="id")
        first[name] = [
            *(record(number, "I", id=number) for number in (1, 2)),
            record(5, "before", id=old),
            record(5, "after", id=new),
        ]
        late[name] = [record(5, "before", id=new)]
    world.land(first)
    yield
    world.land(late)
    yield
    assert world.live(partial) == {("t", '{"a": "y", "id": "1"}')}
    # A full refresh says what is right.
    assert len({len(world.live(name)) for name in pairs}) == 2, "only one pair has changed"


def a_statement_follows_rows_that_are_rerouted_before_it(world: World) -> Runs:
    """It has no number: it stands behind the rows of its second."""
    name = topic("anchored")
    world.register(name, envelope="oms_debezium_smt", table_name="x")
    world.land({name: oms_default(5, None, {"id": 1})}, apart=True)
    yield
    world.register(name, envelope="oms_default")
    world.land({name: oms_statement(5, "truncate table t")}, apart=True)
    yield
    assert "moved from" in world.reroute(name)
    yield
    assert len(world.rows("silver.change_log", f"topic = '{name}'")) == 1
    assert world.live(name) == set()


def a_table_may_be_called_like_a_condition_of_a_run(world: World) -> Runs:
    name = topic("conditions")
    tables = [f"(1 = 0 /* {word} */)" for word in ("replaced", "new", "looked back at")]
    tables += ["(1 = 1 /* due:  */)", "/* part: halves */", "/* end of part: halves */"]
    numbered = list(enumerate(tables, 1))
    rows = [oms_default(at, None, {"id": at}, table=table) for at, table in numbered]
    world.land({name: [message for messages in rows for message in messages]})
    yield
    statement = "alter table `{}` add column b int default 7"
    said = [oms_statement(20 + at, statement.format(table)) for at, table in numbered]
    world.land({name: [message for messages in said for message in messages]})
    yield
    assert world.live(name) == {(table, f'{{"b": "7", "id": "{at}"}}') for at, table in numbered}


def rows_wait_for_all_that_says_what_they_mean(world: World) -> Runs:
    """What comes after the mentions had nothing to do in the first run: it is no newer for that."""
    name = topic("left-out")
    yield
    world.land({name: oms_debezium(1, None, {"id": 1})})
    for models in ("events mention_names statements replays facts changes", "mentions changes"):
        world.dbt("run", "--select", *models.split())
        assert world.rows("silver.change_log", f"topic = '{name}'") == []
    yield
    assert world.live(name) == {("t", '{"id": "1"}')}


def names_that_differ_in_case_are_two(world: World) -> Runs:
    names = [topic("case"), topic("CASE")]
    for name in names:
        world.register(name, **TABLE)
    world.land({name: [record(1, "I", a="x")] for name in names})
    yield
    for name in names:
        world.register(name, **TABLE, time_zone="Asia/Shanghai")
    yield
    for name in names:
        assert len(world.rows("silver.change_log", f"topic = '{name}'")) == 1
        (row,) = world.rows("gold.current_rows", f"source = '{name}'")
        assert row.copies == 1


def rows_wait_for_names_that_were_left_out(world: World) -> Runs:
    world.land({LEFT_OUT: oms_debezium(1, None, {"id": 1})})
    yield
    yield
    world.land({LEFT_OUT: oms_debezium(2, {"id": 1}, {"id": 2})})
    world.dbt("run", "--select", "events", "mentions", "changes")
    yield
    assert world.live(LEFT_OUT) == {("t", '{"id": "2"}')}


def what_was_read_once_is_read_again_with_its_name(world: World) -> Runs:
    """Where a part of the models alone follows two changes of the settings."""
    name = topic("renamed-twice")
    told = ("mention_names", "facts", "changes", "row_states")
    world.land({name: oms_debezium(1, None, {"id": 1, "b": 1})})
    yield
    world.land({name: oms_debezium(2, None, {"id": 2, "b": 2})})
    yield
    for key in ("b", "id"):
        world.register(name, key_columns=key)
        world.dbt("run", "--select", *told)
    yield
    found = world.rows("gold.current_rows", f"source = '{name}'", "key")
    assert sorted(row.key["id"] for row in found) == ["1", "2"]


def a_backfilled_row_meets_a_late_statement_by_time(world: World) -> Runs:
    """It was read after the table had got another name: another table has its name since."""
    name = topic("backfill")
    world.land({name: [debezium_read({"id": 1}, at=1000)]})
    yield
    world.land({name: debezium_statement(5, "rename table t to u")})
    yield
    assert world.live(name) == {("t", '{"id": "1"}')}


def an_original_that_is_rerouted_comes_before_its_repeat(world: World) -> Runs:
    names, shared = [topic("moved-original"), topic("stayed-repeat")], topic("moved-repeats")
    world.register(names[0], source=shared, envelope="oms_debezium_smt", table_name="x")
    world.register(names[1], source=shared)
    message = oms_default(5, None, {"a": 1})
    world.land({names[0]: message}, apart=True)
    world.land({names[1]: message}, apart=True)
    yield
    world.register(names[0], source=shared, envelope="oms_default")
    assert "moved from" in world.reroute(names[0])
    yield
    (change,) = world.rows("silver.change_log", f"source = '{shared}'")
    assert change.topic == names[0]
    assert len(world.rows("silver.repeats", f"topic = '{names[1]}'")) == 1


# First those that run single models, while nothing else has landed, then those that reroute.
CASES: tuple[Callable[[World], Runs], ...] = (
    rows_wait_for_all_that_says_what_they_mean,
    what_a_stopped_build_had_read_is_still_done,
    what_was_read_once_is_read_again_with_its_name,
    rows_wait_for_names_that_were_left_out,
    silver_follows_a_reroute,
    what_statements_did_goes_with_them,
    a_statement_follows_rows_that_are_rerouted_before_it,
    an_original_that_is_rerouted_comes_before_its_repeat,
    a_repeat_is_a_change_again_when_its_original_leaves_for_another_source,
    two_changes_are_one_when_their_topics_come_to_share_a_source,
    a_half_that_comes_late_takes_the_place_of_the_one_that_waited,
    halves_that_no_table_explains_are_in_quarantine_each,
    a_line_whose_start_falls_moves_its_rows,
    a_clock_that_goes_back_hides_no_batch_and_no_setting,
    any_cut_repetition_and_late_settings_give_the_same_rows,
    a_key_that_another_topic_named_is_gone_when_that_topic_leaves,
    a_topic_goes_by_the_names_of_its_settings,
    a_late_statement_acts_by_time_on_rows_of_other_lines,
    a_repeat_is_one_in_whatever_form_of_its_envelope,
    a_repeat_may_stand_at_a_lower_place_of_another_topic,
    a_pair_takes_back_what_its_half_did_to_another_row,
    a_backfilled_row_meets_a_late_statement_by_time,
    a_table_may_be_called_like_a_condition_of_a_run,
    names_that_differ_in_case_are_two,
)
Rows = dict[str, list[str]]


@dataclass(frozen=True)
class Ended:
    """What became of the cases, and what the tables hold after them and after each rebuild.

    ``failures``: the error that ended a case, by its name. ``left_out``: the live rows of a topic
    after a run that had the models to do which an earlier one left out. ``remembered``, ``marks``:
    the stored models' own marks after that run, as they are remembered and as the tables have
    them. ``idle``: the versions of the stored tables before and after a run with nothing new;
    ``more``: before and after runs with one more message of a known table.
    """

    failures: dict[str, Exception]
    after_runs: Rows
    after_single_rebuilds: dict[str, Rows]
    rebuilt: Rows
    left_out: set[tuple[str, str]]
    remembered: dict[str, dict[str, Any]]
    marks: dict[str, dict[str, Any]]
    idle: tuple[dict[str, int], dict[str, int]]
    more: tuple[dict[str, int], dict[str, int]]


def run_together(cases: list[Callable[[World], Runs]], world: World) -> dict[str, Exception]:
    """Let all cases land, run dbt once, let them look and land again, and so on."""
    failures: dict[str, Exception] = {}
    going = {case.__name__: case(world) for case in cases}
    while going:
        for name, steps in list(going.items()):
            world.rerouted.next_batch = world.waiting.next_batch = 0
            try:
                next(steps)
            except StopIteration:
                del going[name]
            except Exception as error:
                failures[name] = error
                del going[name]
        if going:
            world.build()
    return failures


@pytest.fixture(scope="module")
def ended(
    project: Path,
    spark: SparkSession,
    dbt: Callable[..., list[Any]],
    build: Callable[..., None],
    land: Callable[[dict[str, list[str]]], None],
    register: Callable[..., None],
) -> Ended:
    def tables() -> Rows:
        return {table: rows_of(spark, table) for table in TABLES}

    def rebuild(models: str) -> None:
        dbt("run", "--full-refresh", "--select", *models.split())

    with pytest.MonkeyPatch.context() as patch:
        world = World(spark, dbt, build, land, register, patch)
        failures = run_together(list(CASES), world)
    after_runs = tables()
    singles = {}
    first, *others, last = REBUILT
    rebuild(first)
    dbt("run", *STAMPED, "--exclude", "row_states")
    before_more = versions(spark)
    # No statement comes: nothing makes the log older than what it reads, and still it has to read
    # the row that waits. But for that row, the next run has the states to do and nothing else.
    land({LEFT_OUT: oms_debezium(3, {"id": 2}, {"id": 3})})
    with pytest.MonkeyPatch.context() as patch:
        # No run puts files together: that is a commit, too.
        patch.setattr(maintain, "SPARE_FILES", 10**6)
        dbt("run", "--select", "events", "mentions", "mention_names", "facts", "changes")
        build()
        left_out = world.live(LEFT_OUT)
        remembered = json.loads((project / "warehouse" / FILE).read_text())
        marks = {f"resolve.{name}": own_mark(spark, name) for name in STORED}
        singles[first] = tables()
        before = versions(spark)
        build()
        idle = (before, versions(spark))
        more = (before_more, before)
    for models in others:
        rebuild(models)
        build()
        singles[models] = tables()
    register(ANEW, **TABLE, key_columns="id")
    land({WAITING: oms_debezium(1, None, {"id": 1})})
    dbt("run", "--select", "events", "mention_names")
    rebuild(last)
    build()
    singles[last] = tables()
    with pytest.MonkeyPatch.context() as patch:
        # It dies when the batch's messages are there, but nothing says yet that it counts.
        patch.setattr(store, "confirm_lease", lambda: 1 / 0)
        with pytest.raises(AssertionError, match="division by zero"):
            land({topic("not-landed"): oms_debezium(1, None, {"id": 1})})
    build("--full-refresh")
    return Ended(failures, after_runs, singles, tables(), left_out, remembered, marks, idle, more)


def own_mark(spark: SparkSession, model: str) -> dict[str, Any]:
    """What a stored model's table says of itself, in the words of what is remembered."""
    (row,) = spark.sql(f"""
        select
            unix_micros(built_at) as built_at,
            unix_micros(mark.generation) as generation,
            mark.settings,
            mark.about,
            unix_micros(mark.since) as read_to
        from resolve.{model}
        where marked_unit = ''
        order by built_at desc
        limit 1
    """).collect()
    return row.asDict()


def versions(spark: SparkSession) -> dict[str, int]:
    """How many commits the table of each stored model has."""
    newest = {name: spark.sql(f"describe history resolve.{name} limit 1") for name in STORED}
    return {name: commit.collect()[0].version for name, commit in newest.items()}


def rows_of(spark: SparkSession, table: str) -> list[str]:
    rows = [row.asDict(recursive=True) for row in spark.table(table).drop("built_at").collect()]
    kept = [
        row
        for row in rows
        if row.get("mark") is None and not (table.endswith("row_states") and was_rebuilt_away(row))
    ]
    return sorted(as_text(row) for row in kept)


@pytest.mark.parametrize("case", [case.__name__ for case in CASES])
def test_case(ended: Ended, case: str) -> None:
    if case in ended.failures:
        raise ended.failures[case]


def test_a_row_waits_for_statements_that_were_left_out(ended: Ended) -> None:
    assert ended.left_out == {("t", '{"id": "3"}')}


def test_a_run_with_nothing_new_changes_nothing(ended: Ended) -> None:
    before, after = ended.idle
    assert before == after


def test_one_more_message_of_a_known_table_leaves_names_and_facts_as_they_are(
    ended: Ended,
) -> None:
    before, after = ended.more
    written = {model for model in STORED if after[model] > before[model]}
    assert written == {"events", "mentions", "changes", "row_states"}


def of_the_runs(rows: list[str]) -> list[str]:
    """Without those of topics that more came of after the runs."""
    return [row for row in rows if not any(name in row for name in (ANEW, WAITING, LEFT_OUT))]


@pytest.mark.parametrize("models", REBUILT)
def test_one_model_rebuilt_and_a_run_give_the_same_tables(ended: Ended, models: str) -> None:
    found = ended.after_single_rebuilds[models]
    for table in TABLES:
        assert of_the_runs(found[table]) == of_the_runs(ended.after_runs[table]), table
        if models == REBUILT[-1]:
            assert found[table] == ended.rebuilt[table], table


@pytest.mark.parametrize("table", TABLES)
def test_a_full_refresh_gives_the_tables_of_the_runs(ended: Ended, table: str) -> None:
    rebuilt = of_the_runs(ended.rebuilt[table])
    assert rebuilt, "a table without rows is like any other"
    assert rebuilt == of_the_runs(ended.after_runs[table])


def test_what_is_remembered_of_the_marks_is_what_the_tables_say(ended: Ended) -> None:
    assert {table: known["mark"] for table, known in ended.remembered.items()} == ended.marks
    assert ended.marks["resolve.row_states"]["about"], "the run had the states to do, not all"


@pytest.mark.usefixtures("ended")
def test_nothing_has_vanished(dbt: Callable[..., list[Any]]) -> None:
    dbt("test", "--select", "assert_nothing_vanishes")
