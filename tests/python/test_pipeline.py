"""Whole pipelines: messages that come in several batches, twice, or before their settings."""

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

PREFIX = "pipeline-"
# Place columns and times of building are no part of what the laws compare.
COMPARED = """
    change_id, envelope, topic, source, database_name, table_name, operation,
    to_json(array_sort(map_entries(before))) as before,
    to_json(array_sort(map_entries(after))) as after,
    to_json(array_sort(map_entries(key))) as key,
    to_json(array_sort(map_entries(previous_key))) as previous_key,
    event_at, is_partial, image
"""


def record(sequence: int, image: str, **row: Any) -> str:
    """A DataWorks record: ``image`` is I, D, or a half of an update (before, after)."""
    flags = {"I": "NY", "D": "YN", "before": "YN", "after": "NY"}[image]
    return json.dumps(
        {
            "_sequence_id_": str(sequence),
            "_operation_type_": image if image in "ID" else "U",
            "_execute_time_": 1649991726000 + sequence,
            "_before_image_": flags[0],
            "_after_image_": flags[1],
            **row,
        }
    )


MESSAGES = [
    record(1, "I", id=1, name="joe", amount=1.5),
    record(2, "I", id=2, name="ann", amount=None),
    record(3, "before", id=1, name="joe", amount=1.5),
    record(3, "after", id=1, name="jo", amount=1.5),
    # The key changes.
    record(4, "before", id=2, name="ann", amount=None),
    record(4, "after", id=3, name="ann", amount=None),
    record(5, "D", id=1, name="jo", amount=1.5),
    # An insert after the delete: a new row.
    record(6, "I", id=1, name="joan", amount=2),
    # A half whose other half never comes.
    record(7, "before", id=3, name="ann", amount=None),
]


@pytest.fixture(scope="module")
def land(project: Path, spark: Any) -> Callable[[str, list[str]], None]:
    """Lands messages as one batch of a topic."""
    from landing.cli import main

    def land_messages(topic: str, messages: list[str]) -> None:
        path = project / "batches" / f"{random.randrange(10**12)}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(messages) + "\n")
        landed = CliRunner().invoke(main, ["land", "files", "--topic", topic, str(path), "--again"])
        assert landed.exit_code == 0, landed.output

    return land_messages


def register(project: Path, topic: str, **settings: str) -> None:
    """Add a row to the copy's seeds/topics.csv."""
    path = project / "seeds" / "topics.csv"
    header = path.read_text().splitlines()[0].split(",")
    with path.open("a", newline="") as file:
        csv.DictWriter(file, header, lineterminator="\n").writerow({"topic": topic, **settings})


def changes(spark: Any, topic: str) -> list[tuple]:
    query = f"select {COMPARED} from silver.change_log where topic = '{topic}' order by change_id"
    return [tuple(row) for row in spark.sql(query).collect()]


def rows(spark: Any, topic: str) -> list[dict]:
    query = f"select row from gold.current_rows where source = '{topic}' order by row['id']"
    return [row["row"] for row in spark.sql(query).collect()]


def test_any_cut_repetition_and_late_settings_give_what_one_rebuild_gives(
    project: Path, spark: Any, dbt: Callable[..., None], land: Callable[[str, list[str]], None]
) -> None:
    """Laws 3 and 4 on one workload: halves apart, messages twice, settings that come late."""
    cut, shuffled, late = (f"{PREFIX}{name}" for name in ("cut", "shuffled", "late"))
    order = random.Random(7).sample(MESSAGES, len(MESSAGES))
    table = {"database_name": "shop", "table_name": "orders", "key_columns": "id"}
    register(project, cut, **table)
    register(project, shuffled, **table)

    land(cut, MESSAGES[:3])
    land(shuffled, order[:5])
    land(late, MESSAGES)
    dbt("run")
    orphan = [change for change in changes(spark, cut) if change[-1] == "before"]
    assert len(orphan) == 1, "the half that has come is to be found"
    assert changes(spark, late) == []
    waiting = spark.sql(f"select reason from silver.quarantine where topic = '{late}'").collect()
    assert len(waiting) == len(MESSAGES)

    land(cut, MESSAGES[3:])
    land(cut, MESSAGES[:4])
    land(shuffled, order[3:])
    register(project, late, **table)
    dbt("run")
    incremental = {topic: changes(spark, topic) for topic in (cut, shuffled, late)}
    repeats = spark.sql(f"select * from silver.repeats where topic = '{cut}'").count()
    assert repeats == 4
    assert orphan[0][0] in {change[0] for change in incremental[cut]}, "the pair keeps its id"
    assert len(incremental[late]) == 7, "what a setting explains leaves quarantine by itself"
    assert spark.sql(f"select 1 from silver.quarantine where topic = '{late}'").count() == 0

    expected = [
        {"id": "1", "name": "joan", "amount": "2"},
        {"id": "3", "name": "ann", "amount": None},
    ]
    for topic in (cut, shuffled, late):
        assert rows(spark, topic) == expected, topic
    without_names = [
        [change[1:2] + change[4:] for change in sorted(found, key=lambda one: str(one[4:]))]
        for found in incremental.values()
    ]
    assert without_names[0] == without_names[1] == without_names[2]

    built = dict(spark.sql("select change_id, built_at from silver.change_log").collect())
    dbt("run")
    again = dict(spark.sql("select change_id, built_at from silver.change_log").collect())
    assert built == again, "a run with nothing new changes nothing"

    dbt("run", "--full-refresh")
    rebuilt = {topic: changes(spark, topic) for topic in (cut, shuffled, late)}
    assert rebuilt == incremental
