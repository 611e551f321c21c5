"""What ``seeds/topics.csv`` of the project in the current folder says of a topic's envelope."""

from landing.envelopes import ENVELOPES
from landing.errors import UserError
from landing.topics import TOPICS, SettingsError, read_topics


def registered_envelopes() -> dict[str, str]:
    """The envelope by topic, of the topics whose envelope the registry names."""
    try:
        rows = read_topics()
    except SettingsError as error:
        raise UserError(str(error)) from error
    named = {row["topic"]: row["envelope"] for row in rows if row.get("envelope")}
    for topic, envelope in named.items():
        if envelope not in ENVELOPES:
            raise UserError(
                f"{TOPICS}: topic {topic} names the envelope {envelope!r}, which is none: "
                f"leave it empty, or name one of {', '.join(sorted(ENVELOPES))}"
            )
    return named
