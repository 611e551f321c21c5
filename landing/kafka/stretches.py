"""Decides from where to where each partition of a topic lands, and what was lost before it could.

A landed offset is Kafka's, plus a shift that is 0 until a loss was accepted that makes Kafka count
its offsets anew: places stay unique, and later messages stay behind earlier ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

Place = tuple[str, int]


@dataclass(frozen=True)
class Held:
    """What the brokers hold of a partition: offsets from ``first``, below ``end``.

    ``written``: where all that they hold ends. ``end`` is below it while a transaction is open,
    where only what is committed is read.
    """

    topic_id: str
    first: int
    end: int
    written: int = 0

    def has_lost(self, stopped: int) -> bool:
        """Do the brokers no longer hold offsets below ``stopped``, at which a landing stopped?

        It stopped above ``end`` where it read what was not committed: that is there.
        """
        return max(self.end, self.written) < stopped


@dataclass(frozen=True)
class Landed:
    """Where the last landing of a partition stopped; ``next_offset`` has the shift in it."""

    topic_id: str
    shift: int
    next_offset: int

    @property
    def stopped(self) -> int:
        """The next offset as Kafka counts."""
        return self.next_offset - self.shift


@dataclass(frozen=True)
class Stretch:
    """The offsets of a partition to land, from ``first`` and below ``end``, as Kafka counts."""

    topic_id: str
    first: int
    end: int
    shift: int

    @property
    def next_offset(self) -> int:
        """Where the partition goes on, with the shift in it."""
        return self.end + self.shift


@dataclass
class Plan:
    """The stretches to land, by place; losses to accept or to stop at; what is worth saying."""

    stretches: dict[Place, Stretch] = field(default_factory=dict)
    losses: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def plan_stretches(held: Mapping[Place, Held], landed: Mapping[Place, Landed]) -> Plan:
    """What to land of the partitions that the brokers hold, after what has landed of them.

    ``landed`` is in the order of landing. A partition without news has no stretch.
    """
    plan = Plan()
    last_ids = {topic: mark.topic_id for (topic, _), mark in landed.items()}
    for topic in sorted({topic for topic, _ in held}):
        partitions = {place: held[place] for place in sorted(held) if place[0] == topic}
        marks = {place: landed[place] for place in sorted(landed) if place[0] == topic}
        if not marks:
            _begin(plan, partitions)
        elif _is_another(partitions, marks, last_ids[topic]):
            _begin_anew(plan, topic, partitions, marks)
        else:
            for place, partition in partitions.items():
                _go_on(plan, place, partition, marks.get(place))
    return plan


def _is_another(held: Mapping[Place, Held], marks: Mapping[Place, Landed], last_id: str) -> bool:
    """Is this another topic of the same name? Old brokers give no ids: then offsets must tell.

    One partition that ends below its mark may have been cut; a topic made anew begins in all.
    """
    ids = {partition.topic_id for partition in held.values()}
    if last_id and ids != {""}:
        return ids != {last_id}
    marked = [place for place, mark in marks.items() if mark.stopped > 0 and place in held]
    return bool(marked) and all(held[place].has_lost(marks[place].stopped) for place in marked)


def _begin(plan: Plan, held: Mapping[Place, Held]) -> None:
    for (topic, number), partition in held.items():
        if partition.first > 0:
            plan.notes.append(
                f"topic {topic}, partition {number}: begins at offset {partition.first}; what came "
                "before has expired"
            )
        # Its mark says that this was told, also where the partition is empty by now.
        is_certain = partition.first > 0
        _add(plan, (topic, number), partition, partition.first, 0, is_certain)


def _begin_anew(
    plan: Plan, topic: str, held: Mapping[Place, Held], marks: Mapping[Place, Landed]
) -> None:
    stops = ", ".join(f"partition {number}: {mark.stopped}" for (_, number), mark in marks.items())
    holds = ", ".join(
        f"partition {number}: {partition.first} to {partition.end}"
        for (_, number), partition in held.items()
    )
    plan.losses.append(
        f"topic {topic} was deleted and made anew since the last landing, or is another cluster's: "
        f"landing stopped at ({stops}), the brokers now hold ({holds}), what the old topic got in "
        "between is gone; once accepted, the new one lands from its beginning, its offsets counted "
        "on from where the old one stopped"
    )
    for place, partition in held.items():
        shift = marks[place].next_offset if place in marks else 0
        _add(plan, place, partition, partition.first, shift, is_certain=True)


def _go_on(plan: Plan, place: Place, held: Held, mark: Landed | None) -> None:
    topic, number = place
    where = f"topic {topic}, partition {number}"
    stopped, shift = (mark.stopped, mark.shift) if mark else (0, 0)
    next_offset = mark.next_offset if mark else 0
    # A partition of an older topic of this name, which its successor had not before.
    is_another = bool(mark and mark.topic_id and held.topic_id and mark.topic_id != held.topic_id)
    if is_another:
        stopped, shift = 0, next_offset
    if mark is None or is_another:
        plan.notes.append(f"{where}: is new")
    if held.has_lost(stopped):
        plan.losses.append(
            f"{where}: landing stopped at offset {stopped}, but the brokers now end at {held.end}: "
            "they lost messages that have landed, and give their offsets to others; once accepted, "
            f"landing goes on at {held.end}, its offsets counted on from {stopped}"
        )
        _add(plan, place, held, held.end, next_offset - held.end, is_certain=True)
    elif stopped < held.first:
        plan.losses.append(
            f"{where}: offsets {stopped} to {held.first - 1} have expired before they were landed "
            f"(landing stopped at {stopped}, the brokers hold {held.first} to {held.end}); once "
            f"accepted, landing goes on at {held.first}"
        )
        _add(plan, place, held, held.first, shift, is_certain=True)
    else:
        _add(plan, place, held, stopped, shift)


def _add(
    plan: Plan, place: Place, held: Held, first: int, shift: int, is_certain: bool = False
) -> None:
    """Add a stretch where it brings news; a loss that was told is news without a message."""
    if first < held.end or is_certain:
        plan.stretches[place] = Stretch(held.topic_id, first, held.end, shift)
