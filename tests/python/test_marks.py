"""A remembered mark is that of the table's newest commit, or it is not remembered."""

import os
from pathlib import Path

import pytest

from landing.session.marks import FILE, newest_commit, remember_mark, remembered_mark

MARK = {"built_at": 2, "generation": 1, "settings": "abc", "about": ["events"]}


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The log of a table with one commit, in a folder whose name a URI writes otherwise."""
    monkeypatch.setenv("ONELOG_HOME", str(tmp_path))
    folder = tmp_path / "a home" / "changes" / "_delta_log"
    folder.mkdir(parents=True)
    commit(folder, 0)
    return folder


def commit(log: Path, version: int, at: float = 1) -> None:
    path = log / f"{version:020}.json"
    path.write_text("{}")
    os.utime(path, (at, at))


def information(log: Path) -> str:
    return f"Provider: delta\nLocation: {log.parent.as_uri()}\nTable Properties: [a=b]\n"


def remember(log: Path) -> None:
    remember_mark("resolve.changes", newest_commit(information(log)), MARK)


def test_a_mark_is_remembered_until_a_commit_comes(log: Path) -> None:
    assert remembered_mark("resolve.changes", information(log)) is None
    remember(log)
    (log / f"{0:020}.crc").write_text("{}")
    (log / "_last_checkpoint").write_text("{}")
    assert remembered_mark("resolve.changes", information(log)) == MARK
    assert remembered_mark("resolve.events", information(log)) is None
    commit(log, 1)
    assert remembered_mark("resolve.changes", information(log)) is None


def test_a_table_that_was_made_again_has_a_mark_of_its_own(log: Path) -> None:
    remember(log)
    commit(log, 0, at=2)
    assert remembered_mark("resolve.changes", information(log)) is None


def test_a_table_that_lies_elsewhere_now_has_a_mark_of_its_own(log: Path, tmp_path: Path) -> None:
    remember(log)
    moved = tmp_path / "moved" / "_delta_log"
    moved.mkdir(parents=True)
    commit(moved, 0)
    assert remembered_mark("resolve.changes", information(moved)) is None


@pytest.mark.parametrize(
    "listed", [None, "", "Provider: delta", "Location: gs://bucket/changes", "Location: file:/no"]
)
def test_a_table_without_files_here_is_always_asked(log: Path, listed: str | None) -> None:
    assert newest_commit(listed) == ""
    remember_mark("resolve.changes", newest_commit(listed), MARK)
    assert remembered_mark("resolve.changes", listed) is None


def test_a_server_s_tables_are_always_asked(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(log)
    monkeypatch.setenv("SPARK_REMOTE", "sc://server")
    assert remembered_mark("resolve.changes", information(log)) is None


def test_a_broken_file_remembers_nothing(log: Path, tmp_path: Path) -> None:
    remember(log)
    (tmp_path / FILE).write_text('{"resolve.changes": ')
    assert remembered_mark("resolve.changes", information(log)) is None
    remember(log)
    assert remembered_mark("resolve.changes", information(log)) == MARK
