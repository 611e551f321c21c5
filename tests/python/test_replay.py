"""What a source's statements make of its tables: column lists, names, floors, in any order."""

import itertools
import json
import time
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from python_udfs.ddl import read_ddl
from python_udfs.replay import replay_source
from python_udfs.table_changes import parse_table_changes

Fields = dict[str, Any]
SWAP = "rename table t to x, u to t, x to u"


def said(
    position: int,
    text: str | None,
    line: str = "l",
    event_at: int | None = None,
    database: str | None = "shop",
    table: str | None = None,
    source: str = "mysql",
    **given: Any,
) -> Fields:
    """A statement as the log brings it; its time is its position unless given."""
    return {
        "line": line,
        "position": f"{position:04}",
        "event_at": position if event_at is None else event_at,
        "database_name": database,
        "schema_name": None,
        "table_name": table,
        "operation": "ddl",
        "database_type": source,
        "text": text,
        "parsed": text and read_ddl(text, source),
    } | given


def replayed(
    *statements: Fields,
    rows: Iterable[str] = (),
    keys: Iterable[Fields] = (),
    listed: Iterable[Fields] = (),
    topic_key: str | None = None,
) -> Fields:
    name: Fields = {"database_name": "shop", "schema_name": None}
    key_columns = topic_key.split() if topic_key else None
    row_names = [name | {"table_name": table, "key_columns": key_columns} for table in rows]
    return replay_source(list(statements), row_names, list(keys), list(listed))


def named(
    key: str, table: str, after: int | None = None, line: str | None = "l", at: int | None = None
) -> Fields:
    """A key that a message names, above the statement at the position ``after``."""
    return {
        "database_name": "shop",
        "schema_name": None,
        "table_name": table,
        "line": line,
        "after_position": None if after is None else f"{after:04}",
        "after_at": after if at is None else at,
        "key_columns": key.split(),
    }


def lists(result: Fields, table: str = "t", line: str | None = "l") -> Fields:
    """The column lists of a table's name: from which position on, as one text."""
    return {
        span["from_position"]: span["columns"]
        and " ".join(column["column_name"] for column in span["columns"])
        for span in result["spans"]
        if (span["table_name"], span["line"]) == (table, line)
    }


WHAT = ("column_name", "new_name", "value")


def effects(result: Fields, table: str = "t", birth: int = 1) -> list[tuple[str, ...]]:
    """What befell the rows of a table: (action, position, what)."""
    (found,) = [
        item
        for item in result["tables"]
        if (item["identity"]["table_name"], item["identity"]["birth"]) == (table, birth)
    ]
    return [
        (item["action"], item["position"], *filter(None, map(item.get, WHAT)))
        for item in found["effects"]
    ]


def identities(result: Fields, name: str, line: str | None = "l") -> Fields:
    """Which table a name means from each position on."""
    spans = [s for s in result["spans"] if (s["table_name"], s["line"]) == (name, line)]
    return {
        s["from_position"]: (s["identity"]["table_name"], s["identity"]["birth"]) for s in spans
    }


def present(result: Fields, table: str, birth: int = 1) -> str:
    (found,) = [
        (item["present"] or item["identity"])["table_name"]
        for item in result["tables"]
        if (item["identity"]["table_name"], item["identity"]["birth"]) == (table, birth)
    ]
    return found


def test_a_table_that_has_its_first_name_again_is_told_from_one_that_was_never_renamed() -> None:
    """Rows that came under its other name are shown under the present one."""
    result = replayed(
        said(1, SWAP),
        said(2, SWAP),
        said(3, "truncate table v"),
        rows="tuv",
    )
    assert (present(result, "t"), present(result, "u")) == ("t", "u")
    names = {
        item["identity"]["table_name"]: item["present"]
        for item in result["tables"]
        if item["identity"]["birth"] == 1
    }
    assert names["t"] and names["u"]
    assert names["v"] is None


def test_columns_follow_every_alteration() -> None:
    result = replayed(
        said(1, "create table t (a int primary key, b int)"),
        said(2, "alter table t add column c int after a, add z int first"),
        said(3, "alter table t drop column b, rename column c to d"),
        said(4, "alter table t modify d bigint first, change z y text"),
        rows=["t"],
    )
    assert lists(result) == {
        None: None,
        "0001": "a b",
        "0002": "z a c b",
        "0003": "z a d",
        "0004": "d y a",
    }
    (last,) = [s for s in result["spans"] if s["from_position"] == "0004" and s["line"] == "l"]
    assert [c["data_type"] for c in last["columns"]] == ["bigint", "text", "int"]
    assert last["key_columns"] == ["a"]


def test_order_of_arrival_does_not_matter() -> None:
    statements = [
        said(1, "create table t (a int)"),
        said(2, "alter table t add b int"),
        said(3, "rename table t to u"),
        said(3, "truncate table u", line="m", event_at=7),
    ]
    expected = replayed(*statements)
    for order in itertools.permutations(statements):
        assert replayed(*order) == expected


def test_keys_of_all_times_are_the_present_ones_by_the_names_of_that_time() -> None:
    result = replayed(
        said(1, "create table t (id int primary key, n int)"),
        said(2, "alter table t rename column id to pk"),
        said(3, "alter table t drop primary key, add primary key (pk, n)"),
    )
    keys = {s["from_position"]: s["key_columns"] for s in result["spans"] if s["line"] == "l"}
    assert keys == {
        None: ["id", "n"],
        "0001": ["id", "n"],
        "0002": ["pk", "n"],
        "0003": ["pk", "n"],
    }


DROPPED = "drop table t"
NARROW, WIDE = "create table t (id int primary key, n int)", "add primary key (n, id)"


@pytest.mark.parametrize("line", ["l", None])
def test_a_table_that_was_dropped_keeps_the_key_that_it_had(line: str | None) -> None:
    again = [said(2, DROPPED), said(3, NARROW), said(4, f"alter table t drop primary key, {WIDE}")]
    dropped = {None: "id", "0001": "id", "0002": "n id", "0003": "n id", "0004": "n id"}
    found = keys_of_spans(replayed(said(1, NARROW), *again), line)
    assert {place: key for (_, place), key in found.items()} == dropped
    # The messages name it; of those that name one key only the greatest is known.
    for places in ((1, 4), (3, 4)):
        keys = [named("id", "t", after=places[0]), named("n id", "t", after=places[1])]
        found = keys_of_spans(replayed(*again, rows="t", keys=keys), line)
        assert found["t", None] == "id"
        assert found["t", "0003"] == found["t", "0004"] == "n id"


def test_of_a_table_that_was_dropped_without_a_key_the_next_ones_key_says_nothing() -> None:
    found = keys_of_spans(replayed(said(1, DROPPED), said(2, NARROW), rows="t"))
    assert found == {("t", None): "", ("t", "0001"): "id", ("t", "0002"): "id"}


def test_a_table_that_was_dropped_has_the_key_that_messages_name_under_its_name() -> None:
    """After the exchange of names only the other table's message is known to name it."""
    keys = [named("id", "u", after=1)]
    statements = said(1, SWAP), said(2, "drop table u"), said(3, DROPPED)
    found = keys_of_spans(replayed(*statements, rows="tu", keys=keys))
    assert set(found.values()) == {"id"}


def test_a_table_that_is_replaced_keeps_its_key_by_the_names_that_it_had() -> None:
    result = replayed(
        said(1, NARROW),
        said(2, "alter table t rename column id to pk"),
        said(3, "create or replace table t (pk int, n int, primary key (n))"),
        said(4, "alter table t rename column n to pk2"),
    )
    keys = keys_of_spans(result).items()
    expected = {None: "id", "0001": "id", "0002": "pk", "0003": "n", "0004": "pk2"}
    assert {place: key for (_, place), key in keys} == expected


def keys_of_spans(result: Fields, line: str | None = "l") -> dict[tuple[str, str | None], str]:
    """The key at each span: by the name and the position from which on it means the table."""
    return {
        (span["table_name"], span["from_position"]): " ".join(span["key_columns"])
        for span in result["spans"]
        if span["line"] == line and span["table_name"] in "tu"
    }


def test_a_table_keeps_the_key_that_its_rows_named_under_another_name() -> None:
    result = replayed(said(1, SWAP), said(3, SWAP), rows="u", keys=[named("k", "u", after=1)])
    keys = keys_of_spans(result)
    assert keys["t", None] == keys["u", "0001"] == keys["t", "0003"] == "k"


def test_tables_that_exchange_names_keep_their_keys() -> None:
    keys = [named("id", "t"), named("id region", "u")]
    assert keys_of_spans(replayed(said(1, SWAP), rows="tu", keys=keys)) == {
        ("t", None): "id",
        ("u", None): "id region",
        ("t", "0001"): "id region",
        ("u", "0001"): "id",
    }


def test_one_row_after_an_exchange_says_nothing_of_the_other_tables_key() -> None:
    keys = [named("id", "t"), named("id region", "u"), named("id", "u", after=1)]
    expected = {("t", "0001"): "id region", ("u", "0001"): "id"}
    found = keys_of_spans(replayed(said(1, SWAP), rows="tu", keys=keys))
    assert {place: found[place] for place in expected} == expected


def test_a_key_that_both_tables_have_is_theirs_after_an_exchange() -> None:
    """Of messages that name one key under one name, only the greatest is known."""
    keys = [named("id", "t"), named("id", "u", after=1)]
    found = keys_of_spans(replayed(said(1, SWAP), rows="tu", keys=keys))
    assert set(found.values()) == {"id"}


def test_a_key_of_another_line_and_one_of_a_backfilled_row_have_their_place_by_time() -> None:
    """A backfilled row without a time stands below every statement."""
    for before in (
        named("a", "t", line="m", at=5),
        named("a", "t", line=None, at=5),
        named("a", "t", line=None),
    ):
        after = named("b", "t", line="m", at=10)
        result = replayed(said(1, SWAP, event_at=10), rows="tu", keys=[before, after])
        found = keys_of_spans(result)
        assert (found["u", "0001"], found["t", "0001"]) == ("a", "b")


def test_a_renamed_key_column_has_its_new_name_from_there_on_where_no_columns_are_known() -> None:
    result = replayed(
        said(1, "alter table t change id_no id int"),
        said(2, "alter table t change id pk int"),
        said(3, "alter table t add primary key (pk)"),
    )
    assert keys_by_position(result, "l") == {
        None: ["id_no"],
        "0001": ["id"],
        "0002": ["pk"],
        "0003": ["pk"],
    }


def keys_by_position(result: Fields, line: str | None) -> Fields:
    return {s["from_position"]: s["key_columns"] for s in result["spans"] if s["line"] == line}


def test_a_key_of_one_line_has_its_name_of_before_another_one_renamed_it() -> None:
    rename = "alter table t rename column id to pk"
    result = replayed(
        said(1, "create table t (id int primary key)"),
        said(2, "alter table t add a int"),
        said(1, rename, line="m", event_at=5),
        said(2, "alter table t add b int", line="m", event_at=6),
        said(1, "alter table t add c int", line="n", event_at=7),
    )
    assert keys_by_position(result, "l") == {None: ["id"], "0001": ["id"], "0002": ["id"]}
    assert keys_by_position(result, "m") == {None: ["id"], "0001": ["pk"], "0002": ["pk"]}
    assert keys_by_position(result, "n") == {None: ["pk"], "0001": ["pk"]}
    # Shards each rename it at their own place.
    result = replayed(
        said(1, "create table t (id int primary key)", line="l", event_at=1),
        said(1, "create table t (id int primary key)", line="m", event_at=2),
        said(2, rename, line="l", event_at=3),
        said(2, "alter table t add a int", line="m", event_at=4),
        said(3, rename, line="m", event_at=5),
    )
    assert keys_by_position(result, "m") == {
        None: ["id"],
        "0001": ["id"],
        "0002": ["id"],
        "0003": ["pk"],
    }


def test_a_key_has_its_columns_names_in_their_case() -> None:
    result = replayed(
        said(1, "create table t (id int, a int, primary key (ID))"),
        said(2, "alter table t add B int, drop primary key, add primary key (b, A)"),
        said(3, "create table u (id int, ID int, key_of int, primary key (Id, Key_Of))"),
        said(4, "create table w like t"),
    )
    keys = {s["table_name"]: s["key_columns"] for s in result["spans"]}
    assert keys == {"t": ["B", "a"], "u": ["Id", "key_of"], "w": ["B", "a"]}
    (last,) = [s for s in result["spans"] if s["from_position"] == "0002" and s["line"] == "l"]
    assert [c["column_name"] for c in last["columns"] if c["is_key"]] == ["a", "B"]


def test_a_key_column_that_is_renamed_in_another_case_keeps_its_name_of_before() -> None:
    result = replayed(
        said(1, "create table t (id int primary key)"), said(2, "alter table t change ID pk int")
    )
    keys = {s["from_position"]: s["key_columns"] for s in result["spans"] if s["line"] == "l"}
    assert keys == {None: ["id"], "0001": ["id"], "0002": ["pk"]}


@pytest.mark.parametrize(
    ("statements", "keys", "expected"),
    [
        ([(1, "alter table t change id uid int")],
         [named("ID", "t"), named("uid", "t", after=1)], {None: "ID", "0001": "uid"}),
        ([(1, "alter table t change id Uid int"), (2, "alter table t change UID nr int")],
         [named("ID", "t"), named("uid", "t", after=1), named("nr", "t", after=2)],
         {None: "ID", "0001": "uid", "0002": "nr"}),
        ([(1, "alter table t add primary key (id)"), (2, "drop table t")],
         [named("ID", "t", after=2)], {None: "ID", "0001": "ID", "0002": "ID"}),
        # The case itself is what changes.
        ([(1, "alter table t change ID id int")],
         [named("ID", "t"), named("id", "t", after=1)], {None: "ID", "0001": "id"}),
        # Two columns differ by their case.
        ([(1, "alter table t change id uid int")],
         [named("ID Id", "t"), named("uid", "t", after=1)], {None: "id", "0001": "uid"}),
        # The table of that time has columns of its own.
        ([(1, NARROW), (2, "alter table t change id uid int")],
         [named("uid", "t", after=2)], {None: "id", "0001": "id", "0002": "uid"}),
    ],
)  # fmt: skip
def test_a_key_column_is_spelled_as_its_messages_name_it(
    statements: list[tuple[int, str]], keys: list[Fields], expected: Fields
) -> None:
    """Names of columns know no case: a statement may spell them otherwise than the rows."""
    result = replayed(*itertools.starmap(said, statements), rows="t", keys=keys)
    found = keys_by_position(result, "l")
    assert {place: " ".join(key) for place, key in found.items()} == expected


def test_of_columns_that_differ_by_their_case_the_one_of_the_name_as_it_is_is_meant() -> None:
    """Oracle and PostgreSQL take a name in quotes as it is; without them, it has one case."""
    made = said(1, 'create table T (ID int primary key, "Id" int, A int)', source="oracle")
    result = replayed(made, said(2, 'alter table T drop column "Id"', source="oracle"))
    assert lists(result, "T") == {None: None, "0001": "ID Id A", "0002": "ID A"}
    assert keys_by_position(result, "l")["0002"] == ["ID"]
    marked = [
        [column["column_name"] for column in span["columns"] or () if column["is_key"]]
        for span in result["spans"]
        if span["line"] == "l"
    ]
    assert marked == [[], ["ID"], ["ID"]]
    renamed = said(2, 'alter table T rename column "Id" to B', source="oracle")
    result = replayed(made, renamed)
    assert lists(result, "T")["0002"] == "ID B A"
    assert keys_by_position(result, "l")["0002"] == ["ID"]


def topic_keys(
    *statements: Fields, key: str, line: str | None = "l", table: str = "t"
) -> dict[str | None, str]:
    """What the columns of the key of seeds/topics.csv are called from each position on."""
    return {
        span["from_position"]: " ".join(span["topic_key_columns"])
        for span in replayed(*statements, rows="tu", topic_key=key)["spans"]
        if (span["table_name"], span["line"]) == (table, line)
    }


RENAMED = [
    said(1, "alter table t rename column id to uid"),
    said(2, "alter table t change uid nr int, add a int"),
    said(3, "alter table t rename column other to id"),
]


@pytest.mark.parametrize("key", ["id", "uid", "nr"])
def test_a_topics_key_has_the_names_of_its_time_by_whatever_name_it_is_given(key: str) -> None:
    expected = {None: "id", "0001": "uid", "0002": "nr", "0003": "nr"}
    assert topic_keys(*RENAMED, key=key) == expected


def test_a_topics_key_has_each_column_once() -> None:
    assert topic_keys(RENAMED[0], key="n id uid") == {None: "n id", "0001": "n uid"}
    assert set(topic_keys(*RENAMED, key="a").values()) == {"a"}


def test_a_topics_key_makes_no_key_where_statements_are_replayed() -> None:
    """It is the key where neither messages nor statements nor table_columns.csv name one."""
    result = replayed(*RENAMED, rows="t", topic_key="id")
    assert {tuple(span["key_columns"]) for span in result["spans"]} == {()}
    stated = "alter table t add primary key (n)"
    result = replayed(RENAMED[0], said(2, stated), rows="t", topic_key="id")
    assert {tuple(span["key_columns"]) for span in result["spans"]} == {("n",)}
    result = replayed(RENAMED[0], rows="t", keys=[named("m", "t")], topic_key="id")
    assert {tuple(span["key_columns"]) for span in result["spans"]} == {("m",)}


def test_a_topics_key_is_spelled_by_the_settings_and_from_a_rename_on_by_the_statement() -> None:
    renamed = said(1, "alter table t rename column id to uid")
    again = said(2, "alter table t rename column UID to Uid")
    assert topic_keys(renamed, again, key="Id") == {None: "Id", "0001": "uid", "0002": "Uid"}


def test_columns_of_a_topics_key_that_change_places_have_each_others_names() -> None:
    swapped = said(1, "alter table t rename column a to b, rename column b to a")
    assert topic_keys(swapped, key="a") == {None: "a", "0001": "b"}
    assert topic_keys(swapped, key="b") == {None: "b", "0001": "a"}


def test_a_topics_key_stays_where_its_column_is_dropped_in_the_end() -> None:
    """A new column has its name: `id` that was made wider by way of another column."""
    renamed = "alter table t rename column id to old_id, rename column new_id to id"
    dropped = said(2, "alter table t drop column old_id")
    assert set(topic_keys(said(1, renamed), dropped, key="id").values()) == {"id"}


@pytest.mark.parametrize("key", ["id", "uid"])
def test_a_topics_key_follows_the_column_that_has_the_name_of_a_dropped_one(key: str) -> None:
    renamed = "alter table t rename column id to old_id, rename column new_id to id"
    dropped = said(2, "alter table t drop column old_id")
    later = said(3, "alter table t rename column id to uid")
    assert topic_keys(said(1, renamed), dropped, later, key=key)["0003"] == "uid"
    made_anew = [said(1, "alter table t drop column id"), said(2, "alter table t add id bigint")]
    assert topic_keys(*made_anew, later, key=key) == {None: "id", "0001": "id", "0003": "uid"}


def test_a_topics_key_is_another_column_from_where_the_one_of_its_name_is_dropped() -> None:
    """The column that gets the name later, as `id` is made wider in steps."""
    dropped = said(1, "alter table t drop column id")
    renamed = said(2, "alter table t rename column new_id to id")
    assert topic_keys(dropped, renamed, key="id") == {None: "id", "0001": "new_id", "0002": "id"}


def test_a_topics_key_has_its_first_names_again_in_a_table_that_is_made_anew() -> None:
    statements = [
        said(1, "alter table t rename column id to uid"),
        said(2, "drop table t"),
        said(3, "create table t (id int)"),
        said(4, "alter table t rename column id to nr"),
    ]
    expected = {None: "id", "0001": "uid", "0002": "id", "0003": "id", "0004": "nr"}
    assert topic_keys(*statements, key="id") == expected
    # Another line that speaks of the table for the first time takes it up as it is by then.
    late = said(1, "alter table t add a int", line="m", event_at=9)
    assert topic_keys(*statements, late, key="id", line="m") == {None: "nr", "0001": "nr"}


def test_a_topics_key_goes_with_its_table_to_another_name() -> None:
    statements = [
        said(1, "alter table t rename column id to uid"),
        said(2, "rename table t to u"),
        said(3, "alter table u rename column uid to nr"),
    ]
    assert topic_keys(*statements, key="id")["0001"] == "uid"
    found = topic_keys(*statements, key="id", table="u")
    assert (found["0002"], found["0003"]) == ("uid", "nr")


def test_a_topics_key_has_its_names_of_before_another_line_renamed_them() -> None:
    statements = [
        said(1, "alter table t add a int"),
        said(1, "alter table t rename column id to pk", line="m", event_at=5),
        said(1, "alter table t add b int", line="n", event_at=7),
    ]
    assert topic_keys(*statements, key="id", line="l") == {None: "id"}
    assert topic_keys(*statements, key="id", line="m") == {None: "id", "0001": "pk"}
    assert topic_keys(*statements, key="id", line="n") == {None: "pk"}


def test_truncate_and_drop_are_floors_and_a_new_table_of_the_name_is_the_same_one() -> None:
    result = replayed(
        said(1, "create table t (a int)"),
        said(2, "truncate t"),
        said(3, "drop table if exists t"),
        said(4, "create table t (b int)"),
    )
    assert effects(result) == [("floor", "0002"), ("floor", "0003", "drop")]
    assert lists(result) == {None: None, "0001": "a", "0003": None, "0004": "b"}


def test_each_drop_is_a_floor_for_what_came_since_the_one_before_it() -> None:
    """Rows may come without a CREATE that is read: FLASHBACK TABLE, one in another partition."""
    result = replayed(
        said(1, "create table t (a int)"),
        said(2, DROPPED),
        said(3, "create table t (a int"),
        said(4, DROPPED),
        said(5, "drop table t, t"),
    )
    assert effects(result) == [("floor", f"000{place}", "drop") for place in (2, 4, 5)]
    result = replayed(said(1, "rename table t to u"), said(2, DROPPED), rows="t")
    assert effects(result, "t", 2) == [("floor", "0002", "drop")]
    result = replayed(said(1, "drop database shop"), said(2, "drop database shop"), rows="tu")
    assert effects(result, "t") == effects(result, "u")
    assert effects(result, "t") == [("floor", "0001", "drop"), ("floor", "0002", "drop")]


def test_rows_between_two_drops_have_a_key_of_their_own() -> None:
    """Else that of the table that was dropped before them, not the next one's."""
    again = [said(2, DROPPED), said(4, DROPPED), said(5, "create table t (n int primary key)")]
    expected = {None: "id", "0001": "id", "0002": "id", "0004": "n", "0005": "n"}
    found = keys_of_spans(replayed(said(1, NARROW), *again, rows="t"))
    assert {place: key for (_, place), key in found.items()} == expected
    keys = [named("k", "t", after=2)]
    found = keys_of_spans(replayed(said(1, NARROW), *again, rows="t", keys=keys))
    assert found["t", "0002"] == "k"


def test_a_copy_of_each_drop_ends_the_rows_of_its_line_where_it_stands() -> None:
    spoken = [(1, CREATE), (2, DROPPED), (3, DROPPED)]
    result = played(spoken, [(at + 5, text) for at, text in spoken])
    (table,) = result["tables"]
    floors = [(item["line"], item["event_at"], item["first_at"]) for item in table["effects"]]
    assert floors == [("l", 2, 2), ("l", 3, 3), ("m", 7, 2), ("m", 8, 3)]


def test_a_database_takes_its_tables_with_it() -> None:
    result = replayed(said(1, "drop database shop"), rows=["t", "u"])
    assert effects(result, "t") == effects(result, "u") == [("floor", "0001", "drop")]


def test_what_is_there_already_does_nothing() -> None:
    result = replayed(
        said(1, "create table t (a int, b int)"),
        said(2, "create table t (x int)"),
        said(3, "create table if not exists t (x int)"),
        said(4, "alter table t add column a int"),
        said(5, "alter table t drop column nothing"),
        said(6, "rename table missing to other"),
        said(7, "create temporary table t (x int)"),
        said(8, "drop temporary table t"),
        said(9, "alter table t truncate partition p1"),
        said(10, "not ( a statement"),
    )
    assert lists(result) == {None: None, "0001": "a b"}
    assert effects(result) == []


def test_rename_keeps_the_table_and_frees_the_name() -> None:
    result = replayed(
        said(1, "create table t (a int)"),
        said(2, "rename table t to u"),
        said(3, "rename table t to u"),
        said(4, "create table t (b int)"),
        said(5, "alter table u add c int"),
    )
    assert identities(result, "u") == {None: ("u", 1), "0002": ("t", 1), "0005": ("t", 1)}
    assert identities(result, "t") == {
        None: ("t", 1),
        "0001": ("t", 1),
        "0002": ("t", 2),
        "0004": ("t", 2),
    }
    assert (present(result, "t"), present(result, "t", 2)) == ("u", "t")
    assert effects(result, "t") == [("add", "0005", "c")]


@pytest.mark.parametrize("text", ["rename table d.t to u", "alter table d.t rename u"])
def test_a_bare_new_name_lies_where_the_statement_runs(text: str) -> None:
    table = {"database_name": "d", "schema_name": None, "table_name": "t"}
    result = replay_source([said(1, text, database="app")], [table], [], [])
    (found,) = [item["present"] for item in result["tables"] if item["present"]]
    assert found == table | {"database_name": "app", "table_name": "u"}


def test_names_change_places_in_one_statement() -> None:
    result = replayed(said(1, SWAP), rows=["t", "u"])
    assert (present(result, "t"), present(result, "u")) == ("u", "t")
    assert identities(result, "t") == {None: ("t", 1), "0001": ("u", 1)}


def test_columns_change_places_in_one_statement() -> None:
    result = replayed(
        said(1, "create table t (a int, b text)"),
        said(2, "alter table t rename column a to b, rename column b to a"),
    )
    assert lists(result)["0002"] == "b a"
    names = {"a": "1", "b": "2"}
    for _, _, old, new in effects(result):
        names[new] = names.pop(old)
    assert names == {"a": "2", "b": "1"}


@pytest.mark.parametrize(
    ("actions", "columns"),
    [
        ("add column x text after b, change a b int", "id b x z"),
        ("add column x int after b, rename column a to b", "id b x z"),
        ("add column a text, change a old int", "id old z a"),
        ("add column a text, drop column a", "id z a"),
        ("rename column a to z, drop column z", "id z"),
        ("modify a int after z, add column x int after a", "id z a x"),
        ("add column x int first, modify z text first", "z x id a"),
        ("change a z int after id, change z a text, add column x int after z", "id z x a"),
    ],
)
def test_the_names_in_one_alter_are_those_before_it(actions: str, columns: str) -> None:
    """MySQL takes columns away, changes and renames them, then places the new ones."""
    result = replayed(
        said(1, "create table t (id int primary key, a int, z text)"),
        said(2, f"alter table t {actions}"),
    )
    assert lists(result)["0002"] == columns


def test_a_schema_change_tool_swaps_its_copy_in() -> None:
    statements = (
        said(1, "create table t (a int)"),
        said(2, "create table _t_gho like t"),
        said(3, "alter table _t_gho add column b int default '7'"),
        said(4, "rename table t to _t_del, _t_gho to t"),
        said(5, "drop table _t_del"),
    )
    result = replayed(*statements, rows=["t"])
    assert lists(result) == {None: None, "0001": "a", "0004": "a b"}
    assert effects(result) == [("add", "0004", "b", "7")]
    # Where the copy's rows are in the log, they are the table's.
    result = replayed(*statements, rows=["t", "_t_gho"])
    assert identities(result, "t")["0004"] == ("_t_gho", 1)


def test_a_copy_brings_only_what_was_done_to_it_since_it_was_made() -> None:
    """A schema change that failed, or that was swapped in before, acts no more."""
    failed = (
        said(1, "create table t (id int primary key, a text)"),
        said(2, "create table _t_gho like t"),
        said(3, "alter table _t_gho drop column a"),
        said(4, "drop table if exists _t_gho"),
        said(5, "create table _t_gho like t"),
        said(6, "alter table _t_gho add column c int"),
        said(7, "rename table t to _t_del, _t_gho to t"),
    )
    result = replayed(*failed, rows=["t"])
    assert lists(result)["0007"] == "id a c"
    assert effects(result) == [("add", "0007", "c")]
    again = (
        said(8, "create table _t_gho like t"),
        said(9, "alter table _t_gho add column z int"),
        said(10, "rename table t to _t_del, _t_gho to t"),
    )
    result = replayed(*failed, *again, rows=["t"])
    assert lists(result)["0010"] == "id a c z"
    assert effects(result) == [("add", "0007", "c"), ("add", "0010", "z")]


@pytest.mark.parametrize(
    ("statements", "columns"),
    [
        (
            (
                "create table Orders_new (id int primary key, a int, b int)",
                "rename table Orders to Orders_old, Orders_new to Orders",
                "alter table Orders add c int",
            ),
            "id a b c",
        ),
        (
            (
                "create table _Orders_gho like Orders",
                "alter table _Orders_gho add c int",
                "rename table Orders to _Orders_del, _Orders_gho to Orders",
            ),
            "id a c",
        ),
    ],
    ids=["renamed", "swapped in"],
)
def test_a_new_name_is_the_one_that_rows_have(statements: tuple[str, ...], columns: str) -> None:
    """Some servers know no case: the log's rows and what people write differ."""
    texts = ["create table Orders (id int primary key, a int)", *statements]
    result = replayed(*itertools.starmap(said, enumerate(texts, 1)), rows=["orders"])
    assert lists(result, "orders")["0004"] == columns


def test_a_name_of_which_only_the_case_changes_is_a_new_one() -> None:
    result = replayed(said(1, "rename table t to T"), rows=["t", "T"])
    assert present(result, "t") == "T"


@pytest.mark.parametrize(
    ("text", "columns", "key"),
    [
        ("create table t (like u including all)", "a b", ["a"]),
        ("create table t (like u)", "a b", []),
        ("create table t () inherits (u)", "a b", []),
        # The text alone does not say all columns and their order.
        ("create table t (id int, like u including all, x int)", None, ["a"]),
        ("create table t (like u, like u)", None, []),
        ("create table t (x int) inherits (u)", None, []),
        ("create or replace table t (x int) select a, b from u", None, []),
        ("create table t (x int) as ((select 1 a) union (select 2))", None, []),
    ],
)
def test_a_table_made_like_others_has_columns_where_all_are_known(
    text: str, columns: str | None, key: list[str]
) -> None:
    made = said(1, "create table u (a int primary key, b int)", source="postgres")
    result = replayed(made, said(2, text, source="postgres"), said(3, "truncate t"))
    assert last_list(result, line="l") == columns
    assert {tuple(s["key_columns"]) for s in result["spans"] if s["table_name"] == "t"} == {
        tuple(key)
    }


def test_a_renamed_table_goes_with_its_database() -> None:
    result = replayed(
        said(1, "create table t (id int primary key)"),
        said(2, "rename table t to u"),
        said(3, "drop database shop"),
        rows=["t"],
    )
    assert effects(result) == [("floor", "0003", "drop")]


def test_added_columns_have_their_default() -> None:
    result = replayed(
        said(1, "alter table t add a int default 5, add b text, add c text default ''")
    )
    (found,) = [item for item in result["tables"] if item["identity"]["table_name"] == "t"]
    assert [item["value"] for item in found["effects"]] == ["5", None, ""]


def test_lines_have_their_own_lists() -> None:
    result = replayed(
        said(1, "create table t (a int)", line="l", event_at=10),
        said(1, "create table t (a int, b int)", line="m", event_at=20),
        said(2, "alter table t add b int", line="l", event_at=30),
    )
    assert lists(result, line="l") == {None: None, "0001": "a", "0002": "a b"}
    # The line begins as all lines are by then, and its own CREATE says what it really has.
    assert lists(result, line="m") == {None: "a", "0001": "a b"}
    # Over all lines the second CREATE finds the table there.
    assert lists(result, line=None) == {None: None, "0001": "a", "0002": "a b"}


def after(text: str, *before: str, at: int = 50) -> Fields:
    """The lists of t in line m, whose one statement on it stands behind all of line l."""
    spoken = [said(number, one) for number, one in enumerate(before, 1)]
    statements = [*spoken, said(1, text, line="m", event_at=at)]
    expected = replayed(*statements, rows=["t"])
    for order in itertools.permutations(statements):
        assert replayed(*order, rows=["t"]) == expected
    return lists(expected, line="m")


CREATE = "create table t (id int primary key, a int)"


def test_a_line_begins_with_what_the_lines_before_it_left() -> None:
    assert after("alter table t add b int", CREATE) == {None: "id a", "0001": "id a b"}
    assert after("truncate table t", CREATE) == {None: "id a"}
    assert after("truncate t", CREATE, "truncate t", "alter table t add b int") == {None: "id a b"}
    assert after("drop table t", CREATE) == {None: "id a", "0001": None}
    assert after("alter table t engine innodb", CREATE, "drop table t") == {None: None}
    # The time of another line's statement decides.
    assert after("alter table t add b int", CREATE, at=0) == {None: None}


def test_a_line_begins_with_the_effects_and_the_key_of_the_table_too() -> None:
    result = replayed(said(1, CREATE), said(1, "truncate t", line="m", event_at=9))
    assert effects(result) == [("floor", "0001")]
    assert {tuple(s["key_columns"]) for s in result["spans"] if s["line"] == "m"} == {("id",)}


def test_a_table_that_was_renamed_in_one_line_is_the_same_one_in_the_next() -> None:
    result = replayed(
        said(1, CREATE),
        said(2, "rename table t to u"),
        said(1, "alter table u add c int", line="m", event_at=9),
    )
    assert identities(result, "u", "m") == {None: ("t", 1), "0001": ("t", 1)}
    assert lists(result, "u", "m") == {None: "id a", "0001": "id a c"}
    assert present(result, "t") == "u"


def test_a_name_that_one_line_freed_counts_on_in_the_next() -> None:
    result = replayed(
        said(1, CREATE),
        said(2, "rename table t to u"),
        said(3, "create table t (b int)"),
        said(1, "rename table t to w", line="m", event_at=8),
        said(2, "create table t (c int)", line="m", event_at=9),
    )
    expected = {None: ("t", 2), "0001": ("t", 3), "0002": ("t", 3)}
    assert identities(result, "t", "m") == expected
    assert identities(result, "w", "m") == {None: ("w", 1), "0001": ("t", 2)}
    assert identities(result, "t", None)["0002"] == ("t", 3)


def test_a_name_counts_on_also_where_it_was_free_within_a_statement_only() -> None:
    result = replayed(
        said(1, SWAP),
        said(2, "rename table u to w", line="m"),
        rows=["t", "u"],
    )
    assert identities(result, "u", "m") == {None: ("t", 1), "0002": ("u", 3)}
    assert identities(result, "u", None)["0002"] == ("u", 3)


def test_a_table_has_one_name_also_in_a_line_that_another_one_renamed_it_under() -> None:
    result = replayed(
        said(1, CREATE),
        said(1, "rename table t to u", line="m", event_at=2),
        said(3, "alter table u add c int"),
        said(4, "create table t (b int)"),
    )
    assert identities(result, "u") == {None: ("t", 1), "0003": ("t", 1)}
    assert identities(result, "t") == {None: ("t", 1), "0001": ("t", 1), "0004": ("t", 2)}
    assert lists(result, "t") == {None: None, "0001": "id a", "0004": "b"}


def test_a_model_that_another_line_renamed_is_taken_up_before_the_table_made_like_it() -> None:
    result = replayed(
        said(1, "rename table x to t", line="m"),
        said(2, "rename table t to u", line="n"),
        said(3, "create or replace table t like u", line="m"),
    )
    assert (effects(result, "x"), effects(result, "t", 2)) == ([], [("floor", "0003", "drop")])


def test_a_line_takes_a_table_up_when_it_first_speaks_of_it() -> None:
    result = replayed(
        said(1, CREATE),
        said(1, "create table x (a int)", line="m", event_at=2),
        said(3, "alter table t add b int"),
        said(4, "alter table t add c int", line="m"),
        said(5, "alter table t add d int"),
        said(6, "alter table t add e int", line="m"),
    )
    assert lists(result, line="m") == {
        None: "id a b",
        "0004": "id a b c",
        "0006": "id a b c e",
    }


def test_a_statement_that_another_line_brought_before_is_not_taken_up() -> None:
    listed = {
        "database_name": "shop",
        "table_name": "t",
        "columns": [{"column_name": "a", "data_type": "int", "is_key": True}],
    }
    shards = [said(1, "alter table t add b int", line=line, event_at=9) for line in "lm"]
    result = replayed(*shards, listed=[listed])
    assert lists(result) == lists(result, line="m") == {None: "a", "0001": "a b"}
    shards = [said(1, "drop table t", line=line, event_at=at) for line, at in (("l", 1), ("m", 2))]
    result = replayed(*shards, rows=["t"])
    assert effects(result) == [("floor", "0001", "drop")] * 2
    (table,) = result["tables"]
    times = [(effect["event_at"], effect["first_at"]) for effect in table["effects"]]
    assert times == [(1, 1), (2, 1)], "on rows of other lines, the copy acts with the first one"
    # Said again once the table is another: it stands as that one.
    again = after("drop table t", "create table t (a int)", "drop table t", CREATE)
    assert again == {None: "id a", "0001": None}


def test_a_table_that_is_there_is_created_anew_only_where_the_text_is_sure() -> None:
    create = "create table if not exists t (id int, a int)"
    assert after(create, create) == {None: "id a"}
    assert after(create, create, "alter table t add b int") == {None: "id a b"}
    assert after("create table t (z int)", CREATE) == {None: "id a", "0001": "z"}


def test_lines_of_one_time_or_none_go_by_their_place() -> None:
    for event_at in (7, None):
        statements = [
            said(1, CREATE, line="z") | {"event_at": event_at},
            said(2, "alter table t add b int", line="a") | {"event_at": event_at},
        ]
        result = replayed(*statements)
        assert lists(result, line="a") == {None: "id a", "0002": "id a b"}


def test_a_statement_of_two_shards_acts_once_over_all_lines() -> None:
    result = replayed(
        said(1, SWAP, line="l", event_at=10), said(1, SWAP, line="m", event_at=11), rows=["t", "u"]
    )
    assert present(result, "t") == "u"
    assert identities(result, "t", line=None) == {None: ("t", 1), "0001": ("u", 1)}


LISTED = {
    "database_name": "shop",
    "table_name": "t",
    "columns": [{"column_name": "a", "data_type": "int", "is_key": True}],
}
ADD, DROP = "alter table t add c int", "alter table t drop column c"
THERE, BACK = "rename table t to u", "rename table u to t"


def played(*lines: list[tuple[int, str]], listed: Iterable[Fields] = ()) -> Fields:
    """Lines l, m, …, each a list of (event_at, text), in any order of landing."""
    statements = [
        said(place, text, line=line, event_at=at)
        for line, spoken in zip("lmno", lines, strict=False)
        for place, (at, text) in enumerate(spoken)
    ]
    result = replayed(*statements, rows=["t"], listed=listed)
    assert replayed(*reversed(statements), rows=["t"], listed=listed) == result
    return result


def last_list(result: Fields, table: str = "t", line: str | None = None) -> str | None:
    """The columns of the rows that stand above all statements of a line; None: of all lines."""
    spans = [s for s in result["spans"] if (s["table_name"], s["line"]) == (table, line)]
    columns = spans[-1]["columns"] if spans else None
    return columns and " ".join(column["column_name"] for column in columns)


def test_a_line_that_lags_does_not_undo_what_another_did_later() -> None:
    for at in (5, 15, 25):
        for made in ([], [(1, CREATE)]):
            # The line plays the table's statements from their start, so it plays the same ones.
            ahead, behind = [*made, (10, ADD), (20, DROP)], [*made, (at, ADD)]
            result = played(ahead, behind, listed=[LISTED])
            assert last_list(result) == ("id a" if made else "a")
            assert last_list(result, line="m") == ("id a c" if made else "a c")
            result = played([*made, (10, THERE), (20, BACK)], [*made, (at, THERE)])
            assert present(result, "t") == "t"
            assert identities(result, "u", "m") == {None: ("u", 1), f"{len(made):04}": ("t", 1)}


def test_a_line_that_goes_on_where_another_ended_says_new_statements() -> None:
    made = [(1, CREATE), (10, ADD), (20, DROP)]
    assert last_list(played(made, [(25, ADD)])) == "id a c"
    assert last_list(played(made, [(25, "alter table t add d int"), (26, ADD)])) == "id a d c"
    assert last_list(played(made, [(25, ADD)], [(26, DROP)])) == "id a"
    made = [(1, CREATE), (10, THERE), (20, BACK)]
    result = played(made, [(25, THERE)])
    assert (present(result, "t"), last_list(result, "u")) == ("u", "id a")
    result = played(made, [(25, THERE), (26, BACK)])
    assert (present(result, "t"), last_list(result)) == ("t", "id a")


def test_a_statement_is_no_copy_of_one_before_what_its_line_said_last() -> None:
    for behind in ([(5, DROP)], [(1, CREATE), (5, DROP)]):
        result = played([(1, CREATE), (10, ADD), (20, DROP)], behind)
        assert last_list(result) == "id a"
    # Each line says the same twice.
    for times in ((1, 2, 3, 4), (1, 3, 2, 4), (1, 4, 2, 3)):
        result = played(*([(at, SWAP) for at in times[n : n + 2]] for n in (0, 2)))
        assert (present(result, "t"), present(result, "u")) == ("t", "u")


def test_a_line_that_lags_begins_with_what_the_first_statement_found() -> None:
    ahead = [(1, "alter table t add b int"), (2, "alter table t add e int")]
    behind = [(at + 5, text) for at, text in ahead]
    result = played(ahead, behind, listed=[LISTED])
    assert lists(result, line="m") == {None: "a", "0000": "a b", "0001": "a b e"}
    # The old table went to another name and a new one has its name when the second line begins.
    ahead = [(1, THERE), (2, "create table t (b int)")]
    result = played(ahead, [(7, THERE)], [(3, "alter table t add z int")])
    assert identities(result, "u", "m") == {None: ("u", 1), "0000": ("t", 1)}


def test_a_table_emptied_again_is_not_taken_for_a_line_that_lags() -> None:
    ahead = [(1, "truncate table t"), (2, "alter table t add b int")]
    assert lists(played(ahead, [(9, "truncate table t")], listed=[LISTED]), line="m") == {
        None: "a b"
    }


def test_a_key_of_a_line_that_lags_has_its_name_of_that_place() -> None:
    forth, back = "alter table t rename column id to pk", "alter table t rename column pk to id"
    result = played([(1, CREATE), (2, forth), (3, back)], [(4, CREATE), (5, forth)])
    assert keys_by_position(result, "m") == {None: ["id"], "0000": ["id"], "0001": ["pk"]}


def test_rows_of_other_lines_meet_a_copys_columns_where_the_first_statement_stands() -> None:
    result = played([(1, ADD), (2, DROP)], [(9, ADD)], listed=[LISTED])
    (table,) = result["tables"]
    met = [(item["action"], item["line"], item["event_at"]) for item in table["effects"]]
    assert met == [("add", "l", 1), ("add", "m", 1), ("drop", "l", 2)]
    # A floor keeps its time: it ends the versions of its own line's rows.
    result = played([(1, CREATE), (2, "drop table t")], [(8, CREATE), (9, "drop table t")])
    (table,) = result["tables"]
    assert [item["event_at"] for item in table["effects"]] == [2, 9]


def test_a_line_that_says_what_another_has_just_said_sends_the_same_statement() -> None:
    made = [(1, CREATE), (2, "create table u (b int)")]
    result = played([*made, (3, SWAP)], [(4, SWAP)])
    assert (present(result, "t"), present(result, "u")) == ("u", "t")
    result = played([(1, CREATE), (3, ADD)], [(4, ADD)])
    assert lists(result, line="m") == {None: "id a", "0000": "id a c"}


def test_a_statement_of_another_table_says_nothing_about_a_lines_place() -> None:
    other = [(2, "create table w (z int)"), (3, "alter table w add y int")]
    ahead, behind = [(1, CREATE), *other, (4, ADD), (5, DROP)], [(6, CREATE), (7, ADD)]
    assert last_list(played(ahead, [*other, *behind])) == "id a"


PLAYED = (ADD, DROP, THERE, BACK, CREATE, SWAP, "drop table u")


@given(
    texts=st.lists(st.sampled_from(PLAYED), max_size=8),
    lags=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 90)), max_size=3),
)
def test_lines_that_play_the_same_statements_leave_what_one_of_them_leaves(
    texts: list[str], lags: list[tuple[int, int]]
) -> None:
    """However far each line is, and however late."""
    whole = [(at * 10, text) for at, text in enumerate(texts, 1)]
    lagging = [[(at + lag, text) for at, text in whole[:length]] for length, lag in lags]
    alone, together = played(whole), played(whole, *lagging)
    for table in ("t", "u", "x"):
        assert last_list(together, table) == last_list(alone, table)
    presents = [
        {str(table["identity"]): table["present"] for table in result["tables"]}
        for result in (alone, together)
    ]
    assert presents[0].items() <= presents[1].items()


def test_the_settings_list_is_the_list_before_the_first_statement() -> None:
    listed = {
        "database_name": "shop",
        "table_name": "t",
        "columns": [{"column_name": "a", "data_type": "int", "is_key": True}],
    }
    result = replayed(said(3, "alter table t add b int"), listed=[listed])
    assert lists(result) == {None: "a", "0003": "a b"}
    assert {tuple(span["key_columns"]) for span in result["spans"]} == {("a",)}


def test_names_are_found_without_case_where_nothing_fits_better() -> None:
    result = replayed(said(1, "truncate table ORDERS"), rows=["Orders", "t"])
    assert effects(result, "Orders") == [("floor", "0001")]
    result = replayed(said(1, "truncate table ORDERS"), rows=["Orders", "orders"])
    assert effects(result, "ORDERS") == [("floor", "0001")]
    result = replayed(said(1, "alter table tenant_db.ORDERS add x int", table="orders"))
    assert effects(result, "orders") == [("add", "0001", "x")]


def floored(text: str, source: str, place: str, *rows: str) -> set[str]:
    """The tables that a statement empties; names have three parts, "-" for one that is not told."""

    def parts(name: str) -> Fields:
        spelled = (None if part == "-" else part for part in name.split("."))
        return dict(zip(("database_name", "schema_name", "table_name"), spelled, strict=True))

    statement = said(1, text, source=source) | parts(place)
    result = replay_source([statement], list(map(parts, rows)), [], [])
    return {
        ".".join(str(part or "-") for part in list(item["identity"].values())[:3])
        for item in result["tables"]
        if item["effects"]
    }


@pytest.mark.parametrize(
    ("source", "text", "place", "rows", "expected"),
    [
        ("postgres", "drop schema shop cascade", "shop.public.-",
         ("shop.public.t", "shop.shop.u"), {"shop.shop.u"}),
        ("sqlserver", "drop schema shop", "shop.dbo.-", ("shop.dbo.t",), set()),
        ("postgres", "drop database shop", "x.public.-",
         ("shop.public.t", "x.shop.u"), {"shop.public.t"}),
        ("mysql", "drop database Shop", "x.-.-", ("shop.-.t", "Shop.-.t"), {"Shop.-.t"}),
        ("mysql", "drop database Shop", "x.-.-", ("shop.-.t", "x.-.t"), {"shop.-.t"}),
        ("mysql", "drop database ``", "shop.-.-", ("shop.-.t",), set()),
        # Messages tell only one of database and schema, each in its own place.
        ("mysql", "drop database d", "-.d.-", ("-.d.t", "-.x.t"), {"-.d.t"}),
        ("oracle", 'drop table "HR"."T"', "HR.-.-", ("HR.-.T", "X.-.T"), {"HR.-.T"}),
        ("mysql", "truncate table d.t", "-.x.-", ("-.d.t", "-.d.T", "-.x.t"), {"-.d.t"}),
        # Not the table of another schema, be it the message's own.
        ("postgres", "truncate table shop.t", "shop.public.-", ("shop.public.t",), {"shop.shop.t"}),
        ("postgres", "truncate table x.t", "shop.public.t", ("shop.public.t",), {"shop.x.t"}),
        ("sqlserver", "drop table shop.t, u", "shop.dbo.t",
         ("shop.dbo.t", "shop.dbo.u"), {"shop.shop.t", "shop.dbo.u"}),
        # The message's own table is equal without case and database.
        ("mysql", "truncate table d.T", "tenant/d.-.t", ("d.-.T",), {"tenant/d.-.t"}),
        ("oracle", 'truncate table "hr"."T"', "x.-.T", ("x.-.T", "hr.-.T"), {"x.-.T"}),
        ("sqlserver", "truncate table x.dbo.t", "shop.Dbo.T", ("shop.dbo.t",), {"shop.Dbo.T"}),
    ],
)  # fmt: skip
def test_a_name_means_a_table_by_database_and_schema_each_for_itself(
    source: str, text: str, place: str, rows: tuple[str, ...], expected: set[str]
) -> None:
    assert floored(text, source, place, *rows) == expected


def in_oracle(position: int, text: str) -> Fields:
    return said(position, text, database=None, schema_name="HR", source="OB_IN_ORACLE_MODE")


def test_a_new_name_is_spelled_as_the_source_keeps_it() -> None:
    table = {"database_name": "shop", "schema_name": "S", "table_name": "orders"}
    text = 'alter table Orders rename to Sold, add CreatedAt date, add "Id" int, add "low" int'
    for source, columns, name in (
        ("postgres", ["createdat", "Id", "low"], "sold"),
        ("oracle", ["CREATEDAT", "Id", "low"], "SOLD"),
        ("db2", ["CREATEDAT", "Id", "low"], "SOLD"),
        ("mysql", ["CreatedAt", "Id", "low"], "Sold"),
    ):
        result = replay_source([said(1, text, schema_name="S", source=source)], [table], [], [])
        assert [column for _, _, column in effects(result, "orders")] == columns
        assert present(result, "orders") == name


@pytest.mark.parametrize(
    ("source", "place", "text", "later"),
    [
        ("ob_oracle", ("S", None), 'alter table "S"."T" rename to "U"', 'drop table "S"."U"'),
        ("ob_oracle", ("S", None), "alter table s.t rename to u", "alter table s.u add c number"),
        ("ob_oracle", ("v/S", None), 'alter table "S"."T" rename to "U"', 'drop table "S"."U"'),
        ("ob_oracle", ("S", None), 'alter table t rename to "U"', "drop table u"),
        ("sqlserver", ("S", "dbo"), "exec sp_rename 'DBO.T', 'U'", "drop table dbo.U"),
        ("mysql", (None, "S"), "rename table S.T to S.U", "drop table S.U"),
        ("mysql", ("v/S", None), "rename table S.T to S.U", "truncate table S.U"),
    ],
)
def test_a_table_that_is_renamed_stays_in_the_place_that_its_messages_tell(
    source: str, place: tuple[str | None, ...], text: str, later: str
) -> None:
    """A text may say as the schema what messages say as the database, or spell it otherwise."""
    places = dict(zip(("database_name", "schema_name"), place, strict=True))
    old, new = (places | {"table_name": name} for name in "TU")
    statements = [said(1, text, source=source) | old, said(2, later, source=source) | new]
    tables = replay_source(statements, [old], [], [])["tables"]
    assert [item["present"] for item in tables if item["present"]] == [new]
    assert [item["identity"] for item in tables if item["effects"]] == [old | {"birth": 1}]


def test_a_table_that_is_renamed_there_and_back_is_one_table() -> None:
    there, back = 'alter table "S"."T" rename to "U"', 'alter table "S"."U" rename to "T"'
    place = {"database_name": "S", "schema_name": None}
    statements = [
        said(1, there, source="ob_oracle") | place | {"table_name": "T"},
        said(2, back, source="ob_oracle") | place | {"table_name": "U"},
    ]
    result = replay_source(statements, [place | {"table_name": "T"}], [], [])
    assert identities(result, "T") == {None: ("T", 1), "0001": ("T", 2), "0002": ("T", 1)}


def test_oracles_names_without_quotes_are_upper_case() -> None:
    statements = [
        in_oracle(1, "alter table emp rename column id to emp_id"),
        in_oracle(2, "alter table hr.emp add note varchar2(9)"),
        in_oracle(3, 'alter table emp add "Mixed" date'),
        in_oracle(4, "rename emp to staff"),
        in_oracle(5, "create table dept (id number, place date, primary key (id))"),
        in_oracle(6, "alter table dept modify place varchar2(9) rename column place to site"),
    ]
    emp = {"database_name": None, "schema_name": "HR", "table_name": "EMP"}
    result = replay_source(statements, [emp], [], [])
    assert effects(result, "EMP") == [
        ("rename", "0001", "ID", "EMP_ID"),
        ("add", "0002", "NOTE"),
        ("add", "0003", "Mixed"),
    ]
    assert present(result, "EMP") == "STAFF"
    assert identities(result, "STAFF") == {None: ("STAFF", 1), "0004": ("EMP", 1)}
    assert lists(result, "DEPT") == {None: None, "0005": "ID PLACE", "0006": "ID SITE"}
    dept = [span for span in result["spans"] if span["table_name"] == "DEPT"]
    assert {(span["schema_name"], *span["key_columns"]) for span in dept} == {("HR", "ID")}


def test_oracles_tables_and_columns_are_found_whatever_their_case() -> None:
    emp = {"database_name": None, "schema_name": "HR", "table_name": "emp"}
    statements = [
        in_oracle(1, 'create table "emp" ("Id" number primary key)'),
        in_oracle(2, "alter table emp rename column ID to pk"),
        in_oracle(3, 'truncate table "emp"'),
    ]
    result = replay_source(statements, [emp], [], [])
    assert effects(result, "emp") == [("rename", "0002", "Id", "PK"), ("floor", "0003")]
    assert {tuple(span["key_columns"]) for span in result["spans"]} == {("Id",), ("PK",)}


def test_a_table_without_a_database_has_the_columns_that_are_listed() -> None:
    listed = {**LISTED, "database_name": None}
    result = replayed(said(1, ADD, database=None), listed=[listed])
    assert lists(result) == {None: "a", "0001": "a c"}


def test_an_operation_without_a_text_says_what_happened() -> None:
    result = replayed(said(1, None, table="t", operation="truncate"), rows=["t"])
    assert effects(result) == [("floor", "0001")]


def defined(
    position: int,
    *columns: str,
    text: str | None = None,
    key: list[str] | None = None,
    id: str = "shop.t",
    **given: Any,
) -> Fields:
    """A message with table changes: each column as ``name`` or ``name type``; CREATE or DROP."""
    change = {"type": given.pop("type", "ALTER"), "id": id, "previousId": given.pop("was", None)}
    change["table"] = {
        "columns": [dict(zip(("name", "typeName"), one.split(), strict=False)) for one in columns],
        "primaryKeyColumnNames": key,
    }
    (read,) = parse_table_changes(pa.array([json.dumps([change])])).to_pylist()
    read_text = read_ddl(text, given.get("source", "mysql"))["statements"] if text else []
    parsed = {"statements": read_text + read["statements"], "parse_error": None}
    return said(position, text, **given) | {"parsed": parsed}


def types(result: Fields, table: str = "t") -> list[str | None]:
    spans = [s for s in result["spans"] if (s["table_name"], s["line"]) == (table, "l")]
    return [column["data_type"] for column in spans[-1]["columns"]]


def test_a_definition_gives_a_table_its_columns_and_key() -> None:
    result = replayed(defined(1, "id INT", "a", key=["ID"]), rows=["t"])
    assert lists(result) == {None: None, "0001": "id a"}
    assert keys_by_position(result, "l") == {None: ["id"], "0001": ["id"]}
    assert effects(result) == []
    result = replayed(defined(1, "id", key=["id"]), defined(2, "id"), defined(3, "id", key=[]))
    assert {tuple(span["key_columns"]) for span in result["spans"]} == {()}


def test_what_a_definition_says_otherwise_acts() -> None:
    result = replayed(
        said(1, "create table t (a int, b int)"),
        defined(2, "c INT", "A INT", "b INT"),
        defined(3, "c INT", "b INT"),
    )
    assert lists(result) == {None: None, "0001": "a b", "0002": "c a b", "0003": "c b"}
    assert effects(result) == [("add", "0002", "c"), ("drop", "0003", "a")]
    # Two columns whose names differ by their case.
    result = replayed(said(1, "create table t (a int)"), defined(2, "A", "a"))
    assert (lists(result)["0002"], effects(result)) == ("A a", [("add", "0002", "A")])
    result = replayed(said(1, "create table t (a int, b int)"), defined(2, "A", "z"), rows=["t"])
    assert effects(result) == [("add", "0002", "z"), ("drop", "0002", "b")]


def test_a_definition_behind_a_text_that_says_the_same_does_nothing() -> None:
    for text, columns in (
        ("create table t (a int, b int)", ("a INT", "b INT")),
        ("alter table t add c varchar(9) default 'x'", ("a INT", "b INT", "c VARCHAR(9)")),
        ("alter table t rename column a to d, drop b", ("d INT",)),
        ("alter table t modify b bigint first", ("b BIGINT", "a INT")),
        ("truncate table t", ("a INT", "b INT")),
    ):
        before = said(1, "create table t (a int, b int)")
        expected = replayed(before, said(2, text))
        assert replayed(before, defined(2, *columns, text=text)) == expected
    # The text's types are the source's own words.
    result = replayed(defined(1, "a TINYINT(1)", text="create table t (a bool)"))
    assert types(result) == ["bool"]


def test_a_definition_without_a_text_says_the_types() -> None:
    result = replayed(
        defined(1, "a int(10,0)", "b"),
        defined(2, "a INT(10,0)", "b x"),
        defined(3, "a bigint", "b"),
    )
    assert types(result) == ["bigint", "x"]
    assert effects(result) == [("modify", "0003", "a", "bigint")]


def test_a_definition_makes_a_table_that_was_dropped_and_sets_no_floor() -> None:
    result = replayed(
        said(1, "create table t (a int)"),
        defined(2, type="DROP"),
        defined(3, "b INT", type="CREATE"),
        defined(4, type="DROP"),
    )
    assert lists(result) == {None: None, "0001": "a", "0002": None, "0003": "b", "0004": None}
    assert effects(result) == [("floor", "0002", "drop"), ("floor", "0004", "drop")]
    twice = replayed(
        said(1, "create table t (a int)"), defined(2, type="DROP", text="drop table t")
    )
    assert effects(twice) == [("floor", "0002", "drop")]


def test_a_definition_under_another_id_renames_the_table() -> None:
    for text in (None, "rename table t to u"):
        result = replayed(
            said(1, "create table t (a int)"),
            defined(2, "a INT", "b INT", id="shop.u", was="shop.t", text=text),
        )
        assert (present(result, "t"), lists(result, "u")["0002"]) == ("u", "a b")
    # What a text renames where it is there counts beside its other renames.
    result = replayed(said(1, "rename table if exists t to u; rename table v to w"), rows="tv")
    assert (present(result, "t"), present(result, "v")) == ("u", "w")
    # A text that renames says it all: its names may change places.
    changes = [defined(3, "b INT", id="shop.t", was="shop.u", text=SWAP)]
    made = (said(1, "create table t (a int)"), said(2, "create table u (b int)"))
    result = replayed(*made, *changes)
    assert (present(result, "t"), present(result, "u")) == ("u", "t")
    assert (lists(result, "t")["0003"], lists(result, "u")["0003"]) == ("b", "a")


def test_definitions_without_a_text_are_told_apart_over_the_lines() -> None:
    first, second = ("a INT", "b INT"), ("a INT",)
    lines = [
        defined(place, *columns, line=line, event_at=at)
        for line, at in (("l", 1), ("m", 5))
        for place, columns in enumerate((first, second))
    ]
    assert last_list(replayed(*lines)) == "a"
    assert last_list(replayed(*lines[:3])) == "a"
    another = defined(0, "a INT", "c INT", line="n", event_at=9)
    assert last_list(replayed(*lines, another)) == "a c"
    assert lists(replayed(*lines), line="m") == {None: None, "0000": "a b", "0001": "a"}


def test_a_definition_of_oracle_has_the_names_as_they_are() -> None:
    made = in_oracle(1, "create table dept (id number)")
    definition = defined(2, "ID", "low", id="xe.HR.DEPT", source="oracle") | {
        "database_name": None,
        "schema_name": "HR",
    }
    assert lists(replay_source([made, definition], [], [], []), "DEPT")["0002"] == "ID low"


CREATES = [f"create table t{number} (a int)" for number in range(3000)]


@pytest.mark.parametrize(
    ("texts", "rows", "lines"),
    [
        (CREATES, [], "l"),
        ([f"truncate table T{number}" for number in range(3000)], range(3000), "l"),
        (CREATES[:1500], [], "lmno"),
        (["alter table t " + ", ".join(f"add c{n}" for n in range(14000))], [], "l"),
        (["truncate table t1"] * 4000, range(40000), "l"),
    ],
    ids=["tables", "names in another case", "tables of several lines", "actions", "statements"],
)
def test_many_things_take_no_longer_than_each_of_them(
    texts: list[str], rows: Iterable[int], lines: str
) -> None:
    statements = [said(place, text, line) for line in lines for place, text in enumerate(texts, 1)]
    started = time.process_time()
    replayed(*statements, rows=[f"t{number}" for number in rows])
    assert time.process_time() - started < 5


def test_a_garbage_statement_stops_nothing() -> None:
    texts = ["", "alter table", "rename table a to", "create table t (", "drop table ,", "use"]
    statements = [said(number, text) for number, text in enumerate(texts)]
    result = replayed(*statements, said(9, "truncate t"))
    assert effects(result) == [("floor", "0009")]
