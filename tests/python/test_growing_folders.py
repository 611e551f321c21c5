"""`onelog land files` again and again on files that grow: each line once, whole.

Most tests land together: see ``shared_landings``.
"""

import gzip
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from commands import land, land_well
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql.functions import col
from shared_landings import Landings, shares_landings

from landing.files import contents, reading
from landing.files import land as files
from landing.files.contents import part_to_land
from landing.files.listing import LINES, FoundFile


def rows(spark: SparkSession, topic: str) -> list[Any]:
    found = spark.table("bronze.messages").where(f"topic = '{topic}'").orderBy("offset").collect()
    assert [row.offset for row in found] == list(range(len(found)))
    return [row.raw if row.message is None else json.loads(row.message)["n"] for row in found]


def line(number: int, end: str = "\n") -> str:
    return f'{{"n":{number}}}{end}'


def lines(*numbers: int) -> str:
    return "".join(map(line, numbers))


def write(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())
    return path


def append(path: Path, content: str | bytes) -> None:
    with path.open("ab") as file:
        file.write(content.encode() if isinstance(content, str) else content)


def last_landing(spark: SparkSession, file: Path) -> Any:
    """What the last batch that names a file says of it."""
    landings = spark.table("bronze.batches").selectExpr("batch", "explode(files) as file")
    of_file = landings.where(col("file.path") == f"file:{file}")
    return of_file.orderBy("batch", ascending=False).first().file


def staged(spark: SparkSession) -> list[Path]:
    bronze = spark.catalog.getDatabase("bronze").locationUri.removeprefix("file:")
    return list((Path(bronze) / "staged").glob("*"))


@contextmanager
def opened_files() -> Iterator[list[str]]:
    """The names of the files that are opened to tell what of them is new."""
    names: list[str] = []
    opened = contents._opened

    def open_and_note(spark: SparkSession, path: str) -> Any:
        names.append(path.rpartition("/")[2])
        return opened(spark, path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contents, "_opened", open_and_note)
        yield names
    names.sort()


def change_time(file: Path, ago: float) -> None:
    """Let a file have changed so many seconds ago."""
    os.utime(file, (time.time() - ago, time.time() - ago))


def test_files_that_have_not_changed_are_not_read_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / "unread"
    # Spark lists more than 32 by a job.
    old = [write(folder / f"{number:02}.jsonl", lines(number)) for number in range(40)]
    for file in old:
        change_time(file, 3600)
    with opened_files() as opened:
        land_well(folder)
    assert len(opened) == 40
    write(folder / "new.jsonl", lines(40))
    with opened_files() as opened:
        output = land_well(folder)
    assert opened == ["new.jsonl"]
    assert output.count("skipped, landed before: ") == 40
    with opened_files() as opened:
        assert "skipped, landed before: " in land_well(f"{folder}/*.jsonl", old[7])
    assert not set(opened) - {"new.jsonl"}
    assert rows(spark, "unread") == list(range(41))


@shares_landings
def test_a_file_with_another_time_is_read_until_a_batch_names_it(
    spark: SparkSession, tmp_path: Path
) -> Landings:
    folder = tmp_path / "touched"
    same = write(folder / "same.jsonl", lines(0))
    other = write(folder / "other.jsonl", lines(1))
    copy = folder / "copy.jsonl"
    for file in (same, other):
        change_time(file, 3600)
    yield folder
    write(copy, lines(0))
    write(other, lines(2))
    for file in (same, other, copy):
        change_time(file, 60)
    with opened_files() as opened:
        output = land_well(folder)
    assert opened == ["copy.jsonl", "other.jsonl", "same.jsonl"]
    assert f"has changed since it landed, lands whole: file:{other}" in output
    assert output.count("skipped, landed before: ") == 2
    with opened_files() as opened:
        assert "nothing new" in land_well(folder)
    assert opened == ["copy.jsonl"]
    with opened_files() as opened:
        land_well("--topic", "touched again", folder)
    assert len(opened) == 3
    assert rows(spark, "touched") == [1, 0, 2]


def test_a_change_within_a_moment_of_the_clock_is_seen(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "moment" / "a.jsonl", lines(0))
    now = int(time.time())
    os.utime(file, (now, now))
    clock = SimpleNamespace(time_ns=lambda: (now + 1) * 1_000_000_000)
    monkeypatch.setattr(contents, "time", clock)
    land_well(file)
    write(file, lines(1))
    os.utime(file, (now, now))
    assert "has changed since it landed" in land_well(file)
    assert rows(spark, "moment") == [0, 1]


@shares_landings
def test_a_file_that_cannot_be_read_is_told_and_the_others_land(
    spark: SparkSession, tmp_path: Path
) -> Landings:
    closed = write(tmp_path / "unreadable" / "a.jsonl", lines(0))
    write(tmp_path / "unreadable" / "b.jsonl", lines(1))
    opened = contents._opened

    def refuse(spark: SparkSession, path: str) -> Any:
        if path.endswith("a.jsonl"):
            raise PermissionError(13, "Permission denied")
        return opened(spark, path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contents, "_opened", refuse)
        result = land(closed.parent)
    assert result.exit_code == 2
    reason = f"not landed, as they cannot be read whole: file:{closed}: Permission denied"
    assert result.stderr == f"onelog: {reason}\n"
    assert rows(spark, "unreadable") == [1]
    yield closed.parent
    assert rows(spark, "unreadable") == [1, 0]


@shares_landings
def test_only_what_is_new_lands(spark: SparkSession, tmp_path: Path) -> Landings:
    folder = tmp_path / "grows"
    first = write(folder / "a.jsonl", lines(0, 1))
    write(folder / "b.jsonl", lines(2))
    assert "batch" in (yield folder)
    append(first, lines(3, 4))
    write(folder / "c.jsonl", lines(5))
    output = yield f"{folder}/*.jsonl"
    assert f"has grown, only what is new lands: file:{first}" in output
    assert f"skipped, landed before: file:{folder}/b.jsonl" in output
    assert rows(spark, "grows") == [0, 1, 2, 3, 4, 5]
    grown = last_landing(spark, first)
    assert (grown.bytes, grown.messages) == (first.stat().st_size, 2)
    append(first, "\n \n")
    append(first, lines(6))
    assert f"has grown, only what is new lands: file:{first}" in (yield folder)
    assert "nothing new" in land_well(folder)
    assert rows(spark, "grows") == [0, 1, 2, 3, 4, 5, 6]
    assert staged(spark) == []


@shares_landings
def test_half_a_line_waits_for_its_end(spark: SparkSession, tmp_path: Path) -> Landings:
    file = write(tmp_path / "half" / "a.jsonl", lines(0) + '{"n":')
    waits = f"the last line has no end yet and waits: file:{file}\n"
    assert waits in (yield tmp_path)
    assert rows(spark, "half") == [0]
    assert last_landing(spark, file).bytes == len(lines(0))
    assert land_well(tmp_path) == f"{waits}nothing new\n"
    append(file, "1}\n" + '{"n":')
    yield tmp_path
    append(file, "2}")
    yield tmp_path
    append(file, " [")
    assert waits in (yield tmp_path)
    file.write_bytes(file.read_bytes().removesuffix(b" ["))
    append(file, "\n")
    assert f"skipped, holds no message: file:{file}" in (yield tmp_path)
    append(file, lines(3))
    yield tmp_path
    assert rows(spark, "half") == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("tail", "lands"),
    [
        ('{"n":9}', True),
        ('{"n":9}\r', True),
        ('{"n":9} \t', True),
        ("[9]", True),
        ('"9"', True),
        ("null", True),
        ('{"n":9', False),
        ("9", False),
        ("nul", False),
        ('{"n":"}', False),
        ('{"n":9}{', True),
        ('{"n":9}}', True),
        ('{"n":NaN}', True),
        ("not JSON", True),
        ('{"n":-1.', False),
        ('{"n":1e', False),
        ("\ufeff", True),
    ],
)
def test_a_last_line_without_an_end_lands_where_nothing_can_complete_it(
    spark: SparkSession, tmp_path: Path, tail: str, lands: bool
) -> None:
    file = write(tmp_path / "a.jsonl", lines(0) + tail)
    size = file.stat().st_size
    for is_named in (False, True):
        found = FoundFile(f"file:{file}", "t", LINES, size, 0, is_named)
        part = part_to_land(spark, found, {}, again=False)
        assert (part.end == size) == (lands or is_named)


@shares_landings
def test_a_file_that_is_named_lands_as_it_is(spark: SparkSession, tmp_path: Path) -> Landings:
    file = write(tmp_path / "named" / "a.jsonl", lines(0) + '{"n":')
    yield file
    assert rows(spark, "named") == [0, '{"n":']
    append(file, '\n{"n":1}\n')
    yield file
    assert rows(spark, "named") == [0, '{"n":', 1]


@shares_landings
def test_a_file_that_is_given_twice_lands_once(spark: SparkSession, tmp_path: Path) -> Landings:
    """By its folder and by its name: as it is named, its last line lands without its end."""
    file = write(tmp_path / "given-twice" / "a.jsonl", lines(0) + '{"n":')
    yield tmp_path, file
    assert rows(spark, "given-twice") == [0, '{"n":']


@shares_landings
def test_a_pipe_is_no_file(spark: SparkSession, tmp_path: Path) -> Landings:
    write(tmp_path / "piped" / "a.jsonl", lines(0))
    os.mkfifo(tmp_path / "piped" / "b.jsonl")
    yield tmp_path
    assert rows(spark, "piped") == [0]


@shares_landings
def test_a_file_that_changed_lands_whole(spark: SparkSession, tmp_path: Path) -> Landings:
    file = write(tmp_path / "changed" / "a.jsonl", lines(0, 1))
    yield tmp_path
    write(file, lines(7) + line(1))
    changed = f"has changed since it landed, lands whole: file:{file}"
    assert changed in (yield tmp_path)
    write(file, lines(7))
    assert changed in (yield tmp_path)
    # What it began with before.
    append(file, line(8))
    assert f"has grown, only what is new lands: file:{file}" in (yield tmp_path)
    assert rows(spark, "changed") == [0, 1, 7, 1, 7, 8]


@shares_landings
def test_a_renamed_file_is_known_by_its_content(spark: SparkSession, tmp_path: Path) -> Landings:
    file = write(tmp_path / "renamed" / "a.jsonl", lines(0))
    yield tmp_path
    append(file, lines(1))
    yield tmp_path
    moved = file.rename(file.with_name("b.jsonl"))
    assert f"skipped, landed before: file:{moved}" in (yield tmp_path)
    assert rows(spark, "renamed") == [0, 1]
    land_well("--again", moved)
    assert rows(spark, "renamed") == [0, 1, 0, 1]
    append(moved, lines(2))
    yield moved
    assert rows(spark, "renamed") == [0, 1, 0, 1, 2]


@shares_landings
def test_each_topic_knows_its_own_landings(spark: SparkSession, tmp_path: Path) -> Landings:
    file = write(tmp_path / "one_topic" / "a.jsonl", lines(0))
    yield file
    append(file, lines(1))
    land_well("--topic", "other_topic", file)
    yield file
    assert rows(spark, "one_topic") == rows(spark, "other_topic") == [0, 1]


@shares_landings
def test_line_ends_and_the_mark_of_byte_order_are_no_messages(
    spark: SparkSession, tmp_path: Path
) -> Landings:
    file = write(tmp_path / "ends" / "a.jsonl", "\ufeff" + line(0, "\r\n") + line(1, "\r"))
    yield tmp_path
    append(file, "\n" + line(2, "\r\n") + '\r\n{"n":"')
    yield tmp_path
    append(file, "é".encode()[:1])
    yield tmp_path
    append(file, "é".encode()[1:] + b'"}\r\n')
    yield tmp_path
    assert rows(spark, "ends") == [0, 1, 2, "é"]


@shares_landings
def test_members_appended_to_a_gzip_file_land_alone(
    spark: SparkSession, tmp_path: Path
) -> Landings:
    file = write(tmp_path / "zipped" / "a.jsonl.gz", "")
    append(file, gzip.compress(lines(0, 1).encode()))
    yield tmp_path
    append(file, gzip.compress(lines(2).encode()) + gzip.compress(line(3, "").encode()))
    assert f"has grown, only what is new lands: file:{file}" in (yield tmp_path)
    file.write_bytes(gzip.compress(lines(4).encode()))
    assert f"has changed since it landed, lands whole: file:{file}" in (yield tmp_path)
    assert rows(spark, "zipped") == [0, 1, 2, 3, 4]


@shares_landings
def test_other_kinds_land_whole_when_they_change(spark: SparkSession, tmp_path: Path) -> Landings:
    file = write(tmp_path / "closed" / "a.json", line(0))
    yield tmp_path
    write(file, line(0) + " ")
    assert f"has changed since it landed, lands whole: file:{file}" in (yield tmp_path)
    assert rows(spark, "closed") == [0, 0]


# The steps of a landing before each of which files grow.
MOMENTS = {"_read_texts": reading, "_count": reading, "_has_grown": reading, "_write": files}


@shares_landings
def test_files_that_grow_while_they_are_read_lose_and_double_nothing(
    spark: SparkSession, tmp_path: Path
) -> Landings:
    """A topic for each moment, in one landing."""
    topics = [f"while{moment}" for moment in MOMENTS]
    texts = {topic: write(tmp_path / topic / "a.jsonl", lines(0, 1)) for topic in topics}
    for topic in topics:
        write(tmp_path / topic / "b.jsonl.gz", "")
        append(tmp_path / topic / "b.jsonl.gz", gzip.compress(lines(2).encode()))

    def growing_before(step: Callable[..., Any], topic: str) -> Callable[..., Any]:
        waiting = [topic]

        def grow_then(*arguments: Any) -> Any:
            while waiting:
                waiting.pop()
                append(texts[topic], lines(3) + '{"n":')
                append(tmp_path / topic / "b.jsonl.gz", gzip.compress(lines(4).encode()))
            return step(*arguments)

        return grow_then

    with pytest.MonkeyPatch.context() as patch:
        for (moment, module), topic in zip(MOMENTS.items(), topics, strict=True):
            patch.setattr(module, moment, growing_before(getattr(module, moment), topic))
        land_well(tmp_path)
    assert [rows(spark, topic) for topic in topics] == [[0, 1, 2]] * len(topics)
    for file in texts.values():
        append(file, "5}\n")
    yield tmp_path
    assert [rows(spark, topic) for topic in topics] == [[0, 1, 2, 3, 5, 4]] * len(topics)


@shares_landings
def test_a_file_that_shrinks_while_it_is_read_lands_nothing(
    spark: SparkSession, tmp_path: Path
) -> Landings:
    file = write(tmp_path / "shrinks" / "a.jsonl", lines(0, 1))
    count = reading._count

    def count_then_shrink(*arguments: Any) -> Any:
        counts = count(*arguments)
        write(file, lines(0))
        return counts

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_count", count_then_shrink)
        result = land(tmp_path)
    assert result.exit_code == 1
    assert "changed while it was read; nothing was landed" in result.stderr
    yield tmp_path
    assert rows(spark, "shrinks") == [0]


@given(
    st.lists(st.sampled_from(['{"n":1}', "x", "\n", "\r\n", " ", '{"a', '":2}']), max_size=40),
    st.lists(st.integers(0, 60), max_size=8),
    st.integers(1, 7),
)
def test_all_parts_of_a_file_make_its_lines(pieces: list[str], stops: list[int], size: int) -> None:
    """Landed after any of its writes, with any length of a read, the parts are whole lines."""
    content = "".join(pieces).encode()
    landed: dict[int, str] = {}
    parts = []
    no_spark: Any = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contents, "PIECE", size)
        for stop in sorted({min(stop, len(content)) for stop in stops}):
            patch.setattr(contents, "_pieces", lambda _, found: cut(content[: found.bytes], size))
            part = part_to_land(no_spark, found_file(stop), landed, again=False)
            assert not part.has_changed
            landed |= {part.end: part.digest} if part.end else {}
            parts.append(content[part.start : part.end])
    seen = content[: max(stops, default=0)]
    assert b"".join(parts) == seen[: sum(map(len, parts))]
    waiting = seen[sum(map(len, parts)) :]
    assert b"\n" not in waiting


def found_file(length: int) -> FoundFile:
    return FoundFile("file:/a.jsonl", "t", LINES, length, 0, is_named=False)


def cut(content: bytes, size: int) -> list[bytes]:
    return [content[at : at + size] for at in range(0, len(content), size)]
