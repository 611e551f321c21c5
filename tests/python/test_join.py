"""Batches of bronze that silver holds are joined into larger ones; nothing else changes."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from commands import land_well
from pyspark.sql import SparkSession
from pyspark.sql.functions import col
from test_reroute import CANAL, Killed, batches, counted, files_without_partition, kill_at, silver

from landing import maintain as maintaining
from landing.bronze import join as joining
from landing.bronze import rewrites, store
from landing.bronze.join import LARGE, SMALL, Held, groups, join
from landing.cli import main
from landing.mentions import put_together

PREFIX = "join"
TOPICS = ("join-a", "join-b", "join-odd")
PLACE = ("topic", "partition", "offset", "received_at", "message_key", "envelope")


def held(*messages: int) -> list[Held]:
    """Batches of so many messages, the oldest first, from 1."""
    return [Held(batch, {"tdsql": count}) for batch, count in enumerate(messages, 1)]


def joined(batches: list[Held], *waiting: int) -> list[list[int]]:
    return [[held.batch for held in group] for group in groups(batches, set(waiting))]


@pytest.mark.parametrize(
    ("messages", "waiting", "expected"),
    [
        ((), (), []),
        ((5,), (), []),
        ((5, 5, 5), (), [[3, 2, 1]]),
        ((5, 5, 5, 5), (2,), [[4, 3]]),
        ((5, 5, 5), (3,), [[2, 1]]),
        # A small batch goes with the newer ones, however few these are together.
        ((5, SMALL, 1), (), [[3, 2, 1]]),
        # A large one goes with as many messages as it has, not with fewer.
        ((3 * SMALL, SMALL, SMALL, SMALL), (), [[4, 3, 2, 1]]),
        ((3 * SMALL + 1, SMALL, SMALL, SMALL), (), [[4, 3, 2]]),
        ((5, 5, 9 * SMALL, 5), (), [[3, 2, 1]]),
        ((5, LARGE, 5, 5), (), [[4, 3]]),
        ((LARGE // 2, LARGE // 2), (), [[2, 1]]),
        ((LARGE // 2 + 1, LARGE // 2 + 1), (), []),
    ],
)
def test_neighbours_of_one_size_are_joined(
    messages: tuple[int, ...], waiting: tuple[int, ...], expected: list[list[int]]
) -> None:
    assert joined(held(*messages), *waiting) == expected


def test_many_small_batches_leave_few_and_each_message_is_written_few_times() -> None:
    left: list[int] = []
    written = 0
    for _ in range(1000):
        left += [500] * 33
        for group in groups(held(*left), set()):
            first, last = group[-1].batch - 1, group[0].batch
            written += sum(left[first:last])
            left[first:last] = [sum(left[first:last])]
    assert len(left) < 60
    assert written < 12 * sum(left)


def test_batches_of_an_earlier_version_get_their_columns_before_they_are_joined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`onelog maintain` may be the first command of this version on a home."""
    steps: list[str] = []
    monkeypatch.setattr(store, "add_columns", lambda spark: steps.append("columns"))
    monkeypatch.setattr(rewrites, "complete", lambda spark: steps.append("rewrites"))
    for step in ("_held", "waiting_batches"):
        monkeypatch.setattr(joining, step, lambda spark: [])
    spark: Any = None
    assert join(spark) == 0
    assert steps[:2] == ["columns", "rewrites"]


def lines(spark: SparkSession) -> list[tuple]:
    """What bronze has of the topics, without the batches in which it lies."""
    columns = (*PLACE, "message", "raw", "problem")
    rows = spark.table("bronze.messages").where(f"topic like '{PREFIX}-%'").select(*columns)
    return sorted(map(tuple, rows.collect()), key=str)


def logs(spark: SparkSession, with_batches: bool = True) -> dict[str, list[Any]]:
    """Every row that silver has of the topics; without batches, as a rebuild changes them."""
    found: dict[str, list[Any]] = {}
    for topic in TOPICS:
        for log, rows in silver(spark, topic).items():
            kept = rows if with_batches else [without_batch(row) for row in rows]
            found.setdefault(log, []).extend(sorted(kept))
    return found


def without_batch(text: str) -> str:
    row = json.loads(text)
    del row["batch"]
    return json.dumps(row, sort_keys=True, ensure_ascii=False)


def batches_of(spark: SparkSession, *topics: str) -> list[int]:
    """The batches in which messages of the topics lie."""
    rows = spark.table("bronze.messages").where(col("topic").isin(*topics))
    return sorted(row.batch for row in rows.select("batch").distinct().collect())


def rewritten_folders(spark: SparkSession) -> set[str]:
    """The folders of rewrites."""
    bronze = Path(spark.catalog.getDatabase("bronze").locationUri.removeprefix("file:"))
    return {folder.name for folder in (bronze / "rewritten").iterdir()}


def shown_folders(spark: SparkSession) -> set[str]:
    """Those of them in which messages of bronze lie."""
    path = spark.table("bronze.messages").selectExpr("_metadata.file_path as path").distinct()
    found = (re.search(r"/rewritten/(\d+)/", row.path) for row in path.collect())
    return {match[1] for match in found if match}


def join_only(spark: SparkSession, *topics: str) -> int:
    """Join the batches of these topics, as if there were no others."""
    held, chosen = joining._held, batches_of(spark, *topics)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            joining, "_held", lambda spark: [one for one in held(spark) if one.batch in chosen]
        )
        fewer = join(spark)
        put_together(spark)
        return fewer


def changed(spark: SparkSession) -> dict[str, int]:
    """The versions of the stored tables."""
    names = ("events", "mentions", "changes")
    return {
        name: spark.sql(f"describe history resolve.{name} limit 1").collect()[0].version
        for name in names
    }


# Where a rewrite is killed after its commit; test_reroute tries all moments.
KILLED_AFTER = ("commit", "switch_partitions")


@pytest.fixture(scope="module")
def landed(
    spark: Any,
    build: Callable[..., None],
    land: Callable[[dict[str, list[str]]], None],
    project: Path,
    register: Callable[..., None],
) -> None:
    """Three batches, built: two topics of one source, a repeat, a key change, odd messages.

    Then two batches for each join that is killed.
    """
    register("join-a", source="join", key_columns="id")
    register("join-b", source="join", key_columns="id")
    for number, messages in enumerate(
        [
            {"join-a": [CANAL % 1, CANAL % "\\u0041 \U0001f986"], "join-odd": ["null", '{"a":1}']},
            {"join-a": [CANAL % 2], "join-b": [CANAL % 1]},
            {"join-b": [CANAL % (10**39 + 1), '{"x":', CANAL % 3]},
        ]
    ):
        for topic, texts in messages.items():
            file = project / "joined" / topic / f"{number}.jsonl"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(f"{text}\n" for text in texts))
        land_well(project / "joined")
    for step in KILLED_AFTER:
        for number in range(2):
            land({f"join-killed-{step}": [CANAL % number]})
    build()


def test_joined_batches_say_what_they_said(
    spark: Any,
    dbt: Callable[..., None],
    build: Callable[..., None],
    project: Path,
    landed: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # No run puts files together: that is a commit, too.
    monkeypatch.setattr(maintaining, "SPARE_FILES", 10**6)
    before, said = lines(spark), logs(spark)
    assert len(batches_of(spark, *TOPICS)) == 3
    odd = CliRunner().invoke(main, ["explain", "join-odd", "0"]).stdout
    assert join_only(spark, *TOPICS) == 2
    (batch,) = batches_of(spark, *TOPICS)
    mentioned = spark.table("resolve.mentions").where(col("topic").isin(*TOPICS)).collect()
    assert {row.batch for row in mentioned} == {batch}
    assert len(mentioned) == len({(row.mention, row.line) for row in mentioned})
    assert lines(spark) == before
    assert batches(spark) == counted(spark)
    assert files_without_partition(spark) == set()
    assert logs(spark) == said, "also the messages of quarantine"
    assert join_only(spark, *TOPICS) == 0
    assert CliRunner().invoke(main, ["explain", "join-odd", "0"]).stdout == odd

    versions = changed(spark)
    assert "skipped, landed before" in land_well(project / "joined")
    build()
    assert changed(spark) == versions, "there is nothing to build"
    for tested in (12, 10**6):
        dbt(
            *("test", "--vars", f"tested_batches: {tested}", "--select"),
            *("assert_nothing_vanishes", "assert_numbers_keep_their_text"),
        )


@pytest.mark.parametrize("step", KILLED_AFTER)
def test_a_killed_join_is_complete_and_no_reader_sees_half_of_it(
    spark: Any, monkeypatch: pytest.MonkeyPatch, landed: None, step: str
) -> None:
    topic = f"join-killed-{step}"
    before, said = lines(spark), silver(spark, topic)
    assert len(said["change_log"]) == 2

    def assert_nothing_else_changed() -> None:
        assert lines(spark) == before
        assert silver(spark, topic) == said

    with monkeypatch.context() as patch:
        kill_at(patch, rewrites, step, is_after=True)
        with pytest.raises(Killed):
            join_only(spark, topic)
    assert_nothing_else_changed()
    # What every dbt run begins with.
    rewrites.switch_partitions(spark)
    assert len(batches_of(spark, topic)) == 1
    assert batches(spark) == counted(spark)
    assert_nothing_else_changed()
    assert join_only(spark, topic) == 0
    assert batches(spark) == counted(spark)
    assert files_without_partition(spark) == set()
    assert_nothing_else_changed()


def test_a_reroute_of_a_joined_batch_is_as_a_rebuild(
    spark: Any,
    build: Callable[..., None],
    land: Callable[[dict[str, list[str]]], None],
    register: Callable[..., None],
    landed: None,
) -> None:
    """And of one into which a joined batch was joined."""
    join_only(spark, *TOPICS)
    land({"join-a": [CANAL % 9]})
    build()
    assert join_only(spark, *TOPICS) == 1
    (batch,) = batches_of(spark, *TOPICS)
    assert rewritten_folders(spark) == shown_folders(spark), "what was joined again is gone"
    register("join-odd", envelope="oms_debezium_smt", table_name="t")
    assert "moved from unrecognized" in CliRunner().invoke(main, ["reroute", "join-odd"]).stdout
    build()
    assert batches(spark) == counted(spark)
    assert batches_of(spark, *TOPICS) == [batch]
    incremental = logs(spark, with_batches=False)
    assert incremental["quarantine"]
    build("--full-refresh")
    assert logs(spark, with_batches=False) == incremental


def test_what_expires_is_as_old_as_the_newest_message_that_lies_with_it(
    spark: Any, landed: None
) -> None:
    join(spark)
    (batch,) = batches_of(spark, *TOPICS)
    spark.sql(f"update bronze.batches set landed_at = timestamp '2000-01-01' where batch < {batch}")
    said = CliRunner().invoke(main, ["expire", "--before", "2001-01-01"])
    assert said.stdout == "nothing to expire\n"
    spark.sql(
        "update bronze.batches set landed_at = current_timestamp()"
        " where landed_at = timestamp '2000-01-01'"
    )


def test_a_run_joins_by_itself_where_many_batches_have_landed(
    spark: Any,
    dbt: Callable[..., None],
    build: Callable[..., None],
    land: Callable[[dict[str, list[str]]], None],
    monkeypatch: pytest.MonkeyPatch,
    landed: None,
) -> None:
    for number in range(3):
        land({"join-alone": [CANAL % number]})
    monkeypatch.setattr(maintaining, "SPARE_BATCHES", 2)
    build()
    assert len(batches_of(spark, "join-alone")) == 1
    assert batches(spark) == counted(spark)
    dbt("test", "--select", "assert_nothing_vanishes")
