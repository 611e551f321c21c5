"""Random changes of a table, written as a vendor writes them, and what they must leave behind.

Hypothesis draws them all before anything is built, as one build takes half a minute: each is
landed twice, once in order and once shuffled, repeated and cut into batches.
"""

import random
from collections import Counter
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from messages import (
    Row,
    Writer,
    as_sent,
    datahub_tuple,
    datastream,
    datastream_read,
    dataworks_record,
    oms_debezium,
    oms_default,
    oms_shareplex,
    shareplex_partial,
)

EXAMPLES_OF_A_KIND = 4
NUMBER_OF_BATCHES = 3
WRITERS: dict[str, Writer] = {
    "dataworks_record": dataworks_record,
    "datahub_tuple": datahub_tuple,
    "oms_debezium": oms_debezium,
    "oms_default": oms_default,
    "oms_shareplex": oms_shareplex,
    "datastream": datastream,
}
NAMES_ITS_KEY = ("oms_default", "datastream")
# Datastream sends no old rows: only a key tells what its updates take away.
KINDS = [
    (envelope, has_key)
    for envelope in WRITERS
    for has_key in (True, False)
    if has_key or envelope != "datastream"
]
KEYS = (1, 2, 10, 10**24 + 1)
FEW_VALUES = st.sampled_from([None, "🦆"])
VALUES = st.one_of(
    st.sampled_from([None, "", "null", "🦆", 'a"b\\c', "1.10", 10**30 + 1, -1, 0]),
    st.integers(),
    st.text(max_size=5),
)


@dataclass(frozen=True)
class Step:
    """One change: backfilled rows are a ``read``, images of the changed columns ``partial``."""

    before: Row | None
    after: Row | None
    kind: str = "change"


@dataclass(frozen=True)
class Workload:
    """Changes of one table that follow each other, and the seed of their disorder."""

    envelope: str
    has_key: bool
    steps: tuple[Step, ...]
    disorder: int


@st.composite
def workloads(draw: st.DrawFn, envelope: str, has_key: bool) -> Workload:
    """A table that rows come to, change in and leave; equal rows only where it has no key."""
    rows: list[Row] = []
    steps: list[Step] = []
    for number in range(draw(st.integers(4, 14))):
        before = draw(st.sampled_from([None, *rows]))
        free = [key for key in KEYS if key not in [row.get("id") for row in rows]]
        if before is None and not free:
            before = rows[0]
        kinds = ["change"]
        if before is None:
            after = draw(images(free, has_key))
            if envelope == "datastream" and number < 2:
                kinds = ["read"]
        else:
            fate = draw(st.sampled_from(["update", "update", "key change", "delete"]))
            keys = free if free and fate == "key change" else [before.get("id")]
            after = None if fate == "delete" else draw(images(keys, has_key))
            if envelope == "oms_shareplex" and has_key and after and after["id"] == before["id"]:
                kinds = ["partial", "change"]
        rows = [row for row in rows if row is not before] + ([after] if after else [])
        steps.append(Step(before, after, draw(st.sampled_from(kinds))))
    return Workload(envelope, has_key, tuple(steps), draw(st.integers(0, 10**6)))


def images(keys: list[int], has_key: bool) -> st.SearchStrategy[Row]:
    """Rows with one of these keys; without a key rows that are often equal."""
    if has_key:
        return st.fixed_dictionaries({"id": st.sampled_from(keys), "name": VALUES, "größe": VALUES})
    return st.fixed_dictionaries({"number": st.sampled_from([1, 10**24 + 1]), "größe": FEW_VALUES})


def drawn_workloads() -> list[Workload]:
    """Of each kind the simplest example and some that hypothesis makes up, alike in every run."""
    drawn: list[Workload] = []
    for number, (envelope, has_key) in enumerate(KINDS):

        @seed(number)
        @settings(
            max_examples=EXAMPLES_OF_A_KIND,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(workloads(envelope, has_key))
        def collect(workload: Workload) -> None:
            drawn.append(workload)

        collect()
    return drawn


def step_messages(workload: Workload) -> list[list[str]]:
    """The messages of each step, in the order of the source's log."""
    write = WRITERS[workload.envelope]
    return [step_message(write, at, step) for at, step in enumerate(workload.steps, start=1)]


def step_message(write: Writer, at: int, step: Step) -> list[str]:
    if step.kind == "read":
        return [datastream_read(step.after, at)]
    if step.kind == "partial":
        changed = {
            name: value for name, value in step.after.items() if value != step.before[name]
        } or {"name": step.after["name"]}
        return [shareplex_partial(at, step.after["id"], **changed)]
    return write(at, step.before, step.after)


def in_order(workload: Workload) -> list[list[str]]:
    """One batch, each message once."""
    return [[message for messages in step_messages(workload) for message in messages]]


def in_disorder(workload: Workload) -> list[list[str]]:
    """Shuffled, some messages repeated, cut anywhere: also between two halves of one update."""
    chance = random.Random(workload.disorder)
    (messages,) = in_order(workload)
    messages = messages + chance.sample(messages, len(messages) // 3)
    chance.shuffle(messages)
    batches: list[list[str]] = [[] for _ in range(NUMBER_OF_BATCHES)]
    for message in messages:
        chance.choice(batches).append(message)
    return batches


def topic_settings(workload: Workload) -> dict[str, str]:
    names = {"database_name": "d", "table_name": "t"}
    needs_key = workload.has_key and workload.envelope not in NAMES_ITS_KEY
    return names | ({"key_columns": "id"} if needs_key else {})


def rows_left(workload: Workload) -> Counter[tuple]:
    """How many there are of each row in the end."""
    rows: Counter[tuple] = Counter()
    for step in workload.steps:
        if step.before:
            rows[entries(step.before)] -= 1
        if step.after:
            rows[entries(step.after)] += 1
    return +rows


def versions(workload: Workload) -> dict[str, list[tuple[bool, tuple]]]:
    """Of each key its versions in order: whether it was deleted, and the row."""
    found: dict[str, list[tuple[bool, tuple]]] = {}
    for step in workload.steps if workload.has_key else ():
        before, after = step.before, step.after
        if before and (after is None or before["id"] != after["id"]):
            found.setdefault(str(before["id"]), []).append((True, entries(before)))
        if after:
            found.setdefault(str(after["id"]), []).append((False, entries(after)))
    return found


def entries(row: Row) -> tuple:
    return tuple(sorted(as_sent(row).items()))


# Workloads that failed once; hypothesis may not make them up again.
ONCE_FAILED: list[Workload] = []
WORKLOADS = {
    f"{drawn.envelope}-{'keyed' if drawn.has_key else 'keyless'}-{number}": drawn
    for number, drawn in enumerate([*drawn_workloads(), *ONCE_FAILED])
}
