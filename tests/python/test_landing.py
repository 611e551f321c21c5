"""`onelog land files` on a warm Spark: what lands, under which number, and what does not.

Some tests land together: see ``shared_landings``.
"""

import gzip
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from commands import land, land_well
from conftest import ROOT
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from shared_landings import Landings, shares_landings

from landing import session
from landing.bronze import store
from landing.cli import landing_session
from landing.errors import LandingError
from landing.files import contents, listing, reading
from landing.session import turns

CANAL = '{"data":[{"id":%s}],"old":null,"type":"INSERT","database":"d","table":"t"}'


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def landed(spark: SparkSession, topic: str) -> list[Row]:
    """Every message of a topic, from committed and uncommitted batches, in the order of offsets."""
    messages = spark.table("bronze.messages")
    return messages.where(messages.topic == topic).orderBy("offset").collect()


def texts(spark: SparkSession, topic: str) -> list[str]:
    return [row.message for row in landed(spark, topic)]


def numbers(count: int, start: int = 0) -> str:
    return "".join(f'{{"n":{n}}}\n' for n in range(start, start + count))


@contextmanager
def small_splits(spark: SparkSession) -> Iterator[None]:
    """Files are cut every few hundred bytes, and several pieces share a task."""
    settings = {"spark.sql.files.maxPartitionBytes": "600", "spark.sql.files.openCostInBytes": "0"}
    before = {name: str(spark.conf.get(name)) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    yield
    for name, value in before.items():
        spark.conf.set(name, value)


EXACT = [
    CANAL % "1.10",
    CANAL % ("9." + "1" * 1_071),
    CANAL % ("7" * 50_000),
    CANAL % ('"' + "x" * 10_000_000 + '"'),
    CANAL % ("[" * 2_000 + "]" * 2_000),
    CANAL % ("[" * 3_900 + "]" * 3_900),
    CANAL % '"\\u0001 \\\\xff \\"quoted\\" 😀 \\ud83d\\ude00"',
]


@shares_landings
def test_every_value_is_read_back_letter_for_letter(
    spark: SparkSession, tmp_path: Path
) -> Landings:
    yield write(tmp_path / "exact" / "a.jsonl", "\n".join(EXACT))
    assert texts(spark, "exact") == EXACT
    canal = spark.table("bronze.oms_canal").where("topic = 'exact'").orderBy("offset")
    values = [row.id for row in canal.selectExpr("message.data[0]['id'] as id").collect()]
    assert values[:3] == ["1.10", "9." + "1" * 1_071, "7" * 50_000]
    assert values[3] == "x" * 10_000_000
    assert values[4:6] == ["[" * 2_000 + "]" * 2_000, "[" * 3_900 + "]" * 3_900]
    assert values[6] == '\x01 \\xff "quoted" 😀 😀'
    assert canal.where("_corrupt_record is not null").count() == 0


@shares_landings
def test_what_is_not_one_object_is_kept_with_its_reason(
    spark: SparkSession, tmp_path: Path
) -> Landings:
    messages = [b'{"type":"A"}},"offset":5}', b'{"a":1} {"b":2}', b'{"a":"\xff"}', b"[1]"]
    yield write(tmp_path / "broken" / "a.jsonl", b"\n".join(messages))
    rows = landed(spark, "broken")
    assert [row.offset for row in rows] == [0, 1, 2, 3]
    assert {row.envelope for row in rows} == {"unrecognized"}
    assert [row.message for row in rows] == [None] * 4
    assert [row.raw for row in rows] == [m.decode("utf-8", "backslashreplace") for m in messages]
    assert [row.problem for row in rows] == [
        "not JSON: trailing characters (byte 13)",
        "more than one JSON value",
        "not UTF-8 (byte 6)",
        "top level is an array, not an object",
    ]


@shares_landings
def test_files_of_every_kind_land_in_name_order(spark: SparkSession, tmp_path: Path) -> Landings:
    folder = tmp_path / "kinds"
    write(folder / "1.jsonl", '\ufeff{"n":1}\r\n\r\n \t\n{"n":2}')
    write(folder / "2.jsonl.gz", '{"n":3}\n{"n":4}\n')
    write(folder / "3.json", '\ufeff{\n  "n": 5\n}\n')
    write(folder / "4.json.gz", '{"n":6}\n')
    write(folder / "5.json", '{"n":7}\n{"n":8}\n')
    write(folder / "notes.txt", "nothing")
    write(folder / "empty.jsonl", "\n \n")
    output = yield folder
    assert texts(spark, "kinds") == [
        *('{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}', '{   "n": 5 }', '{"n":6}', None)
    ]
    assert landed(spark, "kinds")[6].problem == "more than one JSON value"
    assert f"ignored, of another kind: file:{folder}/notes.txt" in output
    assert f"skipped, holds no message: file:{folder}/empty.jsonl" in output
    assert "  kinds: 7 unrecognized" in output


def test_a_topic_may_mix_envelopes_and_a_call_topics(spark: SparkSession, tmp_path: Path) -> None:
    mixed = [CANAL % 1, '{"op":"d","before":{"id":1}}', CANAL % 2]
    write(tmp_path / "mixed" / "2024" / "01" / "a.jsonl", "\n".join(mixed))
    write(tmp_path / "other" / "b.jsonl", '{"id":1,"__deleted":"false"}')
    output = land_well(tmp_path)
    rows = landed(spark, "mixed")
    assert [(row.offset, row.envelope) for row in rows] == [
        *((0, "oms_canal"), (1, "oms_debezium_flatten"), (2, "oms_canal"))
    ]
    assert [row.envelope for row in landed(spark, "other")] == ["oms_debezium_smt"]
    assert "  mixed: 2 oms_canal" in output
    batch = spark.table("bronze.batches").orderBy("batch", ascending=False).first()
    assert {table.envelope: table.messages for table in batch.tables} == {
        **{"oms_canal": 2, "oms_debezium_flatten": 1, "oms_debezium_smt": 1}
    }
    assert batch.ingress == "files"
    assert {(file.topic, file.messages) for file in batch.files} == {("mixed", 3), ("other", 1)}
    assert all(row.received_at == batch.landed_at for row in rows)


def test_the_registry_names_a_topics_envelope(
    spark: SparkSession, project: Path, tmp_path: Path
) -> None:
    topics = project / "seeds" / "topics.csv"
    before = topics.read_text()
    try:
        topics.write_text(before.rstrip("\n") + "\nregistered,oms_debezium_smt,,,,,\n")
        write(tmp_path / "registered" / "a.jsonl", '{"field1":"1"}\nnull\n[]')
        land_well(tmp_path)
        topics.write_text(before.rstrip("\n") + "\nregistered,oms_smt,,,,,\n")
        result = land(tmp_path)
    finally:
        topics.write_text(before)
    rows = spark.table("bronze.oms_debezium_smt").where("topic = 'registered'").orderBy("offset")
    values = [(row.message, row.raw) for row in rows.collect()]
    assert values == [({"field1": "1"}, None), (None, None), (None, "[]")]
    assert result.exit_code == 2
    assert result.stderr.startswith("onelog: seeds/topics.csv: topic registered names")


def test_offsets_go_on_across_files_splits_and_landings(
    spark: SparkSession, tmp_path: Path
) -> None:
    for name, start in (("b", 100), ("a", 0), ("c", 200)):
        write(tmp_path / "numbered" / f"{name}.jsonl", numbers(100, start))
    with small_splits(spark):
        land_well(tmp_path / "numbered" / "[ab].jsonl")
        land_well("--topic", "numbered", tmp_path / "numbered")
    rows = landed(spark, "numbered")
    assert [row.offset for row in rows] == list(range(300))
    assert [json.loads(row.message)["n"] for row in rows] == list(range(300))
    assert [row.batch - rows[0].batch for row in rows] == [0] * 200 + [1] * 100


@shares_landings
def test_paths_land_in_the_order_given(spark: SparkSession, tmp_path: Path) -> Landings:
    second = write(tmp_path / "given" / "b.jsonl", numbers(1, 1))
    first = write(tmp_path / "given" / "a.jsonl", numbers(1, 0))
    yield second, first
    assert texts(spark, "given") == ['{"n":1}', '{"n":0}']


@shares_landings
def test_a_file_lands_once_unless_it_is_asked_for_again(
    spark: SparkSession, tmp_path: Path
) -> Landings:
    first = write(tmp_path / "once" / "a.jsonl", numbers(2))
    copy = write(tmp_path / "once" / "copy.jsonl", numbers(2))
    assert f"skipped, landed before: file:{copy}" in (yield tmp_path / "once")
    output = land_well(first)
    assert f"skipped, landed before: file:{first}\nnothing new" in output
    assert len(landed(spark, "once")) == 2
    assert "batch" in land_well("--topic", "twice", first)
    land_well("--again", first, first)
    assert [row.offset for row in landed(spark, "once")] == [0, 1, 2, 3]


ODD_NAMES = [
    "odd [1] %20 é",
    "a:{b}",
    "x[1]:y",
    "2024-01-01T00:00:00",
    "%3A #?",
    "\\*:{a,b}",
    "😀 ' ",
]


@shares_landings
def test_names_with_odd_characters_are_taken_literally(
    spark: SparkSession, tmp_path: Path
) -> Landings:
    """Where their folder is given, and where they are."""
    kinds = (".json", ".jsonl", ".jsonl.gz")
    found, named = tmp_path / "x=y", tmp_path / "a=b"
    for folder in (found, named):
        for number, name in enumerate(ODD_NAMES):
            for place, kind in enumerate(kinds):
                file = folder / f"{name} {folder.name}" / f"{name}{kind}"
                write(file, numbers(1, 10 * number + place))
    yield found, *sorted(named.glob("*/*"))
    for folder in (found, named):
        for number, name in enumerate(ODD_NAMES):
            messages = numbers(len(kinds), 10 * number).split()
            assert texts(spark, f"{name} {folder.name}") == messages


def test_local_folders_are_listed_as_hadoop_lists_them(spark: SparkSession, tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    for name in ("a.jsonl", ".a.jsonl.crc", ".hidden.jsonl", "b/1/c.json", "é 😀 %20 [x]:y.jsonl"):
        write(folder / name, numbers(1))
    write(elsewhere / "d.jsonl", numbers(1))
    (folder / "link").symlink_to(elsewhere)
    (folder / "nowhere").symlink_to(tmp_path / "missing")
    (folder / "itself").symlink_to(folder / "itself")
    path = spark._jvm.org.apache.hadoop.fs.Path(str(folder))
    files = path.getFileSystem(spark._jsc.hadoopConfiguration()).listFiles(path, True)
    found = set()
    while files.hasNext():
        status = files.next()
        found.add((status.getPath().toString(), status.getLen(), status.getModificationTime()))
    listed = listing.list_files(spark, (str(folder),), None)
    assert {file.path for file in listed.files} | {*listed.ignored} == {path for path, *_ in found}
    assert {(file.path, file.bytes, file.modified_millis) for file in listed.files} <= found


def listed_locally(folder: Path) -> list[str]:
    """The paths of the files under a local folder, from it on."""
    found = [status.path for status in listing._local_files(str(folder))]
    return sorted(path.removeprefix(f"file:{folder}/") for path in found)


def test_a_link_to_a_folder_above_is_not_followed(tmp_path: Path) -> None:
    """Two such links would be followed for ever."""
    orders = tmp_path / "in" / "orders"
    write(orders / "a.jsonl", numbers(1))
    write(orders / "2024" / "b.jsonl", numbers(1))
    for name, leads_to in (("self", "."), ("again", "../orders"), ("2024/up", "..")):
        (orders / name).symlink_to(leads_to)
    (tmp_path / "in" / "all").symlink_to(tmp_path)
    assert listed_locally(orders) == ["2024/b.jsonl", "a.jsonl"]
    assert listed_locally(tmp_path) == ["in/orders/2024/b.jsonl", "in/orders/a.jsonl"]


def test_two_links_to_one_folder_are_both_followed(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere" / "a.jsonl", numbers(1))
    for name in ("one", "two"):
        (tmp_path / "folder" / name).mkdir(parents=True)
        (tmp_path / "folder" / name / "link").symlink_to(tmp_path / "elsewhere")
    assert listed_locally(tmp_path / "folder") == ["one/link/a.jsonl", "two/link/a.jsonl"]


@shares_landings
def test_a_file_with_a_colon_grows_as_any_other(spark: SparkSession, tmp_path: Path) -> Landings:
    file = write(tmp_path / "colons" / "a:{b}.jsonl", numbers(1))
    yield tmp_path
    file.write_text(numbers(2))
    assert f"has grown, only what is new lands: file:{file}" in (yield file)
    assert texts(spark, "colons") == ['{"n":0}', '{"n":1}']


def test_a_pattern_that_meets_a_colon_is_refused_in_one_line(
    spark: SparkSession, tmp_path: Path
) -> None:
    write(tmp_path / "patterns" / "a:b.jsonl", numbers(1))
    for pattern in ("*.jsonl", "a:*", "c:d"):
        result = land(tmp_path / "patterns" / pattern)
        assert result.exit_code == 2
        assert f"patterns/{pattern}: " in result.stderr
        assert "name the folder" in result.stderr
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("partitions_are_registered", [False, True])
def test_what_a_killed_landing_left_is_removed(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    partitions_are_registered: bool,
) -> None:
    topic = f"killed_{partitions_are_registered}"
    file = write(tmp_path / topic / "a.jsonl", CANAL % 1)
    whole_commit = store.commit

    def killed(spark: SparkSession, batch: store.Batch) -> None:
        if partitions_are_registered:
            monkeypatch.setattr(SparkSession, "createDataFrame", lambda *_: 1 / 0)
            whole_commit(spark, batch)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store, "commit", killed)
        assert land(file).exit_code != 0
    monkeypatch.undo()
    assert len(landed(spark, topic)) == int(partitions_are_registered)
    write(tmp_path / topic / "a.jsonl", CANAL % 2)
    land_well(file)
    assert texts(spark, topic) == [CANAL % 2]


def test_a_topic_of_another_way_in_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    number = store.next_batch_number(spark)
    from_kafka = store.Batch(
        number, datetime.now(UTC), "kafka", tables={}, files=[], offsets=[("fed", 0, 7)]
    )
    store.commit(spark, from_kafka)
    result = land(write(tmp_path / "fed" / "a.jsonl", numbers(1)))
    assert result.exit_code == 2
    assert result.stderr == "onelog: topic fed is fed by kafka: files cannot land in it as well\n"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.jsonl", "no such file or folder"),
        ("events.csv", "files of this kind are not read"),
        ("_hidden.jsonl", "hidden files"),
        ("unknown:/a.jsonl", 'No FileSystem for scheme "unknown"'),
        ("unknown://host/a.jsonl", 'No FileSystem for scheme "unknown"'),
    ],
)
def test_a_users_mistake_is_one_line(
    spark: SparkSession, tmp_path: Path, name: str, said: str
) -> None:
    path = name if "/" in name else str(tmp_path / name)
    if name in ("events.csv", "_hidden.jsonl"):
        write(tmp_path / name, "")
    result = land(path)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"onelog: {path}: {said}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("is_local", [True, False])
def test_a_broken_gzip_file_is_said_and_leaves_its_neighbours_alone(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_local: bool
) -> None:
    if not is_local:
        for module in (contents, reading):
            monkeypatch.setattr(module, "is_local", lambda path: False)
    folder, whole = tmp_path / f"broken gzip {is_local}", gzip.compress(numbers(5_000).encode())
    write(folder / "1.jsonl", numbers(1))
    broken = {
        "2.jsonl.gz": whole[:-1000],
        "3.json.gz": whole[:-4],
        "4.jsonl.gz": b"not compressed",
        "5.jsonl.gz": whole[:-8] + b"12345678",
        "6 %20 {[1]}.jsonl.gz": whole[:5],
    }
    if is_local:
        broken["a:b.jsonl.gz"] = whole[:-2000]
    for name, data in broken.items():
        (folder / name).write_bytes(data)
    write(folder / "8.jsonl.gz", numbers(1, 1))
    write(folder / "9.json.gz", numbers(1, 2))
    for landed_first in ("batch", "nothing new"):
        result = land(folder)
        assert result.exit_code == 2
        assert landed_first in result.stdout
        assert result.stderr.startswith("onelog: not landed, as they cannot be read whole: ")
        assert result.stderr.count("\n") == 1
        assert all(f"file:{folder / name}: " in result.stderr for name in broken)
        assert texts(spark, folder.name) == numbers(3).split()
    (folder / "2.jsonl.gz").write_bytes(whole)
    land_well(folder / "2.jsonl.gz")
    assert len(landed(spark, folder.name)) == 5_003


def test_a_gzip_file_with_an_endless_line_is_said(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark's heap ends there; here a small one does."""
    count = reading._count

    def count_in_small_heap(messages: DataFrame) -> reading.Counts:
        if any("endless" in file for file in messages.inputFiles()):
            raise PySparkException("Java heap space")
        return count(messages)

    monkeypatch.setattr(reading, "_count", count_in_small_heap)
    monkeypatch.setattr(reading, "LONGEST", 3 << 20)
    write(tmp_path / "heap" / "a.jsonl.gz", f'"{"x" * (1 << 18)}"\n' * 16)
    endless = [
        write(tmp_path / "heap" / "endless.jsonl.gz", numbers(1) + "0" * (5 << 20) + "\n"),
        write(tmp_path / "heap" / "endless.json.gz", "[\n" + " \n" * (3 << 20) + "]"),
    ]
    result = land(tmp_path)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert result.stderr.count("a message is longer than 3145728 bytes") == 2
    assert all(f"file:{path}: " in result.stderr for path in endless)
    assert "heap: 16 unrecognized" in result.stdout


@pytest.mark.parametrize("has_java_ended", [False, True])
def test_what_java_says_is_asked_before_spark_stops(
    monkeypatch: pytest.MonkeyPatch, has_java_ended: bool
) -> None:
    java_runs = not has_java_ended

    @contextmanager
    def open_session(java_options: str) -> Iterator[None]:
        nonlocal java_runs
        try:
            yield
        finally:
            java_runs = False

    def message() -> str:
        if not java_runs:
            raise ConnectionRefusedError
        return "no space left\n\tat java.io"

    error = Py4JError()
    error.java_exception = SimpleNamespace(getMessage=message)
    monkeypatch.setattr(session, "open_session", open_session)
    monkeypatch.setattr(session, "hold_lease", lambda spark: None)
    with pytest.raises(LandingError) as told, landing_session():
        raise error
    said = "Java has ended; spark.log in ONELOG_HOME says why"
    assert (
        told.value.message == f"nothing was landed: {said if has_java_ended else 'no space left'}"
    )
    with pytest.raises(LandingError, match=said), landing_session():
        raise ConnectionRefusedError


@shares_landings
def test_a_member_that_is_only_half_there_waits_for_its_end(
    spark: SparkSession, tmp_path: Path
) -> Landings:
    first, second = (gzip.compress(numbers(5_000, start).encode()) for start in (0, 5_000))
    file = write(tmp_path / "members" / "a.jsonl", first).rename(tmp_path / "members/a.jsonl.gz")
    yield file
    file.write_bytes(first + second[:-100])
    result = land(tmp_path)
    assert result.exit_code == 2 and f"file:{file}: " in result.stderr
    file.write_bytes(first + second)
    yield tmp_path
    assert texts(spark, "members") == numbers(10_000).split()


def test_outside_a_project_the_command_says_so(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from landing.errors import UserError
    from landing.session import session_settings

    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"no dbt_project\.yml here"):
        session_settings()


def test_commands_on_one_home_take_turns(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is killed while it holds the home leaves it free."""
    monkeypatch.setattr(turns, "PATIENCE", 0.1)
    hold = "import sys, time; from pathlib import Path;"
    hold += " from landing.session.turns import take_home;"
    hold += " take_home(Path(sys.argv[1])); print(flush=True); time.sleep(60)"
    holder = subprocess.Popen(
        [sys.executable, "-c", hold, str(tmp_path)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    holder.stdout.readline()
    threading.Timer(0.5, holder.kill).start()
    turns.take_home(tmp_path)
    said = capsys.readouterr().err
    assert said.startswith("onelog: waiting for -c ") and said.count("\n") == 1
    assert f"(process {holder.pid}), at work in {tmp_path}" in said
    assert turns.take_home(tmp_path), "a process takes its home once"
    turns._held.pop(tmp_path).close()


@pytest.mark.parametrize("home", ["file", "file/home"])
def test_a_home_that_cannot_be_written_in_is_one_line(tmp_path: Path, home: str) -> None:
    write(tmp_path / "file", "")
    for arguments in (["sql", "select 1"], ["land", "files", "samples"]):
        done = subprocess.run(
            [sys.executable, "-c", "from landing.cli import main; main()", *arguments],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT), "ONELOG_HOME": str(tmp_path / home)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 2
        assert done.stderr.startswith(f"onelog: the home {tmp_path / home} cannot be written in ")
        assert "ONELOG_HOME" in done.stderr and done.stderr.count("\n") == 1
