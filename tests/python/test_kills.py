"""Law 5: commands are killed at many moments; what the next ones make of it is whole."""

import contextlib
import glob
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SMALL, UNTYPED, copy_project, register_topic
from ddl_cases import FLOORS, POSITIONAL
from workloads import WORKLOADS, in_disorder, topic_settings

DUMP = Path(__file__).with_name("dump_tables.py")
LONGEST_STEP = 600  # seconds
CHANCE = random.Random(20240607)
PREFIX = "kill-"
# Made when a command starts: whether it is time to kill it.
Moment = Callable[[], Callable[[], bool]]


class Home:
    """A project and a home of their own, on which commands run as processes that can be killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "logs" / "dbt.log"
        self.bronze = folder / "warehouse" / "bronze.db"
        tools = {"ONELOG_HOME": str(folder / "warehouse"), "PYTHONPATH": str(ROOT)}
        self.environment = {**os.environ, **SMALL, **tools}

    def start(self, *command: str) -> subprocess.Popen:
        """Start a command as a group of processes of its own."""
        with (self.folder / "output.txt").open("ab") as output:
            return subprocess.Popen(
                command,
                cwd=self.folder,
                env=self.environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def run(self, *command: str) -> None:
        process = self.start(*command)
        try:
            status = process.wait(timeout=LONGEST_STEP)
        finally:
            kill(process)
        assert status == 0, (self.folder / "output.txt").read_text()[-2000:]

    def kill_when(self, is_time: Callable[[], bool], *command: str) -> bool:
        """Kill the command's whole group when it is time; False where it was over before."""
        process = self.start(*command)
        give_up = time.monotonic() + LONGEST_STEP
        try:
            while process.poll() is None and time.monotonic() < give_up:
                if is_time():
                    return True
                time.sleep(0.02)
            assert process.returncode == 0, (self.folder / "output.txt").read_text()[-2000:]
            return False
        finally:
            kill(process)

    def log_says(self, pattern: str) -> Callable[[], bool]:
        """Whether dbt's log says so from now on."""
        start = self.log.stat().st_size if self.log.exists() else 0

        def says() -> bool:
            if not self.log.exists():
                return False
            with self.log.open("rb") as log:
                log.seek(start)
                return re.search(pattern, log.read().decode(errors="replace")) is not None

        return says

    def tables(self, *runs: str) -> list[dict[str, Any]]:
        """The rows of every table after a dbt run with each of these options."""
        path = self.folder / "tables.json"
        self.run(sys.executable, str(DUMP), str(path), *runs)
        return json.loads(path.read_text())

    def message_files(self) -> set[Path]:
        """The files of messages in bronze, shown there or left over."""
        # Folders may go meanwhile, which pathlib's glob takes for an error.
        pattern = "**/envelope=*/batch=*/part-*"
        found = glob.glob(pattern, root_dir=self.bronze, recursive=True)
        return {self.bronze / path for path in found}

    def commits_a_rewrite(self) -> Callable[[], bool]:
        """Whether ``bronze.rewrites`` is written from now on."""
        log = self.bronze / "rewrites" / "_delta_log"
        before = len(list(log.glob("*.json")))
        return lambda: len(list(log.glob("*.json"))) > before

    def writes_messages(self) -> Callable[[], bool]:
        """Whether files of messages come from now on."""
        before = self.message_files()
        return lambda: bool(self.message_files() - before)

    def deletes_messages(self) -> Callable[[], bool]:
        """Whether files of messages go from now on."""
        before = self.message_files()
        return lambda: not all(path.exists() for path in before)


def kill(process: subprocess.Popen) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def later(is_time: Callable[[], bool], seconds: float) -> Callable[[], bool]:
    """So many seconds after it was time."""
    since: list[float] = []

    def is_later() -> bool:
        if not since and is_time():
            since.append(time.monotonic())
        return bool(since) and time.monotonic() >= since[0] + seconds

    return is_later


@dataclass(frozen=True)
class Survived:
    """What the tables hold after all the kills, then after a rebuild.

    ``sent``: every message by topic; ``lines``: how many lines the files of messages have.
    """

    home: Home
    incremental: dict[str, Any]
    rebuilt: dict[str, Any]
    sent: dict[str, list[str]]
    lines: int


ONELOG = (sys.executable, "-c", "from landing.cli import main; main()")
DBT = (sys.executable, "-m", "dbt.cli.main", "run", *UNTYPED)
# Nothing in its messages tells their envelope.
BARE = f"{PREFIX}bare"
BARE_ROWS = [['{"id":"1","name":"joe"}', '{"id":"2"}'], ['{"id":"1","name":"jo"}'], []]


@pytest.fixture(scope="module")
def survived(tmp_path_factory: pytest.TempPathFactory) -> Survived:
    """Two batches that were landed, built and rerouted, each command with kills."""
    home = Home(tmp_path_factory.mktemp("killed"))
    copy_project(home.folder)
    batches = {f"{PREFIX}{case.topic}": case.batches for case in (*FLOORS, *POSITIONAL)}
    for name, workload in list(WORKLOADS.items())[::7]:
        batches[f"{PREFIX}{name}"] = in_disorder(workload)
        register_topic(home.folder, f"{PREFIX}{name}", **topic_settings(workload))
    batches |= {BARE: BARE_ROWS, f"{PREFIX}unknown": [['{"n":1}'], ['{"n":2}']]}
    sent: dict[str, list[str]] = {}
    kills = [("resolve.events", "resolve.row_states"), ("resolve.changes",)]
    for number, models in enumerate(kills):
        paths = write_batch(home.folder / f"batch-{number}", number, batches, sent)
        land_with_kills(home, paths, number + 1)
        for model in models:
            writes = rf"(insert into|merge into|create or replace table) {model}\b"
            is_time = later(home.log_says(writes), CHANCE.uniform(0, 2))
            print(f"build {number + 1}, {model}: killed: {home.kill_when(is_time, *DBT)}")
    register_topic(
        home.folder, BARE, envelope="oms_debezium_smt", table_name="people", key_columns="id"
    )
    moments = [home.writes_messages, home.commits_a_rewrite, home.deletes_messages]
    run_with_kills(home, moments, *ONELOG, "reroute", BARE)
    lines = sum(path.read_bytes().count(b"\n") for path in home.message_files())
    incremental, rebuilt = home.tables("", "--full-refresh")
    return Survived(home, incremental, rebuilt, sent, lines)


def test_what_was_killed_is_completed_by_the_next_command(survived: Survived) -> None:
    incremental = survived.incremental
    assert incremental["bronze.messages"] == landed(survived.sent)
    assert incremental == survived.rebuilt
    assert incremental["silver.change_log"]


def test_a_killed_reroute_moves_each_message_once(survived: Survived) -> None:
    changes = [json.loads(row) for row in survived.incremental["silver.change_log"]]
    rows = [change["after"] for change in changes if change["topic"] == BARE]
    assert sorted(map(str, rows)) == sorted(
        str(json.loads(text)) for texts in BARE_ROWS for text in texts
    )
    assert survived.lines == sum(map(len, survived.sent.values())), "no file is left over"


def test_a_killed_expiry_is_completed_by_the_next_command(survived: Survived) -> None:
    home = survived.home
    command = (*ONELOG, "expire", "--before", "9999-01-01", "--with-quarantine")
    run_with_kills(home, [home.commits_a_rewrite, home.deletes_messages], *command)
    (after,) = home.tables("")
    assert after.pop("bronze.messages") == []
    assert not home.message_files()
    # It shows messages of bronze.
    assert len(after.pop("silver.quarantine")) == len(survived.rebuilt["silver.quarantine"])
    assert after == {table: survived.rebuilt[table] for table in after}


def write_batch(
    folder: Path, number: int, batches: dict[str, list], sent: dict[str, list[str]]
) -> list[str]:
    """The messages of two of the three batches of each topic; the last one comes whole."""
    for topic, cut in batches.items():
        messages = [message for part in (cut[:1] if number == 0 else cut[1:]) for message in part]
        if messages:
            (folder / topic).mkdir(parents=True)
            (folder / topic / "m.jsonl").write_text("".join(f"{text}\n" for text in messages))
            sent.setdefault(topic, []).extend(messages)
    return [str(path) for path in sorted(folder.iterdir())]


def land_with_kills(home: Home, paths: list[str], batch: int) -> None:
    """Kill a landing when the batch's first files are there, the next one at a random moment."""
    command = (*ONELOG, "land", "files", *paths)
    messages = home.bronze / "messages"
    moments = [
        lambda: any(messages.glob(f"envelope=*/batch={batch}/*")),
        later(lambda: True, CHANCE.uniform(3, 9)),
    ]
    print(f"landing {batch}: killed: {home.kill_when(moments[batch - 1], *command)}")
    home.run(*command)


def run_with_kills(home: Home, moments: list[Moment], *command: str) -> None:
    """Kill a command at each of these moments; then let it end."""
    for moment in moments:
        print(f"{command[3:]}, {moment.__name__}: killed: {home.kill_when(moment(), *command)}")
    home.run(*command)


def landed(sent: dict[str, list[str]]) -> list[list]:
    """What bronze must hold of the messages: each once, in its order, as it came."""
    return sorted(
        [topic, offset, text] for topic, texts in sent.items() for offset, text in enumerate(texts)
    )
