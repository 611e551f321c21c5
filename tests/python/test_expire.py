"""`onelog expire`: landed batches leave bronze once silver holds them, and nothing is lost."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from commands import land_well
from pyspark.sql import SparkSession
from test_reroute import CANAL, Killed, batches, counted, files_without_partition, kill_at, silver

from landing.bronze import rewrites, store
from landing.cli import main

# Only these tests' batches count as landed that long ago.
LONG_AGO = "2000-01-01"
PREFIX = "expire-"


def expire(*arguments: str, before: str = "2001-01-01") -> Result:
    return CliRunner().invoke(main, ["expire", "--before", before, *arguments])


def expire_well(*arguments: str) -> str:
    result = expire(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def age(spark: SparkSession, number: int | None = None) -> None:
    """Let a batch, else the last one, have landed long ago."""
    number = number or store.next_batch_number(spark) - 1
    spark.sql(
        f"update bronze.batches set landed_at = timestamp '{LONG_AGO}' where batch = {number}"
    )


def messages(spark: SparkSession, topic: str) -> int:
    return spark.table("bronze.messages").where(f"topic = '{topic}'").count()


def fails(*arguments: str) -> str:
    """What dbt says where a command must not work."""
    from dbt.cli.main import dbtRunner

    ran = dbtRunner().invoke([*arguments, "--quiet"])
    assert not ran.success
    return "\n".join(str(result.message) for result in ran.result.results)


# Where a rewrite is killed after its commit; test_reroute tries all moments.
KILLED_AFTER = ("commit", "switch_partitions")


@pytest.fixture(scope="module", autouse=True)
def built(
    spark: SparkSession,
    build: Callable[..., None],
    land: Callable[[dict[str, list[str]]], None],
) -> dict[str, int]:
    """The batch of each topic that a kill is tried on; silver holds all that has landed."""
    numbers = {}
    for step in KILLED_AFTER:
        topic = f"{PREFIX}killed-{step}"
        land({topic: [CANAL % 1, CANAL % 2]})
        numbers[topic] = store.next_batch_number(spark) - 1
    build()
    return numbers


@pytest.fixture(autouse=True)
def forgotten(spark: Any) -> Iterator[None]:
    """Other tests of the session build everything anew: what expired here is no longer refused."""
    yield
    spark.sql("delete from bronze.rewrites where cause = 'expire'")
    spark.sql(
        "update bronze.batches set landed_at = current_timestamp()"
        f" where landed_at = timestamp '{LONG_AGO}'"
    )


def test_what_has_expired_stays_in_silver(
    spark: Any,
    dbt: Callable[..., None],
    build: Callable[..., None],
    tmp_path: Path,
    land: Callable[[dict[str, list[str]]], None],
    register: Callable[..., None],
) -> None:
    topic, waiting = f"{PREFIX}kept", f"{PREFIX}waiting"
    file = tmp_path / topic / "a.jsonl"
    file.parent.mkdir()
    file.write_text(f"{CANAL % 1}\n{CANAL % 2}\n")
    land_well(tmp_path)
    age(spark)
    said = expire_well()
    assert "wait for dbt run" in said, "silver has not read them"
    assert messages(spark, topic) == 2

    land({waiting: ['{"id":"1"}', CANAL % 3]})
    age(spark)
    build()
    before = silver(spark, topic)
    said = expire_well()
    assert "1 batch, 2 messages" in said and " bytes" in said
    assert "--with-quarantine" in said and "1 message in quarantine" in said
    assert (messages(spark, topic), messages(spark, waiting)) == (0, 2)
    assert batches(spark) == counted(spark)
    assert files_without_partition(spark) == set()
    assert "nothing to expire" in expire_well()

    assert f"skipped, landed before: file:{file}" in land_well(tmp_path)
    file.write_text(f"{CANAL % 1}\n{CANAL % 2}\n{CANAL % 4}\n")
    assert "only what is new lands" in land_well(tmp_path)
    rows = spark.table("bronze.messages").where(f"topic = '{topic}'").collect()
    assert [(row.offset, row.message) for row in rows] == [(2, CANAL % 4)]

    assert "1 batch, 2 messages" in expire_well("--with-quarantine")
    assert messages(spark, waiting) == 0
    # Settings are resolved anew from what silver keeps.
    register(topic, source=f"{topic}-renamed")
    build()
    log = spark.table("silver.change_log").where(f"topic = '{topic}'").collect()
    assert sorted(row.offset for row in log) == [0, 1, 2]
    assert {row.source for row in log} == {f"{topic}-renamed"}
    assert len(silver(spark, topic)["events"]) == len(before["events"]) + 1
    dbt("test", "--select", "assert_nothing_vanishes", "assert_numbers_keep_their_text")

    refusal = fails("run", "--full-refresh", "--select", "events+")
    assert "have expired" in refusal and "--full-refresh --exclude events" in refusal
    assert len(silver(spark, topic)["events"]) == len(before["events"]) + 1
    followed = silver(spark, topic)
    build("--full-refresh", "--exclude", "events")
    assert silver(spark, topic) == followed


@pytest.mark.parametrize("step", KILLED_AFTER)
def test_a_killed_expiry_is_completed_by_the_next_command(
    spark: Any, built: dict[str, int], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    topic = f"{PREFIX}killed-{step}"
    age(spark, built[topic])
    before = silver(spark, topic)
    assert len(before["change_log"]) == 2
    with monkeypatch.context() as patch:
        kill_at(patch, rewrites, step, is_after=True)
        with pytest.raises(Killed):
            CliRunner().invoke(main, ["expire", "--before", "2001-01-01"], catch_exceptions=False)
    # Whoever reads before another command comes sees all messages of the batch or none.
    assert messages(spark, topic) == (2 if step == "commit" else 0)
    assert silver(spark, topic) == before
    # What every dbt run starts with.
    rewrites.switch_partitions(spark)
    assert messages(spark, topic) == 0
    assert batches(spark) == counted(spark)
    assert expire_well().startswith("nothing")
    assert messages(spark, topic) == 0
    assert batches(spark) == counted(spark)
    assert files_without_partition(spark) == set()
    assert silver(spark, topic) == before


def test_a_date_that_is_none_is_one_line(spark: Any) -> None:
    result = expire(before="yesterday")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
