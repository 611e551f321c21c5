"""Which offsets of a partition land, by what the brokers hold and what has landed."""

from collections.abc import Callable
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest
from py4j.protocol import Py4JError, Py4JJavaError

from landing.errors import LandingError, UserError
from landing.kafka import brokers
from landing.kafka.brokers import Brokers, kafka_errors, without_secrets
from landing.kafka.stretches import Held, Landed, Stretch, plan_stretches

T0, T1 = ("t", 0), ("t", 1)


def stretches(held: dict, landed: dict) -> dict:
    """The plan of what loses nothing."""
    plan = plan_stretches(held, landed)
    assert plan.losses == []
    return plan.stretches


def test_a_new_topic_lands_from_what_the_brokers_hold_first() -> None:
    plan = plan_stretches({T0: Held("a", 5, 9), T1: Held("a", 0, 0)}, {})
    assert plan.stretches == {T0: Stretch("a", 5, 9, 0)}
    assert plan.losses == []
    assert plan.notes == ["topic t, partition 0: begins at offset 5; what came before has expired"]


@pytest.mark.parametrize("now", [Held("a", 5, 5), Held("a", 5, 6)])
def test_a_partition_that_had_expired_whole_when_its_topic_was_new_lost_nothing(now: Held) -> None:
    first = plan_stretches({T0: Held("a", 0, 10), T1: Held("a", 5, 5)}, {})
    landed = {
        place: Landed(at.topic_id, at.shift, at.next_offset)
        for place, at in first.stretches.items()
    }
    # What the first landing said was gone is not said again, and stops nothing.
    found = stretches({T0: Held("a", 0, 12), T1: now}, landed)
    assert found.pop(T0) == Stretch("a", 10, 12, 0)
    assert found == ({T1: Stretch("a", 5, 6, 0)} if now.end == 6 else {})


@pytest.mark.parametrize(("before", "now"), [("a", "a"), ("", ""), ("", "a"), ("a", "")])
def test_a_landing_goes_on_where_it_stopped(before: str, now: str) -> None:
    landed = {T0: Landed(before, 0, 7), T1: Landed(before, 100, 103)}
    held = {T0: Held(now, 2, 9), T1: Held(now, 0, 3)}
    assert stretches(held, landed) == {T0: Stretch(now, 7, 9, 0)}


def test_a_partition_that_is_new_must_be_whole() -> None:
    landed = {T0: Landed("a", 0, 7)}
    plan = plan_stretches({T0: Held("a", 0, 7), T1: Held("a", 2, 4)}, landed)
    assert plan.notes == ["topic t, partition 1: is new"]
    assert "partition 1: offsets 0 to 1 have expired" in plan.losses[0]
    assert plan.stretches == {T1: Stretch("a", 2, 4, 0)}


def test_all_may_have_expired() -> None:
    plan = plan_stretches({T0: Held("a", 9, 9)}, {T0: Landed("a", 0, 7)})
    assert "offsets 7 to 8 have expired" in plan.losses[0]
    # What was accepted is remembered, though no message lands.
    assert plan.stretches == {T0: Stretch("a", 9, 9, 0)}
    assert stretches({T0: Held("a", 9, 9)}, {T0: Landed("a", 0, 9)}) == {}


def test_a_topic_that_was_cut_goes_on_above_what_has_landed() -> None:
    plan = plan_stretches({T0: Held("a", 0, 5)}, {T0: Landed("a", 0, 7)})
    assert (
        "partition 0: landing stopped at offset 7, but the brokers now end at 5" in plan.losses[0]
    )
    assert plan.stretches == {T0: Stretch("a", 5, 5, 2)}
    assert stretches({T0: Held("a", 0, 6)}, {T0: Landed("a", 2, 7)}) == {T0: Stretch("a", 5, 6, 2)}


@pytest.mark.parametrize("id", ["a", ""])
def test_what_landed_of_an_open_transaction_is_not_lost(id: str) -> None:
    """A landing read what was not committed, and the next one reads what is: it waits."""
    landed = {T0: Landed(id, 0, 7)}
    assert stretches({T0: Held(id, 0, 5, written=7)}, landed) == {}
    assert stretches({T0: Held(id, 0, 8, written=9)}, landed) == {T0: Stretch(id, 7, 8, 0)}
    plan = plan_stretches({T0: Held("a", 0, 5, written=6)}, {T0: Landed("a", 0, 7)})
    assert "the brokers now end at 5" in plan.losses[0]


@pytest.mark.parametrize(("old", "new"), [("a", "b"), ("", ""), ("", "b")])
def test_a_topic_made_anew_begins_above_what_has_landed(old: str, new: str) -> None:
    landed = {T0: Landed(old, 10, 17), T1: Landed(old, 0, 4)}
    plan = plan_stretches({T0: Held(new, 1, 3), T1: Held(new, 0, 0)}, landed)
    assert len(plan.losses) == 1
    assert "topic t was deleted and made anew" in plan.losses[0]
    assert "stopped at (partition 0: 7, partition 1: 4)" in plan.losses[0]
    assert plan.stretches == {T0: Stretch(new, 1, 3, 17), T1: Stretch(new, 0, 0, 4)}


def test_without_ids_a_partition_that_was_cut_makes_no_other_topic_of_the_rest() -> None:
    landed = {T0: Landed("", 0, 10), T1: Landed("", 0, 100), ("t", 2): Landed("", 0, 0)}
    held = {T0: Held("", 0, 8), T1: Held("", 0, 100), ("t", 2): Held("", 0, 0)}
    plan = plan_stretches(held, landed)
    assert len(plan.losses) == 1
    assert "partition 0: landing stopped at offset 10" in plan.losses[0]
    assert plan.stretches == {T0: Stretch("", 8, 8, 2)}


def test_without_ids_a_partition_that_had_no_message_does_not_tell_what_the_topic_is() -> None:
    landed = {T0: Landed("", 0, 10), T1: Landed("", 0, 0)}
    plan = plan_stretches({T0: Held("", 0, 2), T1: Held("", 0, 3)}, landed)
    assert "topic t was deleted and made anew" in plan.losses[0]
    assert plan.stretches == {T0: Stretch("", 0, 2, 10), T1: Stretch("", 0, 3, 0)}


def test_a_topic_made_anew_is_told_by_its_id_where_it_has_grown() -> None:
    plan = plan_stretches({T0: Held("b", 0, 99)}, {T0: Landed("a", 0, 7)})
    assert len(plan.losses) == 1
    assert plan.stretches == {T0: Stretch("b", 0, 99, 7)}


def test_a_partition_of_an_older_topic_of_the_name_comes_back() -> None:
    landed = {T1: Landed("a", 0, 4), T0: Landed("b", 7, 9)}
    plan = plan_stretches({T0: Held("b", 0, 2), T1: Held("b", 0, 3)}, landed)
    assert plan.losses == []
    assert plan.notes == ["topic t, partition 1: is new"]
    assert plan.stretches == {T1: Stretch("b", 0, 3, 4)}


class Thrown:
    """An exception of Java."""

    _target_id = ""

    def __init__(self, name: str, message: str = "") -> None:
        self._name, self._message = name, message

    def getMessage(self) -> str:
        return self._message

    def getCause(self) -> None: ...

    def getClass(self) -> SimpleNamespace:
        return SimpleNamespace(getSimpleName=lambda: self._name)


def fail() -> list[str]:
    raise Py4JError("no broker answers")


@pytest.mark.parametrize(
    ("places", "told"),
    [
        (lambda: ["topic t, partition 0, offset 7"], " (topic t, partition 0, offset 7)"),
        (list, ""),
        (fail, ""),
    ],
)
def test_a_time_that_spark_cannot_read_is_told(places: Callable, told: str) -> None:
    error = Py4JError("an error")
    # What Java throws where a time in milliseconds has no microseconds.
    error.java_exception = Thrown("ArithmeticException", "long overflow")
    with pytest.raises(LandingError) as raised, kafka_errors("broker:9092", times=places):
        raise error
    said = f"a record's time is no number of milliseconds since 1970{told}: "
    assert raised.value.format_message().startswith(f"nothing was landed: {said}")


@pytest.mark.parametrize(
    ("leaders", "said"),
    [
        (["broker", None], "topic t, partition 1: no broker leads it at present"),
        (["broker", "broker"], "no broker answered in time at broker:9092"),
    ],
)
def test_a_partition_that_no_broker_leads_is_named(
    leaders: list[str | None], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = MagicMock()
    monkeypatch.setattr(brokers, "jvm", lambda spark: java)
    asked = Brokers(MagicMock(), {"isolation.level": "read_committed"})
    admin = java.org.apache.kafka.clients.admin.AdminClient.create.return_value
    description = admin.describeTopics().topicNameValues().get().get.return_value
    description.partitions.return_value = [
        SimpleNamespace(partition=lambda number=number: number, leader=lambda leader=leader: leader)
        for number, leader in enumerate(leaders)
    ]
    error = Py4JJavaError("an error", Thrown("TimeoutException"))
    admin.listOffsets().all().get.side_effect = error
    with pytest.raises(UserError) as raised, kafka_errors("broker:9092", UserError):
        asked.held(["t"])
    assert raised.value.format_message().startswith(f"nothing was landed: {said}")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("100", "offset 100234 after …"),
        ("s3cret", "offset 100234 after 100"),
        ("234567", "offset 100234 after 100"),
    ],
)
def test_a_number_of_the_settings_is_no_part_of_another_number(
    value: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONELOG_KAFKA_X", value)
    assert without_secrets(f"{value} offset 100234 after 100") == f"… {told}"
