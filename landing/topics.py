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
    rows = [row for row in read_seed(project, TOPICS, "topic") if row["topic"]]
    counts = Counter(row["topic"] for row in rows)
    repeated = ", ".join(topic for topic, count in counts.items() if count > 1)
    if repeated:
        raise SettingsError(f"{TOPICS} names topics more than once: {repeated}; keep one line each")
    return rows


def read_seed(project: Path, seed: Path, column: str) -> list[dict[str, str]]:
    """The rows of a project's file of settings, trimmed as its table is; none without the file.

    Raises :class:`SettingsError` for a file that cannot be read, or that lacks this column.
    """
    path = project / seed
    if not path.exists():
        return []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            names, rows = reader.fieldnames or [], [_trimmed(row) for row in reader]
    except UnicodeDecodeError as error:
        raise SettingsError(f"{seed} is not UTF-8 text: save it as UTF-8") from error
    except csv.Error as error:
        raise SettingsError(f"{seed} is not CSV ({error}): is a quote left open?") from error
    if column not in names:
        advice = "its first line names the columns, with commas between"
        raise SettingsError(f"{seed} has no column {column}: {advice}")
    return rows


def _trimmed(row: dict[str | None, str | None]) -> dict[str, str]:
    return {name: (value or "").strip(BLANKS) for name, value in row.items() if name}
