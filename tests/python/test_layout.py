"""Layout that sqlfluff cannot see: to it, a file of macros renders to nothing."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from conftest import ROOT

LONGEST_LINE = 100
# A reader keeps a model of so many lines in the head. An envelope may need more.
LONGEST_MODEL = 150
FOLDERS = ("docs", "macros", "models", "profiles", "seeds", "tests")
SUFFIXES = {".md", ".sql", ".yml"}
# Vendors' messages stand there as they were sent, one a line.
MESSAGES = ROOT / "tests" / "cases"
# Comments and texts, of SQL and of Jinja: their words may be of any case.
NO_CODE = re.compile(
    r"""\{\#.*?\#\} | --[^\n]* | '(?:\\.|''|[^'\\])*' | "(?:\\.|[^"\\])*" """,
    re.DOTALL | re.VERBOSE,
)
MACRO = re.compile(r"{%-?\s*macro\s+(\w+)")
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


def test_models_below_the_envelopes_are_short() -> None:
    models = [path for path in (ROOT / "models").rglob("*.sql") if "envelopes" not in path.parts]
    lines = {path.name: len(path.read_text().splitlines()) for path in models}
    assert {name: count for name, count in lines.items() if count > LONGEST_MODEL} == {}


def test_files_end_with_one_newline() -> None:
    ends = {path: path.read_text()[-2:] for path in written()}
    assert [path for path, end in ends.items() if end[-1:] != "\n" or end == "\n\n"] == []


def test_macros_have_their_keywords_in_lower_case() -> None:
    macros = [
        path for path in written() if path.is_relative_to(ROOT / "macros") and path.suffix == ".sql"
    ]
    code = {path.name: NO_CODE.sub(" ", path.read_text()) for path in macros}
    assert [(name, found[0]) for name in code for found in UPPER_CASE.finditer(code[name])] == []


def test_macros_for_other_projects_call_ours_by_their_whole_names() -> None:
    """In the model of a project that uses onelog as a package, dbt would not find them."""
    texts = {path: path.read_text() for path in (ROOT / "macros").rglob("*.sql")}
    names = "|".join(name for text in texts.values() for name in MACRO.findall(text))
    call = re.compile(rf"(?<![\w.'])(?<!macro )(?:{names})\(")
    for_others = [path for path in texts if "typed" in path.parts or "spark__" in path.name]
    found = {
        (path.name, called)
        for path in for_others
        for code in re.findall(r"\{[{%].*?[%}]\}", texts[path], re.DOTALL)
        for called in call.findall(code)
    }
    assert found == set()
