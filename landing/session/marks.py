"""Remembers the stored models' own marks, each with the commit that was its table's newest.

Marks are committed with the rows, and a run begins by asking each table for its own: eight scans, a
fifth of a run with nothing new. Where the newest commit of a table is still the one that its mark
is remembered with, Spark need not look. Of tables whose files are not here nothing is remembered.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from landing.session import remembered
from landing.session.preparing import home, is_remote

FILE = "marks.json"
COMMIT = re.compile(r"\d{20}\.json")
# In what dbt lists of a table; a path of this machine has the scheme `file`.
LOCATION = re.compile(r"^Location: (file:.+)$", re.MULTILINE)

# `built_at`, `generation`, `settings`, `about` and `read_to` (macros/stamped/own_marks.sql).
Mark = dict[str, Any]


def newest_commit(information: str | None) -> str:
    """Path, time and length of a table's newest commit; empty where no file here tells it.

    ``information`` is what dbt lists of the table.
    """
    found = LOCATION.search(information or "")
    if not found or is_remote():
        return ""
    log = Path(unquote(urlparse(found[1].strip()).path)) / "_delta_log"
    return " ".join(map(str, max(_commits(log), default=())))


def remembered_mark(table: str, information: str | None) -> Mark | None:
    """The mark of a table if no commit has come since it was remembered."""
    known, commit = remembered.read(home() / FILE).get(table), newest_commit(information)
    return known["mark"] if known and commit and known["commit"] == commit else None


def remember_mark(table: str, commit: str, mark: Mark) -> None:
    """Remember the mark that a table has had since this commit, its newest one."""
    if commit:
        remembered.add(home() / FILE, {table: {"commit": commit, "mark": mark}})


def _commits(log: Path) -> Iterator[tuple[str, int, int]]:
    with contextlib.suppress(FileNotFoundError), os.scandir(log) as entries:
        for entry in entries:
            if COMMIT.fullmatch(entry.name):
                status = entry.stat()
                yield entry.path, status.st_mtime_ns, status.st_size
