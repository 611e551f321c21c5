"""Moves landed messages of a topic to the envelope that the registry names by now."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from landing.bronze import rewrites
from landing.bronze.rewrites import Part
from landing.envelopes import fields_of, reexamine
from landing.errors import LandingError, UserError
from landing.files.landed import INGRESS
from landing.lines import allow_deep_nesting, new_counts
from landing.registry import registered_envelopes
from landing.topics import TOPICS

if TYPE_CHECKING:
    from pyspark.accumulators import Accumulator
    from pyspark.sql import DataFrame, Row, SparkSession

REWRITTEN_LINES = "line string, envelope string, batch bigint"
MOVES = "batch bigint, was string, envelope string"
PLACE = ("topic", "partition", "offset", "received_at", "message_key")

# (batch, from envelope, to envelope) → messages
Moves = Counter[tuple[int, str, str]]


@dataclass
class Reroute:
    """What a reroute did: messages that moved, and batches that had expired before."""

    topic: str
    moves: Moves = field(default_factory=Counter)
    expired: int = 0

    def lines(self) -> Iterator[str]:
        """The call in a few lines of text."""
        totals: Counter[tuple[str, str]] = Counter()
        for (_, was, envelope), messages in self.moves.items():
            totals[was, envelope] += messages
        for (was, envelope), messages in sorted(totals.items()):
            yield f"{self.topic}: {messages} messages moved from {was} to {envelope}"
        if totals:
            batches = len({batch for batch, _, _ in self.moves})
            yield f"of {batches} batches; the next dbt run reads them as what they are now"
        else:
            yield f"nothing to move: every message of {self.topic} lies where it belongs"
        if self.expired:
            yield f"{self.expired} batches of {self.topic} have expired and cannot move"


@dataclass(frozen=True)
class Topic:
    """Whose messages move, and how each would land today: what a task needs to know."""

    name: str
    registered: str
    is_from_files: bool

    def landed_today(self, line: bytes, was: str) -> tuple[str, bytes]:
        """The envelope and the landed line of a message that landed as ``was``."""
        if not line.startswith(self.beginning):
            return was, line
        fields = fields_of(line)
        envelope, end = reexamine(fields, self.registered, self.is_from_files)
        if envelope == was:
            return was, line
        place = (b'"%b":%b' % (name.encode(), fields[name]) for name in PLACE if name in fields)
        return envelope, b"{%b%b" % (b",".join(place), end)

    @property
    def beginning(self) -> bytes:
        """How each landed line of the topic begins."""
        return b'{"topic":%b,"partition":' % json.dumps(self.name).encode()


def reroute(
    spark: "SparkSession", name: str, progress: Callable[[str], None] = lambda step: None
) -> Reroute:
    """Move the messages of a topic that the registry's envelope claims, in one commit.

    Raises :class:`UserError` for a topic of which nothing has landed or that names no envelope.
    """
    registered = registered_envelopes().get(name)
    if registered is None:
        raise UserError(f"{TOPICS} names no envelope for topic {name}: write it there first")
    number = rewrites.prepare(spark).rewrite
    batches = _batches(spark, name)
    if not batches:
        raise UserError(f"no message of topic {name} has landed")
    topic = Topic(name, registered, is_from_files=batches[0].ingress == INGRESS)
    held = {(fed.envelope, row.batch): fed.messages for row in batches for fed in row.tables}
    places = rewrites.locations(spark, number, held)
    expired = rewrites.expired_batches(spark, (row.batch for row in batches))
    report = Reroute(name, expired=expired)
    progress("looking for messages to move")
    report.moves = _moves(spark, places, topic)
    if report.moves:
        progress("moving the messages")
        _move(spark, topic, report.moves, held, places, number)
    return report


def _batches(spark: "SparkSession", topic: str) -> list["Row"]:
    """The batches in which messages of the topic lie; ``ingress``: the way in of the topic."""
    from pyspark.sql.functions import coalesce, exists, first, lit

    batches = spark.table("bronze.batches")
    brought = batches.where(exists("offsets", lambda place: place.topic == lit(topic)))
    lie_in = brought.groupBy(coalesce("joined_into", "batch").alias("batch"))
    found = lie_in.agg(first("ingress").alias("ingress"))
    return found.join(batches.select("batch", "tables"), "batch").collect()


def _move(
    spark: "SparkSession",
    topic: Topic,
    moves: Moves,
    held: dict[Part, int],
    places: dict[Part, str],
    number: int,
) -> None:
    """Write the tables that lose or gain messages anew, and commit them."""
    left = Counter(held)
    for (batch, was, envelope), messages in moves.items():
        left[was, batch] -= messages
        left[envelope, batch] += messages
    touched = {(name, batch) for batch, *names in moves for name in names}
    folder = rewrites.folder_of(spark, number)
    written = _write(spark, {part: places[part] for part in touched & held.keys()}, topic, folder)
    if written != Counter({part: left[part] for part in touched if left[part]}):
        raise LandingError(
            f"bronze changed while it was read; no message of topic {topic.name} was moved: "
            "reroute it again"
        )
    tables: dict[int, list[tuple[str, str | None, int]]] = {}
    for envelope, batch in sorted(touched):
        messages = left[envelope, batch]
        place = f"{folder}/envelope={envelope}/batch={batch}" if messages else None
        tables.setdefault(batch, []).append((envelope, place, messages))
    # Silver reads what was joined into a batch from that batch, with it.
    tables |= {batch: [] for batch in rewrites.joined(spark, tables)}
    now = datetime.now(UTC)
    rewrites.commit(
        spark,
        [
            rewrites.Rewrite(number, now, "reroute", topic.name, changed, batch)
            for batch, changed in sorted(tables.items())
        ],
    )
    rewrites.complete(spark)


def _lines(spark: "SparkSession", places: dict[Part, str]) -> "DataFrame":
    """The landed lines of these tables as bytes, with their envelope and batch."""
    lines = rewrites.landed_lines(spark, places.values())
    return lines.withColumn("line", lines.line.cast("binary"))


def _moves(spark: "SparkSession", places: dict[Part, str], topic: Topic) -> Moves:
    """The messages that would land in another table today, by batch, that table and this."""
    if not places:
        return Counter()
    lines = _lines(spark, places)
    rows = lines.mapInArrow(_finder(topic), MOVES).groupBy("batch", "was", "envelope").count()
    return Counter({(row.batch, row.was, row.envelope): row["count"] for row in rows.collect()})


def _write(
    spark: "SparkSession", places: dict[Part, str], topic: Topic, folder: str
) -> Counter[Part]:
    """Write the lines of these tables anew, each where it belongs today; messages by table."""
    counts = new_counts(spark)
    lines = _lines(spark, places)
    rewrites.write_lines(lines.mapInArrow(_rewriter(topic, counts), REWRITTEN_LINES), folder)
    return counts.value


def _finder(topic: Topic) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that finds the messages to move among each task's lines."""

    def find(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        allow_deep_nesting()
        for batch in batches:
            moves = [
                {"batch": number, "was": was, "envelope": envelope}
                for line, was, number in _rows(batch)
                if (envelope := topic.landed_today(line, was)[0]) != was
            ]
            yield pa.RecordBatch.from_pylist(moves, MOVES_SCHEMA)

    return find


def _rewriter(
    topic: Topic, counts: "Accumulator[Counter[Any]]"
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that writes each task's lines anew, and counts them by table."""

    def rewrite(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        allow_deep_nesting()
        for batch in batches:
            landed = [topic.landed_today(line, was) for line, was, _ in _rows(batch)]
            envelopes = [envelope for envelope, _ in landed]
            counts.add(Counter(zip(envelopes, batch["batch"].to_pylist(), strict=True)))
            lines = pa.array([line for _, line in landed], pa.binary()).view(pa.string())
            yield pa.RecordBatch.from_arrays(
                [lines, pa.array(envelopes, pa.string()), batch["batch"]],
                ["line", "envelope", "batch"],
            )

    return rewrite


MOVES_SCHEMA = pa.schema([("batch", pa.int64()), ("was", pa.string()), ("envelope", pa.string())])


def _rows(batch: pa.RecordBatch) -> Iterator[tuple[bytes, str, int]]:
    """(line, envelope, batch) of each landed line."""
    columns = (batch[name].to_pylist() for name in ("line", "envelope", "batch"))
    return zip(*columns, strict=True)
