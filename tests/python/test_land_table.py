"""`onelog land table`: which rows land, under which number, and which tables are refused."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import commands
import pytest
from click.testing import CliRunner, Result
from pyspark.sql import Row, SparkSession

from landing.cli import main
from landing.records import Records, land_records
from landing.tables import land as tables

CANAL = '{"data":[{"id":"%s"}],"old":null,"type":"INSERT","database":"d","table":"t"}'


def land(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["land", "table", *arguments])


def land_well(*arguments: str) -> str:
    result = land(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: str) -> str:
    """What the command says on stderr, in one line."""
    result = land(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("onelog: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("onelog: ").removesuffix("\n")


def landed(spark: SparkSession, topic: str) -> list[Row]:
    messages = spark.table("bronze.messages").where(f"topic = '{topic}'")
    return messages.orderBy("partition", "offset").collect()


def places(spark: SparkSession, topic: str) -> list[tuple[int, int, str]]:
    return [(row.partition, row.offset, row.message) for row in landed(spark, topic)]


def batches(spark: SparkSession) -> int:
    is_made = spark.catalog.tableExists("bronze.batches")
    return spark.table("bronze.batches").count() if is_made else 0


@pytest.fixture
def table(spark: SparkSession) -> Iterator[Callable[[str, str], None]]:
    """Makes a view of a query: what it holds may be changed by making it again."""
    spark.sql("create database if not exists feeds")

    def make(name: str, query: str) -> None:
        spark.sql(f"create or replace view feeds.{name} as {query}")

    yield make


def values(*rows: str, names: str) -> str:
    return f"select * from values {', '.join(rows)} as rows({names})"


def test_a_row_with_every_column_lands_whole(
    spark: SparkSession, table: Callable[[str, str], None]
) -> None:
    table(
        "every",
        values(
            "('every-a', 3, 70, timestamp '2024-05-06 07:08:09.123456', '{\"id\":1}', '{\"n\":1}')",
            "('every-a', 3, 72, timestamp '1900-01-01', unhex('00fe'), unhex('7b7dff'))",
            "('every-b', 0, 5, null, null, null)",
            names="Topic, partition, offset, timestamp, key, VALUE",
        ).replace("'{\"id\":1}', '{\"n\":1}'", "binary('{\"id\":1}'), binary('{\"n\":1}')"),
    )
    output = land_well("feeds.every")
    first, second = landed(spark, "every-a")
    (tombstone,) = landed(spark, "every-b")
    assert (first.partition, first.offset, first.message_key) == (3, 70, '{"id":1}')
    assert first.received_at == datetime(2024, 5, 6, 7, 8, 9, 123456)
    assert (second.offset, second.message_key, second.raw) == (72, "\x00\\xfe", "{}\\xff")
    batch = spark.table("bronze.batches").orderBy("batch", ascending=False).first()
    assert second.received_at == tombstone.received_at == batch.landed_at
    assert (tombstone.offset, tombstone.message, tombstone.raw) == (5, None, None)
    assert batch.ingress == "table"
    assert {tuple(place) for place in batch.offsets} == {("every-a", 3, 73), ("every-b", 0, 6)}
    assert "  every-b: 1 unrecognized" in output


def test_rows_from_the_next_offset_on_are_new(
    spark: SparkSession, table: Callable[[str, str], None]
) -> None:
    old = ("('{\"n\":1}', 0, 10)", "('{\"n\":2}', 0, 11)", "('{\"n\":3}', 1, 2)")
    names = "value, partition, offset"
    table("by_offset", values(*old, names=names))
    land_well("feeds.by_offset")
    assert land_well("feeds.by_offset") == "nothing new\n"
    new = ("('{\"n\":4}', 1, 7)", "('{\"n\":5}', 2, 0)", "('{\"n\":6}', 0, 9)")
    table("by_offset", values(*old, *new, names=names))
    assert "2 messages" in land_well("spark_catalog.FEEDS.by_offset")
    assert places(spark, "by_offset") == [
        (0, 10, '{"n":1}'),
        (0, 11, '{"n":2}'),
        (1, 2, '{"n":3}'),
        (1, 7, '{"n":4}'),
        (2, 0, '{"n":5}'),
    ]


@pytest.mark.parametrize(
    ("name", "batches"),
    [
        ("bigint", (("9", "10"), ("11", "100"))),
        ("string", (("'10'", "'9'"), ("'91'", "'ü'"))),
        (
            "timestamp",
            (("timestamp '2024-01-01 00:00:00.000001'",), ("timestamp '2024-01-01 01:00'",)),
        ),
        ("decimal", (("0.10", "0.90"), ("1.00", "99.999"))),
        ("double", (("double('0.1')",), ("double('0.1') + double('0.2')", "double('nan')"))),
    ],
)
def test_rows_above_the_greatest_landed_value_are_new(
    spark: SparkSession,
    table: Callable[[str, str], None],
    name: str,
    batches: tuple[tuple[str, ...], ...],
) -> None:
    seen: list[str] = []
    for batch in batches:
        seen += batch
        # The newest first: the column says the order, not the table.
        rows = [f"('{{\"n\":{n}}}', {value})" for n, value in enumerate(seen)]
        table(f"grown_{name}", values(*reversed(rows), names="value, `at``x`"))
        assert f"{len(batch)} messages" in land_well(f"feeds.grown_{name}", "--by", "AT`x")
    assert land_well(f"feeds.grown_{name}", "--by", "at`x") == "nothing new\n"
    assert places(spark, f"grown_{name}") == [(0, n, f'{{"n":{n}}}') for n in range(len(seen))]


def test_rows_of_each_topic_are_numbered_for_themselves(
    spark: SparkSession, table: Callable[[str, str], None]
) -> None:
    names = "value, topic, id"
    table("many", values("('{\"n\":1}', 'many-a', 1)", "('{\"n\":2}', 'many-b', 2)", names=names))
    land_well("feeds.many", "--by", "id")
    table("many", values("('{\"n\":3}', 'many-b', 3)", "('{\"n\":4}', 'many-c', 4)", names=names))
    land_well("feeds.many", "--by", "id")
    assert places(spark, "many-a") == [(0, 0, '{"n":1}')]
    assert places(spark, "many-b") == [(0, 0, '{"n":2}'), (0, 1, '{"n":3}')]
    assert places(spark, "many-c") == [(0, 0, '{"n":4}')]


def test_a_table_that_nothing_orders_lands_once(
    spark: SparkSession, table: Callable[[str, str], None]
) -> None:
    table("plain", values(f"('{CANAL % 1}')", "(null)", names="value"))
    land_well("feeds.plain")
    assert [row.message for row in landed(spark, "plain")] == [CANAL % 1, None]
    assert "table feeds.plain has landed, and nothing tells which of its rows are newer" in (
        refused("feeds.plain")
    )
    table("plain", "select 'x' as value, 1 as id")
    assert "has landed by no column, not by column id int" in refused("feeds.plain", "--by", "id")
    land_well("feeds.plain", "--by", "id", "--topic", "plain-again")
    assert len(landed(spark, "plain-again")) == 1


def test_names_are_quoted_not_pasted(
    spark: SparkSession, table: Callable[[str, str], None], tmp_path: Path
) -> None:
    folder = str(tmp_path / "it's; drop table x")
    spark.sql("select '{}' as value, 0 as offset").write.parquet(folder)
    land_well(f"parquet.`{folder}`", "--topic", "it's")
    assert spark.table("bronze.messages").where("topic = 'it\\'s'").count() == 1
    table("quoted", "select '{}' as value, 0 as offset")
    said = refused("feeds.quoted where 1 = 0; drop table x")
    assert said.startswith("table feeds.quoted where 1 = 0; drop table x cannot be read: ")


REFUSED = {
    "no table": ("feeds.none_such", "select 1 as x", "table feeds.none_such cannot be read"),
    "no value": ("", "select 1 as x", "has no column value"),
    "a number": ("", "select 1 as value", "column value is int, and must be string or binary"),
    "a time as a number": ("", "select '' as value, 1L as timestamp", "column timestamp is bigint"),
    "no column to land by": ("--by x", "select '' as value", "has no column x"),
    "two ways to order": (
        "--by id",
        "select '' as value, 0 as offset, 1 as id",
        "has a column offset and lands by it: leave --by out",
    ),
    "nothing to order by": ("--by m", "select '' as value, map() as m", "has no order to land by"),
    "two topics": ("--topic t", "select '' as value, 't' as topic", "has a column topic"),
    "NULL offsets": (
        "--topic nulls",
        "select '' as value, 4 as partition, explode(array(null, null, 3)) as offset",
        "table feeds.wrong, topic nulls, partition 4: 2 rows have no offset",
    ),
    "a repeated offset": (
        "--topic twice",
        "select '' as value, explode(array(7, 8, 7)) as offset",
        "table feeds.wrong, topic twice, partition 0: several rows have offset 7",
    ),
    "an offset below 0": (
        "--topic below",
        "select '' as value, explode(array(-2, 3)) as offset",
        "table feeds.wrong, topic below, partition 0: offset -2 is below 0",
    ),
    "a NULL to land by": (
        "--topic unordered --by id",
        "select '' as value, explode(array(1, null)) as id",
        "table feeds.wrong, topic unordered, partition 0: 1 rows have no id",
    ),
    "a NULL partition": (
        "--topic nowhere",
        "select '' as value, explode(array(1L, 5000000000L)) as partition, 0 as offset",
        "topic nowhere: there are rows whose partition is NULL",
    ),
    "a NULL topic": (
        "",
        "select '' as value, explode(array('t', null)) as topic, 0 as offset",
        "table feeds.wrong: there are rows whose topic is NULL",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_land_is_told(
    spark: SparkSession, table: Callable[[str, str], None], what: str
) -> None:
    arguments, query, said = REFUSED[what]
    table("wrong", query)
    name = [] if arguments.startswith("feeds") else ["feeds.wrong"]
    before = batches(spark)
    assert said in refused(*name, *arguments.split())
    assert batches(spark) == before


def test_a_topic_is_fed_by_one_table(
    spark: SparkSession, table: Callable[[str, str], None], tmp_path: Path
) -> None:
    table("owner", "select '{}' as value, 0 as offset")
    land_well("feeds.owner", "--topic", "owned")
    table("other", "select '{}' as value, 5 as offset")
    assert "topic owned is fed by feeds.owner: feeds.other cannot land in it as well" in (
        refused("feeds.other", "--topic", "owned")
    )
    (tmp_path / "by_files.jsonl").write_text("{}")
    commands.land_well("--topic", "by_files", tmp_path)
    assert "topic by_files is fed by files: table cannot land in it as well" in (
        refused("feeds.other", "--topic", "by_files")
    )


def test_the_column_to_land_by_stays_the_same(
    spark: SparkSession, table: Callable[[str, str], None]
) -> None:
    table("steady", "select '{}' as value, 9 as id, 1 as other")
    land_well("feeds.steady", "--by", "id")
    assert "has landed by column id int, not by column other int" in (
        refused("feeds.steady", "--by", "other")
    )
    table("steady", "select '{}' as value, '10' as id")
    assert "has landed by column id int, not by column id string" in (
        refused("feeds.steady", "--by", "id")
    )


def test_a_table_that_changes_while_it_is_read_lands_nothing(
    spark: SparkSession, table: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    table("moving", "select '{}' as value, explode(array(0, 1)) as offset")

    def land_fewer(spark: SparkSession, records: Records, *others: Any) -> None:
        fewer = records.frame.where("offset = 0")
        land_records(spark, Records(records.ingress, fewer, records.ends, records.marks), *others)

    with monkeypatch.context() as patch:
        patch.setattr(tables, "land_records", land_fewer)
        result = land("feeds.moving")
    assert result.exit_code == 1
    assert "feeds.moving changed while it was read; try again" in result.stderr
    assert "2 messages" in land_well("feeds.moving")
    assert [row.offset for row in landed(spark, "moving")] == [0, 1]
