"""Lands files as one batch: each message once, whole, into the bronze table of its envelope."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from landing import store
from landing.lines import LANDED_LINES, LineBuilder, allow_deep_nesting, new_counts
from landing.listing import LINES, SourceFile, list_files, same_uri
from landing.registry import registered_envelopes
from landing.report import Report

if TYPE_CHECKING:
    from pyspark.accumulators import Accumulator
    from pyspark.sql import DataFrame, SparkSession

INGRESS = "files"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BLANKS = r" \t\r\n\uFEFF"
# Looked at from the front, so that a long message is not scanned to its end.
IS_NOT_BLANK = f"""
    trim(leading '{BLANKS}' from left(value, 100)) != ''
    or (octet_length(value) > 100 and trim(leading '{BLANKS}' from value) != '')
"""


@dataclass
class FilesReport(Report):
    """What a call did, with the files that brought none."""

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
        yield from super().lines()


@dataclass(frozen=True)
class Split:
    """A stretch of a file that one task reads from front to back."""

    topic: str
    first_offset: int
    registered: str | None


# By the file's URI and the byte where the split begins.
Splits = dict[tuple[str, int], Split]
# Messages by the file's URI, and by the byte where each of its splits begins.
Counts = dict[str, dict[int, int]]


def land_files(
    spark: "SparkSession",
    paths: tuple[str, ...],
    topic: str | None = None,
    again: bool = False,
    progress: Callable[[str], None] = lambda step: None,
) -> FilesReport:
    """Land the files under ``paths`` as one batch; without a new message there is no batch."""
    registered = registered_envelopes()
    progress("looking for files")
    listing = list_files(spark, paths, topic)
    report = FilesReport(ignored=listing.ignored)
    store.make_tables(spark)
    batches = store.history(spark, {file.topic for file in listing.files})
    next_offsets = store.next_offsets(batches, INGRESS)
    landed_before = set() if again else store.landed_digests(batches)
    files = _new_files(listing.files, landed_before, again, report)
    if not files:
        return report
    progress(f"counting the messages of {len(files)} files")
    messages = _read(spark, files)
    counts = _count(messages)
    report.empty = [file.path for file in files if file.uri not in counts]
    files = [file for file in files if file.uri in counts]
    if not files:
        return report
    progress("landing the messages")
    splits = _number(files, counts, next_offsets, registered)
    report.batch, landed_at = store.next_batch_number(batches), datetime.now(UTC)
    store.remove_leftovers(spark, report.batch)
    report.messages = _write(messages, splits, report.batch, landed_at)
    progress("committing")
    landed = [
        (file.topic, file.path, file.digest, file.bytes, sum(counts[file.uri].values()))
        for file in files
    ]
    places = {(file.topic, 0) for file in files}
    store.commit(
        spark,
        store.Batch(
            batch=report.batch,
            landed_at=landed_at,
            ingress=INGRESS,
            tables=store.by_envelope(report.messages),
            files=landed,
            offsets=[(*place, next_offsets[place]) for place in sorted(places)],
        ),
    )
    return report


def _new_files(
    files: list[SourceFile], landed_before: set[tuple[str, str]], again: bool, report: FilesReport
) -> list[SourceFile]:
    """The files whose content has not landed in their topic, nor stands earlier in this call.

    With ``again`` only a file that the call names twice is left out.
    """
    seen = set(landed_before)
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
    reader = spark.read.format("text").options(recursiveFileLookup=True, **options)
    return (
        reader.load(literal)
        .where(IS_NOT_BLANK)
        .selectExpr(
            "cast(value as binary) as value",
            "concat(_metadata.file_block_start, '#', _metadata.file_path) as split",
        )
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
    next_offsets: dict[tuple[str, int], int],
    registered: dict[str, str],
) -> Splits:
    """Where each split's numbers begin; ``next_offsets`` moves on to the end of each topic."""
    splits: Splits = {}
    for file in files:
        place = (file.topic, 0)
        for start, count in sorted(counts[file.uri].items()):
            first = next_offsets.get(place, 0)
            splits[file.uri, start] = Split(file.topic, first, registered.get(file.topic))
            next_offsets[place] = first + count
    return splits


def _write(
    messages: "DataFrame", splits: Splits, number: int, landed_at: datetime
) -> Counter[tuple[str, str]]:
    """Write the landed lines of the messages; their number by topic and envelope."""
    counts = new_counts(messages.sparkSession)
    wrap = _wrapper(splits, landed_at, counts)
    store.write_messages(messages.mapInArrow(wrap, LANDED_LINES), number)
    return counts.value


def _wrapper(
    splits: Splits, landed_at: datetime, counts: "Accumulator[Counter]"
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that makes landed lines of each task's rows."""

    def wrap(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        allow_deep_nesting()
        offsets = {name: split.first_offset for name, split in splits.items()}
        for batch in batches:
            lines = LineBuilder(landed_at)
            for name, values in _stretches(batch):
                split = splits[name]
                if name[1] == 0 and offsets[name] == split.first_offset:
                    values[0] = values[0].removeprefix(BYTE_ORDER_MARK)
                lines.add(split.topic, 0, offsets[name], values, split.registered)
                offsets[name] += len(values)
            counts.add(lines.counts)
            yield lines.to_arrow()

    return wrap


def _stretches(batch: pa.RecordBatch) -> Iterator[tuple[tuple[str, int], list[bytes]]]:
    """The batch's messages by the split they come from; rows of one split stand in its order."""
    runs = pc.run_end_encode(batch["split"])
    begin = 0
    for name, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
        yield _split_name(name), batch["value"][begin:end].to_pylist()
        begin = end
