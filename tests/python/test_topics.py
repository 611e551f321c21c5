"""A `seeds/topics.csv` that cannot be used: landing and dbt say so before they begin."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import land
from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

UNUSABLE = [
    ("is not UTF-8", "topic,envelope\nzürich,tdsql\n".encode("latin-1")),
    ("is not UTF-8", "topic,envelope\norders,tdsql\n".encode("utf-16")),
    ("has no column topic", "topic,envelope\norders,tdsql\n".encode("utf-16-le")),
    ("has no column topic", b"name,envelope\norders,tdsql\n"),
    ("has no column topic", b"topic;envelope\norders;tdsql\n"),
    ("has no column topic", b""),
    ("is not CSV", b'topic,envelope\norders,"' + b"x" * 200_000),
]


@pytest.fixture
def topics(project: Path) -> Iterator[Path]:
    """The session's file, for a test to overwrite."""
    path = project / "seeds" / "topics.csv"
    before = path.read_bytes()
    yield path
    path.write_bytes(before)


@pytest.mark.parametrize(("problem", "content"), UNUSABLE)
def test_a_file_that_cannot_be_read_is_one_line(
    spark: SparkSession, topics: Path, tmp_path: Path, problem: str, content: bytes
) -> None:
    topics.write_bytes(content)
    (tmp_path / "orders").mkdir()
    (tmp_path / "orders" / "a.jsonl").write_text("{}\n")
    said = f"seeds/topics.csv {problem}"
    result = land(tmp_path)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"onelog: {said}") and result.stderr.count("\n") == 1
    assert said in str(dbtRunner().invoke(["parse", "--quiet"]).exception)


def test_a_topic_that_stands_twice_is_one_line(
    spark: SparkSession, topics: Path, tmp_path: Path
) -> None:
    topics.write_text("topic,envelope\norders,\n,\npeople,\n,\n orders ,tdsql\npeople,\n")
    (tmp_path / "orders").mkdir()
    (tmp_path / "orders" / "a.jsonl").write_text("{}\n")
    said = "seeds/topics.csv names topics more than once: orders, people"
    result = land(tmp_path)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"onelog: {said}") and result.stderr.count("\n") == 1
    assert said in str(dbtRunner().invoke(["run", "--quiet"]).exception)
