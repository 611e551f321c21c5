"""Reads files as messages, in Spark's tasks: a row a message, its bytes and where they come from.

Texts are read where they lie, cut into splits. A part of a file, and a file that grew since it was
found, is copied first: so both readings, the count and the landing, see the same. So is a file that
Hadoop cannot open. Which gzip files are broken, or hold a message that Spark cannot, is asked only
where a reading failed.
"""

import gzip
import io
import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark import StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from landing.avro.messages import BrokenFileError, read_messages
from landing.bronze.store import delete
from landing.errors import LandingError, first_line
from landing.files.contents import PIECE, SourceFile, is_local
from landing.files.listing import GZIP, LINES, LOCAL, RECORDS, same_uri, uri_of
from landing.lines import allow_deep_nesting, allow_long_decimals
from landing.session import other_settings
from landing.session.jvm import jvm

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from pyspark.sql import SparkSession

BLANKS = r" \t\r\n\uFEFF"
# Looked at from the front, so that a long message is not scanned to its end.
IS_NOT_BLANK = f"""
    trim(leading '{BLANKS}' from left(value, 100)) != ''
    or (octet_length(value) > 100 and trim(leading '{BLANKS}' from value) != '')
"""
# Spark takes a path for a pattern, which cannot hold a colon, and folders a=b for columns; with the
# first option alone it reads files twice whose paths look like patterns.
LITERAL_PATHS = {"__globPaths__": False, "recursiveFileLookup": True}
TEXT_MESSAGES = "value binary, split string"
AVRO_FILES = "split string, content binary"
AVRO_MESSAGES = "value binary, split string, problem string"
# By default as many as the cluster has cores at the moment.
SPLITS = "spark.sql.files.minPartitionNum"
# What opening a file counts for, in bytes, when files are put together for a task. With the 4 MiB
# of Spark, 100,000 small files are 3,000 tasks.
OPENING = "spark.sql.files.openCostInBytes"
BATCH_BYTES = 4 << 20
LONGEST = 1 << 28
# Of a file that Python cannot open, Spark brings the bytes as one value.
MOST_BROUGHT = (1 << 31) - 1

# Messages by the URI that is read, and by the byte where each of its splits begins.
Counts = dict[str, dict[int, int]]


@dataclass(frozen=True)
class Reading:
    """The messages of files, and how many there are.

    ``messages``: ``value``, the bytes of a message, and ``split``, ``<block start>#<URI>``.
    ``broken``: by path, why a file cannot be read; its messages are not counted.
    """

    messages: DataFrame
    counts: dict[SourceFile, tuple[str, dict[int, int]]]
    broken: dict[str, str]


@contextmanager
def read_files(spark: "SparkSession", files: list[SourceFile], staging: str) -> Iterator[Reading]:
    """Read and count the messages of the files, with copies in the folder ``staging``."""
    texts = [file for file in files if file.found.kind != RECORDS]
    containers = [file for file in files if file.found.kind == RECORDS]
    with (
        _same_splits(spark),
        _texts(spark, texts, staging) as of_texts,
        _containers(spark, containers) as of_records,
    ):
        found = [reading for reading in (of_texts, of_records) if reading]
        counts = {file: count for reading in found for file, count in reading.counts.items()}
        yield Reading(
            reduce(DataFrame.unionAll, (reading.messages for reading in found)),
            {file: counts[file] for file in files if file in counts},
            {path: reason for reading in found for path, reason in reading.broken.items()},
        )


def _same_splits(spark: "SparkSession") -> AbstractContextManager[None]:
    """Cut files alike each time they are read, also on a cluster that grows meanwhile."""
    number = spark.conf.get(SPLITS, None) or str(spark.sparkContext.defaultParallelism)
    return other_settings(spark, {SPLITS: number, OPENING: str(1 << 18)})


def split_name(name: str) -> tuple[str, int]:
    """The URI and the byte where a split begins, from its name."""
    start, uri = name.split("#", 1)
    return same_uri(uri), int(start)


@contextmanager
def _texts(
    spark: "SparkSession", files: list[SourceFile], staging: str
) -> Iterator[Reading | None]:
    """Lines and whole files; what grows while it is read is read again from a copy.

    Where a gzip file is broken, the others are read without it.
    """
    if not files:
        yield None
        return
    delete(spark, staging)
    try:
        copied = [file for file in files if not file.is_whole or _is_closed_to_hadoop(file)]
        copies = {file: _copy(spark, file, staging) for file in copied}
        uncopied = {file: (file.found.path, uri_of(spark, file.found.path)) for file in files}
        broken: dict[SourceFile, str] = {}
        while True:
            sound = [file for file in files if file not in broken]
            places = {file: copies.get(file) or uncopied[file] for file in sound}
            messages = _read_texts(spark, places)
            counts, found_broken = _count_or_tell_broken(spark, messages, places)
            # A reading to the end of a file sees what came meanwhile.
            grown = [file for file in sound if file not in copies and _has_grown(spark, file)]
            if not grown and not found_broken:
                break
            broken |= found_broken
            copies |= {file: _copy(spark, file, staging) for file in grown}
        uris = {file: uri for file, (_, uri) in places.items() if uri in counts}
        yield Reading(
            messages,
            {file: (uri, counts[uri]) for file, uri in uris.items()},
            {file.found.path: reason for file, reason in broken.items()},
        )
    finally:
        delete(spark, staging)


def _is_closed_to_hadoop(file: SourceFile) -> bool:
    """True for a local file with a colon in its name, of which Hadoop makes no checksum file's."""
    path = file.found.path
    return is_local(path) and ":" in path.rpartition("/")[2]


def _has_grown(spark: "SparkSession", file: SourceFile) -> bool:
    path = file.found.path
    if is_local(path):
        return os.stat(path.removeprefix(LOCAL)).st_size != file.found.bytes
    hadoop_path = jvm(spark).org.apache.hadoop.fs.Path(path)
    file_system = hadoop_path.getFileSystem(spark._jsc.hadoopConfiguration())
    return file_system.getFileStatus(hadoop_path).getLen() != file.found.bytes


def _copy(spark: "SparkSession", file: SourceFile, staging: str) -> tuple[str, str]:
    """Copy the part to be landed; the path and URI of the copy."""
    hadoop, settings = jvm(spark).org.apache.hadoop, spark._jsc.hadoopConfiguration()
    ending = GZIP if file.found.is_gzip else ""
    target = hadoop.fs.Path(f"{staging}/{uuid.uuid4().hex}{ending}")
    read = _opened_at(spark, file.found.path, file.start)
    write = target.getFileSystem(settings).create(target)
    try:
        length = file.end - file.start
        copied = jvm(spark).org.apache.commons.io.IOUtils.copyLarge(read, write, 0, length)
    finally:
        read.close()
        write.close()
    if copied != length:
        raise LandingError(
            f"{file.found.path} changed while it was read; nothing was landed: land again"
        )
    return target.toString(), same_uri(target.toUri().toString())


def _opened_at(spark: "SparkSession", path: str, start: int) -> Any:
    """A Java stream of a file's bytes from ``start`` on."""
    if is_local(path):
        read = jvm(spark).java.io.FileInputStream(path.removeprefix(LOCAL))
        read.skip(start)
        return read
    hadoop_path = jvm(spark).org.apache.hadoop.fs.Path(path)
    read = hadoop_path.getFileSystem(spark._jsc.hadoopConfiguration()).open(hadoop_path)
    read.seek(start)
    return read


def _read_texts(spark: "SparkSession", places: dict[SourceFile, tuple[str, str]]) -> DataFrame:
    lines = [path for file, (path, _) in places.items() if file.found.kind == LINES]
    whole = [path for file, (path, _) in places.items() if file.found.kind != LINES]
    if not places:
        return spark.createDataFrame([], TEXT_MESSAGES)
    if not whole:
        return _read_text(spark, lines, lineSep="\n")
    if not lines:
        return _read_text(spark, whole, wholetext=True)
    return _read_text(spark, lines, lineSep="\n").unionAll(_read_text(spark, whole, wholetext=True))


def _read_text(spark: "SparkSession", paths: list[str], **options: str | bool) -> DataFrame:
    reader = spark.read.format("text").options(**LITERAL_PATHS, **options)
    return (
        reader.load(paths)
        .where(IS_NOT_BLANK)
        .selectExpr(
            "cast(value as binary) as value",
            "concat(_metadata.file_block_start, '#', _metadata.file_path) as split",
        )
    )


def _count_or_tell_broken(
    spark: "SparkSession", messages: DataFrame, places: dict[SourceFile, tuple[str, str]]
) -> tuple[Counts, dict[SourceFile, str]]:
    """Messages by split; where they cannot be read, why each broken gzip file cannot instead."""
    try:
        return _count(messages), {}
    except (PySparkException, Py4JJavaError):
        compressed = {file: path for file, (path, _) in places.items() if file.found.is_gzip}
        problems = {file: _gzip_problem(spark, path) for file, path in compressed.items()}
        if not any(problems.values()):
            problems = {file: _length_problem(file, path) for file, path in compressed.items()}
        broken = {file: problem for file, problem in problems.items() if problem}
        if not broken:
            raise
        return {}, broken


def _gzip_problem(spark: "SparkSession", path: str) -> str | None:
    """Why a gzip file cannot be decompressed to its end, as Hadoop does it; None where it can."""
    hadoop, settings = jvm(spark).org.apache.hadoop, spark._jsc.hadoopConfiguration()
    hadoop_path = hadoop.fs.Path(path)
    codec = hadoop.io.compress.CompressionCodecFactory(settings).getCodec(hadoop_path)
    try:
        read = codec.createInputStream(hadoop_path.getFileSystem(settings).open(hadoop_path))
        try:
            read.transferTo(jvm(spark).java.io.OutputStream.nullOutputStream())
        finally:
            read.close()
    except Py4JJavaError as error:
        return first_line(error)
    return None


def _length_problem(file: SourceFile, path: str) -> str | None:
    """That a local file holds a message which may be too long for Spark; None where it does not."""
    if not is_local(path):
        return None
    length = 0
    with _opened(path, file.found.bytes, None) as content:
        while piece := content.read(PIECE):
            line_end = piece.rfind(b"\n") if file.found.kind == LINES else -1
            length = length + len(piece) if line_end < 0 else len(piece) - line_end - 1
            if length > LONGEST:
                return _too_long()
    return None


def _too_long() -> str:
    return f"a message is longer than {LONGEST} bytes"


def _count(messages: DataFrame) -> Counts:
    """Messages by split; the second reading cuts the files in the same places."""
    counts: Counts = {}
    for row in messages.groupBy("split").count().collect():
        uri, start = split_name(row.split)
        counts.setdefault(uri, {})[start] = row["count"]
    return counts


@contextmanager
def _containers(spark: "SparkSession", files: list[SourceFile]) -> Iterator[Reading | None]:
    """The records of Avro files, decoded once: that takes longer than reading them from disk."""
    if not files:
        yield None
        return
    too_long = {
        file.found.path: f"it has more than {MOST_BROUGHT} bytes: copy it to this machine"
        for file in files
        if not is_local(file.found.path) and file.found.bytes > MOST_BROUGHT
    }
    uris = {
        file: uri_of(spark, file.found.path) for file in files if file.found.path not in too_long
    }
    records = _read_avro(spark, uris).persist(StorageLevel.DISK_ONLY)
    try:
        rows = records.groupBy("split").agg({"value": "count", "problem": "max"}).collect()
        found = {split_name(row.split)[0]: row for row in rows}
        rows_of = {file: found[uri] for file, uri in uris.items() if uri in found}
        broken = too_long | {
            file.found.path: row["max(problem)"]
            for file, row in rows_of.items()
            if row["max(problem)"] is not None
        }
        counts = {
            file: (uris[file], {0: row["count(value)"]})
            for file, row in rows_of.items()
            if file.found.path not in broken and row["count(value)"]
        }
        yield Reading(records.where("value is not null").drop("problem"), counts, broken)
    finally:
        records.unpersist()


def _read_avro(spark: "SparkSession", uris: dict[SourceFile, str]) -> DataFrame:
    """The records of Avro files as JSON, and at the end of a broken one a row with its problem."""
    local = [(f"0#{uri}", None) for file, uri in uris.items() if is_local(file.found.path)]
    others = [file.found.path for file in uris if not is_local(file.found.path)]
    tasks = min(len(local), 4 * spark.sparkContext.defaultParallelism) or 1
    found = spark.createDataFrame(spark.sparkContext.parallelize(local, tasks), AVRO_FILES)
    if others:
        # Python cannot open these.
        contents = spark.read.format("binaryFile").options(**LITERAL_PATHS).load(others)
        split = "concat('0#', _metadata.file_path) as split"
        found = found.unionAll(contents.selectExpr(split, "content"))
    return found.mapInArrow(_avro_reader(uris), AVRO_MESSAGES)


def _avro_reader(
    uris: dict[SourceFile, str],
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that reads each task's files."""
    places = {uri: (file.found.path, file.found.bytes) for file, uri in uris.items()}

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        allow_deep_nesting()
        allow_long_decimals()
        for batch in batches:
            for row in batch.to_pylist():
                path, length = places[split_name(row["split"])[0]]
                with _opened(path, length, row["content"]) as file:
                    yield from _batches(file, row["split"])

    return read


@contextmanager
def _opened(path: str, length: int, content: bytes | None) -> Iterator[io.BufferedIOBase]:
    """The first ``length`` bytes of a file, decompressed where its name says so."""
    if content is None:
        with open(path.removeprefix(LOCAL), "rb") as file:
            yield _decompressed(file, path, length)
    else:
        yield _decompressed(io.BytesIO(content), path, length)


def _decompressed(file: io.BufferedIOBase, path: str, length: int) -> io.BufferedIOBase:
    beginning = io.BufferedReader(_Beginning(file, length))
    return gzip.GzipFile(fileobj=beginning) if path.endswith(GZIP) else beginning


class _Beginning(io.RawIOBase):
    """The first bytes of a file: it may be growing."""

    def __init__(self, file: io.BufferedIOBase, length: int) -> None:
        self._file, self._left = file, length

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        count = self._file.readinto(memoryview(buffer)[: self._left])
        self._left -= count
        return count


def _batches(file: io.BufferedIOBase, split: str) -> Iterator[pa.RecordBatch]:
    messages, size = [], 0
    try:
        for message in read_messages(file):
            if len(message) > LONGEST:
                raise BrokenFileError(_too_long())
            messages.append(message)
            size += len(message)
            if size >= BATCH_BYTES:
                yield _avro_rows(messages, split)
                messages, size = [], 0
    except BrokenFileError as error:
        yield _avro_rows([None], split, str(error))
        return
    yield _avro_rows(messages, split)


def _avro_rows(
    messages: Sequence[bytes | None], split: str, problem: str | None = None
) -> pa.RecordBatch:
    columns = {"value": pa.array(messages, pa.binary())}
    for name, text in (("split", split), ("problem", problem)):
        columns[name] = pa.array([text] * len(messages), pa.string())
    return pa.RecordBatch.from_pydict(columns)
