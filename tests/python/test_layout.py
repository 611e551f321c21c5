"""The layout of what sqlfluff cannot read: to it, a file of macros renders to nothing."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from conftest import ROOT

LONGEST_LINE = 100
FOLDERS = ("docs", "macros", "models", "profiles", "seeds", "tests")
SUFFIXES = {".md", ".sql", ".yml"}
# Vendors' messages stand there as they were sent, one a line.
MESSAGES = ROOT / "tests" / "cases"
# Comments and texts, of SQL and of Jinja: their words may be of any case.
NO_CODE = re.compile(
    r"""\{\#.*?\#\} | --[^\n]* | '(?:\\.|''|[^'\\])*' | "(?:\\.|[^"\\])*" """,
    re.DOTALL | re.VERBOSE,
)
# Attributes, as dbt's flags.FULL_REFRESH, are no words of SQL.
UPPER_CASE = re.compile(r"(?<![.\w])[A-Z]{2,}\b")


def written() -> Iterator[Path]:
    """Every file of SQL, YAML and Markdown."""
    for folder in (ROOT / name for name in FOLDERS):
        yield from (path for path in folder.rglob("*") if path.suffix in SUFFIXES)
    yield from (path for path in ROOT.iterdir() if path.suffix in SUFFIXES)


def lines_that(is_wrong: Callable[[str], object], files: Iterable[Path]) -> list[str]:
    """The places of the lines that are wrong."""
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files
        for number, line in enumerate(path.read_text().split("\n"), 1)
        if is_wrong(line)
    ]


def test_lines_have_at_most_100_columns() -> None:
    files = [path for path in written() if MESSAGES not in path.parents]
    assert lines_that(lambda line: len(line) > LONGEST_LINE, files) == []


def test_lines_have_no_tabs_and_no_blanks_at_their_end() -> None:
    assert lines_that(lambda line: "\t" in line or line != line.rstrip(), written()) == []


def test_files_end_with_one_newline() -> None:
    ends = {path: path.read_text()[-2:] for path in written()}
    assert [path for path, end in ends.items() if end[-1:] != "\n" or end == "\n\n"] == []


def test_macros_have_their_keywords_in_lower_case() -> None:
    macros = [
        path for path in written() if path.is_relative_to(ROOT / "macros") and path.suffix == ".sql"
    ]
    code = {path.name: NO_CODE.sub(" ", path.read_text()) for path in macros}
    assert [(name, found[0]) for name in code for found in UPPER_CASE.finditer(code[name])] == []
