"""Finds the files that a call of ``onelog land files`` names, on any Hadoop file system."""

import os
import re
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
NOT_READ = "not read (.jsonl, .json, .avro, and each with .gz, are)"


@dataclass(frozen=True)
class FoundFile:
    """One file: ``path`` as Hadoop writes it, ``uri`` as Spark names it in its rows.

    ``bytes`` is its length when it was found: a file may grow while it is being landed.
    ``is_named``: a path of the call is this file itself, no folder or pattern that holds it.
    """

    path: str
    uri: str
    topic: str
    kind: str
    bytes: int
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


def list_files(spark: "SparkSession", paths: tuple[str, ...], topic: str | None) -> Listing:
    """The files under ``paths``: as given, and in name order within each."""
    listing = Listing()
    for path in paths:
        for status, is_named in sorted(_statuses(spark, path), key=lambda found: _text(found[0])):
            name = status.getPath().getName()
            kind = _kind(name)
            if kind and not name.startswith((".", "_")):
                listing.files.append(_found_file(status, kind, topic, is_named))
            elif is_named:
                raise UserError(f"{path}: {_why_not_read(name)}")
            else:
                listing.ignored.append(_text(status))
    return listing


def _kind(name: str) -> str | None:
    content = name.removesuffix(GZIP)
    return next((kind for ending, kind in KINDS.items() if content.endswith(ending)), None)


def _why_not_read(name: str) -> str:
    if _kind(name):
        return "hidden files, whose names begin with . or _, are not read"
    return f"files of this kind are {NOT_READ}"


def _text(status: Any) -> str:
    return status.getPath().toString()


def _statuses(spark: "SparkSession", path: str) -> Iterator[tuple[Any, bool]]:
    """Each file under a path, and whether the path is that file itself."""
    hadoop_path = jvm(spark).org.apache.hadoop.fs.Path(_absolute(path))
    file_system = _file_system(spark, hadoop_path, path)
    is_literal = file_system.exists(hadoop_path)
    found = (
        [file_system.getFileStatus(hadoop_path)]
        if is_literal
        else _matching(file_system, hadoop_path, path)
    )
    if not found:
        raise UserError(f"{path}: no such file or folder")
    for status in found:
        if status.isFile():
            yield status, is_literal
            continue
        inside = file_system.listFiles(status.getPath(), True)
        while inside.hasNext():
            yield inside.next(), False


def _file_system(spark: "SparkSession", hadoop_path: Any, path: str) -> Any:
    from py4j.protocol import Py4JJavaError

    try:
        return hadoop_path.getFileSystem(spark._jsc.hadoopConfiguration())
    except Py4JJavaError as error:
        advice = "this Spark opens no such paths"
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


def _found_file(status: Any, kind: str, topic: str | None, is_named: bool) -> FoundFile:
    path = status.getPath()
    return FoundFile(
        path=path.toString(),
        uri=same_uri(path.toUri().toString()),
        topic=topic or _topic(path),
        kind=kind,
        bytes=status.getLen(),
        is_named=is_named,
    )


def same_uri(uri: str) -> str:
    """One spelling: Hadoop and Spark disagree on the slashes of a URI without an authority."""
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]*):/+(?=[^/])", r"\1:/", uri) if ":///" in uri else uri


def _topic(path: Any) -> str:
    """The nearest folder whose name is not all digits: dated subfolders belong to their topic."""
    folder = path.getParent()
    while folder is not None and folder.getName():
        if not folder.getName().isdecimal():
            return folder.getName()
        folder = folder.getParent()
    raise UserError(f"{path.toString()}: no folder names its topic; say --topic")
