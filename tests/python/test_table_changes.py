"""Debezium's tableChanges: what its JSON says about tables, columns and keys."""

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from python_udfs.ddl import DDL_TYPE
from python_udfs.table_changes import parse_table_changes

Fields = dict[str, Any]


def column(name: str, type_name: str = "INT", position: int = 1, **given: Any) -> Fields:
    return {"name": name, "typeName": type_name, "position": position} | given


def change(
    *columns: Fields,
    kind: str = "CREATE",
    id: str = '"shop"."t"',
    key: tuple[str, ...] = ("id",),
    **given: Any,
) -> Fields:
    table = {"primaryKeyColumnNames": list(key), "columns": list(columns)}
    return {"type": kind, "id": id, "table": table} | given


def read(text: str) -> Fields:
    (read,) = parse_table_changes(pa.array([text], pa.string())).to_pylist()
    return read


def statements(*changes: Fields) -> list[Fields]:
    result = read(json.dumps(changes))
    assert result["parse_error"] is None
    return result["statements"]


def names(table: Fields) -> tuple[str | None, ...]:
    return tuple(table[part] for part in ("database_name", "schema_name", "table_name"))


def test_a_table_is_defined_with_its_columns_by_position_and_its_key() -> None:
    (found,) = statements(
        change(
            column("note", "VARCHAR", 2, length=255, optional=True),
            column("id", "INT UNSIGNED", 1, optional=False),
            kind="ALTER",
        )
    )
    assert (found["kind"], found["key_columns"]) == ("define_table", ["id"])
    assert [
        (item["action"], item["column_name"], item["data_type"], item["is_nullable"])
        for item in found["column_changes"]
    ] == [("add", "id", "INT UNSIGNED", False), ("add", "note", "VARCHAR(255)", True)]


@pytest.mark.parametrize(
    ("given", "data_type"),
    [
        ({"typeName": "DECIMAL", "length": 9, "scale": 2}, "DECIMAL(9,2)"),
        ({"typeName": "DECIMAL UNSIGNED", "length": 9, "scale": 2}, "DECIMAL(9,2) UNSIGNED"),
        ({"typeName": "TIMESTAMP WITH TIME ZONE", "length": 6}, "TIMESTAMP(6) WITH TIME ZONE"),
        ({"typeName": "TIMESTAMP(6)", "length": 6}, "TIMESTAMP(6)"),
        ({"typeName": "character varying", "length": 20}, "character varying(20)"),
        ({"typeName": "NUMBER", "length": 0, "scale": -127}, "NUMBER"),
        ({"typeName": "NUMBER", "length": 9, "scale": 0}, "NUMBER(9,0)"),
        ({"typeName": "json", "length": None, "scale": None}, "json"),
        ({"typeName": None, "typeExpression": "ENUM"}, "ENUM"),
        ({"typeName": "VARCHAR", "length": "255"}, "VARCHAR(255)"),
        ({"typeName": "VARCHAR", "length": True}, "VARCHAR"),
        ({"typeName": "VARCHAR", "length": 1.5}, "VARCHAR"),
        ({"typeName": 7}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_a_type_has_its_length_and_scale(given: Fields, data_type: str | None) -> None:
    (found,) = statements(change({"name": "a"} | given))
    assert found["column_changes"][0]["data_type"] == data_type


def test_numbers_may_be_of_any_length() -> None:
    text = json.dumps([change(column("b", position=11, length=12), column("a", position=9))])
    text = text.replace("11", "1" + "0" * 5000).replace("12", "2" * 5000)
    (found,) = read(text)["statements"]
    columns = [(item["column_name"], item["data_type"]) for item in found["column_changes"]]
    assert columns == [("a", "INT"), ("b", f"INT({'2' * 5000})")]


def test_columns_without_a_position_stand_as_they_are_listed() -> None:
    (found,) = statements(change({"name": "b"}, {"name": "a", "position": None}))
    assert [item["column_name"] for item in found["column_changes"]] == ["b", "a"]


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ('"shop"."t"', ("shop", None, "t")),
        ('"testDB"."dbo"."customers"', ("testDB", "dbo", "customers")),
        ("shop.t", ("shop", None, "t")),
        ('"t"', (None, None, "t")),
        ('"my.shop"."a ""t"""', ("my.shop", None, 'a "t"')),
        ('""."dbo"."t"', (None, "dbo", "t")),
    ],
)
def test_a_tables_name_comes_from_its_id(id: str, name: tuple[str | None, ...]) -> None:
    (found,) = statements(change(column("a"), id=id))
    assert [names(table) for table in found["tables"]] == [name]


def test_a_table_with_another_id_before_is_renamed_and_defined() -> None:
    renamed, defined = statements(
        change(column("a"), kind="ALTER", id='"shop"."u"', previousId='"shop"."t"')
    )
    (table,) = renamed["tables"]
    assert (renamed["kind"], names(table)) == ("define_name", ("shop", None, "t"))
    new = tuple(table[f"new_{part}"] for part in ("database_name", "schema_name", "table_name"))
    assert new == ("shop", None, "u")
    assert (defined["kind"], names(defined["tables"][0])) == ("define_table", ("shop", None, "u"))
    (defined,) = statements(change(column("a"), previousId='"shop"."t"'))
    assert defined["kind"] == "define_table"


def test_a_dropped_table_needs_no_columns() -> None:
    (found,) = statements({"type": "DROP", "id": '"shop"."t"'})
    assert (found["kind"], found["column_changes"], found["key_columns"]) == (
        "drop_table",
        [],
        None,
    )


def test_a_key_that_is_not_named_is_not_touched() -> None:
    (found,) = statements({"type": "ALTER", "id": "t", "table": {"columns": [column("a")]}})
    assert found["key_columns"] is None
    (found,) = statements(change(column("a"), key=()))
    assert found["key_columns"] == []


def test_what_is_no_table_change_is_told_and_the_others_count() -> None:
    result = read(json.dumps([{"type": "CREATE"}, change(column("a")), 7]))
    assert [item["kind"] for item in result["statements"]] == ["unknown", "define_table", "unknown"]
    assert result["parse_error"] == "table change 1 has no id; table change 3 is no object"
    assert read("[]") == {"statements": [], "parse_error": None}
    assert parse_table_changes(pa.array([None], pa.string())).to_pylist() == [None]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "7",
        "{}",
        '"x"',
        "[" * 100_000,
        '[{"type":"CREATE","id":"t"}]',
        '[{"type":"CREATE","id":"t","table":{"columns":{}}}]',
        '[{"type":"CREATE","id":"t","table":{"columns":[]}}]',
        '[{"type":"CREATE","id":"t","table":{"columns":[{"name":7}]}}]',
        '[{"type":"CREATE","id":"t","table":{"columns":[{"name":"\\ud800"}]}}]',
        '[{"type":"CREATE","id":"t","table":{"columns":[{"name":"a","typeName":"\\ud800"}]}}]',
        '[{"type":"CREATE","id":"t","table":{"columns":[{"name":"a"}],"primaryKeyColumnNames":7}}]',
        '[{"type":"DROP","id":"\\ud800"}]',
        '[{"type":"DROP","id":"a.b.c.d"}]',
        '[{"type":"DROP","id":"\\"a"}]',
        '[{"type":"DROP","id":"a."}]',
        '[{"type":"OTHER","id":"a"}]',
        '[{"type":[],"id":"a"}]',
        '[{"id":"a"}]',
    ],
)
def test_what_cannot_be_read_is_told_and_stops_nothing(text: str) -> None:
    result = read(text)
    assert [item["kind"] for item in result["statements"]] == ["unknown"]
    assert result["parse_error"]


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ("type", "id", "previousId", "table", "columns", "name", "typeName", "length",
             "scale", "position", "optional", "primaryKeyColumnNames")
        ),
        inner | st.sampled_from(("CREATE", "ALTER", "DROP", '"a"."b"')),
    ),
)  # fmt: skip


@given(st.lists(st.text() | _VALUES.map(json.dumps) | st.none(), max_size=4))
def test_it_never_fails(texts: list[str | None]) -> None:
    found = parse_table_changes(pa.array(texts, pa.string()))
    assert (found.type, len(found)) == (DDL_TYPE, len(texts))
