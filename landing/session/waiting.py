"""Tells how much waits for a run before Spark is there, so that Java can be started to suit it."""

import json
from collections.abc import Iterator
from pathlib import Path

# About twenty thousand messages: less is planned for longer than it is worked on.
FEW_BYTES = 16 * 2**20


def little_waits(home: Path) -> bool:
    """Whether the batches that landed since the last run are small.

    It reads Delta's newest commits and the sizes of the batches' files. It is a guess, by the times
    of files: a wrong one makes a run slower and nothing else.
    """
    try:
        return _new_bytes(home) <= FEW_BYTES
    except FileNotFoundError:
        # Another command is at work, and files go meanwhile.
        return False


def _new_bytes(home: Path) -> int:
    built = max(map(_written_at, _commits(home / "resolve.db" / "events")), default=0)
    commits = _commits(home / "bronze.db" / "batches")
    new = {batch for path in commits if _written_at(path) >= built for batch in _batches(path)}
    messages = home / "bronze.db" / "messages"
    return sum(
        file.stat().st_size
        for batch in new
        for file in messages.glob(f"envelope=*/batch={batch}/part-*")
    )


def _commits(table: Path) -> list[Path]:
    return list((table / "_delta_log").glob("*.json"))


def _written_at(path: Path) -> float:
    return path.stat().st_mtime


def _batches(commit: Path) -> Iterator[int]:
    """The numbers of the batches that a commit of bronze.batches has added."""
    for line in commit.read_text().splitlines():
        added = json.loads(line).get("add", {})
        if added.get("dataChange") and "stats" in added:
            yield json.loads(added["stats"])["maxValues"]["batch"]
