"""Says how each topic stands, what the last runs did, and what needs a person."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from landing.bronze.expire import waiting_batches
from landing.errors import UserError
from landing.printable import printable
from landing.queries.built import require_built
from landing.queries.shown import table
from landing.session.results import last_results

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Quarantined messages of so many of a topic's newest batches need a person.
NEWEST_BATCHES = 10
RUNS_SHOWN = 10
EPOCH = datetime.fromtimestamp(0, UTC)
READ = (
    *("silver.change_log", "silver.ddl_log", "silver.control_log", "silver.repeats"),
    *("silver.quarantine", "resolve.row_states"),
)
BATCHES = """
select
    file.topic,
    max(landed_at) as last_landed_at,
    sum(file.messages) as messages,
    coalesce(
        min(batch) filter (where place <= {newest}),
        0
    ) as first_new_batch
from (
    select
        *,
        dense_rank() over (partition by file.topic order by batch desc) as place
    from (select landed_at, batch, explode(files) as file from bronze.batches)
    where file.messages > 0
)
group by file.topic
"""
# One aggregate for each log.
LOGS = """
select 'changes' as log, topic, null as reason, null as batch, count(*) as found,
    max(event_at) as newest
from silver.change_log group by topic
union all
select 'statements', topic, null, null, count(*), max(event_at) from silver.ddl_log group by topic
union all
select 'control', topic, null, null, count(*), max(event_at) from silver.control_log group by topic
union all
select 'repeats', topic, null, null, count(*), null from silver.repeats group by topic
union all
select 'quarantined', topic, reason, max(batch), count(*), null
from silver.quarantine group by topic, reason
"""
RUNS = """
select built_at, sum(added) as rows
from (
    select built_at, count(*) as added from resolve.changes where marked_unit is null group by all
    union all
    select built_at, 0 from resolve.row_states where marked_unit = ''
)
group by built_at
order by built_at desc
limit {most}
"""


@dataclass
class Topic:
    """How a topic stands; times are UTC, lags seconds.

    ``newest_event_at``: of changes, statements and control events, heartbeats among them.
    ``lag_at_landing`` is how old that event was when the topic last landed, ``lag_now`` is now.
    ``quarantined`` counts messages by reason.
    """

    topic: str
    last_landed_at: datetime | None = None
    newest_event_at: datetime | None = None
    lag_at_landing: float | None = None
    lag_now: float | None = None
    messages: int = 0
    changes: int = 0
    statements: int = 0
    control: int = 0
    repeats: int = 0
    quarantined: dict[str, int] = field(default_factory=dict)


@dataclass
class Run:
    """A run that changed tables: ``rows`` of the log came or were resolved again in it.

    Of the last dbt command, ``seconds``, ``ended_at`` and ``models`` (by what became of them, with
    the tests and with the hooks that failed) are known, too. Its ``rows`` are None where its run
    changed nothing.
    """

    built_at: datetime | None
    rows: int | None = None
    command: str | None = None
    seconds: float | None = None
    models: dict[str, int] = field(default_factory=dict)
    ended_at: datetime | None = None

    def outcome(self) -> str:
        """What became of the models, in words."""
        told = (f"{count} {word}" for word, count in sorted(self.models.items()))
        return ", ".join(told) or "nothing to do"


@dataclass
class Status:
    """How a home stands; ``reasons`` say why it needs a person."""

    topics: list[Topic]
    runs: list[Run]
    reasons: list[str]

    def as_json(self) -> str:
        """All of it as one JSON object."""
        return json.dumps(asdict(self), default=_iso, ensure_ascii=False)

    def lines(self) -> Iterator[str]:
        """All of it as text."""
        names = ["topic", "last landing", "lag then", "lag now", "messages", "changes"]
        names += ["statements", "control", "repeats", "quarantined"]
        rows = [
            [
                printable(topic.topic),
                _moment(topic.last_landed_at),
                _span(topic.lag_at_landing),
                _span(topic.lag_now),
                *(f"{topic.messages:,}", f"{topic.changes:,}", f"{topic.statements:,}"),
                *(f"{topic.control:,}", f"{topic.repeats:,}"),
                f"{sum(topic.quarantined.values()):,}",
            ]
            for topic in self.topics
        ]
        yield from (line.rstrip("\n") for line in table(names, rows, True, lambda said: None))
        for topic in self.topics:
            for reason, count in topic.quarantined.items():
                yield f"quarantined, {topic.topic}: {_messages(count)}: {reason}"
        for run in self.runs:
            yield " ".join(_run(run))
        yield from (f"needs a person: {reason}" for reason in self.reasons)


def ignored_topics(project: dict[str, Any]) -> set[str]:
    """The topics of whose quarantine nobody is told, as dbt reads a project's variables."""
    given = project.get("vars") or {}
    return set((given | (given.get("onelog") or {})).get("quarantine_ignored") or [])


def status(spark: "SparkSession") -> Status:
    """How the home stands: one aggregate for each log.

    Raises :class:`UserError` where nothing has landed or nothing is built yet.
    """
    if not spark.catalog.tableExists("bronze.batches"):
        raise UserError("nothing has landed yet: run onelog land first")
    require_built(spark, *READ)
    now = datetime.now(UTC)
    topics: dict[str, Topic] = {}
    first_new = {}
    for row in spark.sql(BATCHES.format(newest=NEWEST_BATCHES)).collect():
        topics[row.topic] = Topic(row.topic, _utc(row.last_landed_at), messages=row.messages)
        first_new[row.topic] = row.first_new_batch
    ignored = ignored_topics(_project())
    reasons = []
    for row in spark.sql(LOGS).orderBy("topic", "reason").collect():
        topic = topics.setdefault(row.topic, Topic(row.topic))
        if row.log == "quarantined":
            topic.quarantined[row.reason] = row.found
            if row.batch >= first_new.get(row.topic, 0) and row.topic not in ignored:
                reasons.append(f"{_messages(row.found)} of {row.topic} in quarantine: {row.reason}")
            continue
        setattr(topic, row.log, row.found)
        _see(topic, _utc(row.newest), now)
    last = _last_run()
    if last and (failed := last.models.get("error", 0) + last.models.get("fail", 0)):
        reasons.append(f"the last dbt {last.command} failed, with {failed} of its nodes")
    empty = spark.table("bronze.batches").where("size(tables) = 0 and joined_into is null")
    expired = empty.select("batch").collect()
    unbuilt = set(waiting_batches(spark)) - {row.batch for row in expired}
    if unbuilt:
        reasons.append(f"batches that no run has built: {len(unbuilt)}, from {min(unbuilt)} on")
    runs = _with_last(last, _runs(spark))
    return Status([topics[name] for name in sorted(topics)], runs, reasons)


def _see(topic: Topic, event_at: datetime | None, now: datetime) -> None:
    """Let a topic know of an event."""
    if event_at is None or (topic.newest_event_at and event_at <= topic.newest_event_at):
        return
    topic.newest_event_at = event_at
    topic.lag_now = (now - event_at).total_seconds()
    if topic.last_landed_at:
        topic.lag_at_landing = (topic.last_landed_at - event_at).total_seconds()


def _runs(spark: "SparkSession") -> list[Run]:
    rows = spark.sql(RUNS.format(most=RUNS_SHOWN)).collect()
    return [Run(_utc(row.built_at), row.rows) for row in rows]


def _last_run() -> Run | None:
    """The last dbt command on this home that built something."""
    found = last_results("run", "build")
    if not found:
        return None
    command, written = found
    models: dict[str, int] = {}
    for result in written["results"]:
        is_hook = result["unique_id"].startswith("operation.")
        if not is_hook or result["status"] == "error":
            models[result["status"]] = models.get(result["status"], 0) + 1
    built_at, ended_at = written.get("built_at"), written.get("ended_at")
    return Run(
        built_at=EPOCH + timedelta(microseconds=built_at) if built_at else None,
        command=command,
        seconds=written["elapsed_time"],
        models=models,
        ended_at=EPOCH + timedelta(seconds=ended_at) if ended_at else None,
    )


def _with_last(last: Run | None, runs: list[Run]) -> list[Run]:
    """The runs after that of the last dbt command, which has the number of its rows from them."""
    if last is None:
        return runs
    rows = next((run.rows for run in runs if run.built_at == last.built_at), None)
    return [replace(last, rows=rows), *(run for run in runs if run.built_at != last.built_at)]


def _project() -> dict[str, Any]:
    return yaml.safe_load(Path("dbt_project.yml").read_text()) or {}


def _utc(moment: datetime | None) -> datetime | None:
    return moment.astimezone(UTC) if moment else None


def _iso(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S.%fZ}"


def _moment(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment else "-"


def _span(seconds: float | None) -> str:
    return "-" if seconds is None else str(timedelta(seconds=round(max(seconds, 0))))


def _messages(count: int) -> str:
    return f"{count:,} message{'' if count == 1 else 's'}"


def _run(run: Run) -> Iterator[str]:
    if run.command:
        rows = "" if run.rows is None else f"; {run.rows:,} rows of the log"
        yield f"last dbt {run.command}: {run.seconds or 0:.1f} s, ended {_moment(run.ended_at)}:"
        yield f"{run.outcome()}{rows}"
    else:
        yield f"run of {_moment(run.built_at)}: {run.rows:,} rows of the log"
