"""Which fields of an envelope's declared type must be objects or arrays."""

from pathlib import Path

import pytest
import yaml

from landing.typed.envelope_fields import nested_fields

SOURCES = sorted((Path(__file__).parents[2] / "models" / "bronze").glob("*__sources.yml"))
DECLARED = {
    table["name"]: column["data_type"]
    for path in SOURCES
    for source in yaml.safe_load(path.read_text())["sources"]
    for table in source["tables"]
    for column in table["columns"]
    if column["name"] == "message"
}


def test_outer_fields_stand_before_those_inside() -> None:
    declared = """struct<
        op: string, payload: struct<after: map<string,string>, where: array<string>>,
        data: array<map<string, string>>, column: array<struct<name: string, of: array<string>>>>"""
    assert nested_fields(declared) == [
        ("$.payload", "an object", None),
        ("$.payload.after", "an object", None),
        ("$.payload.where", "an array", None),
        ("$.data", "an array", "an object"),
        ("$.column", "an array", "an object"),
    ]


@pytest.mark.parametrize("declared", ["map<string,string>", "string"])
def test_what_takes_any_value_has_none(declared: str) -> None:
    assert nested_fields(declared) == []


@pytest.mark.parametrize("envelope", DECLARED)
def test_every_envelope_that_may_not_fit_has_some(envelope: str) -> None:
    declared = DECLARED[envelope].strip()
    assert bool(nested_fields(declared)) == declared.startswith("struct<")


def test_the_fields_of_an_envelope_are_those_of_its_yaml() -> None:
    assert nested_fields(DECLARED["tdsql"]) == [
        ("$.where", "an array", None),
        ("$.field", "an array", None),
    ]
    assert [path for path, *_ in nested_fields(DECLARED["oms_shareplex"])] == [
        *("$.data", "$.meta", "$.key", "$.sql")
    ]
