"""Reads ``seeds/topics.csv``, and refuses one that would be misread."""

import csv
from collections import Counter
from pathlib import Path

TOPICS = Path("seeds/topics.csv")
BLANKS = " \t\r"


class SettingsError(Exception):
    """A file of settings cannot be used; the message says in one line why and what to do."""


def read_topics(project: Path = Path()) -> list[dict[str, str]]:
    """The rows of a project's file that name a topic, trimmed as its table is; none without it.

    Raises :class:`SettingsError` for a file that cannot be read, and for a topic that stands in it
    twice: each of its messages would count twice.
    """
    rows = _rows(project)
    counts = Counter(row["topic"] for row in rows)
    repeated = ", ".join(topic for topic, count in counts.items() if count > 1)
    if repeated:
        raise SettingsError(f"{TOPICS} names topics more than once: {repeated}; keep one line each")
    return rows


def _rows(project: Path) -> list[dict[str, str]]:
    path = project / TOPICS
    if not path.exists():
        return []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            names, rows = reader.fieldnames or [], [_trimmed(row) for row in reader]
    except UnicodeDecodeError as error:
        raise SettingsError(f"{TOPICS} is not UTF-8 text: save it as UTF-8") from error
    except csv.Error as error:
        raise SettingsError(f"{TOPICS} is not CSV ({error}): is a quote left open?") from error
    if "topic" not in names:
        advice = "its first line names the columns, with commas between"
        raise SettingsError(f"{TOPICS} has no column topic: {advice}")
    return [row for row in rows if row["topic"]]


def _trimmed(row: dict[str | None, str | None]) -> dict[str, str]:
    return {name: (value or "").strip(BLANKS) for name, value in row.items() if name}
