"""`onelog sql`: only the result on stdout, and every value exactly."""

import csv
import io
import json

import pytest
from click.testing import CliRunner, Result
from pyspark.sql import SparkSession

from landing.cli import main


def sql(query: str, form: str = "jsonl") -> Result:
    return CliRunner().invoke(main, ["sql", query, "--format", form])


def one_row(expression: str) -> dict:
    result = sql(f"select {expression} as value")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["value"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("map('a', 'b', 'n', null, 'a \"quoted\" key', '1.10')",
         {"a": "b", "n": None, 'a "quoted" key': "1.10"}),
        ("cast(null as map<string, string>)", None),
        ("map(1, array(1, null))", {"1": [1, None]}),
        ("named_struct('p', 0, 'inner', named_struct('x', null))", {"p": 0, "inner": {"x": None}}),
        ("9223372036854775807", 9223372036854775807),
        ("cast('1.10' as decimal(38, 2))", "1.10"),
        ("cast('0.0000000001' as decimal(38, 10))", "0.0000000001"),
        ("array(cast('12345678901234567890123456789012345678' as decimal(38, 0)))",
         ["12345678901234567890123456789012345678"]),
        ("timestamp '2020-12-30 16:11:11'", "2020-12-30T16:11:11.000000Z"),
        ("date '2020-12-30'", "2020-12-30"),
        ("double('NaN')", "NaN"),
        ("-1 * double('Infinity')", "-Infinity"),
        ("1.5d", 1.5),
        ("unhex('00ff')", "00FF"),
        ("true", True),
        ("'😀\\u0001\\n'", "😀\x01\n"),
        ("null", None),
    ],
)  # fmt: skip
def test_json_lines_keep_every_value(spark: SparkSession, expression: str, value: object) -> None:
    assert one_row(expression) == value


def test_big_integers_stand_in_json_digit_for_digit(spark: SparkSession) -> None:
    assert sql("select 9007199254740993 as n").stdout == '{"n":9007199254740993}\n'


def test_csv_tells_null_from_an_empty_text(spark: SparkSession) -> None:
    result = sql("""select null as a, '' as b, 'x,"y"\n' as c, map('k', null) as d""", "csv")
    assert result.stdout.startswith('a,b,c,d\n,"",')
    rows = list(csv.reader(io.StringIO(result.stdout)))
    assert rows[1] == ["", "", 'x,"y"\n', '{"k":null}']


def test_a_table_stands_in_columns(spark: SparkSession) -> None:
    result = sql("select * from values (1, 'a\\nb'), (null, 'c') as t (id, name)", "table")
    assert result.stdout.splitlines() == ["id    name", "----  ----", "1     a\\nb", "NULL  c"]


def test_the_functions_of_the_models_are_known(spark: SparkSession) -> None:
    if hasattr(spark, "_onelog_functions"):
        spark.sql("drop temporary function decode_base16")
        del spark._onelog_functions
    assert one_row("decode_base16('00ff')") == "00FF"


def test_show_tables_lists_those_of_every_database(spark: SparkSession) -> None:
    spark.sql("create database if not exists elsewhere")
    spark.sql("create table if not exists elsewhere.here (id int) using delta")
    rows = [json.loads(line) for line in sql("show tables;").stdout.splitlines()]
    assert {"namespace": "elsewhere", "tableName": "here", "isTemporary": False} in rows
    described = sql("describe elsewhere.here", "csv").stdout.splitlines()
    assert described[1].startswith("id,int")
    spark.sql("drop database elsewhere cascade")


@pytest.mark.parametrize("query", ["selec 1", "select nothing", "select * from nowhere.at_all", ""])
def test_a_wrong_query_is_one_line(spark: SparkSession, query: str) -> None:
    result = sql(query)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("onelog: [")
    assert result.stderr.count("\n") == 1
