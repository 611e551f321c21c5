"""A host: its commands run as processes of their own, on a copy of the project of its own."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PROJECT = (".dbtignore", "dbt_project.yml", "models", "macros", "seeds", "tests", "profiles")
LONGEST = 1500  # seconds
TABLES, LOG = "tables.json", "silver.change_log"
ONELOG, DBT = ((str(Path(sys.executable).with_name(name)),) for name in ("onelog", "dbt"))
DUMP = (sys.executable, str(ROOT / "tests" / "python" / "dump_tables.py"))


class Host:
    """Its folder has its copy of the project, and what its commands said.

    ``said_before``: how much of that its newest command found.
    """

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.folder, self.said = folder, folder / "said.txt"
        self.said.touch()
        self.said_before = 0
        for part in PROJECT:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, folder / part)
        own = {
            "DBT_PROFILES_DIR": "profiles",
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
            "PYTHONPATH": str(ROOT),
        }
        self.environment = {**settings, **own}

    def start(self, *command: str) -> "subprocess.Popen[bytes]":
        """Start a command, as a group of processes of its own."""
        self.said_before = self.said.stat().st_size
        with self.said.open("ab") as said:
            return subprocess.Popen(
                command,
                cwd=self.folder,
                env=self.environment,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )

    def run(self, *command: str) -> str:
        """Run a command, which must work; what it said."""
        end(self.start(*command), self)
        return self.newest()

    def newest(self) -> str:
        """What the newest command has said."""
        return self.said.read_bytes()[self.said_before :].decode()

    def start_build(self, *options: str) -> "subprocess.Popen[bytes]":
        """Start a dbt run that writes the rows of every table down."""
        return self.start(*DUMP, str(self.folder / TABLES), "", " ".join(options))

    def tables(self) -> dict[str, Any]:
        """The rows of every table after the newest dbt run that wrote them down.

        The time at which a batch arrived, which is another one on each host, is its number here.
        """
        text = (self.folder / TABLES).read_text()
        (tables,) = json.loads(text)
        arrived = {row["received_at"]: row["batch"] for row in map(json.loads, tables[LOG])}
        for time_of_batch, batch in arrived.items():
            text = text.replace(time_of_batch, f"arrival of batch {batch}")
        (tables,) = json.loads(text)
        return {name: sorted(rows) for name, rows in tables.items()}


def end(process: "subprocess.Popen[bytes]", host: Host) -> None:
    """Wait for a command, which must work."""
    try:
        status = process.wait(timeout=LONGEST)
    finally:
        kill(process)
    assert status == 0, host.newest()[-3000:]


def kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill a command's whole group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=30)


def wait_until(is_time: Callable[[], bool], process: "subprocess.Popen[bytes]", host: Host) -> None:
    """Wait for a moment of a command; it must not be over before."""
    give_up = time.monotonic() + LONGEST
    while not is_time():
        assert process.poll() is None, f"over before it was time: {host.newest()[-3000:]}"
        assert time.monotonic() < give_up, "the moment did not come"
        time.sleep(0.1)
