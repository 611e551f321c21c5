"""A user's mistake is one line on stderr and exit status 2; those here need no Spark."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import ROOT
from pyspark.errors import PySparkRuntimeError

from landing.cli import main, named
from landing.errors import UserError
from landing.session import opening
from landing.session.lease import CATALOG

LATIN = "select 'größe'".encode("latin-1")


@pytest.fixture(autouse=True)
def no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that comes as far as Spark fails."""

    def started(settings: dict[str, str]) -> Any:
        raise AssertionError("Spark was started")

    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    monkeypatch.setattr(opening, "_start", started)


def told(*arguments: str, entered: bytes = b"") -> str:
    """What a command says of a mistake."""
    result = CliRunner().invoke(main, arguments, input=entered)
    assert (result.exit_code, result.stdout) == (2, ""), result.exception
    assert result.stderr.startswith("onelog: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize("folder", ["nowhere", "file"])
def test_a_report_needs_a_folder(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / folder / "report.html"
    assert f"{path} cannot be written: " in told("report", str(path))


def test_a_query_is_a_text(tmp_path: Path) -> None:
    path = tmp_path / "query.sql"
    path.write_bytes(LATIN)
    assert "UTF-8" in told("sql", "-f", str(path))
    assert "UTF-8" in told("sql", entered=LATIN)
    assert "UTF-8" in told("sql", "select '\udcf6'")


def test_a_project_needs_a_folder_to_write_in(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "project"
    assert f"{folder} cannot be written: " in told("init", str(folder))


def test_options_that_name_several_may_be_repeated() -> None:
    assert named(("a, b", ",c")) == ["a", "b", "c"]
    following = ["follow", "--kafka", "host:9092", "--subscribe", ","]
    result = CliRunner().invoke(main, following)
    assert result.exit_code == 2
    assert "--kafka and --subscribe go together" in result.stderr


def test_a_home_of_no_name_is_the_default_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("DBT_PROFILES_DIR", "profiles")
    monkeypatch.setenv("ONELOG_HOME", "")
    settings = opening.session_settings()
    assert settings["spark.sql.warehouse.dir"] == "warehouse"
    assert "databaseName=warehouse/metastore;" in settings[CATALOG]


def test_a_spark_that_does_not_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(builder: Any) -> Any:
        raise PySparkRuntimeError("Could not parse Master URL: 'nonsense'\nat org.apache.spark")

    monkeypatch.undo()
    monkeypatch.setattr(opening, "start_session", fails)
    with pytest.raises(UserError, match=r"Spark does not start: .*'nonsense'$"):
        opening._start({})
