"""Every case of tests/cases: messages as they come, and the rows that they must become.

All cases are landed as one batch, each in its own topic, and built by one run.
"""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import land_well
from independent_reader import Comparison, compare_with_logs

CASE_FILES = sorted((Path(__file__).parents[1] / "cases").glob("*.yml"))
SAMPLES = Path(__file__).parents[2] / "samples"
# Fewer equal values mean that the comparison of texts has become an empty one.
LEAST_VALUES = 500
LOGS = ("change_log", "ddl_log", "control_log", "quarantine")
PLACE_ORDER = {"change_log": "partition, offset, row_index"}


def topic_of(file: Path, case: dict[str, Any]) -> str:
    return f"{file.stem}-{re.sub('[^a-z0-9]+', '-', case['name'].lower()).strip('-')}"


CASES = {
    topic_of(file, case): case for file in CASE_FILES for case in yaml.safe_load(file.read_text())
}

SENT = {topic: case["messages"] for topic, case in CASES.items()} | {
    path.parent.name: path.read_text().strip().split("\n")
    for path in sorted(SAMPLES.glob("*/messages.jsonl"))
}


def write_settings(seeds: Path) -> None:
    """Add the cases' rows to the two seeds, by the columns that the files have."""
    topics = [{"topic": topic, **case["topic"]} for topic, case in CASES.items() if "topic" in case]
    columns = [
        {"source": case.get("topic", {}).get("source", topic), **row}
        for topic, case in CASES.items()
        for row in case.get("table_columns", [])
    ]
    for seed, rows in (("topics", topics), ("table_columns", columns)):
        path = seeds / f"{seed}.csv"
        header = path.read_text().splitlines()[0].split(",")
        with path.open("a", newline="") as file:
            csv.DictWriter(file, header, lineterminator="\n").writerows(rows)


@pytest.fixture(scope="module")
def logs(project: Path, build: Callable[..., None], spark: Any) -> dict[str, dict[str, list[dict]]]:
    """The rows of each log by topic, after one landing and one run of all cases."""
    write_settings(project / "seeds")
    for topic, case in CASES.items():
        path = project / "landing" / topic / "messages.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(case["messages"]) + "\n")
    land_well(project / "landing", SAMPLES)
    build()
    found: dict[str, dict[str, list[dict]]] = {log: {} for log in LOGS}
    for log in LOGS:
        order = PLACE_ORDER.get(log, "partition, offset")
        for row in spark.sql(f"select * from silver.{log} order by {order}").collect():
            found[log].setdefault(row["topic"], []).append(row.asDict(recursive=True))
    return found


def written(value: Any) -> Any:
    """A value as the case files write it: times as text, the rest as it is."""
    return value.strftime("%Y-%m-%d %H:%M:%S.%f") if hasattr(value, "strftime") else value


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("topic", CASES)
def test_case(logs: dict, topic: str, log: str) -> None:
    expected = CASES[topic].get(log, [])
    rows = logs[log].get(topic, [])
    shown = [
        {name: written(row.get(name)) for name in wanted}
        for row, wanted in zip(rows, expected, strict=False)
    ]
    for seen, wanted in zip(shown, expected, strict=False):
        if log == "quarantine" and wanted["reason"] in seen["reason"]:
            seen["reason"] = wanted["reason"]
    assert len(rows) == len(expected), f"{CASES[topic]['name']}: {log} has {rows}"
    assert shown == expected, CASES[topic]["name"]


@pytest.fixture(scope="module")
def comparison(logs: dict, spark: Any) -> Comparison:
    return compare_with_logs(spark, SENT)


def test_every_value_of_every_row_is_the_text_of_its_message(comparison: Comparison) -> None:
    """Law 2, by a reader that shares nothing with the models."""
    assert comparison.altered == []
    assert comparison.values > LEAST_VALUES


def test_every_row_of_every_message_is_in_a_log(comparison: Comparison) -> None:
    """Law 1, by the rows that the same reader finds."""
    assert comparison.lost == []


def test_bronze_holds_each_message_as_it_was_sent(logs: dict, spark: Any) -> None:
    landed: dict[str, dict[int, str]] = {topic: {} for topic in SENT}
    for row in spark.table("bronze.messages").collect():
        if row["topic"] in SENT:
            landed[row["topic"]][row["offset"]] = row["raw"] or row["message"] or "null"
    assert landed == {topic: dict(enumerate(messages)) for topic, messages in SENT.items()}


def test_table_changes_are_the_json_that_was_sent(logs: dict, spark: Any) -> None:
    events = spark.table("resolve.events").where("table_changes is not null").collect()
    # AWS DMS's definitions are put into Debezium's words.
    rows = [row for row in events if row["topic"] in SENT and row["envelope"] != "aws_dms"]
    assert {row["envelope"] for row in rows} == {"oms_debezium", "oms_debezium_flatten"}
    for row in rows:
        message = json.loads(SENT[row["topic"]][row["offset"]])
        sent = message.get("payload", message)["tableChanges"]
        assert json.loads(row["table_changes"]) == sent


def test_laws_and_contracts_hold(logs: dict, dbt: Callable[..., list[Any]]) -> None:
    dbt("run", "--select", "tag:typed", "cast_failures")
    results = dbt("test", "--exclude-resource-type", "unit_test")
    # "success" is what dbt says of the hooks.
    assert {str(result.status) for result in results} == {"pass", "warn", "success"}
