"""`onelog sql`: only the result on stdout, and every value exactly."""

import csv
import io
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pyspark.sql import SparkSession
from rich.cells import cell_len

from landing.cli import main
from landing.queries.prompt import SCHEMAS, Names, asked
from landing.queries.shown import fitted
from landing.session.preparing import prepare_sessions


def sql(query: str, form: str = "jsonl") -> Result:
    return CliRunner().invoke(main, ["sql", query, "--format", form])


def one_row(expression: str) -> Any:
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
        ("timestamp '0001-01-01 00:00:00'", "0001-01-01T00:00:00.000000Z"),
        ("array(timestamp '9999-12-31 23:59:59', null)", ["9999-12-31T23:59:59.000000Z", None]),
        ("date '2020-12-30'", "2020-12-30"),
        ("array(date '0001-01-01', null)", ["0001-01-01", None]),
        ("map(date '+10000-01-01', date '-0044-03-15')", {"+10000-01-01": "-0044-03-15"}),
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


def test_json_lines_lose_no_column_of_two_of_one_name(spark: SparkSession) -> None:
    result = sql("select 1 as a, 2 as b, 3 as a, 4 as A, 5 as b")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "onelog: an object of JSON has each name once, and the query's columns repeat a, b: "
        "give them names with `as`\n"
    )
    for form in ("jsonl", "csv", "table"):
        result = sql("select struct(one.id, other.id) from range(1) one, range(1) other", form)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "the query's columns repeat id" in result.stderr
    assert sql("select 1 as a, 2 as a", "csv").stdout == "a,a\n1,2\n"


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


def test_a_thread_that_has_no_session_gets_the_functions_too(spark: SparkSession) -> None:
    """As dbt's threads do, on a session that a command has opened."""
    prepare_sessions()
    spark.__dict__.pop("_onelog_functions", None)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(SparkSession.builder.getOrCreate).result() is spark
    assert one_row("decode_base16('00ff')") == "00FF"


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")


def test_a_table_is_no_wider_than_the_terminal_and_says_what_it_cut(
    spark: SparkSession, narrow: None
) -> None:
    result = sql("select 1 as id, repeat('wide ', 20) as a, repeat('數', 30) as b", "table")
    lines = result.stdout.splitlines()
    assert max(map(cell_len, lines)) <= 40
    assert lines[2] == "1   wide wide wide w…  數數數數數數數數…"
    assert result.stderr.splitlines()[0].startswith("… stands for what did not fit: --full")


def test_only_the_widest_columns_are_cut() -> None:
    assert fitted([3, 50, 12, 90], 60) == [3, 19, 12, 19]
    assert fitted([3, 5], 60) == [3, 5]
    assert fitted([20] * 10, 60) == []


def test_a_full_table_is_cut_nowhere(spark: SparkSession, narrow: None) -> None:
    result = CliRunner().invoke(main, ["sql", "select repeat('x', 500) as a", "--full"])
    assert "x" * 500 in result.stdout
    assert "…" not in result.output


def test_a_row_a_block_goes_on_below_itself(spark: SparkSession, narrow: None) -> None:
    result = sql("select 1 as id, repeat('x', 50) as text union all select 2, null", "vertical")
    assert result.stdout.splitlines() == [
        "-- row 1 -------",
        "id    1",
        "text  " + "x" * 34,
        "      " + "x" * 16,
        "-- row 2 -------",
        "id    2",
        "text  NULL",
    ]


def test_a_table_of_too_many_columns_is_shown_in_blocks(spark: SparkSession, narrow: None) -> None:
    columns = ", ".join(f"'{'x' * 20}' as c{number}" for number in range(9))
    result = sql(f"select {columns}", "table")
    assert result.stdout.startswith("-- row 1 --")
    assert "each row is a block" in result.stderr


def test_rows_and_seconds_are_told_beside_the_result(spark: SparkSession) -> None:
    assert re.fullmatch(r"2 rows, \d+\.\d s\n", sql("select explode(array(1, 2))").stderr)
    assert sql("select 1").stderr.startswith("1 row, ")


def test_a_query_comes_from_a_file_or_from_standard_input(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = tmp_path / "query.sql"
    # As some editors begin a file.
    path.write_text("\ufeffselect 'größe' as a;\n", encoding="utf-8")
    query = path.read_text(encoding="utf-8-sig")
    for arguments, entered in ((["-f", str(path)], ""), ([], query)):
        result = CliRunner().invoke(main, ["sql", "--format", "jsonl", *arguments], input=entered)
        assert result.stdout == '{"a":"größe"}\n'
    both = CliRunner().invoke(main, ["sql", "-f", str(path), "select 1"])
    assert (both.exit_code, both.stderr) == (
        2,
        "onelog: give a query or a file with one, not both\n",
    )


def test_the_prompt_takes_queries_up_to_their_semicolons(
    spark: SparkSession, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = iter(["select 1", "as a;", "", "select 2;", "exit"])
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    assert list(asked(spark)) == ["select 1\nas a;", "select 2;"]


def test_the_prompt_knows_tables_and_their_columns(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    for schema in SCHEMAS:
        spark.sql(f"create database if not exists {schema}")
    spark.sql("create table if not exists gold.prompted (remembered int) using delta")
    monkeypatch.setattr("readline.get_line_buffer", lambda: "select * from gold.prompted where re")
    names = Names(spark)
    assert names.completion("gold.pro", 0) == "gold.prompted"
    assert [names.completion("remem", number) for number in (0, 1)] == ["remembered", None]
    spark.sql("drop table gold.prompted")


def test_show_tables_lists_those_of_every_database(spark: SparkSession) -> None:
    spark.sql("create database if not exists elsewhere")
    spark.sql("create table if not exists elsewhere.here (id int) using delta")
    rows = [json.loads(line) for line in sql("show tables;").stdout.splitlines()]
    assert {"namespace": "elsewhere", "tableName": "here", "isTemporary": False} in rows
    described = sql("describe elsewhere.here", "csv").stdout.splitlines()
    assert described[1].startswith("id,int")
    spark.sql("drop database elsewhere cascade")


def test_a_value_that_python_cannot_hold_is_told(spark: SparkSession) -> None:
    result = sql("select timestamp '+10000-01-01 00:00:00' as a")
    assert result.exit_code == 2
    assert "cast it to a string" in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_error_of_java_that_spark_does_not_know_is_one_line(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(frame: Any) -> Any:
        spark._jvm.java.io.FileInputStream("/nowhere")

    monkeypatch.setattr("landing.queries.sql.plain_rows", fails)
    result = sql("select 1 as a")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "onelog: /nowhere (No such file or directory)\n"


@pytest.mark.parametrize("query", ["selec 1", "select nothing", "select * from nowhere.at_all", ""])
def test_a_wrong_query_is_one_line(spark: SparkSession, query: str) -> None:
    result = sql(query)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("onelog: [")
    assert result.stderr.count("\n") == 1
