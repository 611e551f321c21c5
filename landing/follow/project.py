"""dbt's project in the current folder: read once, built again and again."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from landing.session import profiles_folder

# The folders of a project, beside its files; tests are not built.
FOLDERS = ("models", "macros", "seeds")
FILES = ("dbt_project.yml", "packages.yml")
# What dbt would write for others to read, in each round anew.
QUIET = ("--quiet", "--log-level-file", "none", "--no-write-json")
# Once the views are there, a build needs the tables only, and asks the catalog for these only.
TABLES = ("--exclude", "config.materialized:view", "--no-populate-cache")
LONGEST_REASON = 400

# (path, time, length) of each file.
Marks = frozenset[tuple[str, int, int]]


class Project:
    """Builds the models of the project, and reads it anew only where a file of it has changed."""

    def __init__(self) -> None:
        self._read: Marks | None = None
        self._viewed: Marks | None = None
        self._manifest: Any = None
        self._nodes: dict[str, Any] = {}

    def marks(self) -> Marks:
        """By what a change of the project's files is noticed."""
        return frozenset(
            (str(path), status.st_mtime_ns, status.st_size)
            for path in _files()
            if (status := _status(path)) is not None
        )

    def build(self) -> str | None:
        """What `dbt run` does. Gives the reason where it failed."""
        from dbt.cli.main import dbtRunner

        marks = self.marks()
        if marks != self._read:
            parsed: Any = dbtRunner().invoke(["parse", *QUIET, *_profiles()])
            if not parsed.success:
                return _why(parsed)
            self._manifest, self._read = parsed.result, marks
            self._nodes = dict(parsed.result.nodes)
        # A run leaves in each node what it has compiled.
        self._manifest.nodes = {id: _copy(node) for id, node in self._nodes.items()}
        only = TABLES if marks == self._viewed else ()
        ran = dbtRunner(manifest=self._manifest).invoke(["run", *QUIET, *_profiles(), *only])
        if not ran.success:
            return _why(ran)
        self._viewed = marks
        return None


def _files() -> Iterator[Path]:
    yield from map(Path, FILES)
    for folder in (*FOLDERS, profiles_folder()):
        for parent, _, names in os.walk(folder):
            yield from (Path(parent) / name for name in names)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _profiles() -> tuple[str, str]:
    return "--profiles-dir", str(profiles_folder())


def _copy(node: Any) -> Any:
    return node.from_dict(node.to_dict(omit_none=True))


def _why(ran: Any) -> str:
    """What dbt says of a command that failed, in one line."""
    results = getattr(ran.result, "results", None) or []
    failed = [result for result in results if result.status in ("error", "fail")]
    if not failed:
        return _one_line(ran.exception or "dbt failed")
    name = getattr(getattr(failed[0], "node", None), "name", "dbt")
    others = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
    return f"{name}{others}: {_one_line(failed[0].message)}"


def _one_line(said: object) -> str:
    text = " ".join(str(said).split())
    return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]} …"
