"""What the commands write to standard output, without Spark."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from landing.queries.shown import table

# Longer than what Python, or a pipe, holds back.
LINES = 100_000
WRITES = r"""
import sys
from landing.cli import OneLineErrors
from landing.queries.shown import write_lines
group = OneLineErrors()
lines = map("{}\n".format, range(int(sys.argv[1])))
group.command("lines")(lambda: write_lines(sys.stdout.buffer, lines))
group.main(["lines"])
"""


def run(count: int, out: int) -> tuple[int, str]:
    """The exit status and what stderr says of a command that writes so many lines."""
    # Unbuffered, Python has nothing left to write at its end.
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-c", WRITES, str(count)]
    ended = subprocess.run(command, env=environment, stdout=out, stderr=subprocess.PIPE, text=True)
    return ended.returncode, ended.stderr


@pytest.mark.parametrize("count", [3, LINES])
def test_a_reader_who_has_seen_enough_ends_a_command_quietly(count: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert run(count, writer) == (0, "")
    finally:
        os.close(writer)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
@pytest.mark.parametrize("count", [3, LINES])
def test_a_full_disk_is_one_line(count: int) -> None:
    with open("/dev/full", "wb") as full:
        said = "onelog: the output cannot be written: No space left on device\n"
        assert run(count, full.fileno()) == (2, said)


def test_a_statement_without_a_result_shows_nothing() -> None:
    said: list[str] = []
    assert ([*table([], [], False, said.append)], said) == ([], [])
