"""The rounds of `onelog follow`: land, build, tell, wait. They know nothing of Spark and of dbt."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from landing.follow.pauses import Pauses

BUILD = "building"
# What may fail: the name of a way in and a part of it, a file and its path, or the building.
Thing = tuple[str, str]


@dataclass(frozen=True)
class Landing:
    """What a landing brought: messages, and by path why a file could not be read."""

    messages: int = 0
    broken: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Ingress:
    """One way in, and the parts of it that are followed: the paths of files, or topics.

    ``land`` lands parts as one batch. It passes over the broken files that its second argument
    names, as (``file``, path).
    """

    name: str
    parts: tuple[str, ...]
    land: Callable[[tuple[str, ...], Collection[Thing]], Landing]


@dataclass(frozen=True)
class Steps:
    """What a round does.

    ``state`` says what a build would build: it changes with each batch and with the project's
    files. ``build`` builds, and gives the reason where that failed. ``lag`` gives the seconds
    since the newest change that is built; None without one. ``reason`` makes one line of an error,
    or raises where no round can work any more.
    """

    ingresses: Sequence[Ingress]
    state: Callable[[], Hashable]
    build: Callable[[], str | None]
    lag: Callable[[], float | None]
    reason: Callable[[Exception], str]


@dataclass(frozen=True)
class Surroundings:
    """The world outside: a clock in seconds that never goes back, who listens, and when to stop."""

    clock: Callable[[], float]
    wait: Callable[[float], None]
    tell: Callable[[str], None]
    is_stopped: Callable[[], bool]


class Rounds:
    """Lands and builds every so many seconds until it is told to stop.

    What fails is told in one line and tried again after a pause that grows. The rest goes on.
    """

    def __init__(self, steps: Steps, outside: Surroundings, every: float) -> None:
        self._steps, self._outside, self._every = steps, outside, every
        self._pauses = Pauses(every)
        self._tries_alone: Counter[Thing] = Counter()
        # By broken file, the parts that were landed when it was found.
        self._found_in: dict[Thing, set[Thing]] = {}
        self._built: Hashable = None
        self._not_built: Hashable = None
        self._reason = ""
        self._is_idle = False

    def run(self) -> None:
        """Make rounds; ends after the step in which it is told to stop."""
        while not self._outside.is_stopped():
            begun = self._outside.clock()
            self._round()
            if not self._outside.is_stopped():
                self._outside.wait(max(0.0, begun + self._every - self._outside.clock()))

    def _round(self) -> None:
        begun = self._outside.clock()
        messages = 0
        for ingress in self._steps.ingresses:
            if not self._outside.is_stopped():
                messages += self._land(ingress)
        landed = self._outside.clock()
        said = [f"{messages:,} messages, landing {landed - begun:.1f} s"]
        is_built = not self._outside.is_stopped() and self._build()
        if is_built:
            said.append(f"building {self._outside.clock() - landed:.1f} s")
            said += [f"lag {lag:.1f} s" for lag in [self._lag()] if lag is not None]
        if messages or is_built:
            self._outside.tell(", ".join(said))
        elif not self._is_idle:
            self._outside.tell("nothing new")
        self._is_idle = not (messages or is_built)

    def _land(self, ingress: Ingress) -> int:
        """Land the parts of a way in that are due; each alone where together they fail."""
        now = self._outside.clock()
        due = tuple(part for part in ingress.parts if self._is_due(ingress.name, now, part))
        landing = self._tried(ingress, due)
        if isinstance(landing, Landing):
            return landing.messages
        if len(due) == 1:
            self._failed(ingress.name, due, landing)
            return 0
        return self._land_each(ingress, due, landing)

    def _land_each(self, ingress: Ingress, parts: tuple[str, ...], reason: str) -> int:
        """Land each part alone, so that a broken one keeps none of the others from landing.

        Once two parts fail for the reason for which all failed, the rest is tried together: a
        broker that is away is not asked again for each topic. The next time those come first that
        were tried alone least often, so that each part has its turn.
        """
        messages, alike = 0, 0
        left = sorted(parts, key=lambda part: self._tries_alone[ingress.name, part])
        while left and not self._outside.is_stopped():
            tried = tuple(left if alike == 2 else left[:1])
            left = left[len(tried) :]
            if len(tried) == 1:
                self._tries_alone[ingress.name, tried[0]] += 1
            landing = self._tried(ingress, tried)
            if isinstance(landing, Landing):
                messages += landing.messages
                continue
            alike += landing == reason
            self._failed(ingress.name, tried, landing)
        return messages

    def _tried(self, ingress: Ingress, parts: tuple[str, ...]) -> Landing | str:
        """What landing these parts brought, or why it failed."""
        if not parts:
            return Landing()
        passed_over = self._pauses.waiting(self._outside.clock())
        try:
            landing = ingress.land(parts, passed_over)
        except Exception as error:
            return self._steps.reason(error)
        landed = {(ingress.name, part) for part in parts}
        # A file that was looked at and is not broken any more has worked, or is gone.
        broken = {("file", path) for path in landing.broken}
        looked_at = {file for file, found_in in self._found_in.items() if found_in <= landed}
        for thing in landed | (looked_at - passed_over - broken):
            self._pauses.worked(thing)
            self._found_in.pop(thing, None)
        for path, reason in landing.broken.items():
            self._found_in["file", path] = landed
            self._failed("file", (path,), reason)
        return landing

    def _build(self) -> bool:
        """Build where something has changed since the last build that worked."""
        now = self._outside.clock()
        state: Hashable = None
        try:
            state = self._steps.state()
            if state == self._built or (state == self._not_built and not self._is_due(BUILD, now)):
                return False
            failure = self._steps.build()
        except Exception as error:
            failure = self._steps.reason(error)
        if failure is None:
            self._built, self._not_built, self._reason = state, None, ""
            self._pauses.worked((BUILD, ""))
            return True
        self._not_built = state
        # Each new batch is tried. The fault of one model is told again after a pause only.
        if failure != self._reason or self._is_due(BUILD, now):
            self._failed(BUILD, ("",), failure)
        self._reason = failure
        return False

    def _lag(self) -> float | None:
        try:
            return self._steps.lag()
        except Exception as error:
            self._outside.tell(f"lag: {self._steps.reason(error)}")
            return None

    def _is_due(self, name: str, now: float, part: str = "") -> bool:
        return self._pauses.is_due((name, part), now)

    def _failed(self, name: str, parts: tuple[str, ...], reason: str) -> None:
        """Tell in one line why parts failed; they are tried again after their pauses."""
        now = self._outside.clock()
        pause = min(self._pauses.failed((name, part), now) for part in parts)
        what = f"{name} {', '.join(parts)}".strip()
        self._outside.tell(f"{what}: {reason}; tried again in {pause:.0f} s")
