"""One project copy, one home and one warm Spark for the whole test session."""

import functools
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from commands import land_well, register_topic
from shared_landings import TESTS, Failures, land_together

from landing import maintain
from landing.session import FEW_MESSAGES

if TYPE_CHECKING:
    from dbt.cli.main import dbtRunnerResult
    from pyspark.sql import SparkSession

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
# Small data: fewer tasks, smaller heap, no compiler of Spark's. Spark would keep what a thousand
# queries did, with their plans; a test of what a run reads needs those of the run.
SMALL = {
    "ONELOG_SHUFFLE_PARTITIONS": "1",
    "ONELOG_JAVA_OPTIONS": f"{FEW_MESSAGES} -XX:ReservedCodeCacheSize=480m"
    " -Dspark.sql.ui.retainedExecutions=400 -Dspark.ui.retainedStages=400",
    "ONELOG_DRIVER_MEMORY": "3g",
    "ONELOG_SAMPLES": "true",
    "DBT_PROFILES_DIR": "profiles",
}
# Models that no test of the logs and of their states looks at.
UNTYPED = ("--exclude", "tag:typed", "cast_failures")
# Once the views are there, a run needs the tables only.
STORED = ("--select", "config.materialized:stamped")

# The longest file, then those that rebuild all that is in the home, or read all of bronze again and
# again, while it holds little. Then a long one: begun late, it would leave the other worker idle.
FIRST = (
    "test_kills",
    "test_runs",
    "test_states",
    "test_history",
    "test_join",
    "test_expire",
    "test_project",
    "test_reroute",
    "test_typed",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files in an order in which they cost least; pytest's own order within a file."""
    places = {name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(FIRST)))


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
    # Many tests look at the batches that they have landed.
    maintain.SPARE_BATCHES = 10**6
    before = Path.cwd()
    os.chdir(folder)
    yield folder
    os.chdir(before)
    os.environ.clear()
    os.environ.update(saved)


@pytest.fixture(scope="session")
def spark(project: Path) -> Iterator["SparkSession"]:
    """The session that landing and dbt share in this process, with the project's functions."""
    from landing.session import open_session
    from landing.session.preparing import register_functions

    with open_session() as session:
        register_functions(session)
        yield session


def invoke(*arguments: str) -> "dbtRunnerResult":
    """What a dbt command did in this process.

    For other variables than those of the command before, dbt parses the whole project anew. Only
    what is rendered as a command runs reads ours: what was parsed without them does as well.
    """
    from dbt.cli.main import dbtRunner

    parsed: Any = None
    if "--vars" in arguments:
        parsed = dbtRunner().invoke(["parse", "--quiet"]).result
    return dbtRunner(manifest=parsed).invoke([*arguments, "--quiet"])


@pytest.fixture(scope="session")
def dbt(spark: object) -> Callable[..., list[Any]]:
    """Runs a dbt command in this process; fails the test with dbt's own messages.

    Gives the results of the nodes that ran. Those of `docs` are files, too, which take a second.
    """

    def run(*arguments: str) -> list[Any]:
        options = () if arguments[0] == "docs" else ("--no-write-json",)
        result = invoke(*arguments, *options)
        results = getattr(result.result, "results", None) or []
        failed = [
            f"{getattr(ran, 'node', None) and ran.node.name}: {getattr(ran, 'message', '')}"
            for ran in results
            if ran.status in ("error", "fail")
        ]
        assert result.success, "\n".join(failed) or str(result.exception)
        return results

    return run


@pytest.fixture(scope="session")
def build(dbt: Callable[..., list[Any]]) -> Callable[..., None]:
    """Runs dbt for the logs and the states: the first time with their views, then without."""
    models: tuple[str, ...] = UNTYPED

    def build_all(*options: str) -> None:
        nonlocal models
        dbt("run", *options, *models)
        models = STORED

    return build_all


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


@pytest.fixture(scope="session")
def looked_at(
    request: pytest.FixtureRequest,
    project: Path,
    build: Callable[..., None],
    land: Callable[[dict[str, list[str]]], None],
    register: Callable[..., None],
) -> None:
    """One landing and one run for all files of the session that only look at what a run made.

    The function `what_lands` of such a file writes its settings and gives its messages by topic.
    """
    messages: dict[str, list[str]] = {}
    for module in dict.fromkeys(getattr(item, "module", None) for item in request.session.items):
        if what_lands := getattr(module, "what_lands", None):
            topics = what_lands(project, register)
            assert not messages.keys() & topics.keys(), "each file has topics of its own"
            messages |= topics
    land(messages)
    build()


@pytest.fixture(scope="module")
def failures(
    request: pytest.FixtureRequest, spark: object, tmp_path_factory: pytest.TempPathFactory
) -> Failures:
    """What became of the tests of a file that share their landings."""
    folder = tmp_path_factory.mktemp("shared")

    def arguments(name: str) -> tuple[object, Path]:
        (folder / name).mkdir()
        return spark, folder / name

    return land_together(TESTS[request.module.__name__], land_well, arguments)


def as_text(value: Any) -> str:
    """The same text for equal values, whatever the order of their maps."""
    return json.dumps(value, sort_keys=True, default=str, ensure_ascii=False)


def was_rebuilt_away(state: dict[str, Any]) -> bool:
    """True for the mark of a row that a rebuilt table no longer has: a rebuild has none."""
    return state["log_position"] is None and not state.get("is_live", True)
