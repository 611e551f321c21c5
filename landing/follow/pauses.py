"""When to try again what failed: after a pause that doubles with each failure."""

from dataclasses import dataclass, field

LONGEST_PAUSE = 300.0  # seconds


@dataclass
class Pauses:
    """The pauses of things that failed. Times are seconds of one clock that never goes back."""

    first: float
    longest: float = LONGEST_PAUSE
    _waiting: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)

    def is_due(self, thing: tuple[str, str], now: float) -> bool:
        """True unless the thing failed and its pause goes on."""
        return now >= self._waiting.get(thing, (0.0, now))[1]

    def failed(self, thing: tuple[str, str], now: float) -> float:
        """Begin a pause, twice as long as the last one; gives its seconds."""
        last, _ = self._waiting.get(thing, (0.0, 0.0))
        pause = min(max(2 * last, self.first, 1.0), self.longest)
        self._waiting[thing] = (pause, now + pause)
        return pause

    def worked(self, thing: tuple[str, str]) -> None:
        """Forget that the thing failed."""
        self._waiting.pop(thing, None)

    def waiting(self, now: float) -> frozenset[tuple[str, str]]:
        """The things whose pause goes on."""
        return frozenset(thing for thing in self._waiting if not self.is_due(thing, now))
