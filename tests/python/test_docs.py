"""The pages: their links lead somewhere, and what they show is what one gets."""

import json
import re
import shlex
import subprocess
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from conftest import ROOT
from messages import WRITERS

from landing.cli import main

README = ROOT / "README.md"
ENVELOPES_PAGE = ROOT / "docs" / "envelopes.md"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
TRANSCRIPT = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
# A command, with the lines of its text.
COMMAND = re.compile(r"^\$ (.*<<'END'\n(?:.*\n)*?END|.*)$", re.MULTILINE)

TOPIC = "page-"
BEFORE = {"id": 1, "price": "1.10", "note": "a"}
AFTER = {"id": 1, "price": "1.20", "note": None}
TABLE = {"database_name": "d", "table_name": "t", "key_columns": "id"}
SETTINGS = {
    "dataworks_record": TABLE,
    "datahub_tuple": {"key_columns": "id"},
    "oms_debezium": {"key_columns": "id"},
    "oms_debezium_flatten": {"key_columns": "id"},
    "oms_debezium_smt": TABLE,
    "maxwell": {"envelope": "maxwell"},
    "aws_dms": {"envelope": "aws_dms", "key_columns": "id"},
}
SHOWN = ("operation", "key", "before", "after", "event_at")
INTRODUCTION = """\
# One change in every envelope

The price of row 1 becomes 1.20, and its note becomes NULL. Below is what each envelope sends of it
(long messages are broken into lines here) and the row of `silver.change_log` that it becomes. All
values are texts, as the source wrote them; a column that is not in `before` or `after` was not
sent.
"""


class Shown(NamedTuple):
    """The page of envelopes as it should be, and what the README's commands say."""

    page: str
    transcripts: list[tuple[str, str]]


def anchors(page: Path) -> set[str]:
    """The names by which a page's headings are linked."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links() -> Iterator[tuple[Path, str]]:
    """Every link of a page that leads into the project."""
    for path in PAGES:
        for target in LINK.findall(path.read_text()):
            if "://" not in target:
                yield path, target


def test_links_lead_to_files_and_headings() -> None:
    assert len(list(links())) > 20
    for path, target in links():
        name, _, anchor = target.partition("#")
        linked = path.parent / name if name else path
        assert linked.exists(), f"{path.name}: {target}"
        assert not anchor or anchor in anchors(linked), f"{path.name}: {target}"


def test_the_readme_leads_to_every_page() -> None:
    linked = {target.partition("#")[0] for path, target in links() if path == README}
    pages = {f"docs/{path.name}" for path in PAGES if path.parent != ROOT}
    assert pages - linked == set()


def test_settings_of_the_profile_are_told() -> None:
    told = (ROOT / "docs" / "operations.md").read_text()
    profile = (ROOT / "profiles" / "profiles.yml").read_text()
    settings = set(re.findall(r"env_var\('(ONELOG_\w+)'", profile))
    assert settings
    assert {name for name in settings if f"`{name}" not in told} == set()


@pytest.fixture(scope="module")
def shown(
    spark: Any,
    dbt: Callable[..., Any],
    build: Callable[..., None],
    land: Callable[[dict[str, list[str]]], None],
    register: Callable[..., None],
    project: Path,
) -> Iterator[Shown]:
    sent = {envelope: writer(7, BEFORE, AFTER) for envelope, writer in WRITERS.items()}
    for envelope, settings in SETTINGS.items():
        register(TOPIC + envelope, **settings)
    columns = project / "seeds" / "table_columns.csv"
    with columns.open("a") as seed:
        for place, name in enumerate(AFTER, 1):
            seed.write(f"{TOPIC}tdsql,d,t,{place},{name},varchar(9),{str(name == 'id').lower()}\n")
    land({TOPIC + envelope: messages for envelope, messages in sent.items()})
    gold = project / "models" / "gold"
    listing = (gold / "cast_failures.sql").read_text()
    transcripts = [
        (told, replayed(told, project, dbt, build))
        for told in TRANSCRIPT.findall(README.read_text())
    ]
    query = (
        f"select topic, to_json(struct({', '.join(SHOWN)})) as row from silver.change_log"
        f" where startswith(topic, '{TOPIC}')"
    )
    rows = {
        row.topic.removeprefix(TOPIC): json.loads(row.row) for row in spark.sql(query).collect()
    }
    yield Shown(page(sent, rows), transcripts)
    # Other files build the same project.
    (gold / "cast_failures.sql").write_text(listing)
    for written in (gold / "typed").glob("orders.*"):
        written.unlink()


def replayed(
    transcript: str, project: Path, dbt: Callable[..., Any], build: Callable[..., None]
) -> str:
    """The transcript with what its commands say here."""
    said = []
    for command in COMMAND.findall(transcript):
        words = shlex.split(command) if command.startswith(("dbt ", "onelog ")) else []
        output = ""
        if words[:1] == ["onelog"]:
            result = CliRunner().invoke(main, words[1:])
            assert result.exit_code == 0, result.output
            output = result.stdout
        elif words:
            options = [word for word in words[1:] if word != "--quiet"]
            if options == ["run"]:
                build()
            else:
                dbt(*options)
        else:
            subprocess.run(["bash", "-ec", command], cwd=project, check=True)
        said.append(f"$ {command}\n{output}")
    return "".join(said)


def page(sent: dict[str, list[str]], rows: dict[str, dict[str, Any]]) -> str:
    """The text of docs/envelopes.md."""
    parts = [INTRODUCTION]
    for envelope, messages in sent.items():
        broken = "\n".join(
            textwrap.fill(message, 98, break_long_words=False, break_on_hyphens=False)
            for message in messages
        )
        row = "\n".join(f"{name:<9}  {value(rows[envelope].get(name))}" for name in SHOWN)
        parts.append(f"## {envelope}\n\n```json\n{broken}\n```\n\n```\n{row}\n```\n")
    return "\n".join(parts)


def value(found: Any) -> str:
    if found is None:
        return "NULL"
    return found if isinstance(found, str) else json.dumps(found, sort_keys=True)


def test_the_page_of_envelopes_shows_what_one_gets(shown: Shown, tmp_path: Path) -> None:
    new = tmp_path / "envelopes.md"
    new.write_text(shown.page)
    assert ENVELOPES_PAGE.read_text() == shown.page, f"{ENVELOPES_PAGE} should be {new}"


def test_commands_of_the_readme_say_what_it_tells(shown: Shown) -> None:
    assert len(shown.transcripts) == 2
    for told, said in shown.transcripts:
        pattern = re.escape(told).replace("…", ".*")
        assert re.fullmatch(pattern, said), f"{told}\n--- is here:\n{said}"
