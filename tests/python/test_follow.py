"""`onelog follow`: its rounds with steps of our own, and the command as a process."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner
from conftest import ROOT, SMALL, copy_project
from pyspark.sql import SparkSession

from landing import session
from landing.cli import main
from landing.follow.follow import _reason
from landing.follow.pauses import Pauses
from landing.follow.rounds import Ingress, Landing, Rounds, Steps, Surroundings, Thing
from landing.follow.stopping import SIGNALS
from landing.session import LeaseLostError

EVERY = 10.0
CANAL = (
    '{"data":[{"id":"%d"}],"old":null,"type":"INSERT","database":"d","table":"t","id":%d,'
    '"pkNames":["id"],"es":1700000000000,"ts":1700000000000}\n'
)


@dataclass
class World:
    """Steps that do what a test says, and a clock that only waiting moves.

    ``brings``: messages by part. ``fails``: why a part cannot land. ``broken``: files that cannot
    be read. ``edited_at``: when the project's files change; ``ends_at``: when to stop.
    """

    brings: dict[str, int] = field(default_factory=dict)
    fails: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    build_fails: str | None = None
    edited_at: float = 1000.0
    ends_at: float = 100.0
    now: float = 0.0
    batches: int = 0
    tries: list[tuple[float, str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    ends_in: str = ""

    def run(self, *ingresses: tuple[str, ...]) -> None:
        """Make rounds on ways in with these parts."""
        steps = Steps(
            [Ingress("way", parts, self.land) for parts in ingresses],
            state=lambda: (self.now >= self.edited_at, self.batches),
            build=self.build,
            lag=lambda: 1.5,
            reason=str,
        )
        outside = Surroundings(
            lambda: self.now, self.wait, self.lines.append, lambda: self.now >= self.ends_at
        )
        Rounds(steps, outside, EVERY).run()

    def land(self, parts: tuple[str, ...], passed_over: Collection[Thing]) -> Landing:
        self.step("+".join(parts))
        for part in parts:
            if part in self.fails:
                raise ValueError(self.fails[part])
        found = sum(self.brings.get(part, 0) for part in parts)
        self.batches += found > 0
        broken = {
            path: why for path, why in self.broken.items() if ("file", path) not in passed_over
        }
        return Landing(found, broken)

    def build(self) -> str | None:
        self.step("build")
        return self.build_fails

    def step(self, what: str) -> None:
        self.tries.append((self.now, what))
        if what == self.ends_in:
            self.ends_at = self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def tries_at(self, now: float) -> list[str]:
        return [tried for at, tried in self.tries if at == now]

    def times(self, what: str) -> list[float]:
        return [at for at, tried in self.tries if tried == what]


def test_rounds_without_news_do_not_build_and_say_so_once() -> None:
    world = World()
    world.run(("a",))
    assert world.times("a") == [EVERY * number for number in range(10)]
    assert world.times("build") == [0], "what earlier commands have landed waits at the beginning"
    assert world.lines == ["0 messages, landing 0.0 s, building 0.0 s, lag 1.5 s", "nothing new"]


def test_each_batch_and_each_edit_of_the_project_is_built() -> None:
    world = World(brings={"a": 1500}, ends_at=30)
    world.run(("a",))
    assert world.times("build") == [0, 10, 20]
    assert world.lines == ["1,500 messages, landing 0.0 s, building 0.0 s, lag 1.5 s"] * 3
    edited = World(ends_at=40, edited_at=20)
    edited.run(("a",))
    assert edited.times("build") == [0, 20]


def test_pauses_grow_to_the_longest() -> None:
    pauses = Pauses(first=10, longest=60)
    assert [pauses.failed(("way", "a"), 0) for _ in range(5)] == [10, 20, 40, 60, 60]
    assert not pauses.is_due(("way", "a"), 59)
    assert pauses.is_due(("way", "a"), 60)
    assert pauses.is_due(("way", "b"), 0)
    pauses.failed(("way", "b"), 50)
    assert pauses.waiting(60) == frozenset()
    assert pauses.waiting(59) == {("way", "a"), ("way", "b")}
    pauses.worked(("way", "a"))
    assert pauses.failed(("way", "a"), 0) == 10


def test_a_part_that_fails_keeps_no_other_from_landing() -> None:
    world = World(brings={"a": 1, "c": 1, "z": 1}, fails={"b": "b is broken"})
    world.run(("a", "b", "c"), ("z",))
    assert world.times("a+b+c") == [0, 10, 30, 70]
    assert world.times("b") == [0, 10, 30, 70]
    assert len(world.times("a+c")) == 6
    assert world.times("a") == world.times("c") == [0, 10, 30, 70]
    assert len(world.times("z")) == len(world.times("build")) == 10
    told = [line for line in world.lines if "broken" in line]
    assert told == [f"way b: b is broken; tried again in {pause} s" for pause in (10, 20, 40, 80)]


def test_what_fails_for_all_parts_alike_is_not_tried_for_each() -> None:
    parts = tuple("abcdef")
    world = World(fails=dict.fromkeys(parts, "no broker answers"), ends_at=25)
    world.run(parts, ("z",))
    assert world.tries_at(0) == ["a+b+c+d+e+f", "a", "b", "c+d+e+f", "z", "build"]
    # Those that were tried together have their turn alone.
    assert world.tries_at(10) == ["a+b+c+d+e+f", "c", "d", "e+f+a+b", "z"]
    assert world.times("z") == [0, 10, 20]
    assert world.lines[:3] == [
        "way a: no broker answers; tried again in 10 s",
        "way b: no broker answers; tried again in 10 s",
        "way c, d, e, f: no broker answers; tried again in 10 s",
    ]


@pytest.mark.parametrize("failing", ["ab", "abc", "bcd", "ad", "cd"])
def test_parts_that_fail_for_one_reason_keep_no_other_from_landing(failing: str) -> None:
    sound = set("abcd") - set(failing)
    world = World(brings=dict.fromkeys(sound, 1), fails=dict.fromkeys(failing, "out of memory"))
    world.run(tuple("abcd"))
    for part in sound:
        landed = [at for at, tried in world.tries if landed_whole(tried, part, failing)]
        assert landed[0] <= 10, part
        assert len(landed) >= 8, "in nearly each round"


def landed_whole(tried: str, part: str, failing: str) -> bool:
    """Was the part among those tried, and no failing one?"""
    return part in tried.split("+") and not set(tried.split("+")) & set(failing)


def test_a_broken_file_is_passed_over_while_its_pause_goes_on() -> None:
    world = World(brings={"a": 1}, broken={"/x.avro": "no whole file"})
    world.run(("a",))
    told = [line for line in world.lines if "/x.avro" in line]
    assert told == [
        f"file /x.avro: no whole file; tried again in {pause} s" for pause in (10, 20, 40, 80)
    ]
    assert len(world.times("build")) == 10


def test_a_file_that_was_whole_in_between_has_the_shortest_pause_again() -> None:
    class Mended(World):
        def land(self, parts: tuple[str, ...], passed_over: Collection[Thing]) -> Landing:
            self.broken = {} if 15 <= self.now < 50 else {"/x.avro": "no whole file"}
            return super().land(parts, passed_over)

    world = Mended()
    world.run(("a",))
    assert pauses_of("/x.avro", world) == [10, 20, 10, 20, 40]


def test_a_landing_that_does_not_look_at_a_file_leaves_its_pause() -> None:
    class InPart(World):
        def land(self, parts: tuple[str, ...], passed_over: Collection[Thing]) -> Landing:
            self.broken = {"/x.avro": "no whole file"} if "a" in parts else {}
            self.fails = {"a": "no folder"} if 5 <= self.now < 45 else {}
            return super().land(parts, passed_over)

    world = InPart()
    world.run(("z",), ("a", "b"))
    assert world.times("b") == [10, 20, 30, 40, 50, 60, 70]
    assert pauses_of("/x.avro", world) == [10, 20]


def pauses_of(path: str, world: World) -> list[int]:
    """The pauses that were told of a file."""
    told = [line for line in world.lines if path in line]
    return [int(line.split(" in ")[-1].removesuffix(" s")) for line in told]


def test_a_build_that_fails_is_tried_after_pauses_and_with_each_batch() -> None:
    world = World(build_fails="model m: no")
    world.run(("a",))
    assert world.times("build") == [0, 10, 30, 70]
    assert len(world.lines) == 5, "each failure, and once that nothing is new"
    world = World(brings={"a": 1}, build_fails="model m: no")
    world.run(("a",))
    assert len(world.times("build")) == 10
    assert len([line for line in world.lines if "model m" in line]) == 4
    assert world.times("a") == world.times("build")


def test_a_step_in_which_it_is_told_to_stop_is_the_last_one() -> None:
    world = World(brings={"a": 1}, ends_in="a")
    world.run(("a",), ("z",))
    assert world.tries == [(0, "a")]
    world = World(brings={"a": 1}, ends_in="build")
    world.run(("a",), ("z",))
    assert [what for _, what in world.tries] == ["a", "z", "build"]
    assert len(world.lines) == 1, "the round is told"


def test_an_error_that_ends_all_rounds_ends_them() -> None:
    def over(error: Exception) -> str:
        raise RuntimeError("Java has ended") from error

    def fail() -> str:
        raise ValueError

    stopped = iter(range(10))
    steps = Steps([], state=fail, build=lambda: None, lag=lambda: None, reason=over)
    outside = Surroundings(lambda: 0.0, lambda seconds: None, print, lambda: next(stopped) > 5)
    with pytest.raises(RuntimeError, match="Java has ended"):
        Rounds(steps, outside, 1).run()


def test_a_lost_lease_ends_all_rounds() -> None:
    """What this command would build or commit next could meet what another one does."""
    with pytest.raises(LeaseLostError):
        _reason(cast(SparkSession, None), LeaseLostError())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "follow what?"),
        (("--kafka", "localhost:9092"), "--kafka and --subscribe go together"),
        (("--files", "f", "--subscribe", "orders"), "--kafka and --subscribe go together"),
        (("--files", "f", "--every", "-1"), "-1"),
    ],
)
def test_a_mistaken_call_is_told_in_one_line(arguments: tuple[str, ...], said: str) -> None:
    result = CliRunner().invoke(main, ["follow", *arguments])
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


PRINTS = """
import click
from landing.cli import errors_of_spark_told, main

@main.command()
def prints():
    with errors_of_spark_told("following ended"):
        for number in range(100_000):
            click.echo(f"line {number}")

main(["prints"])
"""


def test_a_reader_that_wants_no_more_lines_ends_the_command_quietly() -> None:
    command = f"{sys.executable} -c '{PRINTS}' | head -1"
    run = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=ROOT)
    assert (run.stdout, run.stderr) == ("line 0\n", "")


class Followed:
    """A project and a home of their own, whose folder a process follows."""

    def __init__(self, folder: Path) -> None:
        copy_project(folder)
        self.folder, self.inbox = folder, folder / "inbox" / "orders"
        self.inbox.mkdir(parents=True)
        (folder / "tests").rename(folder / "no_tests")
        self.output = folder / "output.txt"
        home = {"ONELOG_HOME": str(folder / "warehouse"), "PYTHONPATH": str(ROOT)}
        self.environment = {**os.environ, **SMALL, "ONELOG_SAMPLES": "false", **home}
        self.process: subprocess.Popen | None = None
        self.sent = 0

    def start(self) -> None:
        command = ["follow", "--files", str(self.inbox.parent), "--every", "1"]
        with self.output.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-c", "from landing.cli import main; main()", *command],
                cwd=self.folder,
                env=self.environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def drop(self, messages: int) -> None:
        """A file of new messages appears in the folder."""
        ids = range(self.sent, self.sent + messages)
        new = self.folder / "new"
        new.write_text("".join(CANAL % (id, id) for id in ids))
        new.rename(self.inbox / f"{self.sent:06}.jsonl")
        self.sent += messages

    def wait_for(self, is_time: Callable[[], object], seconds: float = 300) -> None:
        end = time.monotonic() + seconds
        while not is_time():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < end, self.said()
            time.sleep(0.1)

    def end(self, number: int) -> int:
        os.killpg(self.process.pid, number) if number == signal.SIGKILL else os.kill(
            self.process.pid, number
        )
        return self.process.wait(timeout=120)

    def said(self) -> str:
        return self.output.read_text()

    def commits(self, table: str) -> int:
        return len(list((self.folder / "warehouse" / table / "_delta_log").glob("*.json")))


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Followed]:
    found = Followed(tmp_path_factory.mktemp("followed"))
    yield found
    if found.process.poll() is None:
        os.killpg(found.process.pid, signal.SIGKILL)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_the_wait_for_the_warehouse(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark's start takes SIGINT for itself."""

    @contextlib.contextmanager
    def open_session(options: str) -> Iterator[None]:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        yield

    monkeypatch.setattr(session, "need_own_java", lambda: None)
    monkeypatch.setattr(session, "open_session", open_session)
    monkeypatch.setattr(session, "hold_lease", lambda spark: signal.raise_signal(number))
    before = {taken: signal.getsignal(taken) for taken in SIGNALS}
    try:
        followed = CliRunner().invoke(main, ["follow", "--files", "messages"])
    finally:
        for taken, handler in before.items():
            signal.signal(taken, handler)
    assert (followed.exit_code, followed.output) == (0, "")


@pytest.mark.long
def test_files_are_followed_through_stops_and_kills(followed: Followed) -> None:
    followed.drop(3)
    followed.start()
    followed.wait_for(lambda: "3 messages, landing" in followed.said())
    followed.drop(4)
    (followed.inbox / "cut.avro").write_bytes(b"Obj\x01")
    landed = followed.commits("bronze.db/batches")
    followed.wait_for(lambda: followed.commits("bronze.db/batches") > landed)
    assert followed.end(signal.SIGKILL) == -signal.SIGKILL
    assert "4 messages" not in followed.said(), "it was killed between the landing and the build"

    followed.start()
    followed.wait_for(lambda: followed.said().count("building") == 2)
    followed.drop(5)
    followed.wait_for(lambda: "5 messages" in followed.said())
    assert followed.end(signal.SIGTERM) == 0, followed.said()

    assert "cut.avro: " in followed.said()
    assert "Traceback" not in followed.said()
    query = "select row['id'] as id, copies from gold.current_rows"
    assert sorted(int(row["id"]) for row in rows(followed, query)) == list(range(followed.sent))
    assert rows(followed, "select count(*) as n from silver.change_log") == [{"n": followed.sent}]


def rows(followed: Followed, query: str) -> list[dict[str, Any]]:
    """The rows of a query, asked by a command of its own."""
    asked = subprocess.run(
        [sys.executable, "-c", "from landing.cli import main; main()", "sql", "--format", "jsonl"],
        input=query,
        capture_output=True,
        text=True,
        cwd=followed.folder,
        env=followed.environment,
    )
    assert asked.returncode == 0, asked.stderr
    return [json.loads(line) for line in asked.stdout.splitlines()]
