"""One project copy, one home and one warm Spark for the whole test session."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

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
# Small data: fewer tasks, smaller heap, no second compiler of Java's, none of Spark's.
SMALL = {
    "ONELOG_SHUFFLE_PARTITIONS": "1",
    "ONELOG_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -Dspark.sql.codegen.wholeStage=false"
    " -Dspark.sql.codegen.factoryMode=NO_CODEGEN",
    "ONELOG_DRIVER_MEMORY": "3g",
    "DBT_PROFILES_DIR": "profiles",
}


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the project, with a home of its own, whose seeds tests may edit."""
    folder = tmp_path_factory.mktemp("project")
    for part in PROJECT_PARTS:
        source = ROOT / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / part)
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
            f"{node.node.name}: {node.message}"
            for node in getattr(result.result, "results", None) or []
            if node.status in ("error", "fail")
        ]
        assert result.success, "\n".join(failed) or str(result.exception)

    return run
