"""A user's mistake is one line on stderr and exit status 2; those here need no Spark."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import ROOT
from pyspark.errors import AnalysisException, PySparkRuntimeError

from landing import session
from landing.bronze.reroute import Reroute
from landing.cli import main, named, tell
from landing.errors import JAVA_HAS_ENDED, UserError
from landing.files.land import FilesReport
from landing.maintain import Maintained
from landing.session import opening
from landing.session.lease import CATALOG

LATIN = "select 'größe'".encode("latin-1")


@pytest.fixture(autouse=True)
def no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that comes as far as Spark fails."""

    def started(settings: dict[str, str]) -> Any:
        raise AssertionError("Spark was started")

    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    monkeypatch.setattr(opening, "_start", started)


def told(*arguments: str, entered: bytes = b"") -> str:
    """What a command says of a mistake."""
    result = CliRunner().invoke(main, arguments, input=entered)
    assert (result.exit_code, result.stdout) == (2, ""), result.exception
    assert result.stderr.startswith("onelog: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize("folder", ["nowhere", "file"])
def test_a_report_needs_a_folder(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / folder / "report.html"
    assert f"{path} cannot be written: " in told("report", str(path))


def test_a_name_in_an_error_writes_no_escape_codes(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "evil\x1b[2J\u202e"
    assert f"{tmp_path}/file/evil\\x1b[2J\\u202e cannot be written: " in told("init", str(folder))


def test_a_name_in_a_report_forges_no_line_and_writes_no_escape_codes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    evil, shown = "evil\nbatch 99: 7 messages\x1b[2J", r"evil\nbatch 99: 7 messages\x1b[2J"
    landed = FilesReport(1, Counter({(evil, "tdsql"): 7}), ignored=[f"file:/{evil}/größe 表.txt"])
    for report in (landed, Reroute(evil), Maintained(failed={"bronze.tdsql": evil})):
        tell(report)
    assert capsys.readouterr().out.splitlines() == [
        f"ignored, of another kind: file:/{shown}/größe 表.txt",
        "batch 1: 7 messages",
        f"  {shown}: 7 tdsql",
        f"nothing to move: every message of {shown} lies where it belongs",
        f"bronze.tdsql stays as it is: {shown}",
        "nothing to free",
    ]


def test_a_query_is_a_text(tmp_path: Path) -> None:
    path = tmp_path / "query.sql"
    path.write_bytes(LATIN)
    assert "UTF-8" in told("sql", "-f", str(path))
    assert "UTF-8" in told("sql", entered=LATIN)
    assert "UTF-8" in told("sql", "select '\udcf6'")


def test_a_project_needs_a_folder_to_write_in(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "project"
    assert f"{folder} cannot be written: " in told("init", str(folder))


def test_options_that_name_several_may_be_repeated() -> None:
    assert named(("a, b", ",c")) == ["a", "b", "c"]
    following = ["follow", "--kafka", "host:9092", "--subscribe", ","]
    result = CliRunner().invoke(main, following)
    assert result.exit_code == 2
    assert "--kafka and --subscribe go together" in result.stderr


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("land files a.jsonl {}", "rename it, or name the folder above it"),
        ("follow --files a.jsonl --files {}", "rename it, or name the folder above it"),
        ("reconcile erp shop.orders --with {}", "rename it"),
        ("land files --topic {} a.jsonl", ""),
        ("land table {}", ""),
        ("reroute {}", ""),
        ("explain {} 1", ""),
        ("trace erp shop.orders {}", ""),
    ],
)
def test_an_argument_is_a_text(command: str, advice: str) -> None:
    """The byte 0xE9, which is é in Latin-1, comes as a surrogate."""
    said = told(*command.format("in/caf\udce9.csv").split())
    expected = f"onelog: in/caf\\xe9.csv is not UTF-8 text: {advice}".removesuffix(": ")
    assert said == f"{expected}\n"


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        ("status", "landing.queries.status.status"),
        ("report", "landing.queries.report.report"),
        ("explain t 1", "landing.queries.explain.explain"),
        ("trace s d.t 1", "landing.queries.trace.trace"),
        ("reconcile s d.t --with x.csv", "landing.queries.reconcile.reconcile"),
        ("sql x", "landing.queries.sql.print_query"),
    ],
)
@pytest.mark.parametrize(
    "error", [EOFError(), ConnectionResetError(), AnalysisException("no\nplan")]
)
def test_a_command_that_reads_tells_what_ended_it(
    command: str, asked: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a Java that has ended, Spark's stop tells: what was read may only have had its end."""

    def ended(*_: Any) -> None:
        raise error

    @contextmanager
    def open_session(java_options: str) -> Iterator[Any]:
        # Else a thread that brings rows may end alone, and the command waits for ever.
        assert command.startswith("reconcile") or "ExitOnOutOfMemoryError" in java_options
        try:
            yield SimpleNamespace()
        finally:
            if isinstance(error, EOFError):
                raise ConnectionRefusedError

    monkeypatch.setattr(session, "open_session", open_session)
    monkeypatch.setattr(asked, ended)
    result = CliRunner().invoke(main, command.split())
    why = "no" if isinstance(error, AnalysisException) else JAVA_HAS_ENDED
    assert result.stderr.splitlines()[-1].endswith(why), result.exception
    is_asked_wrongly = why == "no" and command.split()[0] in ("explain", "trace")
    assert (result.exit_code, result.stderr.count("\n")) == (1 + is_asked_wrongly, 1)


def test_a_report_of_any_name_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("landing.cli.shown_session", lambda options: nullcontext((None, None)))
    monkeypatch.setattr("landing.queries.report.report", lambda spark: "<html>")
    path = tmp_path / "caf\udce9.html"
    result = CliRunner().invoke(main, ["report", str(path)])
    assert result.stdout == f"wrote {tmp_path}/caf\\udce9.html\n", result.exception
    assert path.read_text() == "<html>"


def test_a_home_of_no_name_is_the_default_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("DBT_PROFILES_DIR", "profiles")
    monkeypatch.setenv("ONELOG_HOME", "")
    settings = opening.session_settings()
    assert settings["spark.sql.warehouse.dir"] == "warehouse"
    assert "databaseName=warehouse/metastore;" in settings[CATALOG]


def test_a_spark_that_does_not_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(builder: Any) -> Any:
        raise PySparkRuntimeError("Could not parse Master URL: 'nonsense'\nat org.apache.spark")

    monkeypatch.undo()
    monkeypatch.setattr(opening, "start_session", fails)
    with pytest.raises(UserError, match=r"Spark does not start: .*'nonsense'$"):
        opening._start({})
