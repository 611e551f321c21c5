"""Whole pipelines: messages that come in several batches, twice, or before their settings."""

import itertools
import random
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from conftest import UNTYPED
from messages import datahub_blob, oms_canal, oms_debezium, record, tdsql, tdsql_statement

from landing import maintain

PREFIX = "pipeline-"
LONG_TABLES = ("bronze.oms_canal", "resolve.events", "resolve.changes")
# How many batches a history has, each with more rows than a file of it holds.
HISTORY = 6
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


@dataclass
class Read:
    """What the scans of a table read; sizes are rounded, as Spark shows them."""

    files: int = 0
    kibibytes: float = 0


def reads_of(spark: Any, run: Callable[[], object]) -> dict[str, Read]:
    """What the queries of a run read of each table."""
    store = spark._jsparkSession.sharedState().statusStore()
    before = set(executions(spark))
    run()
    found: dict[str, Read] = defaultdict(Read)
    for execution in set(executions(spark)) - before:
        metrics = store.executionMetrics(execution)
        for node in elements(store.planGraph(execution).allNodes()):
            table = re.fullmatch(r"Scan (?:json|parquet) spark_catalog\.(\w+\.\w+)", node.name())
            if not table:
                continue
            shown = {
                metric.name(): metrics.get(metric.accumulatorId())
                for metric in elements(node.metrics())
            }
            if shown["number of files read"].isDefined():
                read = found[table[1]]
                read.files += int(shown["number of files read"].get().replace(",", ""))
                read.kibibytes += kibibytes(shown["size of files read"].get())
    return dict(found)


def executions(spark: Any) -> list[int]:
    """The numbers of the queries that have run."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    store = spark._jsparkSession.sharedState().statusStore()
    return [execution.executionId() for execution in elements(store.executionsList())]


def elements(found: Any) -> list[Any]:
    """The elements of a sequence of Scala's."""
    return [found.apply(number) for number in range(found.size())]


def kibibytes(shown: str) -> float:
    number, unit = re.search(r"([\d.,]+) (B|KiB|MiB)", shown).groups()
    return float(number.replace(",", "")) * {"B": 1 / 1024, "KiB": 1, "MiB": 1024}[unit]


def test_a_run_reads_the_files_of_its_batch_however_long_the_history_is(
    spark: Any,
    dbt: Callable[..., None],
    land: Callable[[dict[str, list[str]]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # No run puts the files together that this test counts.
    monkeypatch.setattr(maintain, "SPARE_FILES", 10**6)
    ids = itertools.count(1)

    def land_batches(count: int) -> None:
        for _ in range(count):
            rows = [oms_canal(at, None, {"id": at}) for at in itertools.islice(ids, 4)]
            land({f"{PREFIX}long": [message for messages in rows for message in messages]})

    def add_history() -> None:
        """Batches whose rows lie in many files, as they do after many runs."""
        land_batches(HISTORY)
        spark.conf.set("spark.sql.files.maxRecordsPerFile", "2")
        dbt("run", *UNTYPED)
        spark.conf.unset("spark.sql.files.maxRecordsPerFile")

    def small_run() -> dict[str, Read]:
        land_batches(1)
        return reads_of(spark, lambda: dbt("run", *UNTYPED))

    def files(table: str) -> int:
        return len(spark.table(table).inputFiles())

    add_history()
    short = small_run()
    stored = {table: files(table) for table in LONG_TABLES}
    add_history()
    long = small_run()
    for table in LONG_TABLES:
        grown = files(table) - stored[table]
        assert grown >= HISTORY, f"{table}: the history has not grown"
        # A scan of the whole table would read as many files more; marks of batches are fewer.
        assert long[table].files < short[table].files + grown, table
        assert long[table].kibibytes <= short[table].kibibytes * 1.5, table
