"""`onelog reconcile`: each kind of difference is found, and nothing else is called one."""

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from messages import oms_default
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import array, col, encode, lit

from landing.cli import main
from landing.queries.comparison import quoted
from landing.queries.values import form_in_export, form_in_log, rule_for
from landing.session.preparing import register_functions

SOURCE = "reconciled"
BACKTICK, HOSTILE = "a`b", "x'); drop table t; --${y} 😀"
FORTY = "1234567890123456789012345678901234567890"
TYPES = {
    "id": "bigint",
    "price": "decimal(9,2)",
    "big": "decimal(60,0)",
    "made": "datetime",
    "flag": "tinyint(1)",
    "data": "blob",
    "note": "varchar(99)",
    BACKTICK: "varchar(9)",
    HOSTILE: "text",
}
Row = dict[str, Any]


def goods(number: int, **changed: Any) -> Row:
    return {
        "id": str(number),
        "price": "1.10",
        "big": FORTY,
        "made": "2024-01-01 00:00:00",
        "flag": "1",
        "data": "é",
        "note": "",
        BACKTICK: "😀",
        HOSTILE: None,
        **changed,
    }


IN_LOG: list[Row] = [goods(number) for number in range(1, 8)]
LINES: list[Row] = [
    {"id": "1", "v": "a\r\nb", "w": "x\r"},
    {"id": "2", "v": "a\nb", "w": ""},
    {"id": "3", "v": "a\nb", "w": "\n"},
]
COPIES: list[Row] = [{"a": "1.0", "b": "x"}, {"a": "1.0", "b": "x"}, {"a": "2", "b": None}]


EMPTIED = ("INSERT", "DELETE")


def canal(
    table: str, rows: list[Row], types: Row | None, keys: list[str] | None, kind: str = "INSERT"
) -> str:
    at = EMPTIED.index(kind)
    about = {"database": "d", "table": table, "type": kind, "isDdl": False, "es": 1 + at, "id": at}
    return json.dumps(about | {"data": rows, "old": None, "pkNames": keys, "mysqlType": types})


SPELLED = ("d", "tenant.d")


def spelled(database: str, number: int) -> str:
    """A row of OMS Default, which may name a tenant before the database."""
    (message,) = oms_default(number, None, {"id": number}, table="spelled")
    fields = json.loads(message)
    return json.dumps(fields | {"allMetaData": fields["allMetaData"] | {"db": database}})


pytestmark = pytest.mark.usefixtures("looked_at")


def what_lands(project: Path, register: Callable[..., None]) -> dict[str, list[str]]:
    return {
        SOURCE: [
            canal("goods", IN_LOG, TYPES, ["id"]),
            canal("copies", COPIES, None, None),
            canal("untyped", [{"Id": "1", "v": "1.0", "w": "007"}], None, ["Id"]),
            canal("lines", LINES, {"v": "text", "w": "text"}, ["id"]),
            *(canal("emptied", [{"id": "1"}], None, ["id"], what) for what in EMPTIED),
            *(spelled(database, number) for number, database in enumerate(SPELLED)),
        ]
    }


def reconcile(table: str, path: Path | None, *options: str) -> Result:
    given = ["--with", str(path)] if path else []
    return CliRunner().invoke(main, ["reconcile", SOURCE, table, *given, *options])


def write_csv(path: Path, rows: list[Row]) -> Path:
    """NULL is nothing, an empty text is ``""``, as `onelog sql --format csv` writes them."""

    def cell(value: str | None) -> str:
        return "" if value is None else '"' + value.replace('"', '""') + '"'

    lines = [list(rows[0]), *(row.values() for row in rows)]
    path.write_text("".join(",".join(map(cell, line)) + "\r\n" for line in lines), newline="")
    return path


def write_jsonl(path: Path, rows: list[Row]) -> Path:
    """Numbers stand as numbers, of any length."""
    texts = (json.dumps(row, ensure_ascii=False) for row in rows)
    numbers = re.compile(r'"(price|big)": "([^"]*)"')
    path.write_text("".join(numbers.sub(r'"\1": \2', text) + "\n" for text in texts))
    return path


def write_parquet(path: Path, rows: list[Row]) -> Path:
    """Each column in a type of its own where Spark has one."""
    types = {
        "id": "bigint",
        "price": "decimal(9, 4)",
        "made": "timestamp",
        "flag": "boolean",
        "data": "binary",
    }
    spark = SparkSession.getActiveSession()
    names = [f"c{place}" for place in range(len(TYPES))]
    texts = spark.createDataFrame(
        [tuple(row.values()) for row in rows], ", ".join(f"{name} string" for name in names)
    )
    typed = (
        encode(name, "ISO-8859-1")
        if types.get(column) == "binary"
        else col(name).cast(types.get(column, "string"))
        for name, column in zip(names, TYPES, strict=True)
    )
    texts.select(*typed).toDF(*TYPES).write.mode("overwrite").parquet(str(path))
    return path


WRITERS = {"csv": write_csv, "jsonl": write_jsonl, "parquet": write_parquet}
# The same values, written otherwise.
ALIKE = [
    goods(number, price="1.1", made="2024-01-01T00:00:00.000000Z", big=f"{FORTY}.0")
    for number in range(1, 8)
]


@pytest.fixture(params=WRITERS)
def write(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[list[Row]], Path]:
    """Writes an export of one kind."""
    return lambda rows: WRITERS[request.param](tmp_path / f"goods.{request.param}", rows)


def counted(said: str) -> Row:
    """The line of each column in the table of columns."""
    lines = (re.split(r"  +", line) for line in said.splitlines())
    return {cells[0]: cells[1:] for cells in lines if len(cells) == 4}


def test_equal_values_are_equal_and_the_rules_are_told(write: Callable[[list[Row]], Path]) -> None:
    result = reconcile("d.goods", write(ALIKE))
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == "they are equal"
    assert "7 rows in the log, 7 in the export" in result.stdout
    columns = counted(result.stdout)
    assert columns["price"] == ["number", "7", "0"]
    assert columns["big"] == ["number", "7", "0"]
    assert columns["made"][0] == "time"
    assert columns["note"] == ["text", "0", "0"]
    assert "x'); drop table t; --${y} 😀" in columns


def test_each_difference_is_found(write: Callable[[list[Row]], Path]) -> None:
    rows = [dict(row) for row in ALIKE]
    rows[0]["price"] = "1.11"
    rows[1]["big"] = FORTY[:-1] + "1"
    rows[2]["note"] = None
    rows[2][HOSTILE] = ""
    rows[3]["made"] = "2024-01-01 00:00:01"
    rows[3][BACKTICK] = "😁"
    rows[4]["data"] = "è"
    rows[4]["flag"] = "0"
    rows[5]["id"] = "99"
    result = reconcile("d.goods", write(rows))
    assert result.exit_code == 1, result.output
    said = result.stdout
    assert "rows missing from the log: 1\n" in said
    assert "rows too many in the log: 1\n" in said
    assert "cells that differ: 8\n" in said
    assert {name: cells[2] for name, cells in counted(said).items() if cells[2] == "1"}.keys() == {
        "price", "big", "note", HOSTILE, "made", BACKTICK, "data", "flag"
    }  # fmt: skip
    assert 'only in the export: {"id": "99"}' in said
    assert 'only in the log: {"id": "6"}' in said
    assert f'different: {{"id": "2"}} "big": "{FORTY}" in the log, "{FORTY[:-1]}1"' in said
    assert 'different: {"id": "3"} "note": "" in the log, NULL in the export' in said
    assert f'different: {{"id": "3"}} "{HOSTILE}": NULL in the log, "" in the export' in said
    assert said.splitlines()[-1] == "they differ"


@pytest.mark.parametrize("database", SPELLED)
def test_all_rows_are_compared_where_only_some_messages_name_the_tenant(
    tmp_path: Path, database: str
) -> None:
    rows = [{"id": str(number)} for number in range(len(SPELLED))]
    result = reconcile(f"{database}.spelled", write_csv(tmp_path / "x.csv", rows))
    assert "2 rows in the log, 2 in the export" in result.stdout, result.output
    assert result.exit_code == 0


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_ends_of_lines_in_a_text_are_its_own(tmp_path: Path, end: str) -> None:
    """Whatever ends the lines of the export, and whichever columns have no name."""
    rows = zip("123", ["a\r\nb", "a\nb", "a\r\nb"], ["x\r", "", "\n"], strict=True)
    lines = [f'{at},"{id}","{v}","{w}"' for at, (id, v, w) in enumerate(rows)]
    path = tmp_path / "x.csv"
    path.write_text(end.join([",id,v,w", *lines, ""]), newline="")
    result = reconcile("d.lines", path)
    assert result.exit_code == 1, result.output
    assert 'columns only in the export: ""\n' in result.stdout
    assert 'different: {"id": "3"} "v": "a\\nb" in the log, "a\\r\\nb" in the' in result.stdout
    assert "cells that differ: 1\n" in result.stdout


@pytest.mark.parametrize("document", ["{}", "[{}]", '{"a": {}}'])
def test_a_column_of_empty_objects_is_compared(tmp_path: Path, document: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"Id": 1, "v": 1, "w": {document}}}\n')
    result = reconcile("d.untyped", path)
    assert "columns only in the log" not in result.stdout, result.output
    assert f'"w": "007" in the log, {quoted(document)} in the' in result.stdout


def test_a_key_that_the_export_has_twice_is_a_difference(tmp_path: Path) -> None:
    result = reconcile("d.goods", write_csv(tmp_path / "x.csv", [*ALIKE, goods(7)]))
    assert result.exit_code == 1
    assert "rows of the export with the key of another: 1\n" in result.stdout


def test_columns_that_one_side_lacks_are_named_and_the_rest_is_compared(tmp_path: Path) -> None:
    rows = [{n: v for n, v in row.items() if n != "note"} | {"more": "x"} for row in IN_LOG]
    path = write_csv(tmp_path / "x.csv", rows)
    # As Excel writes it.
    path.write_text(path.read_text(), encoding="utf-8-sig")
    result = reconcile("d.goods", path)
    assert result.exit_code == 0, result.output
    assert 'columns only in the log: "note"\n' in result.stdout
    assert 'columns only in the export: "more"\n' in result.stdout


def test_without_a_key_copies_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    assert reconcile("d.copies", write_csv(path, COPIES)).exit_code == 0
    alike = reconcile("d.copies", write_csv(path, [*COPIES[:2], {"a": "2.00", "b": None}]))
    assert alike.exit_code == 0, alike.output
    assert "rows equal only by the rules of their columns: 1\n" in alike.stdout
    wrong = [COPIES[0], {"a": "1", "b": "x"}, {"a": "1", "b": "x"}, {"a": "2", "b": ""}]
    result = reconcile("d.copies", write_csv(path, wrong))
    assert result.exit_code == 1
    assert "3 rows in the log, 4 in the export" in result.stdout
    assert "rows missing from the log: 2\n" in result.stdout
    assert "rows too many in the log: 1\n" in result.stdout
    assert 'only in the log: {"a": "2", "b": NULL}\n' in result.stdout
    assert 'only in the export: {"a": "2", "b": ""}\n' in result.stdout


@pytest.mark.parametrize(
    ("table", "export", "said"),
    [
        ("d.goods", "id,price\n", "7 rows in the log, 0 in the export"),
        ("d.copies", "a,b\n", "3 rows in the log, 0 in the export"),
        ("d.emptied", "id\n1\n", "0 rows in the log, 1 in the export"),
        ("d.emptied", "id\n", "0 rows in the log, 0 in the export"),
    ],
)
def test_a_side_may_have_no_rows(tmp_path: Path, table: str, export: str, said: str) -> None:
    (tmp_path / "x.csv").write_text(export)
    result = reconcile(table, tmp_path / "x.csv")
    assert said in result.stdout, result.output
    assert result.exit_code == (0 if said == "0 rows in the log, 0 in the export" else 1)


def test_columns_without_a_type_are_compared_as_what_they_look_like(tmp_path: Path) -> None:
    """Names that differ in their case only are one where there is no other."""
    path = tmp_path / "x.csv"
    equal = reconcile("d.untyped", write_csv(path, [{"ID": "1", "v": "1", "w": "007"}]))
    assert (equal.exit_code, counted(equal.stdout)["v"][1:]) == (0, ["1", "0"])
    result = reconcile("d.untyped", write_csv(path, [{"ID": "1", "v": "1", "w": "7"}]))
    assert '"w": "007" in the log, "7" in the export' in result.stdout


def test_a_database_is_compared_over_jdbc(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "jdbc:derby:memory:reconciled;create=true"
    spark = SparkSession.getActiveSession()
    rows = spark.createDataFrame([(1, "1.0", "007")], "id int, v string, w string")
    monkeypatch.setenv("ONELOG_JDBC_USER", "d")
    monkeypatch.setenv("ONELOG_JDBC_PASSWORD", "secret")
    rows.write.jdbc(url, "D.UNTYPED", "overwrite", {"user": "d", "password": "secret"})
    result = reconcile("d.untyped", None, "--jdbc", url)
    assert result.exit_code == 0, result.output
    result = reconcile("d.untyped", None, "--jdbc", url, "--jdbc-table", "D.NOTHING")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "secret" not in result.stderr


@pytest.mark.parametrize(
    ("table", "name", "content", "said"),
    [
        ("d.nothing", "x.csv", "id\n1\n", "it has 'd.copies', 'd.emptied', 'd.goods'"),
        ("d.goods", "x.csv", "price\n1\n", "the export has no 'id', a key column of d.goods"),
        ("d.goods", "x.csv", "id,id\n1,1\n", "more than one column 'id'"),
        ("d.goods", "x.csv", "", "is empty"),
        ("d.goods", "x.csv", "id,price\n1\n", "the export cannot be compared: "),
        ("d.goods", "x.jsonl", '{"id": 1\n', "the export cannot be compared: "),
        ("d.goods", "x.jsonl", "", "has no columns"),
        ("d.goods", "x.parquet", "no Parquet", "the export cannot be compared: "),
        ("d.goods", "x[1].csv", "id\n1\n", "x[1].csv: Spark reads no name with "),
        ("d.goods", "10:00.csv", "id\n1\n", "10:00.csv: Spark reads no name with "),
        ("d.goods", "x.xml", "", "the name of an export ends in .csv, .jsonl, .parquet"),
        ("d.goods", "elsewhere/x.csv", None, "the export cannot be compared: "),
    ],
)
def test_a_mistake_is_one_line(
    tmp_path: Path, table: str, name: str, content: str | None, said: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    result = reconcile(table, tmp_path / name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_source_that_is_not_there_is_told_with_those_that_are() -> None:
    result = CliRunner().invoke(main, ["reconcile", "nobody", "d.t", "--with", "x.csv"])
    assert result.exit_code == 2
    assert "no tables of the source 'nobody'; it has '" in result.stderr


# --- rules: (type declared in the log, encoding, in the log, kind of the export, there, equal)

VALUES = [
    ("decimal(9,2)", "oms", "1.10", "text", "1.1", True),
    ("decimal(9,2)", "oms", "1E+2", "text", "100", True),
    ("decimal(9,2)", "oms", "-0.00", "number", "0", True),
    ("decimal(9,2)", "oms", "0E-10", "number", "0.0", True),
    ("decimal(9,2)", "oms", "+.50", "text", "5e-1", True),
    ("decimal(9,2)", "oms", "-1.10", "text", "1.1", False),
    ("decimal(9,2)", "oms", "1200", "text", "12", False),
    ("decimal(9,2)", "oms", "100", "text", "1e2", True),
    ("decimal(9,2)", "oms", "-0.0012", "text", "-00.12E-2", True),
    ("decimal(9,2)", "oms", "120.5", "text", "1.205E+2", True),
    ("decimal(9,2)", "oms", "0.12", "text", "+.120", True),
    ("decimal(9,2)", "oms", "12", "text", "12.", True),
    ("decimal(9,2)", "oms", "1e100000", "text", "10e99999", False),
    ("decimal(60,0)", "oms", FORTY, "text", FORTY[:-1] + "1", False),
    ("decimal(60,0)", "oms", FORTY, "text", f"0{FORTY}.000", True),
    ("NUMBER", "oms", "1.50", "text", "1.5", True),
    ("bigint", "oms", "10", "text", "", False),
    ("int", "oms", "x", "text", "y", False),
    ("double", "oms", "1.0", "double", "1", True),
    ("double", "oms", "1.7976931348623157E308", "text", "1.7976931348623157e+308", True),
    ("double", "oms", "-0.0", "text", "0", True),
    ("double", "oms", "1e400", "text", "2e400", False),
    ("float", "oms", "3.14", "float", "3.1400001", True),
    ("tinyint", "oms", "1", "boolean", "true", True),
    ("tinyint", "oms", "0", "boolean", "true", False),
    ("boolean", "oms", "t", "text", "1", True),
    ("datetime", "oms", "2024-01-01 00:00:00", "text", "2024-01-01T00:00:00.000000Z", False),
    ("datetime", "oms", "2024-01-01 08:00:00", "text", "2024-01-01T00:00:00.000000Z", True),
    ("datetime", "oms", "2024-01-01 08:00:00", "text", "2024-01-01 08:00:00.0", True),
    ("datetime", "oms", "2024-01-01 08:00:00", "moment", "2024-01-01 08:00:00", True),
    ("timestamp", "oms", "1704067200", "moment", "2024-01-01 00:00:00", True),
    ("datetime", "oms", "2024-01-01 08:00:00.12", "clock", "2024-01-01 08:00:00.13", False),
    ("datetime", "oms", "2024-01-01 08:00:00.1234561", "text", "2024-01-01 08:00:00.123456", False),
    ("io.debezium.time.Date", "kafka_connect", "19358", "date", "2023-01-01", True),
    ("date", "oms", "2023-01-01", "text", "2023-01-01 00:00:00", True),
    ("date", "oms", "0000-00-00", "text", "0000-00-01", False),
    ("time", "oms", "10:00:00.100", "text", "10:00:00.1", True),
    ("time", "oms", "10:00:00", "clock", "1970-01-01 10:00:00", True),
    ("blob", "oms", "6Q==", "bytes", "6Q==", True),
    ("blob", "oms_debezium", "e9", "bytes", "6Q==", True),
    ("blob", "canal", "é", "text", "0xE9", True),
    ("blob", "canal", "é", "bytes", "6A==", False),
    ("bit(8)", "oms", "233", "bytes", "6Q==", True),
    ("varchar(9)", "oms", "1.10", "text", "1.1", False),
    ("varchar(9)", "oms", "007", "number", "7", True),
    ("STRING", "datahub", "1.10", "text", "1.1", True),
    (None, "oms", "007", "text", "7", False),
    (None, "oms", "1", "text", "TRUE", True),
    (None, "oms", "2024-01-01 08:00", "text", "2024-01-01T00:00:00Z", True),
    (None, "oms", "a", "text", "b", False),
]  # fmt: skip


def test_values_are_equal_by_the_rule_of_their_column() -> None:
    """Local times are of Shanghai."""
    spark = SparkSession.getActiveSession()
    register_functions(spark)
    found = [
        spark.range(1).select(
            lit(encoding).alias("value_encoding"),
            lit("Asia/Shanghai").alias("time_zone"),
            array(lit(in_log)).alias("logged"),
            array(lit(there)).alias("exported"),
            array(lit(declared).cast("string")).alias("declared"),
        ).selectExpr(
            f"coalesce({form_in_log(rule, 'logged[0]', 'declared[0]')}"
            f" = {form_in_export(rule, 'exported[0]')}, false) as is_equal"
        )
        for declared, encoding, in_log, kind, there, _ in VALUES
        for rule in [rule_for(declared, encoding, None, kind)]
    ]  # fmt: skip
    rows = functools.reduce(DataFrame.unionAll, found).collect()
    wrong = [value for value, row in zip(VALUES, rows, strict=True) if row.is_equal != value[-1]]
    assert wrong == []


def test_of_a_long_text_the_part_is_shown_that_differs() -> None:
    text = "x" * 500 + "\x1b" + "y" * 500
    assert quoted(text, 500) == '…"' + "x" * 40 + "\\u001b" + "y" * 159 + '"…'
