"""Remembers in a home what became of its last dbt commands, for `onelog status` and the report."""

import functools
import os
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from landing.session import remembered
from landing.session.preparing import home, is_remote

FILE = "last_commands.json"
COMMANDS = ("run", "build", "test")


def remember_results(built_at: Callable[[], int | None]) -> None:
    """Let each dbt command of this process leave what became of its nodes and hooks.

    ``built_at`` gives the time of the present command's run, as its rows have it, in microseconds
    since 1970; None for a command without one.

    dbt's own ``run_results.json`` lies in the project, which may have several homes, and a command
    with ``--no-write-json`` leaves it as it was.
    """
    from dbt.flags import get_flags
    from dbt.task.runnable import GraphRunnableTask

    task: Any = GraphRunnableTask
    from_dbt = task.get_result
    if hasattr(from_dbt, "__wrapped__"):
        return

    @functools.wraps(from_dbt)
    def get_result(self: Any, results: Any, elapsed_time: float, generated_at: Any) -> Any:
        remember(get_flags().WHICH, elapsed_time, results, built_at())
        return from_dbt(self, results, elapsed_time, generated_at)

    task.get_result = get_result


def remember(
    command: str, seconds: float, results: Iterable[Any], built_at: int | None = None
) -> None:
    """Remember a command's results, each with its node; not where a server has the home."""
    if command not in COMMANDS or is_remote():
        return
    kept = [
        {
            "unique_id": result.node.unique_id,
            "status": str(result.status),
            "failures": result.failures,
            "execution_time": result.execution_time,
        }
        for result in results
    ]
    said = {"built_at": built_at, "ended_at": time.time(), "elapsed_time": seconds}
    remembered.add(home() / FILE, {command: said | {"results": kept}})


def last_results(*commands: str) -> tuple[str, dict[str, Any]] | None:
    """The newest of these commands on this home: ``elapsed_time`` in seconds, and ``results``.

    ``ended_at`` is in seconds since 1970. ``built_at``, the time of the command's run, is in
    microseconds, or None. Where a server has the home, dbt's own file tells, if its command is one
    of these; it knows no ``built_at``.
    """
    known = _of_dbt() if is_remote() else remembered.read(home() / FILE)
    found = [(command, known[command]) for command in commands if command in known]
    return max(found, key=lambda command: command[1].get("ended_at", 0), default=None)


def _of_dbt() -> dict[str, Any]:
    folder = Path(os.environ.get("DBT_TARGET_PATH") or "target")
    written = remembered.read(folder / "run_results.json")
    if "args" not in written:
        return {}
    if ended_at := written.get("metadata", {}).get("generated_at"):
        written["ended_at"] = datetime.fromisoformat(ended_at).timestamp()
    return {written["args"]["which"]: written}
