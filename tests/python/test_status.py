"""`onelog status`: how each topic stands, and the exit status that a monitor reads."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import messages
import pytest
from click.testing import CliRunner, Result

from landing.cli import main
from landing.queries.report import _of_status, _tests
from landing.queries.status import EPOCH, Run, Status, _last_run, _with_last, ignored_topics
from landing.session import results

TOPIC, IGNORED = "status-rows", "status-playground"
UNBUILT = "batches that no run has built"
WRONG = '{"no envelope": "at all \\u001b[31m <script>alert(1)</script>"}'
Land = Callable[[dict[str, list[str]]], None]


def status(*options: str) -> Result:
    return CliRunner().invoke(main, ["status", *options])


def found() -> tuple[int, dict[str, Any], list[str]]:
    """The exit status, the topics by name, and the reasons that are about this file's topics."""
    result = status("--format", "json")
    assert result.stdout, result.stderr or result.exception
    told = json.loads(result.stdout)
    reasons = [reason for reason in told["reasons"] if "status-" in reason or UNBUILT in reason]
    return result.exit_code, {topic["topic"]: topic for topic in told["topics"]}, reasons


@pytest.fixture(scope="module")
def before_the_run(
    project: Path, build: Callable[..., None], land: Land
) -> Iterator[tuple[Any, ...]]:
    """What is said between a landing and its run."""
    land({TOPIC: messages.oms_default(0, None, {"id": 1, "v": "a"})})
    build()
    said: list[Any] = [found()]
    rows = messages.oms_default(10, None, {"id": 2, "v": "b"})
    land({TOPIC: [*rows, *rows, WRONG], IGNORED: [WRONG]})
    said.append(found())
    build()
    # After the runs: for other variables, dbt parses the whole project anew.
    settings = project / "dbt_project.yml"
    text = settings.read_text()
    settings.write_text(text.replace("quarantine_ignored: []", f"quarantine_ignored: [{IGNORED}]"))
    yield (*said, found())
    settings.write_text(text)


@pytest.fixture(scope="module")
def as_text(before_the_run: tuple[Any, ...]) -> str:
    """What is said after the run."""
    return status().stdout


def test_a_landed_batch_that_no_run_has_built_needs_one(before_the_run: tuple[Any, ...]) -> None:
    built, waiting, after = before_the_run
    assert [said for said in built[2] if UNBUILT in said] == []
    (reason,) = waiting[2]
    assert reason.startswith(f"{UNBUILT}: 1, from ")
    assert waiting[0] == 1
    assert [said for said in after[2] if UNBUILT in said] == []


def test_a_topic_is_counted(before_the_run: tuple[Any, ...]) -> None:
    topic = before_the_run[2][1][TOPIC]
    assert {name: topic[name] for name in ("messages", "changes", "repeats", "statements")} == {
        "messages": 4, "changes": 2, "repeats": 1, "statements": 0
    }  # fmt: skip
    assert sum(topic["quarantined"].values()) == 1
    assert topic["newest_event_at"] == "2023-11-14T22:13:21.000000Z"
    assert 0 < topic["lag_at_landing"] <= topic["lag_now"]


def test_quarantine_needs_a_person_unless_its_topic_is_ignored(
    before_the_run: tuple[Any, ...],
) -> None:
    exit_code, topics, reasons = before_the_run[2]
    assert exit_code == 1
    assert sum(topics[IGNORED]["quarantined"].values()) == 1
    (reason,) = reasons
    assert reason.startswith(f"1 message of {TOPIC} in quarantine: ")


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        (None, set()),
        ({"quarantine_ignored": ["a"]}, {"a"}),
        ({"quarantine_ignored": ["a"], "onelog": {"quarantine_ignored": ["b"]}}, {"b"}),
        ({"onelog": None}, set()),
    ],
)
def test_variables_of_the_package_come_before_the_project_s(
    variables: Any, expected: set[str]
) -> None:
    assert ignored_topics({"vars": variables}) == expected


def test_a_run_that_failed_needs_a_person(
    as_text: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = json.loads((project / "warehouse" / results.FILE).read_text())
    hook = known["run"]["results"][-1]
    assert hook["unique_id"].startswith("operation.")
    hook["status"] = "error"
    (project / "failed").mkdir()
    (project / "failed" / results.FILE).write_text(json.dumps(known))
    assert "the last dbt run failed" not in as_text
    monkeypatch.setenv("ONELOG_HOME", "failed")
    result = status()
    assert result.exit_code == 1
    assert "needs a person: the last dbt run failed, with 1 of its nodes\n" in result.stdout


def ended(command: str, *nodes: tuple[str, str], built_at: datetime | None = None) -> None:
    """Remember a dbt command on the present home; its run may have a time."""
    kept = [
        SimpleNamespace(
            node=SimpleNamespace(unique_id=name), status=outcome, failures=None, execution_time=0.5
        )
        for name, outcome in nodes
    ]
    micros = (built_at - EPOCH) // timedelta(microseconds=1) if built_at else None
    results.remember(command, 1.5, kept, micros)


def test_a_command_is_that_of_its_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for home, outcome in (("one", "error"), ("two", "success")):
        (tmp_path / home).mkdir()
        monkeypatch.setenv("ONELOG_HOME", str(tmp_path / home))
        ended("run", ("model.onelog.changes", outcome))
    monkeypatch.setenv("ONELOG_HOME", str(tmp_path / "one"))
    assert _last_run().models == {"error": 1}
    ended("test", ("test.onelog.a", "pass"))
    assert _last_run().models == {"error": 1}, "a test builds nothing"
    ended("build", ("test.onelog.a", "warn"), ("operation.onelog.begin", "success"))
    run = _last_run()
    assert (run.command, run.seconds, run.models) == ("build", 1.5, {"warn": 1})
    assert [row[:2] for row in _tests().rows] == [["a", "warn"]]


def test_the_last_command_has_a_time_and_its_run_is_listed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONELOG_HOME", str(tmp_path))
    before = datetime.now(UTC)
    same, earlier = Run(before, 5), Run(before - timedelta(hours=1), 7)
    ended("run", ("model.onelog.changes", "success"), built_at=before)
    last = _last_run()
    assert last is not None and last.ended_at is not None
    assert before <= last.ended_at <= datetime.now(UTC)
    expected = Run(before, 5, "run", 1.5, {"success": 1}, last.ended_at)
    assert _with_last(last, [same, earlier]) == [expected, earlier]
    assert _with_last(last, [earlier])[0].rows is None, "it has changed nothing"
    assert _with_last(None, [earlier]) == [earlier]
    moment = f"{last.ended_at:%Y-%m-%d %H:%M:%S}"
    assert [*Status([], [expected, earlier], []).lines()][2:] == [
        f"last dbt run: 1.5 s, ended {moment}: 1 success; 5 rows of the log",
        f"run of {before - timedelta(hours=1):%Y-%m-%d %H:%M:%S}: 7 rows of the log",
    ]
    assert _of_status(Status([], [expected, earlier], []))["runs"].rows == [
        [f"{before:%Y-%m-%d %H:%M:%S}", "5", "1.5", "last dbt run: 1 success"],
        [f"{before - timedelta(hours=1):%Y-%m-%d %H:%M:%S}", "7", "", ""],
    ]


def test_a_command_that_was_remembered_without_its_run_has_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an earlier version, or as its run did not begin."""
    monkeypatch.setenv("ONELOG_HOME", str(tmp_path))
    ended("run", ("operation.onelog.begin", "error"))
    known = json.loads((tmp_path / results.FILE).read_text())
    del known["run"]["built_at"]
    (tmp_path / results.FILE).write_text(json.dumps(known))
    found = _with_last(_last_run(), [])
    assert [(run.built_at, run.ended_at is None) for run in found] == [(None, False)]
    ((moment, *_),) = _of_status(Status([], found, []))["runs"].rows
    assert moment == f"{found[0].ended_at:%Y-%m-%d %H:%M:%S}"


def test_of_a_home_that_a_server_has_dbt_s_own_file_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONELOG_HOME", str(tmp_path))
    monkeypatch.setenv("DBT_TARGET_PATH", str(tmp_path))
    monkeypatch.setenv("SPARK_REMOTE", "sc://server")
    ended("run", ("model.onelog.changes", "error"))
    assert _last_run() is None
    written = {"args": {"which": "run"}, "elapsed_time": 2.0, "results": []}
    (tmp_path / "run_results.json").write_text(json.dumps(written))
    assert _last_run().seconds == 2.0
    metadata = {"generated_at": "2026-11-28T01:02:03.000004Z"}
    (tmp_path / "run_results.json").write_text(json.dumps(written | {"metadata": metadata}))
    assert _last_run().ended_at == datetime(2026, 11, 28, 1, 2, 3, 4, UTC)
    (tmp_path / "run_results.json").write_text(json.dumps(written | {"args": {"which": "seed"}}))
    assert _last_run() is None


def test_it_is_told_as_text_too(as_text: str) -> None:
    assert "\x1b" not in as_text
    assert f"\n{TOPIC} " in as_text
    assert re.search(
        r"\nlast dbt run: [\d.]+ s, ended [\d: -]+: .*; [\d,]+ rows of the log\n", as_text
    )
    assert "\nrun of " in as_text


@pytest.fixture(scope="module")
def report(before_the_run: tuple[Any, ...], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    with pytest.MonkeyPatch.context() as patched:
        # Other files' topics may stand in the same home.
        patched.setattr("landing.queries.report.ROWS", 10**6)
        result = CliRunner().invoke(main, ["report", str(path)])
    assert (result.exit_code, result.stdout) == (0, f"wrote {path}\n"), result.output
    return path.read_text()


def test_the_report_is_one_page_that_loads_and_runs_nothing(report: str) -> None:
    assert report.count("<svg ") == 4
    assert f"<td>{TOPIC}</td>" in report
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in report, "the example of what is in quarantine"
    for loaded in ("<script", "<link", "src=", "@import", "url(", "\x1b"):
        assert loaded not in report, loaded


# By Chromium's numbers of them.
SCHEMES = {"dark": 0, "light": 1}


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs Debian's package chromium")
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [390, 1440])
def test_the_report_is_no_wider_than_the_window(
    report: str, tmp_path: Path, width: int, scheme: str
) -> None:
    """In both schemes of colours; a screenshot of each is left in the folder of the test."""
    # A frame may be narrower than the narrowest window of the browser.
    shown = f"<iframe id=frame width={width} height=2000 frameborder=0 srcdoc='{{}}'></iframe>"
    measure = (
        "onload = () => document.title"
        " = document.getElementById('frame').contentDocument.documentElement.scrollWidth"
        " + ' ' + matchMedia('(prefers-color-scheme: dark)').matches"
    )
    framed, screenshot = tmp_path / "framed.html", tmp_path / f"{width}-{scheme}.png"
    framed.write_text(f"{shown.format(escape(report))}<script>{measure}</script>")
    browser = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--dump-dom"]
    browser += [f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}"]
    browser += [f"--window-size={width + 20},2020", f"--screenshot={screenshot}"]
    page = subprocess.run(
        [*browser, framed.as_uri()], capture_output=True, text=True, timeout=120
    ).stdout
    ((measured, is_dark),) = re.findall(r"<title>(\d+) (true|false)</title>", page)
    assert int(measured) <= width
    assert (is_dark == "true") == (scheme == "dark")
    assert screenshot.stat().st_size > 10_000
