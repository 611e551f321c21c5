"""What a session needs where it starts: a home that fits its catalog, packages for its workers."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext

from landing.session import preparing, workers
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
