"""Quarantine: messages are read back whole, and a project says which topics must have none."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import invoke

TOPIC = "quarantine-rows"
# Both rows of the message are refused, for one reason or for several.
WHOLE = [
    '{"data":[{"id":"1.10"},null], "old":null,"type":"INSERT","database":"d","table":"t"}',
    '{"data":[{"id":"1"},{"id":"2"}],"old":null,"type":"INSERT","database":"d"}',
    '{"op":"d","before":{"id":1}} {"two":"values"}',
]


pytestmark = pytest.mark.usefixtures("looked_at")


def what_lands(project: Path, register: Callable[..., None]) -> dict[str, list[str]]:
    nothing = ['{"data":[{"id":1}],"type":"INSERT","table":"t"}']
    return {TOPIC: WHOLE, f"{TOPIC}-nothing": nothing}


def test_messages_of_several_rows_are_read_back_whole(spark: Any) -> None:
    rows = spark.table("silver.quarantine").where(f"topic = '{TOPIC}'").orderBy("offset").collect()
    assert [(row.offset, row.message) for row in rows] == list(enumerate(WHOLE))


def outcomes(*options: str) -> dict[str, str]:
    """What became of the tests of quarantine."""
    names = ("assert_quarantine_is_empty", "assert_quarantine_has_none_of_the_error_topics")
    ran = invoke("test", "--select", *names, *options).result.results
    return {result.node.name: result.status.value for result in ran if result.node.name in names}


def test_a_message_in_quarantine_is_a_warning() -> None:
    """With the variables that the project has."""
    assert outcomes() == {
        "assert_quarantine_is_empty": "warn",
        "assert_quarantine_has_none_of_the_error_topics": "pass",
    }


@pytest.mark.parametrize(
    ("errors", "ignored", "fails", "warns"),
    [
        ([TOPIC, "o'clock"], [], True, True),
        ([f"{TOPIC}-nothing"], [TOPIC], False, False),
    ],
)
def test_a_project_says_which_topics_must_have_none(
    spark: Any, errors: list[str], ignored: list[str], fails: bool, warns: bool
) -> None:
    # Other tests' topics wait there, too.
    others = spark.sql("select distinct topic from silver.quarantine").collect()
    ignored = ignored + [row.topic for row in others if row.topic != TOPIC]
    topics = {"quarantine_errors": errors, "quarantine_ignored": ignored}
    # YAML, as which dbt reads it, has no surrogates.
    assert outcomes("--vars", json.dumps(topics, ensure_ascii=False)) == {
        "assert_quarantine_is_empty": "warn" if warns else "pass",
        "assert_quarantine_has_none_of_the_error_topics": "fail" if fails else "pass",
    }
