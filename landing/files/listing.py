"""Finds the files that a call of ``onelog land files`` names, on any Hadoop file system.

Local folders are listed by Python: to ask Java for each of 100,000 files takes minutes.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from landing.errors import UserError, first_line
from landing.session.jvm import jvm

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LINES, WHOLE, RECORDS = "a message a line", "a message a file", "a message a record"
KINDS = {".jsonl": LINES, ".json": WHOLE, ".avro": RECORDS}
GZIP = ".gz"
LOCAL = "file:"
AUTHORITY = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?")
# A path, as Hadoop writes it, that as a URI is the same. Java is asked for others, one by one.
IS_ITS_URI = re.compile(r"[a-z0-9]+:(//[A-Za-z0-9.-]+)?(/[A-Za-z0-9_.-]+)+")
NOT_READ = "not read (.jsonl, .json, .avro, and each with .gz, are)"


@dataclass(frozen=True)
class FoundFile:
    """One file: ``path`` as Hadoop writes it.

    ``bytes`` is its length when it was found: a file may grow while it is being landed.
    ``modified_millis``: when it last changed, as its file system says, in milliseconds since 1970.
    ``is_named``: a path of the call is this file itself, no folder or pattern that holds it.
    """

    path: str
    topic: str
    kind: str
    bytes: int
    modified_millis: int
    is_named: bool

    @property
    def is_gzip(self) -> bool:
        """True where the content is compressed."""
        return self.path.endswith(GZIP)


@dataclass
class Listing:
    """The files of a call in landing order, and those of other kinds that its folders hold."""

    files: list[FoundFile] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Status:
    """A file or a folder: its path as Hadoop writes it."""

    path: str
    bytes: int
    modified_millis: int
    is_folder: bool

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


def list_files(spark: "SparkSession", paths: tuple[str, ...], topic: str | None) -> Listing:
    """The files under ``paths``: as given, each once, and in name order within each path."""
    listing = Listing()
    files: dict[str, FoundFile] = {}
    for path in paths:
        for found, is_named in sorted(_files(spark, path), key=lambda found: found[0].path):
            kind = _kind(found.name)
            if kind and not found.name.startswith((".", "_")):
                before = files.get(found.path)
                files[found.path] = FoundFile(
                    path=found.path,
                    topic=topic or _topic(found.path),
                    kind=kind,
                    bytes=found.bytes,
                    modified_millis=found.modified_millis,
                    is_named=is_named or (before is not None and before.is_named),
                )
            elif is_named:
                raise UserError(f"{path}: {_why_not_read(found.name)}")
            else:
                listing.ignored.append(found.path)
    listing.files.extend(files.values())
    return listing


def _kind(name: str) -> str | None:
    content = name.removesuffix(GZIP)
    return next((kind for ending, kind in KINDS.items() if content.endswith(ending)), None)


def _why_not_read(name: str) -> str:
    if _kind(name):
        return "hidden files, whose names begin with . or _, are not read"
    return f"files of this kind are {NOT_READ}"


def _files(spark: "SparkSession", path: str) -> Iterator[tuple[_Status, bool]]:
    """Each file under a path, and whether the path is that file itself."""
    hadoop_path = jvm(spark).org.apache.hadoop.fs.Path(_absolute(path))
    file_system = _file_system(spark, hadoop_path, path)
    is_local = file_system.getUri().getScheme() == "file"
    is_literal = file_system.exists(hadoop_path)
    found = (
        [file_system.getFileStatus(hadoop_path)]
        if is_literal
        else _matching(file_system, hadoop_path, path)
    )
    if not found:
        raise UserError(f"{path}: no such file or folder")
    for status in map(_status, found):
        if not status.is_folder:
            yield status, is_literal
        elif is_local:
            for inside in _local_files(status.path.removeprefix(LOCAL)):
                yield inside, False
        else:
            files = file_system.listFiles(jvm(spark).org.apache.hadoop.fs.Path(status.path), True)
            while files.hasNext():
                yield _status(files.next()), False


def _status(status: Any) -> _Status:
    return _Status(
        status.getPath().toString(),
        status.getLen(),
        status.getModificationTime(),
        status.isDirectory(),
    )


def _local_files(folder: str, above: frozenset[tuple[int, int]] = frozenset()) -> Iterator[_Status]:
    """Each file under a local folder, as Hadoop lists it: links are followed, no ``.….crc``.

    A link that leads to a folder in which it lies is not followed. ``above``: the device and number
    of these folders.
    """
    try:
        here = os.stat(folder)
        if (here.st_dev, here.st_ino) in above:
            return
        above |= {(here.st_dev, here.st_ino)}
        with os.scandir(folder) as entries:
            for entry in entries:
                status = _local_status(entry)
                if status and status.is_folder:
                    yield from _local_files(entry.path, above)
                elif status and not (entry.name.startswith(".") and entry.name.endswith(".crc")):
                    yield status
    except OSError as error:
        raise UserError(f"{folder}: cannot be listed ({error.strerror})") from error


def _local_status(entry: "os.DirEntry[str]") -> _Status | None:
    """None for a link that leads nowhere, for what has gone meanwhile, and for a pipe."""
    try:
        found = entry.stat()
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ELOOP):
            return None
        raise
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        return None
    path = LOCAL + os.fsencode(entry.path).decode("utf-8", "backslashreplace")
    modified_millis = found.st_mtime_ns // 1_000_000
    return _Status(path, found.st_size, modified_millis, stat.S_ISDIR(found.st_mode))


def _file_system(spark: "SparkSession", hadoop_path: Any, path: str) -> Any:
    from py4j.protocol import Py4JJavaError

    try:
        return hadoop_path.getFileSystem(spark._jsc.hadoopConfiguration())
    except Py4JJavaError as error:
        advice = "Spark needs the jar of this file system, as docs/cluster.md says"
        raise UserError(f"{path}: {first_line(error)}: {advice}") from error


def _matching(file_system: Any, hadoop_path: Any, path: str) -> Any:
    """What a pattern matches. Hadoop matches none that meets a name with a colon."""
    from pyspark.errors import IllegalArgumentException

    try:
        return file_system.globStatus(hadoop_path)
    except IllegalArgumentException as error:
        reason = f"cannot be matched ({first_line(error)})"
        raise UserError(f"{path}: {reason}: name the folder or the files") from error


def _absolute(path: str) -> str:
    """A path without a scheme is local to this process, not to the JVM."""
    has_scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]*:/", path) and not os.path.exists(path)
    return path if has_scheme else os.path.abspath(path)


def uri_of(spark: "SparkSession", path: str) -> str:
    """A file's path as Spark names it in its rows."""
    if IS_ITS_URI.fullmatch(path):
        return same_uri(path)
    return same_uri(jvm(spark).org.apache.hadoop.fs.Path(path).toUri().toString())


def same_uri(uri: str) -> str:
    """One spelling: Hadoop and Spark disagree on the slashes of a URI without an authority."""
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]*):/+(?=[^/])", r"\1:/", uri) if ":///" in uri else uri


def _topic(path: str) -> str:
    """The nearest folder whose name is not all digits: dated subfolders belong to their topic."""
    folders = AUTHORITY.sub("", path).split("/")[:-1]
    topic = next((name for name in reversed(folders) if name and not name.isdecimal()), None)
    if topic is None:
        raise UserError(f"{path}: no folder names its topic; say --topic")
    return topic
