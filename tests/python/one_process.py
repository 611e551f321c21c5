"""Runs commands one after the other in one process and one session, which start once for all.

Each argument is the words of a command, as JSON: of `onelog`, of `dbt`, or of this file's `TOOLS`.
"""

import glob
import json
import sys
from collections.abc import Callable
from pathlib import Path

import dump_tables
from dbt.cli.main import dbtRunner

from landing import cli
from landing.session import open_session


def message_files(bronze: str | Path) -> set[Path]:
    """The files of messages in bronze, shown there or left over."""
    # Folders may go meanwhile, which pathlib's glob takes for an error.
    pattern = "**/envelope=*/batch=*/part-*"
    return {Path(bronze) / path for path in glob.glob(pattern, root_dir=bronze, recursive=True)}


def onelog(*arguments: str) -> None:
    try:
        cli.main.main(arguments)
    except SystemExit as ended:
        if ended.code:
            raise


def dbt(*arguments: str) -> None:
    ran = dbtRunner().invoke([*arguments])
    assert ran.success, ran.exception


def count_lines(bronze: str, path: str) -> None:
    """Write to a file how many lines the files of messages have."""
    lines = sum(file.read_bytes().count(b"\n") for file in message_files(bronze))
    Path(path).write_text(str(lines))


TOOLS: dict[str, Callable[..., None]] = {
    "onelog": onelog,
    "dbt": dbt,
    "count_lines": count_lines,
    "dump_tables": dump_tables.main,
}


if __name__ == "__main__":
    with open_session():
        for command in sys.argv[1:]:
            tool, *arguments = json.loads(command)
            TOOLS[tool](*arguments)
