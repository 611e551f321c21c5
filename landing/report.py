"""What a landing tells of itself."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Report:
    """The batch that a call landed, its messages by topic and envelope, and what else to know."""

    batch: int | None = None
    messages: Counter[tuple[str, str]] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The call in a few lines of text."""
        yield from self.notes
        if self.batch is None:
            yield "nothing new"
            return
        yield f"batch {self.batch}: {self.messages.total()} messages"
        for (topic, envelope), count in sorted(self.messages.items()):
            yield f"  {topic}: {count} {envelope}"
