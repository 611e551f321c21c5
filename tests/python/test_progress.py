"""What a command shows of its work, on a terminal and in a log file."""

import io

from rich.console import Console

from landing.progress import Progress


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


def test_the_tasks_of_spark_are_counted(spark: object) -> None:
    """A session that cannot tell them is no reason to stop."""
    log = io.StringIO()
    shown = Progress(Console(file=log))
    for session in (spark, object()):
        with shown.counted(session):  # type: ignore[arg-type]
            pass
    assert log.getvalue() == ""
