"""Every edit that an envelope needs: a test fails for each one that CONTRIBUTING.md names.

All of them look at files and modules only; what the models make of an envelope is tested elsewhere.
"""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hostile
import pytest
import test_envelope_detection
import workloads
import yaml
from independent_reader import READERS
from messages import WRITERS, about
from test_envelope_detection import without_registry

from landing.envelopes import ENVELOPES, ONLY_REGISTERED, UNRECOGNIZED, examine

ROOT = Path(__file__).parents[2]
VIEWS = ROOT / "models" / "silver" / "envelopes"
SAMPLES = ROOT / "samples"
CONTRACT = ROOT / "models" / "silver" / "_silver__models.yml"

# Samples whose folder says which of the vendor's sources sent them.
SAMPLE_FOLDERS = {"datastream": "datastream_oracle"}
# TDSQL sends values without names: no path of a message leads to a column.
POSITIONAL = {"tdsql"}
# Their messages bring no statements.
WITHOUT_STATEMENTS = {"dataworks_record", "datahub_tuple", "oms_debezium_smt", "datastream"}
WITHOUT_STATEMENTS |= {"aws_dms"}

every_envelope = pytest.mark.parametrize("envelope", ENVELOPES)


def declared_sources() -> Iterator[dict[str, Any]]:
    for path in (ROOT / "models" / "bronze").glob("*__sources.yml"):
        for source in yaml.safe_load(path.read_text())["sources"]:
            yield from source["tables"]


def contract_models() -> dict[str, dict[str, Any]]:
    models = yaml.safe_load(CONTRACT.read_text())["models"]
    return {model["name"]: model for model in models}


def sample_folder(envelope: str) -> str:
    return SAMPLE_FOLDERS.get(envelope, envelope)


def sample_messages(envelope: str) -> list[str]:
    return (SAMPLES / sample_folder(envelope) / "messages.jsonl").read_text().splitlines()


def told(messages: list[str], registered: str | None = None) -> set[str]:
    """What the messages are told as, where the registry names this envelope or none."""
    return {examine(message.encode(), registered)[0] for message in messages}


def written_messages(envelope: str) -> list[str]:
    """An insert, an update and a delete, as the tests write them."""
    row = {"id": 1, "name": "a"}
    steps = [(None, row), (row, row | {"name": "b"}), (row, None)]
    return [
        message
        for at, step in enumerate(steps, start=1)
        for message in WRITERS[envelope](at, *step)
    ]


@every_envelope
def test_an_envelope_has_one_view_in_a_vendors_folder(envelope: str) -> None:
    assert len(list(VIEWS.glob(f"*/{envelope}.sql"))) == 1


def test_every_view_is_of_a_known_envelope() -> None:
    views = {path.stem for path in VIEWS.glob("**/*.sql")}
    assert views == {*ENVELOPES, UNRECOGNIZED}


def test_the_models_of_a_vendor_have_its_tag() -> None:
    project = yaml.safe_load((ROOT / "dbt_project.yml").read_text())
    tags = project["models"]["onelog"]["silver"]["envelopes"]
    folders = [path.name for path in VIEWS.iterdir() if path.is_dir()]
    assert [tags[folder]["+tags"] for folder in folders] == [[folder] for folder in folders]


@every_envelope
def test_a_view_reads_the_source_of_its_own_envelope(envelope: str) -> None:
    (view,) = VIEWS.glob(f"*/{envelope}.sql")
    assert re.findall(r"source\('bronze', '(\w+)'\)", view.read_text()) == [envelope]


@every_envelope
def test_a_source_is_declared_with_its_message_and_its_own_location(envelope: str) -> None:
    (source,) = [source for source in declared_sources() if source["name"] == envelope]
    assert source["external"]["location"] == f"messages/envelope={envelope}"
    assert source["description"]
    columns = {column["name"] for column in source["columns"]}
    assert columns >= {"topic", "partition", "offset", "received_at", "message_key", "message"}
    assert columns >= {"raw", "problem", "_corrupt_record", "batch"}


@every_envelope
def test_a_view_has_the_contract_in_the_models_yaml(envelope: str) -> None:
    models = contract_models()
    assert models[envelope]["description"]
    assert models[envelope]["columns"] == models[UNRECOGNIZED]["columns"]


def test_the_union_names_every_envelope_once() -> None:
    events = (ROOT / "models" / "silver" / "events.sql").read_text()
    (listed,) = re.findall(r"set envelopes = \[(.*?)\]", events, re.DOTALL)
    assert sorted(re.findall(r"'(\w+)'", listed)) == sorted(ENVELOPES)
    assert events.count(f"ref('{UNRECOGNIZED}')") == 1


def test_the_union_s_unit_tests_have_an_input_of_every_view() -> None:
    tests = yaml.safe_load((VIEWS.parent / "_silver__unit_tests.yml").read_text())["unit_tests"]
    for test in tests:
        if test["model"] == "events":
            inputs = {given["input"] for given in test["given"]}
            assert {f"ref('{envelope}')" for envelope in ENVELOPES} <= inputs, test["name"]


@every_envelope
def test_codes_say_what_the_vendors_words_mean(envelope: str) -> None:
    with (ROOT / "seeds" / "operation_codes.csv").open(newline="") as file:
        codes = [row for row in csv.DictReader(file) if row["envelope"] == envelope]
    assert "change" in {row["class"] for row in codes}
    assert ("tombstone", "control") in {(row["operation_code"], row["class"]) for row in codes}


@every_envelope
def test_a_unit_test_lies_beside_the_view(envelope: str) -> None:
    (view,) = VIEWS.glob(f"*/{envelope}.sql")
    tested = [
        unit_test["model"]
        for path in view.parent.glob("*__unit_tests.yml")
        for unit_test in yaml.safe_load(path.read_text())["unit_tests"]
    ]
    assert envelope in tested


@every_envelope
def test_odd_messages_have_cases_with_the_rows_they_become(envelope: str) -> None:
    cases = yaml.safe_load((ROOT / "tests" / "cases" / f"{envelope}.yml").read_text())
    assert cases
    assert all(case["name"] and case["messages"] for case in cases)


@every_envelope
def test_the_vendors_own_sample_lies_in_samples(envelope: str) -> None:
    messages = sample_messages(envelope)
    assert messages
    assert told(messages) == {without_registry(envelope)}


@every_envelope
def test_an_independent_reader_finds_the_samples_rows(envelope: str) -> None:
    assert any(READERS[envelope](message) for message in sample_messages(envelope))


def test_no_two_detectors_tell_one_envelope() -> None:
    assert len(set(ENVELOPES)) == len(ENVELOPES)


@every_envelope
def test_a_message_as_the_tests_write_it_is_told_without_a_registry(envelope: str) -> None:
    assert told(written_messages(envelope)) == {without_registry(envelope)}
    assert told(written_messages(envelope), envelope) == {envelope}


def test_what_real_traffic_sends_is_listed_for_envelopes_that_are_hard_to_tell() -> None:
    listed = {envelope for _, envelope in test_envelope_detection.KNOWN.values()}
    assert listed <= set(ENVELOPES)
    # An envelope that is told by one key, or whose messages always look as in the sample.
    told_by_the_sample = {"tdsql", "oms_shareplex", "datastream", "dataworks_record"}
    told_by_the_sample |= {"oms_default_extend_column_type"}
    assert listed | told_by_the_sample == set(ENVELOPES) - set(ONLY_REGISTERED)


def test_the_test_messages_are_written_for_every_envelope() -> None:
    assert set(WRITERS) == set(ENVELOPES)


@every_envelope
def test_random_workloads_are_drawn_of_every_envelope(envelope: str) -> None:
    assert envelope in {envelope for envelope, _ in workloads.KINDS}
    assert (envelope in workloads.STATEMENT_WRITERS) != (envelope in WITHOUT_STATEMENTS)


@pytest.mark.parametrize("envelope", workloads.STATEMENT_WRITERS)
def test_a_statement_as_the_tests_write_it_is_told_without_a_registry(envelope: str) -> None:
    messages = workloads.STATEMENT_WRITERS[envelope](1, "truncate table t")
    assert told(messages) == {without_registry(envelope)}


def test_lists_of_the_workloads_name_known_envelopes_only() -> None:
    for listed in (
        workloads.NAMES_ITS_KEY,
        workloads.KEY_BY_STATEMENT,
        workloads.ORDERED_BY_TOPIC,
        workloads.NAMED_BY_TOPIC,
        workloads.WITHOUT_OLD_ROWS,
        workloads.STATEMENT_WRITERS,
    ):
        assert set(listed) <= set(ENVELOPES)


def test_lists_of_the_workloads_by_writers_name_known_writers_only() -> None:
    listed = {*workloads.PARTIAL_WRITERS, *workloads.PARTIAL_BY_KEY}
    assert listed <= {*workloads.WRITERS, *workloads.DATASTREAM_WRITERS}


@pytest.mark.parametrize("envelope", workloads.NAMED_BY_TOPIC)
def test_a_topic_of_the_workloads_has_one_table_only_where_it_names_it(envelope: str) -> None:
    assert envelope not in hostile.NAMES_ITS_TABLE


@pytest.mark.parametrize("writer", (*WRITERS, *workloads.DATASTREAM_WRITERS))
def test_the_workloads_second_table_is_named_where_messages_name_theirs(writer: str) -> None:
    write = (WRITERS | workloads.DATASTREAM_WRITERS)[writer]
    renamed = [about(message, "another", ["id"]) for message in write(1, None, {"id": 1})]
    names_it = writer not in workloads.NAMED_BY_TOPIC
    assert all(("another" in message) == names_it for message in renamed)


@pytest.mark.parametrize("writer", workloads.DATASTREAM_WRITERS)
def test_messages_of_datastream_s_other_sources_are_told_as_datastream_s(writer: str) -> None:
    rows = ({"id": 1, "name": "a"}, {"id": 2, "name": "b"})
    messages = workloads.DATASTREAM_WRITERS[writer](1, *rows)
    assert [examine(message.encode(), None)[0] for message in messages] == ["datastream"] * 2


@pytest.mark.parametrize("envelope", workloads.NAMES_ITS_KEY)
def test_workloads_need_no_key_columns_only_where_the_messages_name_them(envelope: str) -> None:
    (view,) = VIEWS.glob(f"*/{envelope}.sql")
    names_no_key = "cast(null as array<string>) as key_columns" in view.read_text()
    assert names_no_key == (envelope in workloads.KEY_BY_STATEMENT)


@every_envelope
def test_hostile_messages_are_made_of_every_envelope(envelope: str) -> None:
    assert hostile.wrong_types(envelope)
    assert hostile.values(envelope)
    # Positional rows have no names of columns, and TDSQL's tables are known by their columns.
    assert bool(hostile.names(envelope)) == (envelope not in POSITIONAL)
    assert hostile.corpus(envelope)


@every_envelope
def test_hostile_names_are_tried_where_the_messages_say_them(envelope: str) -> None:
    """`_renamed` finds the names d and t: a writer of other names would leave them as they are."""
    (message, *_) = WRITERS[envelope](1, None, {"id": 1})
    renamed = hostile._renamed(message, "(a database)", "(a table)")
    assert ("(a table)" in renamed) == (envelope in hostile.NAMES_ITS_TABLE)
    assert ("(a database)" in renamed) == (envelope in hostile.NAMES_ITS_DATABASE)


def test_the_readme_says_of_every_envelope_what_sends_it() -> None:
    readme = (ROOT / "README.md").read_text()
    (table,) = re.findall(r"^\| envelope \| what sends it \|\n(.*?)\n\n", readme, re.S | re.M)
    listed = [
        name for line in table.splitlines() for name in re.findall(r"`(\w+)`", line.split("|")[1])
    ]
    assert sorted(listed) == sorted(ENVELOPES)


def test_the_contract_describes_every_family_of_encodings_that_a_view_gives() -> None:
    (column,) = [
        column
        for column in contract_models()["tdsql"]["columns"]
        if column["name"] == "value_encoding"
    ]
    views = [path for path in VIEWS.glob("*/*.sql")]
    macros = (ROOT / "macros" / "envelopes").glob("*.sql")
    texts = "\n".join(path.read_text() for path in (*views, *macros))
    given = set(re.findall(r"'(\w+)' as value_encoding", texts))
    assert len(given) > 3
    assert {name for name in given if name not in column["description"]} == set()
