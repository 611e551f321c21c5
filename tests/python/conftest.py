"""One project copy, one home and one warm Spark for the whole test session."""

import csv
import functools
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from commands import land_well

from landing.session import FEW_MESSAGES

ROOT = Path(__file__).parents[2]
PROJECT_PARTS = (
    ".dbtignore",
    "dbt_project.yml",
    "models",
    "macros",
    "seeds",
    "tests",
    "profiles",
)
# Small data: fewer tasks, smaller heap, no compiler of Spark's.
SMALL = {
    "ONELOG_SHUFFLE_PARTITIONS": "1",
    "ONELOG_JAVA_OPTIONS": FEW_MESSAGES,
    "ONELOG_DRIVER_MEMORY": "3g",
    "DBT_PROFILES_DIR": "profiles",
}
# Models that no test of the logs and of their states looks at.
UNTYPED = ("--exclude", "tag:typed", "cast_failures")

# The longest file, which starts first where files are shared out among processes.
LONGEST = "test_kills"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.stem != LONGEST)


def copy_project(folder: Path) -> None:
    for part in PROJECT_PARTS:
        source = ROOT / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / part)


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the project, with a home of its own, whose seeds tests may edit."""
    folder = tmp_path_factory.mktemp("project")
    copy_project(folder)
    saved = dict(os.environ)
    os.environ.update(SMALL, ONELOG_HOME=str(folder / "warehouse"))
    before = Path.cwd()
    os.chdir(folder)
    yield folder
    os.chdir(before)
    os.environ.clear()
    os.environ.update(saved)


@pytest.fixture(scope="session")
def spark(project: Path) -> Iterator["pyspark.sql.SparkSession"]:  # noqa: F821
    """The session that landing and dbt share in this process."""
    from landing.session import open_session

    with open_session() as session:
        yield session


@pytest.fixture(scope="session")
def dbt(spark: object) -> Callable[..., None]:
    """Runs a dbt command in this process; fails the test with dbt's own messages."""
    from dbt.cli.main import dbtRunner

    def run(*arguments: str) -> None:
        result = dbtRunner().invoke([*arguments, "--quiet"])
        failed = [
            f"{getattr(ran, 'node', None) and ran.node.name}: {getattr(ran, 'message', '')}"
            for ran in getattr(result.result, "results", None) or []
            if ran.status in ("error", "fail")
        ]
        assert result.success, "\n".join(failed) or str(result.exception)

    return run


def register_topic(project: Path, topic: str, **settings: str) -> None:
    """Write a topic's row in a copy's seeds/topics.csv, in the place of one that it has."""
    path = project / "seeds" / "topics.csv"
    with path.open(newline="") as file:
        reader = csv.DictReader(file)
        header, rows = reader.fieldnames, list(reader)
    rows = [row for row in rows if row["topic"] != topic] + [{"topic": topic, **settings}]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(scope="session")
def register(project: Path) -> Callable[..., None]:
    """Writes a topic's row in the session's copy of the project."""
    return functools.partial(register_topic, project)


@pytest.fixture(scope="session")
def land(project: Path, spark: object) -> Callable[[dict[str, list[str]]], None]:
    """Lands the messages of several topics as one batch."""
    numbers = iter(range(10**6))

    def land_topics(messages: dict[str, list[str]]) -> None:
        batch = project / "batches" / f"batch-{next(numbers)}"
        for topic, lines in messages.items():
            (batch / topic).mkdir(parents=True)
            (batch / topic / "messages.jsonl").write_text("".join(f"{line}\n" for line in lines))
        land_well(batch, "--again")

    return land_topics


# The rows of a table by source.
Rows = dict[str, list[dict[str, Any]]]


STATE_TABLES = ("silver.change_log", "gold.current_rows", "gold.row_history", "gold.row_states")


@dataclass(frozen=True)
class BuiltStates:
    """What gold showed after each batch, all tables after the last one, and after a rebuild."""

    current: list[Rows]
    incremental: dict[str, Rows]
    rebuilt: dict[str, Rows]


def as_text(value: Any) -> str:
    """The same text for equal values, whatever the order of their maps."""
    return json.dumps(value, sort_keys=True, default=str, ensure_ascii=False)


def was_rebuilt_away(state: dict[str, Any]) -> bool:
    """True for the mark of a row that a rebuilt table no longer has: a rebuild has none."""
    return state["log_position"] is None and not state.get("is_live", True)


@pytest.fixture(scope="session")
def built_states(
    spark: Any,
    dbt: Callable[..., None],
    land: Callable[[dict[str, list[str]]], None],
    register: Callable[..., None],
) -> BuiltStates:
    """All state cases and all workloads: landed in three batches, each built, then rebuilt."""
    from cases import CASES
    from workloads import NUMBER_OF_BATCHES, WORKLOADS, in_disorder, in_order, topic_settings

    batches = {case.topic: case.batches for case in CASES}
    for name, workload in WORKLOADS.items():
        topics = {f"ordered-{name}": in_order(workload), f"shuffled-{name}": in_disorder(workload)}
        batches |= topics
        for topic in topics:
            register(topic, **topic_settings(workload))

    def rows_of(table: str) -> Rows:
        found: Rows = {topic: [] for topic in batches}
        for row in spark.table(table).drop("built_at").collect():
            fields = row.asDict(recursive=True)
            if row["source"] in found and not was_rebuilt_away(fields):
                found[row["source"]].append(fields)
        return found

    current = []
    for number in range(NUMBER_OF_BATCHES):
        for case in CASES:
            if number in case.settings:
                register(case.topic, **case.settings[number])
        land({topic: cut[number] for topic, cut in batches.items() if cut[number:] and cut[number]})
        dbt("run", *UNTYPED)
        current.append(rows_of("gold.current_rows"))
    incremental = {table: rows_of(table) for table in STATE_TABLES}
    dbt("run", "--full-refresh", *UNTYPED)
    return BuiltStates(current, incremental, {table: rows_of(table) for table in STATE_TABLES})
