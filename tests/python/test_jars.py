"""Jars that Ivy has fetched are found again without it."""

from pathlib import Path

import pytest

from landing.session import jars

SETTINGS = {"spark.master": "local[*]", "spark.jars.packages": "a:b:1"}


@pytest.fixture(autouse=True)
def jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A jar with an odd name, which an earlier start has found for the settings."""
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    jar = tmp_path / "a b.jar"
    jar.touch()
    assert jars.fetched_jars(SETTINGS) == []
    jars.remember_jars(SETTINGS, jar.as_uri())
    return jar


def test_a_later_start_takes_them_from_where_they_lie(jar: Path) -> None:
    assert jars.fetched_jars(SETTINGS) == [str(jar)]


@pytest.mark.parametrize(
    "other",
    [
        {"spark.jars.packages": "a:b:2"},
        {"spark.jars.excludes": "c:d"},
        {"spark.master": "local-cluster[2,1,1024]"},
        {"spark.master": "yarn"},
    ],
)
def test_other_packages_and_other_hosts_ask_ivy(other: dict[str, str]) -> None:
    jars.remember_jars(SETTINGS | {"spark.jars.packages": "e:f:1"}, "file:/gone.jar")
    assert jars.fetched_jars(SETTINGS | other) == []
    assert len(jars.fetched_jars(SETTINGS)) == 1


def test_ivy_is_asked_where_a_jar_has_gone(jar: Path) -> None:
    jar.unlink()
    assert jars.fetched_jars(SETTINGS) == []


def test_jars_of_the_user_are_not_taken_for_fetched_ones() -> None:
    other = SETTINGS | {"spark.jars.packages": "e:f:1", "spark.jars": "/mine.jar"}
    jars.remember_jars(other, "file:/mine.jar,file:/fetched.jar")
    assert "mine" not in jars.known_jars().read_text()


def test_an_installation_that_cannot_be_written_in_asks_ivy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.prefix", str(tmp_path / "none"))
    jars.remember_jars(SETTINGS, "file:/a.jar")
    assert jars.fetched_jars(SETTINGS) == []
