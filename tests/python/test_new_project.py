"""A project of a user's own, made by `onelog init`, on what the wheel installs."""

import contextlib
import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from conftest import ROOT, SMALL
from messages import oms_canal

from landing.cli import main
from landing.new_project import write_project

# What the README of the new project says, and then a change of it, in one process.
STEPS = """
import csv, json, sys
from pathlib import Path
from dbt.cli.main import dbtRunner
from landing.files.land import land_files
from landing.session import open_session

def dbt(*arguments):
    result = dbtRunner().invoke([*arguments, "--quiet", "--log-level-file", "none"])
    results = getattr(result.result, "results", None) or []
    failed = [f"{r.node.name}: {r.message}" for r in results if r.status in ("error", "fail")]
    assert result.success, (arguments, failed, result.exception)

def rows(table, columns):
    return [list(row) for row in spark.sql(f"select {columns} from {table} order by all").collect()]

dbt("deps")
with open("seeds/topics.csv", "a", newline="") as file:
    csv.DictWriter(file, ["topic", "envelope", "source"]).writerow(
        {"topic": "orders", "source": "erp"}
    )
with open_session() as spark:
    land_files(spark, ("messages",))
    dbt("build", "--exclude-resource-type", "unit_test")
    Path("seeds/others.csv").write_text("name,number\\nof our own,7\\n")
    table = "{source: erp, database_name: d, table_name: t}"
    dbt("run-operation", "onelog.write_model", "--args", table)
    listed = "assert_every_typed_model_shows_its_failures"
    dbt("build", "--select", "others", "t", "cast_failures", listed)
    print(json.dumps([
        rows("gold.changes_per_day", "source, table_name, written_rows, deleted_rows"),
        rows("gold.t", "id, name"),
        rows("settings.others", "name, number"),
    ]))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the wheel installs, without what it depends on."""
    folder = tmp_path_factory.mktemp("wheel")
    copied = ("landing", "python_udfs", "macros", "models", "profiles", "seeds", "tests")
    hidden = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in copied:
        shutil.copytree(ROOT / name, folder / "source" / name, ignore=hidden)
    for name in ("pyproject.toml", "setup.py", "README.md", "dbt_onelog.py", "dbt_project.yml"):
        shutil.copy(ROOT / name, folder / "source" / name)
    shutil.copy(ROOT / ".dbtignore", folder / "source" / ".dbtignore")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-deps", "--no-build-isolation", "--no-index"]
    wheel = [*pip, "wheel", *offline, "--wheel-dir", str(folder), str(folder / "source")]
    subprocess.run(wheel, check=True)
    (built,) = folder.glob("*.whl")
    subprocess.run(
        [*pip, "install", "--no-deps", "--target", str(folder / "installed"), str(built)],
        check=True,
    )
    return folder / "installed"


@pytest.mark.long
def test_a_new_project_runs_on_the_wheel_and_takes_changes(installed: Path, tmp_path: Path) -> None:
    project = tmp_path / "our-log"
    environment = os.environ | SMALL | {"PYTHONPATH": str(installed), "ONELOG_SAMPLES": "false"}
    environment |= {"ONELOG_HOME": str(tmp_path / "warehouse")}
    environment["ONELOG_JAVA_OPTIONS"] += " -XX:TieredStopAtLevel=1"

    def run(*command: str, folder: Path) -> str:
        ended = subprocess.run(
            [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    command = "from landing.cli import main; main()"
    said = run("-c", command, "init", str(project), folder=tmp_path)
    # A model of one's own may have the name of one of onelog's.
    (project / "models" / "marts" / "names.sql").write_text("select 1 as number")
    assert str(project / "dbt_project.yml") in said
    assert (project / ".onelog").resolve() == installed / "landing" / "project"
    (project / "messages" / "orders").mkdir(parents=True)
    messages = [
        *oms_canal(1, None, {"id": 1, "name": "first"}),
        *oms_canal(2, None, {"id": 2, "name": "second"}),
        *oms_canal(3, {"id": 2, "name": "second"}, None),
    ]
    lines = "".join(f"{message}\n" for message in messages)
    (project / "messages" / "orders" / "messages.jsonl").write_text(lines)
    per_day, typed, others = json.loads(run("-c", STEPS, folder=project).splitlines()[-1])
    assert per_day == [["erp", "t", 2, 1]]
    assert [row[1] for row in typed] == ["first"]
    assert others == [["of our own", "7"]]


def test_files_that_are_there_stay(tmp_path: Path) -> None:
    """The link to this machine's onelog is made anew."""
    folder = tmp_path / "own"
    first = CliRunner().invoke(main, ["init", str(folder)])
    assert first.exit_code == 0
    for name in ("README.md", "packages.yml"):
        (folder / name).write_text("mine")
    (folder / ".onelog").unlink()
    (folder / ".onelog").symlink_to("/elsewhere")
    again = CliRunner().invoke(main, ["init", str(folder)])
    assert again.stdout == f"{folder / '.onelog'}\n"
    assert [(folder / name).read_text() for name in ("README.md", "packages.yml")] == ["mine"] * 2
    assert (folder / ".onelog" / "dbt_project.yml").exists()


@pytest.mark.parametrize("most", range(13))
def test_a_project_that_was_left_unfinished_is_completed(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a kill, or on a disk that was full."""
    left = iter(range(most))

    def copy(source: Path, copied: Path) -> None:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        copied.write_bytes(source.read_bytes())

    def files(folder: Path) -> dict[Path, bytes]:
        found = (path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder): path.read_bytes() for path in found}

    whole, folder = tmp_path / "whole" / "own", tmp_path / "cut" / "own"
    write_project(whole)
    with monkeypatch.context() as patch, contextlib.suppress(OSError):
        patch.setattr(shutil, "copyfile", copy)
        write_project(folder)
    write_project(folder)
    assert files(folder) == files(whole)


def test_a_project_that_is_not_onelogs_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "dbt_project.yml").write_text("name: shop\n")
    said = CliRunner().invoke(main, ["init", str(tmp_path)])
    assert said.exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["dbt_project.yml"]


@pytest.mark.parametrize("content", [b"name: onelog\n", b"# \xe4\nname: shop\n"])
def test_another_project_gets_no_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "dbt_project.yml").write_bytes(content)
    said = CliRunner().invoke(main, ["init", str(tmp_path)])
    assert (said.exit_code, said.stderr.count("\n")) == (2, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["dbt_project.yml"]


def test_an_example_that_was_deleted_does_not_come_back(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    CliRunner().invoke(main, ["init", str(folder)])
    for name in ("models/marts/changes_per_day.sql", ".github/workflows/ci.yml", "packages.yml"):
        (folder / name).unlink()
    again = CliRunner().invoke(main, ["init", str(folder)])
    assert again.stdout.split() == [str(folder / "packages.yml"), str(folder / ".onelog")]


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("Our-Log 2", "our_log_2"),
        ("onelog", "own_onelog"),
        ("7", "own_7"),
        ("dbt", "own_dbt"),
        ("on", "own_on"),
    ],
)
def test_a_project_is_called_as_its_folder(folder: str, name: str, tmp_path: Path) -> None:
    CliRunner().invoke(main, ["init", str(tmp_path / folder)])
    written = yaml.safe_load((tmp_path / folder / "dbt_project.yml").read_text())
    assert written["name"] == name
    assert name in written["models"]
    assert name in written["dispatch"][0]["search_order"]


def test_the_new_projects_seeds_and_typed_models_are_configured_as_onelogs_own() -> None:
    template = ROOT / "landing" / "template"
    configured = yaml.safe_load((ROOT / "dbt_project.yml").read_text())
    written = yaml.safe_load((template / "dbt_project.yml").read_text())
    typed = configured["models"]["onelog"]["gold"]["typed"]
    assert written["models"]["own_log"]["gold"]["typed"] == typed
    own, new = configured["seeds"]["onelog"], written["seeds"]["own_log"]
    for name in ("topics", "table_columns"):
        assert new[name] == own[name]
        header = (template / "seeds" / f"{name}.csv").read_text().strip()
        assert header.split(",") == list(own[name]["+column_types"])
