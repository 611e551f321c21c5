"""Commands that share a warehouse take turns by its lease, whatever the clocks say."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from landing.errors import LandingError, UserError
from landing.session import lease
from landing.session.lease import Lease

SECONDS = 2.5


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[tuple]:
    """How often this process would have been ended for a lease that it has lost."""
    calls: list[tuple] = []
    monkeypatch.setattr(os, "kill", lambda *call: calls.append(call))
    return calls


@pytest.fixture
def leases(
    spark: Any, ended: list[tuple], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Lease]]:
    """Makes parts in a lease, as of commands of these names."""
    monkeypatch.setenv(lease.SECONDS, str(SECONDS))
    made: list[Lease] = []

    def make(name: str) -> Lease:
        made.append(Lease(spark, name))
        return made[-1]

    yield make
    for each in made:
        if each._staying.is_alive():
            each.leave()
            each._staying.join()


def test_the_second_one_waits_for_the_first_and_says_so(leases: Callable[[str], Lease]) -> None:
    first, second = leases("first"), leases("second")
    first.take(pytest.fail)
    said: list[str] = []
    waiting = threading.Thread(target=second.take, args=(said.append,))
    waiting.start()
    # The first one shows all the time that it lives.
    waiting.join(3 * SECONDS)
    assert waiting.is_alive()
    first.leave()
    waiting.join(30)
    assert not waiting.is_alive()
    assert said == ["waiting for first, at work on this warehouse"]


def test_a_silent_one_loses_the_lease_and_commits_no_more(
    leases: Callable[[str], Lease], ended: list[tuple], capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = leases("first"), leases("second")
    first.take(pytest.fail)
    with first._turn:
        second.take(lambda said: None)
    with pytest.raises(LandingError):
        first.confirm()
    second.confirm()
    give_up = time.monotonic() + 30
    while not ended and time.monotonic() < give_up:
        time.sleep(0.1)
    assert ended, "what cannot commit any more ends"
    assert lease.LOST in capsys.readouterr().err


def test_of_many_that_want_it_one_has_it_at_a_time(leases: Callable[[str], Lease]) -> None:
    at_work: list[str] = []
    most: list[int] = []

    def work(name: str) -> None:
        held = leases(name)
        held.take(lambda said: None)
        at_work.append(name)
        most.append(len(at_work))
        time.sleep(0.2)
        at_work.remove(name)
        held.leave()

    threads = [threading.Thread(target=work, args=(f"command {number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert most == [1] * 6


def test_of_many_that_write_a_number_one_has_written_it(leases: Callable[[str], Lease]) -> None:
    many = [leases(f"command {number}") for number in range(4)]
    together = threading.Barrier(len(many))

    def write(held: Lease, number: int) -> bool:
        together.wait(30)
        return held._write(number, held._me)

    with ThreadPoolExecutor(len(many)) as threads:
        first = many[0]._newest()[0] + 1
        for number in range(first, first + 50):
            wrote = list(threads.map(write, many, [number] * len(many)))
            assert [many[0]._newest()] == [
                (number, held._me) for held, has in zip(many, wrote, strict=True) if has
            ]
    assert many[0]._write(number + 1, "")


def test_of_two_of_one_name_one_has_the_lease(leases: Callable[[str], Lease]) -> None:
    """As processes 1 of two containers have it, whose hosts are called alike."""
    first, second = leases("command"), leases("command")
    number, holder = first._newest()
    assert not holder, "both see it free"
    assert first._write(number + 1, first._me)
    assert not second._write(number + 1, second._me)
    assert second._newest() == (number + 1, first._me)
    said: list[str] = []
    waiting = threading.Thread(target=second.take, args=(said.append,))
    waiting.start()
    waiting.join(SECONDS / 2)
    assert first._write(number + 2, "")
    waiting.join(30)
    assert said == ["waiting for command, at work on this warehouse"]


def test_a_file_system_without_hard_links_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    with pytest.raises(UserError, match="1 cannot be made by a hard link"):
        Lease._add_link(tmp_path / "1", "a command")
    assert not list(tmp_path.iterdir())


def test_few_files_are_left(leases: Callable[[str], Lease]) -> None:
    held = leases("command")
    held.take(pytest.fail)
    for _ in range(2 * lease.KEPT):
        held.confirm()
    assert len(held._numbers()) <= lease.KEPT + 1


@pytest.mark.parametrize("text", ["soon", "0", "-1"])
def test_a_time_that_is_none_is_told(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(lease.SECONDS, text)
    with pytest.raises(UserError, match=lease.SECONDS):
        lease.patience()
