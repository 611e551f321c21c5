"""What many tests do first: settings of topics, and commands in this process."""

import csv
from pathlib import Path

from click.testing import CliRunner, Result

from landing.cli import main


def land(*arguments: str | Path) -> Result:
    """What `onelog land files` did."""
    return CliRunner().invoke(main, ["land", "files", *map(str, arguments)])


def land_well(*arguments: str | Path) -> str:
    """What `onelog land files` said; it must have worked."""
    result = land(*arguments)
    assert result.exit_code == 0, f"{result.output}{result.exception!r}"
    return result.stdout


def register_topic(project: Path, topic: str, **settings: str) -> None:
    """Write a topic's row in a copy's seeds/topics.csv, in the place of one that it has."""
    path = project / "seeds" / "topics.csv"
    with path.open(newline="") as file:
        reader = csv.DictReader(file)
        header, rows = reader.fieldnames or [], list(reader)
    rows = [row for row in rows if row["topic"] != topic] + [{"topic": topic, **settings}]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
