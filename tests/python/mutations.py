"""Breaks a copy of the project, one breakage of mutations.yml at a time: does a test catch each?

`python tests/python/mutations.py [PART OF A NAME]…` tries all, or those whose names have the part.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import yaml
from conftest import ROOT, SMALL, UNTYPED, copy_project

# What the copy needs besides the dbt project, for pytest.
PYTHON_FOLDERS = ("landing", "python_udfs", "samples", "tests")
PYTHON_FILES = ("dbt_onelog.py", "pyproject.toml")


@dataclass(frozen=True)
class Mutation:
    """A text of a file, its replacement, and the tests that must fail then.

    ``caught_by``: names of dbt unit tests, or files (and names) of pytest.
    """

    name: str
    law: str
    file: str
    text: str
    replacement: str
    caught_by: list[str]

    @property
    def is_for_pytest(self) -> bool:
        return self.caught_by[0].startswith("tests/")


def mutations() -> list[Mutation]:
    path = Path(__file__).with_name("mutations.yml")
    return [Mutation(**entry) for entry in yaml.safe_load(path.read_text())]


@contextmanager
def broken(folder: Path, mutation: Mutation) -> Iterator[None]:
    """The project in a folder, broken for a while."""
    path = folder / mutation.file
    sound = path.read_text()
    path.write_text(sound.replace(mutation.text, mutation.replacement))
    try:
        yield
    finally:
        path.write_text(sound)


def dbt_says(command: str, *options: str) -> set[str]:
    """The outcomes of the nodes that dbt ran in this process; `error` where it ran none."""
    from dbt.cli.main import dbtRunner

    ran = dbtRunner().invoke([command, *options, "--log-level", "none"])
    return {str(result.status) for result in getattr(ran.result, "results", None) or []} or {
        "error"
    }


def outcome(folder: Path, mutation: Mutation) -> str:
    """``caught``, ``NOT CAUGHT``, or ``BROKEN`` where the tests could not run at all."""
    if mutation.is_for_pytest:
        status = subprocess.run(
            [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *mutation.caught_by],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(folder)},
            capture_output=True,
        ).returncode
        return {0: "NOT CAUGHT", 1: "caught"}.get(status, "BROKEN")
    found = dbt_says("test", "--select", *mutation.caught_by)
    return "BROKEN" if "error" in found else "caught" if "fail" in found else "NOT CAUGHT"


def main(*parts: str) -> None:
    from landing.session import open_session

    chosen = [each for each in mutations() if any(part in each.name for part in parts or ("",))]
    unit_tests = {name for each in chosen if not each.is_for_pytest for name in each.caught_by}
    with tempfile.TemporaryDirectory(prefix="mutations-") as name:
        folder = Path(name)
        copy_project(folder)
        for part in PYTHON_FOLDERS:
            shutil.copytree(ROOT / part, folder / part, dirs_exist_ok=True)
        for part in PYTHON_FILES:
            shutil.copy(ROOT / part, folder / part)
        os.environ.update(SMALL, ONELOG_HOME=str(folder / "warehouse"))
        os.chdir(folder)
        with open_session() if unit_tests else nullcontext():
            if unit_tests:
                # The rows of unit tests have the columns of the stored models.
                assert dbt_says("run", *UNTYPED) == {"success"}
                assert dbt_says("test", "--select", *unit_tests) <= {"pass", "success"}
            missed = 0
            for mutation in chosen:
                started = time.monotonic()
                with broken(folder, mutation):
                    found = outcome(folder, mutation)
                missed += found != "caught"
                seconds = time.monotonic() - started
                print(f"  {found:<10}  {seconds:4.0f} s  {mutation.name}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} mutations are caught")
    sys.exit(1 if missed or not chosen else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
