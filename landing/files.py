"""Lands files as one batch: each message once, whole, into the bronze table of its envelope."""

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.accumulators import AccumulatorParam

from landing import store
from landing.envelopes import RECURSION_LIMIT, examine
from landing.listing import LINES, SourceFile, list_files, same_uri
from landing.registry import registered_envelopes

if TYPE_CHECKING:
    from pyspark.accumulators import Accumulator
    from pyspark.sql import DataFrame, SparkSession

INGRESS = "files"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BLANKS = r" \t\r\n\uFEFF"
# Looked at from the front, so that a long message is not scanned to its end.
IS_NOT_BLANK = f"""
    trim(both '{BLANKS}' from left(value, 100)) != ''
    or (octet_length(value) > 100 and trim(both '{BLANKS}' from value) != '')
"""

# Messages by file and by the block start of its splits.
Counts = dict[str, dict[int, int]]


@dataclass
class Report:
    """What a call did: messages by topic and envelope, and the files that brought none."""

    batch: int | None = None
    messages: Counter[tuple[str, str]] = field(default_factory=Counter)
    landed_before: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The call in a few lines of text."""
        for path in self.landed_before:
            yield f"skipped, landed before: {path}"
        for path in self.empty:
            yield f"skipped, holds no message: {path}"
        for path in self.ignored:
            yield f"ignored, of another kind: {path}"
        if self.batch is None:
            yield "nothing new"
            return
        yield f"batch {self.batch}: {self.messages.total()} messages"
        for (topic, envelope), count in sorted(self.messages.items()):
            yield f"  {topic}: {count} {envelope}"


@dataclass(frozen=True)
class Split:
    """A stretch of a file that one task reads from front to back."""

    topic: str
    first_offset: int
    registered: str | None


class CountsParam(AccumulatorParam[Counter]):
    """Adds up counts by key; Spark adds each finished task of a write exactly once."""

    def zero(self, value: Counter) -> Counter:
        return Counter()

    def addInPlace(self, value1: Counter, value2: Counter) -> Counter:
        value1.update(value2)
        return value1


def land_files(
    spark: "SparkSession",
    paths: tuple[str, ...],
    topic: str | None = None,
    again: bool = False,
    progress: Callable[[str], None] = lambda step: None,
) -> Report:
    """Land the files under ``paths`` as one batch; without a new message there is no batch."""
    registered = registered_envelopes()
    progress("looking for files")
    listing = list_files(spark, paths, topic)
    report = Report(ignored=listing.ignored)
    store.make_tables(spark)
    next_offsets = store.next_offsets(spark, {file.topic for file in listing.files}, INGRESS)
    files = _new_files(spark, listing.files, again, report)
    if not files:
        return report
    progress(f"counting the messages of {len(files)} files")
    messages = _read(spark, files)
    counts = _count(messages)
    report.empty = [file.path for file in files if file.uri not in counts]
    files = [file for file in files if file.uri in counts]
    if files:
        progress("landing the messages")
        splits = _number(files, counts, next_offsets, registered)
        _land(messages, files, counts, splits, next_offsets, report)
    return report


def _new_files(
    spark: "SparkSession", files: list[SourceFile], again: bool, report: Report
) -> list[SourceFile]:
    """The files whose content has not landed in their topic, nor stands earlier in this call.

    With ``again`` only a file that the call names twice is left out.
    """
    topics = {file.topic for file in files}
    seen = set() if again else store.landed_digests(spark, topics)
    new = []
    for file in files:
        mark = (file.topic, file.uri if again else file.digest)
        if mark in seen:
            report.landed_before.append(file.path)
        else:
            seen.add(mark)
            new.append(file)
    return new


def _read(spark: "SparkSession", files: list[SourceFile]) -> "DataFrame":
    """One row a message: its bytes, and the split (``<block start>#<file>``) it was read from."""
    lines = [file.path for file in files if file.kind == LINES]
    whole = [file.path for file in files if file.kind != LINES]
    if not whole:
        return _read_text(spark, lines, lineSep="\n")
    if not lines:
        return _read_text(spark, whole, wholetext=True)
    return _read_text(spark, lines, lineSep="\n").unionAll(_read_text(spark, whole, wholetext=True))


def _read_text(spark: "SparkSession", paths: list[str], **options: str | bool) -> "DataFrame":
    # Spark takes a path for a pattern; recursiveFileLookup keeps folders a=b from becoming columns.
    literal = [re.sub(r"([\\{}\[\]*?])", r"\\\1", path) for path in paths]
    rows = spark.read.options(recursiveFileLookup=True, **options).text(literal)
    return rows.where(IS_NOT_BLANK).selectExpr(
        "cast(value as binary) as value",
        "concat(_metadata.file_block_start, '#', _metadata.file_path) as split",
    )


def _split_name(name: str) -> tuple[str, int]:
    start, uri = name.split("#", 1)
    return same_uri(uri), int(start)


def _count(messages: "DataFrame") -> Counts:
    """Messages by split; the second reading cuts the files in the same places."""
    counts: Counts = {}
    for row in messages.groupBy("split").count().collect():
        uri, start = _split_name(row.split)
        counts.setdefault(uri, {})[start] = row["count"]
    return counts


def _number(
    files: list[SourceFile],
    counts: Counts,
    next_offsets: dict[str, int],
    registered: dict[str, str],
) -> dict[tuple[str, int], Split]:
    """Where each split's numbers begin; ``next_offsets`` moves on to the end of each topic."""
    splits = {}
    for file in files:
        for start, count in sorted(counts[file.uri].items()):
            first = next_offsets.get(file.topic, 0)
            splits[file.uri, start] = Split(file.topic, first, registered.get(file.topic))
            next_offsets[file.topic] = first + count
    return splits


def _land(
    messages: "DataFrame",
    files: list[SourceFile],
    counts: Counts,
    splits: dict[tuple[str, int], Split],
    next_offsets: dict[str, int],
    report: Report,
) -> None:
    """Write the messages as the next batch and commit it."""
    spark = messages.sparkSession
    number = store.next_batch_number(spark)
    store.remove_leftovers(spark, number)
    landed_at = datetime.now(UTC)
    landed = spark.sparkContext.accumulator(Counter(), CountsParam())
    wrap = _wrapper(splits, landed_at, landed)
    store.write_messages(messages.mapInArrow(wrap, "line string, envelope string"), number)
    report.batch, report.messages = number, landed.value
    store.commit(
        spark,
        store.Batch(
            batch=number,
            landed_at=landed_at,
            ingress=INGRESS,
            tables=_by_envelope(landed.value),
            files=[
                (file.topic, file.path, file.digest, file.bytes, sum(counts[file.uri].values()))
                for file in files
            ],
            offsets=[(topic, 0, next_offsets[topic]) for topic in {file.topic for file in files}],
        ),
    )


def _by_envelope(messages: Counter[tuple[str, str]]) -> Counter[str]:
    tables: Counter[str] = Counter()
    for (_, envelope), count in messages.items():
        tables[envelope] += count
    return tables


def _wrapper(
    splits: dict[tuple[str, int], Split], landed_at: datetime, landed: "Accumulator[Counter]"
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that makes landed lines of messages, to be run on each task's rows."""
    received_at = landed_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ").encode()

    def wrap(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))
        offsets = {name: split.first_offset for name, split in splits.items()}
        for batch in batches:
            lines: list[bytes] = []
            envelopes: list[str] = []
            for name, values in _stretches(batch):
                split = splits[name]
                head = b'{"topic":%b,"partition":0,"offset":' % json.dumps(split.topic).encode()
                middle = b',"received_at":"%b"' % received_at
                if offsets[name] == split.first_offset and name[1] == 0:
                    values[0] = values[0].removeprefix(BYTE_ORDER_MARK)
                examined = [examine(value, split.registered) for value in values]
                numbers = range(offsets[name], offsets[name] + len(values))
                offsets[name] = numbers.stop
                lines += [
                    b"%b%d%b%b" % (head, number, middle, end)
                    for number, (_, end) in zip(numbers, examined, strict=True)
                ]
                found = [envelope for envelope, _ in examined]
                envelopes += found
                landed.add({(split.topic, name): count for name, count in Counter(found).items()})
            yield pa.RecordBatch.from_arrays(
                [pa.array(lines, pa.binary()).view(pa.string()), pa.array(envelopes, pa.string())],
                ["line", "envelope"],
            )

    return wrap


def _stretches(batch: pa.RecordBatch) -> Iterator[tuple[tuple[str, int], list[bytes]]]:
    """The batch's messages by the split they come from; rows of one split stand in its order."""
    runs = pc.run_end_encode(batch["split"])
    begin = 0
    for name, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
        yield _split_name(name), batch["value"][begin:end].to_pylist()
        begin = end
