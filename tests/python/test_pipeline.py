"""Whole pipelines: messages that come in several batches, twice, or before their settings."""

import random
from collections.abc import Callable
from typing import Any

from conftest import UNTYPED
from messages import datahub_blob, oms_debezium, record, tdsql, tdsql_statement

PREFIX = "pipeline-"
# Place columns and times of building are no part of what the laws compare.
COMPARED = """
    change_id, envelope, topic, source, database_name, table_name, operation,
    to_json(array_sort(map_entries(before))) as before,
    to_json(array_sort(map_entries(after))) as after,
    to_json(array_sort(map_entries(key))) as key,
    to_json(array_sort(map_entries(previous_key))) as previous_key,
    event_at, is_partial, image
"""


MESSAGES = [
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


def changes(spark: Any, topic: str) -> list[tuple]:
    query = f"select {COMPARED} from silver.change_log where topic = '{topic}' order by change_id"
    return [tuple(row) for row in spark.sql(query).collect()]


def rows(spark: Any, topic: str) -> list[dict]:
    query = f"select row from gold.current_rows where source = '{topic}' order by row['id']"
    return [row["row"] for row in spark.sql(query).collect()]


def test_any_cut_repetition_and_late_settings_give_what_one_rebuild_gives(
    spark: Any,
    dbt: Callable[..., None],
    land: Callable[[dict[str, list[str]]], None],
    register: Callable[..., None],
) -> None:
    """Laws 3 and 4 on one workload: halves apart, messages twice, settings that come late."""
    names = ("cut", "shuffled", "late", "named", "unnamed")
    cut, shuffled, late, named, unnamed = (f"{PREFIX}{name}" for name in names)
    order = random.Random(7).sample(MESSAGES, len(MESSAGES))
    table = {"database_name": "shop", "table_name": "orders", "key_columns": "id"}
    register(cut, **table)
    register(shuffled, **table)

    # Of one table at first: the messages of one topic name its key.
    register(named, source=f"{PREFIX}shared")
    register(unnamed, source=f"{PREFIX}shared")
    land({named: datahub_blob(1, None, {"id": 1}), unnamed: oms_debezium(2, None, {"id": 2})})
    land({cut: MESSAGES[:3]})
    land({shuffled: order[:5]})
    land({late: MESSAGES})
    dbt("run", *UNTYPED)
    orphan = [change for change in changes(spark, cut) if change[-1] == "before"]
    assert len(orphan) == 1, "the half that has come is to be found"
    assert changes(spark, late) == []
    assert [change[9] for change in changes(spark, unnamed)] == ['[{"key":"id","value":"2"}]']
    waiting = spark.sql(f"select reason from silver.quarantine where topic = '{late}'").collect()
    assert len(waiting) == len(MESSAGES)

    land({cut: MESSAGES[3:]})
    land({cut: MESSAGES[:4]})
    land({shuffled: order[3:]})
    register(late, **table)
    register(named, source=named)
    dbt("run", *UNTYPED)
    moved = {topic: changes(spark, topic) for topic in (named, unnamed)}
    assert [change[9] for change in moved[unnamed]] == [None], "the key is of another table"
    incremental = {topic: changes(spark, topic) for topic in (cut, shuffled, late)}
    repeats = spark.sql(f"select * from silver.repeats where topic = '{cut}'").count()
    assert repeats == 4
    assert orphan[0][0] in {change[0] for change in incremental[cut]}, "the pair keeps its id"
    assert len(incremental[late]) == 7, "what a setting explains leaves quarantine by itself"
    assert spark.sql(f"select 1 from silver.quarantine where topic = '{late}'").count() == 0

    expected = [
        {"id": "1", "name": "joan", "amount": "2"},
        {"id": "3", "name": "ann", "amount": None},
    ]
    for topic in (cut, shuffled, late):
        assert rows(spark, topic) == expected, topic
    without_names = [
        [change[1:2] + change[4:] for change in sorted(found, key=lambda one: str(one[4:]))]
        for found in incremental.values()
    ]
    assert without_names[0] == without_names[1] == without_names[2]

    built = dict(spark.sql("select change_id, built_at from silver.change_log").collect())
    dbt("run", *UNTYPED)
    again = dict(spark.sql("select change_id, built_at from silver.change_log").collect())
    assert built == again, "a run with nothing new changes nothing"
    for stored in ("resolve.changes", "resolve.row_states"):
        newer = spark.sql(f"select * from {stored} where built_at > timestamp '2999-01-01'")
        assert not newer.inputFiles(), f"{stored}: files of before are not read"

    dbt("run", "--full-refresh", *UNTYPED)
    rebuilt = {topic: changes(spark, topic) for topic in (cut, shuffled, late, named, unnamed)}
    assert rebuilt == incremental | moved


def test_what_a_stopped_build_had_read_is_still_done(
    spark: Any, dbt: Callable[..., None], land: Callable[[dict[str, list[str]]], None]
) -> None:
    """Law 5: it knew of a late statement, and stopped before the rows behind it were read anew."""
    topic = f"{PREFIX}stopped"
    land(
        {
            topic: [
                *tdsql_statement(1, "create table t (id int primary key, a varchar(9))"),
                *tdsql(12, None, ["1", "2"]),
            ]
        }
    )
    dbt("run", *UNTYPED)
    land({topic: tdsql_statement(10, "alter table t change a b varchar(9) first")})
    dbt("run", "--select", "+name_spans")
    land({topic: tdsql_statement(20, "alter table t add column c int")})
    dbt("run", *UNTYPED)
    rows = spark.sql(f"select row from gold.current_rows where source = '{topic}'").collect()
    assert [row["row"] for row in rows] == [{"id": "2", "b": "1", "c": None}]
