"""`onelog reroute`: messages move to the envelope that the registry names."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from conftest import as_text
from pyspark.sql import Row, SparkSession

from landing.bronze import rewrites
from landing.cli import main

CANAL = '{"data":[{"id":"%s"}],"old":null,"type":"INSERT","database":"d","table":"t"}'
# Nothing in these tells their envelope.
BARE_ROWS = ['{"id":"1","name":"joe"}', '{"id": "2", "name": 1.10}']
PLACE = "topic, partition, offset, received_at, message_key, batch"
LOGS = ("change_log", "ddl_log", "control_log", "quarantine", "repeats")


def onelog(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


def reroute(topic: str) -> str:
    result = onelog("reroute", topic)
    assert result.exit_code == 0, result.output
    return result.stdout


def place(spark: SparkSession, table: str, topic: str) -> list[Row]:
    rows = spark.table(table).where(f"topic = '{topic}'").selectExpr(*PLACE.split(", "))
    return rows.orderBy("batch", "offset").collect()


def lines_of(spark: SparkSession, topic: str) -> list[tuple]:
    """What bronze has of a topic, by its landed files' own columns."""
    rows = spark.table("bronze.messages").where(f"topic = '{topic}'").orderBy("offset")
    columns = ("offset", "message_key", "message", "raw", "problem", "envelope")
    return [tuple(row) for row in rows.select(*columns).collect()]


def batches(spark: SparkSession) -> list[tuple[int, dict[str, int]]]:
    rows = spark.sql("select batch, tables from bronze.batches order by batch").collect()
    return [(row.batch, {fed.envelope: fed.messages for fed in row.tables}) for row in rows]


def counted(spark: SparkSession) -> list[tuple[int, dict[str, int]]]:
    """As :func:`batches`, but what the tables of bronze really hold."""
    rows = spark.sql("select batch, envelope from bronze.messages").collect()
    found: dict[int, dict[str, int]] = {batch: {} for batch, _ in batches(spark)}
    for batch, envelope in rows:
        found[batch][envelope] = found[batch].get(envelope, 0) + 1
    return sorted(found.items())


def silver(spark: SparkSession, topic: str) -> dict[str, list[str]]:
    """Every row that silver has of a topic, without the time of building."""
    logs = {}
    for table in ("resolve.events", *(f"silver.{log}" for log in LOGS)):
        rows = spark.table(table).where(f"topic = '{topic}'").drop("built_at").collect()
        logs[table.partition(".")[2]] = sorted(as_text(row.asDict(True)) for row in rows)
    return logs


# The envelopes that the registry names before and after a topic's messages have landed.
RENAMED = [(None, "oms_debezium_smt"), ("oms_debezium_smt", "oms_canal"), ("tdsql", "oms_debezium")]
MESSAGES = [
    CANAL % 1.10,
    '{"payload":{"op":"c","after":{"id":1}}}',
    '{"op":"d","before":{"id":12345678901234567890.10}}',
    '{"schema":{"fields":[]},"payload":{"id":1,"__deleted":"false"}}',
    '{ "odd" : "\\u0041\\n\\"" }',
    "null",
    "[1]",
    '{"a":1} {"b":2}',
]
# (step, whether it was done, whether the reroute counts, whether a landing comes next)
KILLS = [
    ("write_lines", True, False, True),
    ("commit", False, False, False),
    ("commit", True, True, True),
    ("switch_partitions", True, True, False),
    ("delete_replaced", True, True, False),
]


@pytest.fixture(scope="module")
def landed(land: Callable[[dict[str, list[str]]], None], register: Callable[..., None]) -> None:
    """The topics of most tests here, in one batch."""
    topics: dict[str, list[str]] = {}
    for first, then in RENAMED:
        late, early = f"reroute-{first}-{then}", f"reroute-early-{first}-{then}"
        if first:
            register(late, envelope=first)
        register(early, envelope=then)
        topics |= {late: MESSAGES, early: MESSAGES}
    for step, is_after, _, _ in KILLS:
        topic = f"reroute-killed-{step}-{is_after}"
        topics |= {topic: BARE_ROWS, f"{topic}-other": [CANAL % 1, "{}"]}
    land(topics)


@pytest.mark.usefixtures("landed")
@pytest.mark.parametrize(("first", "then"), RENAMED)
def test_messages_lie_as_if_they_had_landed_with_the_registry(
    spark: Any, register: Callable[..., None], first: str | None, then: str
) -> None:
    late, early = f"reroute-{first}-{then}", f"reroute-early-{first}-{then}"
    register(late, envelope=then)
    assert "moved from" in reroute(late)
    assert lines_of(spark, late) == lines_of(spark, early)
    rows = {
        topic: spark.table(f"bronze.{then}")
        .where(f"topic = '{topic}'")
        .orderBy("offset")
        .drop("topic", "received_at")
        .collect()
        for topic in (late, early)
    }
    assert rows[late] == rows[early]
    assert batches(spark) == counted(spark)
    assert f"nothing to move: every message of {late} lies where" in reroute(late)


def test_keys_and_tombstones_of_records_keep_their_place(
    spark: Any, register: Callable[..., None]
) -> None:
    topic = "reroute-records"
    spark.sql(
        f"""
        create or replace temporary view reroute_records as
        select '{topic}' as topic, 3 as partition, bigint(offset) as offset, key, value,
            timestamp '2024-01-02 03:04:05.678901' as timestamp
        from values (7, 'k"1', '{{"id":"1"}}'), (9, 'k2', null) as (offset, key, value)
        """
    )
    landed = onelog("land", "table", "reroute_records")
    assert landed.exit_code == 0, landed.output
    before = place(spark, "bronze.unrecognized", topic)
    assert [row.message_key for row in before] == ['k"1', "k2"]
    register(topic, envelope="oms_debezium_smt", table_name="t")
    reroute(topic)
    assert place(spark, "bronze.oms_debezium_smt", topic) == before
    assert place(spark, "bronze.unrecognized", topic) == []


class Killed(BaseException):
    """Ends a command where it stands, as a kill would."""


def kill_at(monkeypatch: pytest.MonkeyPatch, module: Any, step: str, is_after: bool) -> None:
    whole_step = getattr(module, step)

    def killed(*arguments: Any) -> None:
        if is_after:
            whole_step(*arguments)
        raise Killed

    monkeypatch.setattr(module, step, killed)


@pytest.mark.usefixtures("landed")
@pytest.mark.parametrize(("step", "is_after", "has_moved", "lands_next"), KILLS)
def test_a_killed_reroute_is_as_before_or_complete(
    spark: Any,
    land: Callable[[dict[str, list[str]]], None],
    register: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    is_after: bool,
    has_moved: bool,
    lands_next: bool,
) -> None:
    topic = f"reroute-killed-{step}-{is_after}"
    register(topic, envelope="oms_debezium_smt", table_name="t")
    before, beside = lines_of(spark, topic), lines_of(spark, f"{topic}-other")
    after = [(*line[:-1], "oms_debezium_smt") for line in before]
    with monkeypatch.context() as patch:
        kill_at(patch, rewrites, step, is_after)
        with pytest.raises(Killed):
            CliRunner().invoke(main, ["reroute", topic], catch_exceptions=False)
    # Whoever reads before another command comes sees the old state or the new one.
    has_switched = step in ("switch_partitions", "delete_replaced")
    assert lines_of(spark, topic) == (after if has_switched else before)
    assert lines_of(spark, f"{topic}-other") == beside

    def assert_whole(has_moved: bool) -> None:
        assert lines_of(spark, topic) == (after if has_moved else before)
        table = "oms_debezium_smt" if has_moved else "unrecognized"
        assert len(place(spark, f"bronze.{table}", topic)) == len(BARE_ROWS)
        assert lines_of(spark, f"{topic}-other") == beside
        assert batches(spark) == counted(spark)

    # What every dbt run starts with.
    rewrites.switch_partitions(spark)
    assert_whole(has_moved)
    if lands_next:
        land({f"{topic}-next": [CANAL % 1]})
        assert_whole(has_moved)
        assert files_without_partition(spark) == set()
    said = reroute(topic)
    assert said.startswith("nothing to move" if has_moved else f"{topic}: 2 messages moved")
    assert_whole(has_moved=True)
    assert files_without_partition(spark) == set()


def files_without_partition(spark: SparkSession) -> set[str]:
    """Folders of messages that no partition of bronze shows."""
    bronze = Path(spark.catalog.getDatabase("bronze").locationUri.removeprefix("file:"))
    folders = {
        str(folder.relative_to(bronze))
        for parent in ("messages", "rewritten")
        for folder in (bronze / parent).glob("**/batch=*")
    }
    shown = spark.sql(
        "select distinct regexp_extract(_metadata.file_path, 'bronze.db/(.*)/[^/]*$', 1) as folder"
        " from bronze.messages"
    )
    return folders - {row.folder for row in shown.collect()}


@pytest.mark.parametrize(
    ("topic", "settings", "said"),
    [
        ("reroute-nowhere", {"envelope": "tdsql"}, "no message of topic reroute-nowhere"),
        ("reroute-unnamed", {"source": "s"}, "names no envelope for topic reroute-unnamed"),
    ],
)
def test_a_users_mistake_is_one_line(
    spark: Any, register: Callable[..., None], topic: str, settings: dict[str, str], said: str
) -> None:
    register(topic, **settings)
    result = onelog("reroute", topic)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
