"""What ``seeds/topics.csv`` of the project in the current folder says of a topic's envelope."""

import csv
from pathlib import Path

from landing.envelopes import ENVELOPES
from landing.errors import UserError

TOPICS = Path("seeds/topics.csv")


def registered_envelopes() -> dict[str, str]:
    """The envelope by topic, of the topics whose envelope the registry names."""
    if not TOPICS.exists():
        return {}
    with TOPICS.open(encoding="utf-8-sig", newline="") as file:
        rows = [
            {name: (value or "").strip() for name, value in row.items() if name}
            for row in csv.DictReader(file)
        ]
    named = {row["topic"]: row["envelope"] for row in rows if row.get("envelope")}
    for topic, envelope in named.items():
        if envelope not in ENVELOPES:
            raise UserError(
                f"{TOPICS}: topic {topic} names the envelope {envelope!r}, which is none"
            )
    return named
