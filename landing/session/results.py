"""Remembers in a home what became of its last dbt commands, for `onelog status` and the report."""

import functools
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from landing.session import remembered
from landing.session.preparing import home, is_remote

FILE = "last_commands.json"
COMMANDS = ("run", "build", "test")


def remember_results() -> None:
    """Let each dbt command of this process leave what became of its nodes and hooks.

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
        remember(get_flags().WHICH, elapsed_time, results)
        return from_dbt(self, results, elapsed_time, generated_at)

    task.get_result = get_result


def remember(command: str, seconds: float, results: Iterable[Any]) -> None:
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
    said = {"ended_at": time.time(), "elapsed_time": seconds, "results": kept}
    remembered.add(home() / FILE, {command: said})


def last_results(*commands: str) -> tuple[str, dict[str, Any]] | None:
    """The newest of these commands on this home: ``elapsed_time`` in seconds, and ``results``.

    Where a server has the home, dbt's own file tells, if its command is one of these.
    """
    known = _of_dbt() if is_remote() else remembered.read(home() / FILE)
    found = [(command, known[command]) for command in commands if command in known]
    return max(found, key=lambda command: command[1].get("ended_at", 0), default=None)


def _of_dbt() -> dict[str, Any]:
    folder = Path(os.environ.get("DBT_TARGET_PATH") or "target")
    written = remembered.read(folder / "run_results.json")
    return {written["args"]["which"]: written} if "args" in written else {}
