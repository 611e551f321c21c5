"""A run and its tests read the files of its batch, however long the history is."""

import itertools
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from messages import oms_canal

from landing import maintain

PREFIX = "history-"
LONG_TABLES = ("bronze.oms_canal", "resolve.events", "resolve.changes")
# How many batches a history has, how many rows each of them, and how many rows a file.
HISTORY, ROWS, ROWS_OF_A_FILE = 2, 12, 2


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


# Tests of the log, each of which would read all of it.
TESTS_OF_THE_LOG = (
    "change_log,test_type:generic",
    "assert_nothing_vanishes",
    "assert_numbers_keep_their_text",
    "assert_no_two_changes_of_one_key_share_a_position",
    "assert_one_id_has_one_content",
    "assert_copies_can_be_counted",
    "assert_key_columns_are_in_the_rows",
    "assert_tenants_have_sources_of_their_own",
)


def test_a_run_and_its_tests_read_the_files_of_its_batch_however_long_the_history_is(
    spark: Any,
    dbt: Callable[..., list[Any]],
    build: Callable[..., None],
    land: Callable[[dict[str, list[str]]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # No run puts the files together that this test counts.
    monkeypatch.setattr(maintain, "SPARE_FILES", 10**6)
    ids = itertools.count(1)

    def land_batch() -> None:
        rows = [oms_canal(at, None, {"id": at}) for at in itertools.islice(ids, ROWS)]
        land({f"{PREFIX}long": [message for messages in rows for message in messages]})

    def add_history() -> None:
        """Batches whose rows lie in many files, as they do after many runs."""
        spark.conf.set("spark.sql.files.maxRecordsPerFile", str(ROWS_OF_A_FILE))
        try:
            for _ in range(HISTORY):
                land_batch()
            build()
        finally:
            spark.conf.unset("spark.sql.files.maxRecordsPerFile")

    def small_run() -> dict[str, Read]:
        land_batch()
        return reads_of(spark, build)

    def tested() -> dict[str, Read]:
        options = ("--vars", "tested_batches: 1", "--select", *TESTS_OF_THE_LOG)
        return reads_of(spark, lambda: dbt("test", *options))

    def files(table: str) -> int:
        return len(spark.table(table).inputFiles())

    add_history()
    # The run before the short one is small; before the long one comes that of the history.
    small_run()
    short, short_tests = small_run(), tested()
    stored = {table: files(table) for table in LONG_TABLES}
    add_history()
    long, long_tests = small_run(), tested()
    for table in LONG_TABLES:
        grown = files(table) - stored[table]
        assert grown >= HISTORY * ROWS / ROWS_OF_A_FILE, f"{table}: the history has not grown"
        # One scan of the whole table would read all of these; marks of some batches lie in a few.
        assert long[table].files < short[table].files + grown / 2, table
        assert long[table].kibibytes < short[table].kibibytes * 2, table
        if table in long_tests:
            assert long_tests[table].files < short_tests[table].files + grown / 2, table
    assert {"resolve.events", "resolve.changes"} <= long_tests.keys()
