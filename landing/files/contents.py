"""Tells which part of a file has not landed yet, by what it begins with.

A file that has grown begins with what landed from its path: the batches know how long that was, and
the SHA-256 of it. Only what follows lands. A file has the bytes that it had when it was found.
"""

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from landing.errors import LandingError, first_line
from landing.files.listing import LINES, LOCAL, FoundFile
from landing.session.jvm import jvm

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PIECE = 1 << 20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# What msgspec says of a text that is cut: of a number, that it is wrong, and where: at the end.
CUT = re.compile(r"truncated|invalid (?:number|character) \(byte (\d+)\)$")
_json_value = msgspec.json.Decoder(msgspec.Raw).decode


class UnreadableFileError(Exception):
    """Why the bytes of a file cannot be had."""


@dataclass(frozen=True)
class SourceFile:
    """What of a file is to be landed: its bytes from ``start``, which landed before, to ``end``.

    ``digest`` is that of all its bytes to ``end``. ``has_changed``: it does not begin with what
    landed from its path. ``is_known``: all of it landed from its path, with the time
    ``modified_millis`` or another; that is NULL for a time by which a later change may not show.
    """

    found: FoundFile
    start: int
    end: int
    digest: str
    has_changed: bool = False
    is_known: bool = False
    modified_millis: int | None = None

    @property
    def is_whole(self) -> bool:
        """True where the part is all that the file had when it was found."""
        return self.start == 0 and self.end == self.found.bytes


@dataclass
class Measure:
    """Digests of a content's beginnings, by their lengths, and where its last line begins."""

    digests: dict[int, str] = field(default_factory=dict)
    last_line_at: int = 0
    last_line: bytes = b""


def part_to_land(
    spark: "SparkSession", found: FoundFile, landed: dict[int, str], again: bool
) -> SourceFile:
    """The part of a file that is new; empty where there is none.

    ``landed``: digests of what landed from its path, by length. With ``again`` all of it is new.
    Raises :class:`UnreadableFileError`.
    """
    from py4j.protocol import Py4JJavaError

    is_settled = _is_settled(found.modified_millis)
    lengths = sorted(length for length in landed if length <= found.bytes)
    try:
        measure = _measure(found, _pieces(spark, found), [*lengths, found.bytes])
    except OSError as error:
        raise UnreadableFileError(error.strerror) from error
    except Py4JJavaError as error:
        raise UnreadableFileError(first_line(error)) from error
    known = [length for length in lengths if measure.digests[length] == landed[length]]
    start = max(known, default=0) if found.kind == LINES and not again else 0
    end = found.bytes
    if _grows_by_lines(found) and not found.is_named:
        # What landed as a whole last line stays so, whatever follows it.
        rest_at = max(measure.last_line_at, start)
        if _may_go_on(measure.last_line[rest_at - measure.last_line_at :]):
            end = rest_at
    digest = measure.digests[end]
    return SourceFile(
        found,
        start,
        end,
        digest,
        has_changed=bool(landed) and not start and not again,
        is_known=end == found.bytes and landed.get(end) == digest,
        modified_millis=found.modified_millis if is_settled else None,
    )


def _is_settled(modified_millis: int) -> bool:
    """False while a file may change and keep its time, which is no finer than its clock's tick.

    So it is for a file system that keeps no times. No clock decides what is newer: another reading
    is all that a wrong one costs.
    """
    tick = 2000 if modified_millis % 1000 == 0 else 100
    return modified_millis > 0 and abs(time.time_ns() // 1_000_000 - modified_millis) > tick


def _grows_by_lines(found: FoundFile) -> bool:
    return found.kind == LINES and not found.is_gzip


def _may_go_on(last_line: bytes) -> bool:
    """Whether what follows may make a last line one message: it is cut, or ends in a number.

    What is whole without a newline, and what will be no JSON whatever follows, goes on no more.
    """
    text = last_line.removeprefix(BYTE_ORDER_MARK).strip()
    if not text or text[-1:].isdigit():
        return bool(text)
    try:
        _json_value(text)
    except msgspec.DecodeError as error:
        cut = CUT.search(str(error))
        return cut is not None and cut[1] in (None, str(len(text)))
    except RecursionError:
        return True
    return False


def _measure(found: FoundFile, pieces: Iterable[bytes], lengths: list[int]) -> Measure:
    """Read a content once. The lengths ascend; the last one is that of the whole content."""
    sha, position, by_lines = hashlib.sha256(), 0, _grows_by_lines(found)
    tail: list[bytes] = []
    measure = Measure({0: sha.hexdigest()})
    for piece in pieces:
        newline = piece.rfind(b"\n") + 1 if by_lines else 0
        asked = {length - position for length in lengths if position < length}
        begin = 0
        for cut in sorted(cut for cut in asked | {newline} if 0 < cut <= len(piece)):
            sha.update(memoryview(piece)[begin:cut])
            begin = cut
            measure.digests[position + cut] = sha.hexdigest()
        sha.update(memoryview(piece)[begin:])
        if newline:
            measure.last_line_at = position + newline
            tail.clear()
        if by_lines:
            tail.append(piece[newline:])
        position += len(piece)
    if position != lengths[-1]:
        raise LandingError(
            f"{found.path} became shorter while it was read; nothing was landed: land again"
        )
    measure.last_line = b"".join(tail)
    return measure


def _pieces(spark: "SparkSession", found: FoundFile) -> Iterator[bytes]:
    """The bytes that the file had when it was found."""
    left = found.bytes
    with _opened(spark, found.path) as read:
        while left and (piece := read(min(PIECE, left))):
            left -= len(piece)
            yield piece


@contextmanager
def _opened(spark: "SparkSession", path: str) -> Iterator[Callable[[int], bytes]]:
    if is_local(path):
        # The same, several times faster.
        with open(path.removeprefix(LOCAL), "rb") as file:
            yield file.read
        return
    hadoop_path = jvm(spark).org.apache.hadoop.fs.Path(path)
    stream = hadoop_path.getFileSystem(spark._jsc.hadoopConfiguration()).open(hadoop_path)
    try:
        yield stream.readNBytes
    finally:
        stream.close()


def is_local(path: str) -> bool:
    """True for a path, as Hadoop writes it, that Python can open."""
    return path.startswith(LOCAL)
