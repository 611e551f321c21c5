"""What a session needs where it starts: a home that fits its catalog, packages for its workers."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from pyspark import SparkContext

from landing import maintain
from landing.errors import UserError
from landing.session import preparing, session_settings, workers
from landing.session.java import SessionError

DERBY = {"spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:;databaseName=x;create=true"}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The builders whose sessions would have started, without Java."""
    builders: list[Any] = []
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    monkeypatch.setattr(preparing, "_choose_python", lambda builder: None)
    monkeypatch.setattr(preparing, "_launch_java_quietly", lambda: None)
    return builders


class Builder:
    """A builder with these settings, which starts nothing."""

    def __init__(self, settings: dict[str, str], started: list[Any]) -> None:
        self._options, self._started = settings, started

    def getOrCreate(self) -> None:
        self._started.append(self)


@pytest.mark.parametrize("home", ["gs://lake/onelog", "file:///data/onelog"])
def test_a_home_that_is_a_url_is_refused_with_the_catalog_of_one_machine(
    home: str, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_derby: Any = Builder(DERBY, started)
    of_a_cluster: Any = Builder({}, started)
    monkeypatch.setenv(preparing.HOME, home)
    with pytest.raises(SessionError, match=f"{home} is a URL.*ONELOG_TARGET=cluster") as refused:
        preparing.start_session(with_derby)
    assert "\n" not in str(refused.value)
    assert not started
    preparing.start_session(of_a_cluster)
    monkeypatch.setenv(preparing.HOME, "/data/onelog")
    preparing.start_session(with_derby)
    assert started == [of_a_cluster, with_derby]


@pytest.mark.parametrize(
    ("target", "hours", "files", "log"),
    [
        ("local", "", 1, 24),
        ("local", "0", 1, 24),
        ("local", "0.4", 1, 24),
        ("local", "29.5", 30, 30),
        ("cluster", "", 24, 24),
        ("cluster", "2", 2, 24),
        ("cluster", "48", 48, 48),
    ],
)
def test_new_tables_keep_their_old_versions_for_as_long_as_the_environment_says(
    target: str, hours: str, files: int, log: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("DBT_PROFILES_DIR", "profiles")
    monkeypatch.setenv("ONELOG_TARGET", target)
    monkeypatch.setenv(maintain.KEEP_HOURS, hours)
    settings = session_settings()
    found = [
        settings[f"spark.databricks.delta.properties.defaults.{name.removeprefix('delta.')}"]
        for name in (maintain.KEPT_FILES, maintain.KEPT_LOG)
    ]
    assert found == [f"interval {files} hours", f"interval {log} hours"]


@pytest.mark.parametrize("hours", ["inf", "nan"])
def test_hours_that_are_no_number_are_told_in_one_line(
    hours: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("DBT_PROFILES_DIR", "profiles")
    monkeypatch.setenv(maintain.KEEP_HOURS, hours)
    with pytest.raises(UserError):
        session_settings()


def test_a_new_archive_leaves_those_that_a_running_command_may_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, folder = tmp_path / "module.py", tmp_path / "archives"
    monkeypatch.setattr(workers, "_files", lambda: iter([("module.py", module)]))

    def archive_of(text: str) -> Path:
        module.write_text(text)
        return workers._archive(folder)

    first, second = archive_of("1"), archive_of("22")
    assert first.exists()
    for old in (first, second):
        os.utime(old, (0, time.time() - 2 * 86_400))
    # A command that begins now serves the second one for the next day.
    assert workers._archive(folder) == second
    third = archive_of("333")
    assert set(folder.iterdir()) == {second, third}
