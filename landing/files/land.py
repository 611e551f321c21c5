"""Lands files as one batch: each message once, whole, into the bronze table of its envelope."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from landing.bronze import rewrites, store
from landing.errors import LandingError
from landing.files.contents import (
    BYTE_ORDER_MARK,
    SourceFile,
    UnreadableFileError,
    part_to_land,
)
from landing.files.landed import INGRESS, Landed, landed_digests, landed_files
from landing.files.listing import FoundFile, list_files
from landing.files.reading import Reading, read_files, split_name
from landing.lines import LANDED_LINES, LineBuilder, allow_deep_nesting, new_counts
from landing.registry import registered_envelopes
from landing.report import Report

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.accumulators import Accumulator
    from pyspark.sql import DataFrame, SparkSession


@dataclass
class FilesReport(Report):
    """What a call did, with the files that brought none."""

    landed_before: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    appended: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """The call in a few lines of text; what is broken is an error, and not among them."""
        for said, paths in (
            ("skipped, landed before", self.landed_before),
            ("skipped, holds no message", self.empty),
            ("ignored, of another kind", self.ignored),
            ("has grown, only what is new lands", self.appended),
            ("has changed since it landed, lands whole", self.changed),
            ("the last line has no end yet and waits", self.waiting),
        ):
            yield from (f"{said}: {path}" for path in paths)
        yield from super().lines()


@dataclass(frozen=True)
class Split:
    """A stretch of a file that one task reads from front to back; ``messages`` were counted."""

    topic: str
    first_offset: int
    messages: int
    registered: str | None


# By the file's URI and the byte where the split begins.
Splits = dict[tuple[str, int], Split]


def land_files(
    spark: "SparkSession",
    paths: tuple[str, ...],
    topic: str | None = None,
    again: bool = False,
    progress: Callable[[str], None] = lambda step: None,
    passed_over: Collection[str] = (),
) -> FilesReport:
    """Land the files under ``paths`` as one batch; without a new message there is no batch.

    Files whose paths are in ``passed_over`` count as not there.
    """
    registered = registered_envelopes()
    progress("looking for files")
    listing = list_files(spark, paths, topic)
    found = [file for file in listing.files if file.path not in passed_over]
    report = FilesReport(ignored=listing.ignored)
    progress("making bronze ready")
    number = rewrites.prepare(spark).batch
    topics = {file.topic for file in found}
    batches = store.history(spark, topics, number, with_files=False)
    next_offsets = store.next_offsets(batches, INGRESS)
    progress("looking for what is new")
    known_topics = set() if again else {topic for topic, _ in next_offsets}
    parts, report.broken = _parts(spark, found, known_topics, again)
    files = _new_files(spark, parts, known_topics, again, report)
    if not files:
        return report
    touched = [part for part in parts if part.is_known and part.modified_millis is not None]
    progress(f"counting the messages of {len(files)} files")
    with read_files(spark, files, store.staging_location(spark)) as reading:
        report.broken |= reading.broken
        report.empty += [
            file.found.path
            for file in files
            if file not in reading.counts and file.found.path not in reading.broken
        ]
        if reading.counts:
            progress("landing the messages")
            splits = _number(reading, next_offsets, registered)
            _land(spark, reading, splits, number, next_offsets, touched, report, progress)
    return report


def _land(
    spark: "SparkSession",
    reading: Reading,
    splits: Splits,
    number: int,
    next_offsets: dict[tuple[str, int], int],
    touched: list[SourceFile],
    report: FilesReport,
    progress: Callable[[str], None],
) -> None:
    """Write the messages as the batch of this number, and commit it.

    The batch also names the files that have only another time than when they landed (``touched``).
    """
    report.batch = number
    landed_at = datetime.now(UTC)
    store.remove_leftovers(spark, number)
    report.messages = _write(reading.messages, splits, number, landed_at)
    if report.messages.total() != sum(split.messages for split in splits.values()):
        raise LandingError("a file changed while it was read; nothing was landed: land again")
    progress("committing")
    messages = {file: sum(counts.values()) for file, (_, counts) in reading.counts.items()}
    files = [
        (file.found.topic, file.found.path, file.digest, file.end, count, file.modified_millis)
        for file, count in (messages | dict.fromkeys(touched, 0)).items()
    ]
    places = {(split.topic, 0) for split in splits.values()}
    store.commit(
        spark,
        store.Batch(
            batch=number,
            landed_at=landed_at,
            ingress=INGRESS,
            tables=store.by_envelope(report.messages),
            files=files,
            offsets=[(*place, next_offsets[place]) for place in sorted(places)],
        ),
    )


def _parts(
    spark: "SparkSession", files: list[FoundFile], known_topics: set[str], again: bool
) -> tuple[list[SourceFile], dict[str, str]]:
    """The part of each file that is new; only of known topics can one have landed.

    Beside them, by path, why files cannot be read. Files that have not changed since they landed
    are not read, others by several threads.
    """
    known = [file for file in files if file.topic in known_topics]
    landed = landed_files(spark, known) if known else {}

    def read(file: FoundFile) -> SourceFile | str:
        try:
            return part_to_land(spark, file, landed.get(file, Landed()).digests, again)
        except UnreadableFileError as error:
            return str(error)

    parts = {
        file: SourceFile(file, file.bytes, file.bytes, of.unchanged)
        for file, of in landed.items()
        if of.unchanged is not None
    }
    changed = [file for file in files if file not in parts]
    unreadable = {}
    with ThreadPoolExecutor() as threads:
        for file, part in zip(changed, threads.map(read, changed), strict=True):
            if isinstance(part, SourceFile):
                parts[file] = part
            else:
                unreadable[file.path] = part
    return [parts[file] for file in files if file in parts], unreadable


def _new_files(
    spark: "SparkSession",
    parts: list[SourceFile],
    known_topics: set[str],
    again: bool,
    report: FilesReport,
) -> list[SourceFile]:
    """The parts whose content has not landed in their topic, nor stands earlier in this call.

    With ``again`` only a file that the call names twice is left out.
    """
    marks = [(part.found.topic, part.found.path if again else part.digest) for part in parts]
    seen = {
        mark
        for part, mark in zip(parts, marks, strict=True)
        if part.is_known or part.start == part.end
    }
    seen |= landed_digests(spark, {mark for mark in marks if mark[0] in known_topics} - seen)
    new = []
    for part, mark in zip(parts, marks, strict=True):
        found = part.found
        if part.end < found.bytes:
            report.waiting.append(found.path)
        if part.end == 0:
            report.empty += [found.path] * part.is_whole
        elif mark not in seen:
            seen.add(mark)
            new.append(part)
            report.appended += [found.path] * (part.start > 0)
            report.changed += [found.path] * part.has_changed
        elif part.end == found.bytes:
            report.landed_before.append(found.path)
    return new


def _number(
    reading: Reading, next_offsets: dict[tuple[str, int], int], registered: dict[str, str]
) -> Splits:
    """Where each split's numbers begin; ``next_offsets`` moves on to the end of each topic."""
    splits: Splits = {}
    for file, (uri, counts) in reading.counts.items():
        topic = file.found.topic
        for start, count in sorted(counts.items()):
            first = next_offsets.get((topic, 0), 0)
            splits[uri, start] = Split(topic, first, count, registered.get(topic))
            next_offsets[topic, 0] = first + count
    return splits


def _write(
    messages: "DataFrame", splits: Splits, number: int, landed_at: datetime
) -> Counter[tuple[str, str]]:
    """Write the landed lines of the messages; their number by topic and envelope."""
    counts = new_counts(messages.sparkSession)
    # Sent once to each host: with 100,000 files, to read them took each task a third of a second.
    sent = messages.sparkSession.sparkContext.broadcast(splits)
    wrap = _wrapper(sent, landed_at, counts)
    store.write_messages(messages.mapInArrow(wrap, LANDED_LINES), number)
    sent.destroy()
    return counts.value


def _wrapper(
    sent: "Broadcast[Splits]", landed_at: datetime, counts: "Accumulator[Counter[Any]]"
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that makes landed lines of each task's rows."""

    def wrap(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        allow_deep_nesting()
        offsets: dict[tuple[str, int], int] = {}
        for batch in batches:
            lines = LineBuilder(landed_at)
            for name, values in _stretches(batch):
                # No split: a broken file's, or what came after the messages were counted.
                split = sent.value.get(name)
                if split is None:
                    continue
                offset = offsets.get(name, split.first_offset)
                if name[1] == 0 and offset == split.first_offset:
                    values[0] = values[0].removeprefix(BYTE_ORDER_MARK)
                values = values[: split.first_offset + split.messages - offset]
                lines.add(split.topic, 0, offset, values, split.registered)
                offsets[name] = offset + len(values)
            counts.add(lines.counts)
            yield lines.to_arrow()

    return wrap


def _stretches(batch: pa.RecordBatch) -> Iterator[tuple[tuple[str, int], list[bytes]]]:
    """The batch's messages by the split they come from; rows of one split stand in its order."""
    runs = pc.run_end_encode(batch["split"])
    begin = 0
    for name, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
        yield split_name(name), batch["value"][begin:end].to_pylist()
        begin = end
