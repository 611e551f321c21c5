"""How much waits for a run is told from files alone, before Spark is there."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from landing.session import waiting

Lands = Callable[[int, int], None]


def commit(table: Path, at: float, *actions: dict) -> None:
    log = table / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    path = log / f"{len(list(log.iterdir())):020}.json"
    path.write_text("".join(f"{json.dumps(action)}\n" for action in actions))
    os.utime(path, (at, at))


@pytest.fixture
def lands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lands:
    """Writes what a landing of so many bytes leaves, at a time that is the batch's number."""
    monkeypatch.setattr(waiting, "FEW_BYTES", 100)

    def land(batch: int, size: int) -> None:
        folder = tmp_path / "bronze.db" / "messages" / "envelope=tdsql" / f"batch={batch}"
        folder.mkdir(parents=True)
        (folder / "part-0.txt").write_bytes(b"x" * size)
        stats = json.dumps({"maxValues": {"batch": batch}})
        added = {"add": {"stats": stats, "dataChange": True}}
        commit(tmp_path / "bronze.db" / "batches", batch, {"commitInfo": {}}, added)

    return land


@pytest.mark.parametrize(("sizes", "is_little"), [([50, 50], True), ([50, 51], False), ([], True)])
def test_a_first_run_has_all_that_landed(
    tmp_path: Path, lands: Lands, sizes: list[int], is_little: bool
) -> None:
    for batch, size in enumerate(sizes, 1):
        lands(batch, size)
    assert waiting.little_waits(tmp_path) is is_little


@pytest.mark.parametrize(("size", "is_little"), [(100, True), (101, False)])
def test_a_later_run_has_what_landed_since(
    tmp_path: Path, lands: Lands, size: int, is_little: bool
) -> None:
    lands(1, 1000)
    commit(tmp_path / "resolve.db" / "events", 1.5, {"commitInfo": {}})
    lands(2, size)
    assert waiting.little_waits(tmp_path) is is_little


def test_batches_that_are_put_together_are_not_new(tmp_path: Path, lands: Lands) -> None:
    lands(1, 1000)
    commit(tmp_path / "resolve.db" / "events", 2, {"commitInfo": {}})
    stats = json.dumps({"maxValues": {"batch": 1}})
    together = {"add": {"stats": stats, "dataChange": False}}
    commit(tmp_path / "bronze.db" / "batches", 3, together)
    assert waiting.little_waits(tmp_path)
