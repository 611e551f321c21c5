"""Lands records that bring their own place, as Kafka's and a table's do, as one batch."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from landing.bronze import store
from landing.bronze.store import Place
from landing.lines import (
    LANDED_LINES,
    RECORD_COLUMNS,
    LineBuilder,
    allow_deep_nesting,
    new_counts,
)
from landing.registry import registered_envelopes
from landing.report import Report

if TYPE_CHECKING:
    from pyspark.accumulators import Accumulator
    from pyspark.sql import DataFrame, SparkSession

# A time that is none (Kafka's -1), or that no calendar has, is the landing's.
RECEIVED_AT = """
    if(
        timestamp >= timestamp '1970-01-01' and timestamp < timestamp '9999-12-31',
        cast(date_format(timestamp, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'") as binary),
        null
    ) as received_at
"""


@dataclass(frozen=True)
class Records:
    """What one call lands.

    ``frame`` has the columns topic string, partition int, offset bigint, timestamp timestamp, key
    binary, value binary. ``ends``: where each place of its topics goes on, also one without news.
    ``marks``: (path, digest) of what the records of a place were read from, by which the next
    landing knows it.
    """

    ingress: str
    frame: "DataFrame"
    ends: dict[Place, int]
    marks: dict[Place, tuple[str, str]]


@dataclass
class Written:
    """Messages written, by topic and envelope and by place."""

    messages: Counter[tuple[str, str]] = field(default_factory=Counter)
    places: Counter[Place] = field(default_factory=Counter)


def land_records(
    spark: "SparkSession",
    records: Records,
    number: int,
    report: Report,
    check: Callable[[Written], None] = lambda written: None,
    progress: Callable[[str], None] = lambda step: None,
) -> None:
    """Write the records and commit them as the batch of this number.

    ``check`` may refuse what was written by raising.
    """
    landed_at = datetime.now(UTC)
    progress("landing the messages")
    store.remove_leftovers(spark, number)
    written = _write(records.frame, number, landed_at, registered_envelopes())
    check(written)
    progress("committing")
    store.commit(
        spark,
        store.Batch(
            batch=number,
            landed_at=landed_at,
            ingress=records.ingress,
            tables=store.by_envelope(written.messages),
            files=[
                (place[0], path, digest, None, written.places[place], None)
                for place, (path, digest) in records.marks.items()
            ],
            offsets=[(*place, end) for place, end in records.ends.items()],
        ),
    )
    report.batch, report.messages = number, written.messages


def _write(
    frame: "DataFrame", number: int, landed_at: datetime, registered: Mapping[str, str]
) -> Written:
    messages, places = new_counts(frame.sparkSession), new_counts(frame.sparkSession)
    columns = [RECEIVED_AT if name == "received_at" else name for name in RECORD_COLUMNS]
    wrap = _wrapper(landed_at, registered, messages, places)
    store.write_messages(frame.selectExpr(*columns).mapInArrow(wrap, LANDED_LINES), number)
    return Written(messages.value, places.value)


def _wrapper(
    landed_at: datetime,
    registered: Mapping[str, str],
    messages: "Accumulator[Counter[Any]]",
    places: "Accumulator[Counter[Any]]",
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that makes landed lines of each task's records."""

    def wrap(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        allow_deep_nesting()
        for batch in batches:
            lines = LineBuilder(landed_at)
            lines.add_records(batch, registered)
            messages.add(lines.counts)
            of_batch = zip(batch["topic"].to_pylist(), batch["partition"].to_pylist(), strict=True)
            places.add(Counter(of_batch))
            yield lines.to_arrow()

    return wrap
