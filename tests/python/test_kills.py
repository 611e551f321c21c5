"""Law 5: commands are killed at many moments; what the next ones make of it is whole."""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from chance import SEED
from commands import register_topic
from conftest import ROOT, SMALL, copy_project
from ddl_cases import POSITIONAL
from messages import oms_shareplex
from one_process import message_files
from workloads import WORKLOADS, in_disorder, topic_settings

pytestmark = pytest.mark.drawn

LONGEST_STEP = 600  # seconds
CHANCE = random.Random(SEED)
# Seed 0 draws the commit.
SECONDS, MOMENT = CHANCE.uniform(1, 4), CHANCE.choice(["write", "commit"])
DELAY = CHANCE.uniform(0, 3)
PREFIX = "kill-"
# What is completed and what comes next may share a process: its start takes as long as a command.
ONE_PROCESS = (sys.executable, str(Path(__file__).with_name("one_process.py")))
# Made when a command starts: whether it is time to kill it.
IsTime = Callable[[], bool]

ONELOG = (sys.executable, "-c", "from landing.cli import main; main()")
RUN = ("run", "--quiet", "--log-level-file", "none")
DBT = (sys.executable, "-m", "dbt.cli.main", *RUN)
# Once the views are there, a build needs the tables only.
TABLES_ONLY = ("--select", "config.materialized:stamped", "config.materialized:incremental")
# Positional rows with statements, partial images, halves of updates and copies of rows: each
# envelope more makes every build longer.
KINDS = ("tdsql-keyed", "oms_shareplex-keyed", "dataworks_record-keyless")
# Each batch has rows of the typed model's table.
TYPED = f"{PREFIX}typed"
JOE, JIM = {"id": 1, "name": "joe"}, {"id": 2, "name": "jim"}
TYPED_ROWS = [
    [*oms_shareplex(1, None, JOE), *oms_shareplex(2, None, JIM)],
    [*oms_shareplex(3, JIM, None), *oms_shareplex(4, JOE, JOE | {"name": "jo"})],
]
TYPED_SQL = """
with changed as (

    {{ changed_rows(source='SOURCE', database_name='d', table_name='t') }}

)

select
    * except (column_types, row, time_zone, value_encoding),
    {{ typed_decimal('id', 38, 0) }} as id,
    {{ typed_text('name') }} as name,
    {{ cast_failures() }} as cast_failures
from changed
""".replace("SOURCE", TYPED)
TYPED_COLUMNS = {
    "state_id": "string",
    "copies": "int",
    "change_id": "string",
    "event_at": "timestamp",
    "is_live": "boolean",
    "built_at": "timestamp",
    "id": "decimal(38,0)",
    "name": "string",
    "cast_failures": "array<struct<column_name:string,value:string>>",
}
MARKS_DELETED = {"delta.enableDeletionVectors": "true"}
# Nothing in its messages tells their envelope.
BARE = f"{PREFIX}bare"
BARE_ROWS = [['{"id":"1","name":"joe"}', '{"id":"2"}'], ['{"id":"1","name":"jo"}'], []]


class Home:
    """A project and a home of their own, on which commands run as processes that can be killed.

    ``kills`` says where each command was killed, ``uncommitted`` which of them before a commit.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.warehouse = folder / "warehouse"
        self.bronze = self.warehouse / "bronze.db"
        self.kills: list[str] = []
        self.uncommitted: list[str] = []
        tools = {
            "ONELOG_HOME": str(self.warehouse),
            "PYTHONPATH": str(ROOT),
        }
        self.environment = {**os.environ, **SMALL, **tools}
        # No process lives for so long that Java's second compiler pays.
        self.environment["ONELOG_JAVA_OPTIONS"] += " -XX:TieredStopAtLevel=1"

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

    def kill_when(self, is_time: IsTime, where: str, *command: str) -> None:
        """Kill the command's whole group when it is time; it must not be over before."""
        started = time.monotonic()
        process = self.start(*command)
        try:
            while process.poll() is None and time.monotonic() < started + LONGEST_STEP:
                if is_time():
                    break
                time.sleep(0.005)
        finally:
            kill(process)
        output = (self.folder / "output.txt").read_text()[-2000:]
        assert process.returncode == -signal.SIGKILL, f"over before it was killed {where}: {output}"
        self.kills.append(where)
        print(f"{time.monotonic() - started:5.1f} s, killed {where}")

    def kill_at(self, table: str, moment: str, *command: str) -> None:
        """Kill a command as a table's rows are written, or are committed.

        ``moment``: ``write`` or ``commit``. A commit may come as quickly as the kill does.
        """
        folder = self.warehouse / table.replace(".", ".db/", 1)
        commits = folder / "_delta_log"
        before = len(list(commits.glob("*.json")))
        comes = (
            files_come(commits, "*.json") if moment == "commit" else files_come(folder, "part-*")
        )
        self.kill_when(comes, f"at the {moment} of {table}", *command)
        if len(list(commits.glob("*.json"))) == before:
            self.uncommitted.append(self.kills[-1])

    def tables(self, command: tuple[str, ...], *runs: str) -> tuple[int, list[dict[str, Any]]]:
        """How many lines the files of messages have after a command of `onelog`; then all tables.

        Their rows are those after a dbt run with each of these options.
        """
        lines, tables = self.folder / "lines.txt", self.folder / "tables.json"
        words = (
            ("onelog", *command),
            ("count_lines", str(self.bronze), str(lines)),
            ("dump_tables", str(tables), "gold.people", *runs),
        )
        self.run(*ONE_PROCESS, *map(json.dumps, words))
        return int(lines.read_text()), json.loads(tables.read_text())

    def message_files(self) -> set[Path]:
        """The files of messages in bronze, shown there or left over."""
        return message_files(self.bronze)

    def writes_messages(self) -> IsTime:
        """Whether files of messages come from now on."""
        before = self.message_files()
        return lambda: bool(self.message_files() - before)

    def deletes_messages(self) -> IsTime:
        """Whether files of messages go from now on."""
        before = self.message_files()
        return lambda: not all(path.exists() for path in before)


def kill(process: subprocess.Popen) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def files_come(folder: Path, pattern: str) -> IsTime:
    """Whether files come to a folder from now on."""
    before = set(folder.glob(pattern))
    return lambda: bool(set(folder.glob(pattern)) - before)


def later(is_time: IsTime, seconds: float) -> IsTime:
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


@pytest.fixture(scope="module")
def survived(tmp_path_factory: pytest.TempPathFactory) -> Survived:
    """Two batches that were landed, built and rerouted; each killed command is the next one's."""
    home = Home(tmp_path_factory.mktemp("killed"))
    make_project(home.folder)
    batches = {f"{PREFIX}{case.topic}": case.batches for case in POSITIONAL}
    for kind in KINDS:
        workload = [drawn for name, drawn in WORKLOADS.items() if name.startswith(f"{kind}-")][-1]
        batches |= in_disorder(workload, f"{PREFIX}{kind}")
        for topic, settings in topic_settings(workload, f"{PREFIX}{kind}").items():
            register_topic(home.folder, topic, **settings)
    register_topic(home.folder, TYPED, database_name="d", table_name="t", key_columns="id")
    batches |= {TYPED: TYPED_ROWS, BARE: BARE_ROWS, f"{PREFIX}unknown": [['{"n":1}'], ['{"n":2}']]}
    sent: dict[str, list[str]] = {}

    land = (*ONELOG, "land", "files", *write_batch(home.folder / "first", batches, sent, 0, 1))
    home.kill_when(home.writes_messages(), "as messages are written", *land)
    home.kill_at("bronze.batches", "commit", *land)
    home.kill_at("resolve.events", "write", *DBT)
    home.kill_at("gold.people", "commit", *DBT)

    land = ("land", "files", *write_batch(home.folder / "second", batches, sent, 1, 3))
    home.kill_when(later(lambda: True, SECONDS), "some seconds after the start", *ONELOG, *land)
    build = (*DBT, *TABLES_ONLY)
    mentions = files_come(home.warehouse / "resolve.db/mentions/_delta_log", "*.json")
    both = map(json.dumps, (("onelog", *land), ("dbt", *RUN, *TABLES_ONLY)))
    after = "some seconds after resolve.mentions"
    home.kill_when(later(mentions, DELAY), after, *ONE_PROCESS, *both)
    home.kill_at("resolve.changes", "commit", *build)
    home.kill_at("resolve.row_states", MOMENT, *build)
    home.kill_at("gold.people", "write", *build)

    settings = {"envelope": "oms_debezium_smt", "table_name": "people", "key_columns": "id"}
    register_topic(home.folder, BARE, **settings)
    reroute = ("reroute", BARE)
    home.kill_at("bronze.rewrites", "commit", *ONELOG, *reroute)
    rebuild = " ".join(("--full-refresh", *TABLES_ONLY))
    lines, (incremental, rebuilt) = home.tables(reroute, "", rebuild)
    return Survived(home, incremental, rebuilt, sent, lines)


def test_each_command_was_killed_at_its_moments(survived: Survived) -> None:
    """Other moments of a reroute, an expiry and a join are those of tests in one process."""
    assert survived.home.kills == [
        "as messages are written",
        "at the commit of bronze.batches",
        "at the write of resolve.events",
        "at the commit of gold.people",
        "some seconds after the start",
        "some seconds after resolve.mentions",
        "at the commit of resolve.changes",
        f"at the {MOMENT} of resolve.row_states",
        "at the write of gold.people",
        "at the commit of bronze.rewrites",
    ]
    assert any(where.startswith("at the write") for where in survived.home.uncommitted)


def test_what_was_killed_is_completed_by_the_next_command(survived: Survived) -> None:
    incremental = survived.incremental
    assert incremental["bronze.messages"] == landed(survived.sent)
    assert incremental == survived.rebuilt
    assert incremental["silver.change_log"]
    (person,) = map(json.loads, incremental["gold.people"])
    assert (person["id"], person["name"]) == ("1", "jo")


def test_a_killed_reroute_moves_each_message_once(survived: Survived) -> None:
    changes = [json.loads(row) for row in survived.incremental["silver.change_log"]]
    rows = [change["after"] for change in changes if change["topic"] == BARE]
    assert sorted(map(str, rows)) == sorted(
        str(json.loads(text)) for texts in BARE_ROWS for text in texts
    )
    assert survived.lines == sum(map(len, survived.sent.values())), "no file is left over"


@pytest.mark.long
def test_a_killed_expiry_is_completed_by_the_next_command(survived: Survived) -> None:
    home = survived.home
    expire = ("expire", "--before", "9999-01-01", "--with-quarantine")
    home.kill_at("bronze.rewrites", "commit", *ONELOG, *expire)
    deleted = "as expired messages are deleted"
    home.kill_when(home.deletes_messages(), deleted, *ONELOG, *expire)
    lines, (after,) = home.tables(expire, " ".join(TABLES_ONLY))
    assert after.pop("bronze.messages") == []
    assert lines == 0
    assert not home.message_files()
    # It shows messages of bronze.
    assert len(after.pop("silver.quarantine")) == len(survived.rebuilt["silver.quarantine"])
    assert after == {table: survived.rebuilt[table] for table in after}


def make_project(folder: Path) -> None:
    """A copy of the project with one typed model, which is merged, in the examples' place.

    The tables of changes and states mark rows as deleted from the start, as large ones do.
    """
    copy_project(folder)
    settings = folder / "dbt_project.yml"
    project = yaml.safe_load(settings.read_text())
    models = project["models"]["onelog"]
    for table in (models["silver"]["changes"]["changes"], models["gold"]["row_states"]):
        table["+tblproperties"] = table["+tblproperties"] | MARKS_DELETED
    settings.write_text(yaml.safe_dump(project))
    shutil.rmtree(folder / "models" / "gold" / "examples")
    # They read the examples.
    (folder / "models" / "gold" / "cast_failures.sql").unlink()
    shutil.rmtree(folder / "tests")
    typed = folder / "models" / "gold" / "typed"
    typed.mkdir()
    (typed / "people.sql").write_text(TYPED_SQL)
    columns = [{"name": name, "data_type": kind} for name, kind in TYPED_COLUMNS.items()]
    models = {"version": 2, "models": [{"name": "people", "columns": columns}]}
    (typed / "people.yml").write_text(json.dumps(models))


def write_batch(
    folder: Path, batches: dict[str, list], sent: dict[str, list[str]], start: int, end: int
) -> list[str]:
    """Write the messages of some of each topic's batches as files; gives their folders."""
    for topic, cut in batches.items():
        messages = [message for part in cut[start:end] for message in part]
        if messages:
            (folder / topic).mkdir(parents=True)
            (folder / topic / "m.jsonl").write_text("".join(f"{text}\n" for text in messages))
            sent.setdefault(topic, []).extend(messages)
    return [str(path) for path in sorted(folder.iterdir())]


def landed(sent: dict[str, list[str]]) -> list[list]:
    """What bronze must hold of the messages: each once, in its order, as it came."""
    return sorted(
        [topic, offset, text] for topic, texts in sent.items() for offset, text in enumerate(texts)
    )
