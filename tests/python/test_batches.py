"""`bronze.batches`: how far each topic has landed is known from its newest batch."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from pyspark.sql import SparkSession

from landing.bronze import rewrites, store
from landing.bronze.store import Batch, Place, history, next_batch_number, next_offsets

DAY = datetime(2024, 1, 1, tzinfo=UTC)


def commit(spark: SparkSession, is_whole: bool | None, *offsets: tuple[str, int, int]) -> int:
    """Commit a batch of Kafka's without a message; its number."""
    number = next_batch_number(spark)
    files = [(topic, f"kafka:/{partition}", "", None, 0, None) for topic, partition, _ in offsets]
    store.commit(spark, Batch(number, DAY, "kafka", {}, files, [*offsets], is_whole))
    return number


@pytest.fixture(scope="module")
def first(spark: SparkSession) -> int:
    """The number of the first of 14 batches; ten of topic ``busy`` are the newest."""
    rewrites.prepare(spark)
    number = commit(spark, True, ("idle", 0, 5), ("idle", 1, 6), ("busy", 0, 1))
    commit(spark, None, ("partial", 0, 3))
    commit(spark, None, ("partial", 1, 4))
    commit(spark, None, ("partial", 0, 8))
    for offset in range(2, 12):
        commit(spark, True, ("busy", 0, offset))
    return number


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, int]]]:
    """The ranges of batches that are read, with a short first look back."""
    ranges: list[tuple[int, int]] = []
    newest = store._newest

    def look(spark: SparkSession, topics: set[str], begin: int, end: int, files: bool) -> object:
        ranges.append((begin, end))
        return newest(spark, topics, begin, end, files)

    monkeypatch.setattr(store, "LOOK_BACK", 1)
    monkeypatch.setattr(store, "_newest", look)
    yield ranges


def offsets(spark: SparkSession, *topics: str) -> dict[Place, int]:
    return next_offsets(history(spark, topics, next_batch_number(spark)), "kafka")


def test_the_newest_batch_of_a_topic_is_enough(
    spark: SparkSession, first: int, looks: list[tuple[int, int]]
) -> None:
    assert offsets(spark, "busy") == {("busy", 0): 11}
    assert looks == [(first + 13, first + 14)]


def test_older_batches_are_read_for_topics_that_newer_ones_lack(
    spark: SparkSession, first: int, looks: list[tuple[int, int]]
) -> None:
    found = offsets(spark, "busy", "idle", "never")
    assert found == {("busy", 0): 11, ("idle", 0): 5, ("idle", 1): 6}
    assert looks[:2] == [(first + 13, first + 14), (first + 3, first + 13)]
    assert looks[2] == (max(first - 97, 1), first + 3)
    assert looks[-1][0] == 1


def test_batches_of_an_earlier_version_name_what_moved_only(
    spark: SparkSession, first: int, looks: list[tuple[int, int]]
) -> None:
    batches = history(spark, ["partial"], next_batch_number(spark))
    assert next_offsets(batches, "kafka") == {("partial", 0): 8, ("partial", 1): 4}
    assert [file.path for batch in batches for file in batch.files] == [
        *("kafka:/0", "kafka:/1", "kafka:/0")
    ]


def test_a_batch_names_the_places_that_stay_first() -> None:
    known = {("a", 0): 1, ("a", 1): 2, ("b", 0): 3}
    assert list(store.with_unmoved(known, {("a", 0): 9}).items()) == [(("a", 1), 2), (("a", 0), 9)]


def test_a_table_of_an_earlier_version_gets_its_columns(spark: SparkSession) -> None:
    rewrites.prepare(spark)
    types = dict(spark.table("bronze.batches").dtypes)
    was = {**types, "files": types["files"].replace(",modified_millis:bigint", "")}
    for added in store.ADDED_COLUMNS:
        del was[added]
    columns = ", ".join(f"{name} {data_type}" for name, data_type in was.items())
    spark.sql("create database if not exists earlier")
    spark.sql(f"create table earlier.batches ({columns}) using delta")
    store.add_columns(spark, "earlier.batches")
    assert dict(spark.table("earlier.batches").dtypes) == types
    spark.sql("drop database earlier cascade")


def test_rows_of_many_batches_are_put_together(
    spark: SparkSession, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "COMPACTED_EVERY", 1)
    number = commit(spark, True, ("busy", 0, 12))
    assert len(spark.table("bronze.batches").where(f"batch >= {first}").inputFiles()) == 2
    assert number == next_batch_number(spark) - 1
