"""What a command shows of its work, on a terminal and in a log file."""

import io
import time
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from landing import progress
from landing.progress import Progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_log_file_gets_a_line_for_each_half_minute_of_a_step() -> None:
    log = io.StringIO()
    shown = Progress(Console(file=log))
    shown.say("landing the messages")
    for seconds in range(0, 95, 5):
        shown.tell(3 * seconds, 1_200, seconds)
    shown.say("committing")
    shown.tell(0, 0, 29)
    shown.tell(0, 0, 31)
    assert log.getvalue().splitlines() == [
        "landing the messages: 90 of 1,200 tasks, 30 s",
        "landing the messages: 180 of 1,200 tasks, 60 s",
        "landing the messages: 270 of 1,200 tasks, 90 s",
        "committing: 31 s",
    ]


def test_a_terminal_has_one_line_that_goes_with_the_command() -> None:
    shown = Progress(Console(file=io.StringIO(), force_terminal=True, width=80))
    with shown._status:
        shown.say("landing the messages")
        shown.tell(3, 40, 7.2)
        assert str(shown._status.renderable.text) == "landing the messages: 3 of 40 tasks, 7 s"


def test_the_tasks_of_spark_are_counted(
    spark: "SparkSession", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LOOKS", 0.05)
    shown = Progress(Console(file=io.StringIO()))
    told: set[tuple[int, int]] = set()
    monkeypatch.setattr(shown, "tell", lambda done, tasks, seconds: told.add((done, tasks)))
    with shown.counted(spark):
        slow = spark.sparkContext.parallelize(range(4), 4)
        slow.foreach(lambda number: time.sleep(0.2 * (number + 1)))
    assert {tasks for _, tasks in told} <= {0, 4}
    assert any(0 < done < 4 for done, tasks in told if tasks == 4), told


def test_a_session_that_cannot_tell_its_tasks_is_no_reason_to_stop() -> None:
    log = io.StringIO()
    done: list[int] = []
    with Progress(Console(file=log)).counted(object()):  # type: ignore[arg-type]
        done.append(1)
    assert (done, log.getvalue()) == ([1], "")
