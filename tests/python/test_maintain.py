"""`onelog maintain`: few files, little space, the same rows; by itself where a table needs it."""

import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from landing import maintain as maintaining
from landing.cli import main
from landing.errors import LandingError, UserError
from landing.maintain import Table, keep_hours, maintain, tables
from landing.session import LeaseLostError

NAME = "maintained.small"
FILES = 30


@pytest.fixture(autouse=True)
def database(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A database of the tests' own, the only one that is maintained."""
    monkeypatch.setattr(maintaining, "DATABASES", ("maintained",))
    spark.sql("create database if not exists maintained")
    spark.sql(f"drop table if exists {NAME}")
    yield
    spark.sql("drop database maintained cascade")


@pytest.fixture
def table(spark: SparkSession) -> str:
    """A table of many small files, which has replaced all rows of its first version."""
    numbers = spark.range(FILES * 10).selectExpr("id", "repeat(uuid(), 50) as text")
    for mode in ("append", "overwrite"):
        numbers.repartition(FILES).write.format("delta").mode(mode).saveAsTable(NAME)
    return NAME


def rows(spark: SparkSession) -> list[tuple]:
    return sorted(map(tuple, spark.table(NAME).collect()))


def state(spark: SparkSession) -> Table:
    (table,) = tables(spark)
    return table


def data_bytes(folder: str) -> int:
    files = Path(folder.removeprefix("file:")).glob("*.*")
    return sum(file.stat().st_size for file in files if not file.name.startswith("."))


def test_many_small_batches_become_few_files_and_little_space(spark: SparkSession) -> None:
    spark.sql(
        f"create table {NAME} (id bigint, text string) using delta"
        " tblproperties (delta.enableDeletionVectors = true)"
    )
    for batch in range(FILES):
        spark.sql(
            f"insert into {NAME} replace where id >= {batch * 10}"
            f" select id, repeat(uuid(), 50) from range({batch * 10}, {batch * 10 + 20})"
        )
    before, was = state(spark), rows(spark)
    assert before.files >= FILES
    result = CliRunner().invoke(main, ["maintain"])
    assert result.exit_code == 0, result.output
    assert f"{NAME}: {before.files} files are now 1" in result.stdout
    after = state(spark)
    assert rows(spark) == was
    assert after.files == 1
    assert data_bytes(after.folder) == after.bytes, "no file is left that only old versions have"
    assert after.held_bytes < before.held_bytes


def test_the_log_of_old_versions_goes_with_them(spark: SparkSession, table: str) -> None:
    """Delta keeps what is of the present minute, and what leads there from a checkpoint."""
    spark.sql(f"alter table {table} set tblproperties (delta.checkpointInterval = 1)")
    spark.sql(f"insert overwrite {table} select * from {table}")
    log = Path(state(spark).folder.removeprefix("file:")) / "_delta_log"
    old = sorted(log.glob("*.json"))
    for path in log.glob("*.*"):
        # Delta goes by the times of the files.
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 7200))
    was = rows(spark)
    maintain(spark)
    assert not any(path.exists() for path in old[:-1])
    assert rows(spark) == was


def test_an_older_version_stays_readable_for_as_long_as_it_is_kept(
    spark: SparkSession, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    version, was = state(spark).version, rows(spark)
    spark.sql(f"delete from {table} where id < 50")
    monkeypatch.setenv(maintaining.KEEP_HOURS, "1")
    maintain(spark)
    old = spark.sql(f"select * from {table} version as of {version}").collect()
    assert sorted(map(tuple, old)) == was


def test_a_table_itself_says_for_how_long_its_old_versions_stay(
    spark: SparkSession, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Delta goes by that alone, and reads no older version. The log may stay for longer."""

    def kept(hours: str) -> list[str]:
        monkeypatch.setenv(maintaining.KEEP_HOURS, hours)
        maintain(spark)
        (detail,) = spark.sql(f"describe detail {table}").collect()
        return [detail.properties[name] for name in (maintaining.KEPT_FILES, maintaining.KEPT_LOG)]

    assert kept("0") == ["interval 1 hours", "interval 24 hours"], "as the profile says"
    assert kept("29.5") == ["interval 30 hours", "interval 30 hours"]
    assert kept("30") == ["interval 30 hours", "interval 30 hours"]
    history = spark.sql(f"describe history {table}").where("operation = 'SET TBLPROPERTIES'")
    assert history.count() == 1
    assert kept("0.4") == ["interval 1 hours", "interval 30 hours"]


def test_a_table_is_maintained_by_itself_only_where_it_needs_it(
    spark: SparkSession, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintaining, "SPARE_FILES", FILES)
    version = state(spark).version
    assert not maintain(spark, where_needed=True).did_something
    monkeypatch.setattr(maintaining, "SPARE_FILES", FILES - 2)
    report = maintain(spark, where_needed=True)
    assert report.compacted == {table: (FILES, 1)}
    assert report.freed == 0, "the little that old versions hold may stay"
    assert state(spark).version > version
    assert not maintain(spark, where_needed=True).did_something
    monkeypatch.setattr(maintaining, "SPARE_BYTES", 0)
    for _ in range(2):
        spark.sql(f"insert overwrite {table} select * from {table}")
    assert maintain(spark, where_needed=True).freed > 0


def test_a_run_leaves_larger_files_alone_than_a_call_by_hand(
    spark: SparkSession, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintaining, "SPARE_FILES", 0)
    monkeypatch.setitem(
        maintaining.SETTINGS_OF_RUN, "spark.databricks.delta.optimize.minFileSize", "1"
    )
    assert maintain(spark, where_needed=True).compacted == {}
    assert maintain(spark).compacted == {table: (FILES, 1)}


def test_a_table_that_another_command_changes_stays_as_it_is_and_is_told(
    spark: SparkSession, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def conflict(*_: Any) -> None:
        tries.append(1)
        # An error of Delta's, as of a commit that came in between.
        spark.sql("select raise_error('[DELTA_CONCURRENT_APPEND] files were added')").collect()

    monkeypatch.setattr(maintaining, "_delete_old", conflict)
    result = CliRunner().invoke(main, ["maintain"])
    assert result.exit_code == 1
    assert f"{table} stays as it is: " in result.stdout
    assert len(tries) >= maintaining.ATTEMPTS
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("second_files", [50, 90])
def test_a_run_puts_one_table_together_unless_another_has_far_too_many_files(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, second_files: int
) -> None:
    found = [Table(f"gold.t{n}", "", 1, n, 1, 1, 1) for n in (20, 40, second_files)]
    monkeypatch.setattr(maintaining, "tables", lambda _: iter(found))
    monkeypatch.setattr(
        maintaining,
        "_maintain",
        lambda spark, table, is_many, where_needed, hours, report: report.compacted.update(
            {table.name: (table.files, 1)}
        ),
    )
    in_a_run = list(maintain(spark, where_needed=True).compacted)
    assert in_a_run == ["gold.t40", "gold.t90"][: 1 + (second_files == 90)]
    assert len(maintain(spark).compacted) == 3


@pytest.mark.parametrize(
    "error", [AnalysisException("no folder\nand its plan"), LandingError("no folder")]
)
def test_batches_that_cannot_be_joined_keep_no_table_from_its_maintenance(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> int:
        raise error

    maintained: list[str] = []
    found = [Table(name, "", 1, 2, 1, 1, 1) for name in (maintaining.BATCHES, "gold.keys")]
    monkeypatch.setattr(maintaining, "tables", lambda _: iter(found))
    monkeypatch.setattr(maintaining, "keep_hours", lambda: 0.0)
    monkeypatch.setattr(maintaining, "join", fail)
    monkeypatch.setattr(maintaining, "other_settings", lambda *_: nullcontext())
    monkeypatch.setattr(
        maintaining, "_maintain", lambda _, table, *rest: maintained.append(table.name)
    )
    session: Any = SimpleNamespace(
        catalog=SimpleNamespace(tableExists=lambda name: True),
        sparkContext=SimpleNamespace(defaultParallelism=1),
    )
    report = maintain(session)
    assert maintained == [maintaining.BATCHES, "gold.keys"]
    assert report.failed == {"bronze": "no folder"}
    error = LeaseLostError()
    with pytest.raises(LeaseLostError):
        maintain(session)


def test_a_run_looks_after_the_tables_at_its_end(
    spark: SparkSession, table: str, dbt: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintaining, "SPARE_FILES", FILES - 2)
    dbt("run", "--select", "datahub_tuple")
    assert state(spark).files == 1
    monkeypatch.undo()
    found = {table.name for table in tables(spark)}
    assert found >= {"bronze.batches", "bronze.rewrites", "settings.topics"}
    assert "bronze.messages" not in found, "its files are no Delta table's"


@pytest.mark.parametrize("rows", [1000, 300_000])
def test_only_a_large_table_marks_the_rows_that_a_run_replaces(
    spark: SparkSession, dbt: Callable[..., list[Any]], rows: int
) -> None:
    texts = spark.range(rows).selectExpr("sha2(string(id), 512) as text")
    texts.write.format("delta").saveAsTable(NAME)
    versions = []
    for _ in range(2):
        dbt("run-operation", "marks_deleted", "--args", f"{{relation: {NAME}}}")
        versions.append(state(spark).version)
    (detail,) = spark.sql(f"describe detail {NAME}").collect()
    is_large = detail.sizeInBytes > 16 * 2**20
    assert is_large == (rows > 1000)
    assert ("delta.enableDeletionVectors" in detail.properties) == is_large
    assert versions == [is_large, is_large], "once"


@pytest.mark.parametrize(
    ("said", "catalog", "hours"),
    [
        (None, "jdbc:derby:;databaseName=x", 0),
        (None, "jdbc:postgresql://host/metastore", 24),
        (None, "", 24),
        ("1.5", "jdbc:derby:;databaseName=x", 1.5),
        ("-1", "", None),
        ("a day", "", None),
    ],
)
def test_old_versions_are_kept_where_others_may_read_them(
    said: str | None, catalog: str, hours: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"spark.hadoop.javax.jdo.option.ConnectionURL": catalog}
    monkeypatch.setattr(maintaining, "session_settings", lambda: settings)
    monkeypatch.setenv(maintaining.KEEP_HOURS, said or "")
    if hours is None:
        with pytest.raises(UserError, match="hours"):
            keep_hours()
    else:
        assert keep_hours() == hours
