"""Which views a run may leave alone: Spark keeps the columns with which a view was made."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2
import pytest
from conftest import ROOT


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select * from t", True),
        ("SELECT\n    *\nfrom t", True),
        ("select distinct * from t", True),
        ("select a, t.* from t", True),
        ("select `t`.* except (a) from t", True),
        ("select a, *", True),
        ("select count(*), 2 * 3, (a) * b from t", False),
        ("select a /* all of it */ from t", False),
        ("select a from t where b rlike '^.*$'", False),
    ],
)
def test_a_view_that_takes_all_columns_of_a_table_is_known(sql: str, expected: bool) -> None:
    environment = jinja2.Environment()
    environment.globals |= {"modules": SimpleNamespace(re=re), "return": lambda value: value}
    text = (ROOT / "macros" / "takes_all_columns.sql").read_text()
    macros: Any = environment.from_string(text).module
    assert str(macros.takes_all_columns(sql)).strip() == str(expected)


@pytest.fixture
def view(project: Path, spark: Any) -> Iterator[Path]:
    """Where a project has a view of its own."""
    model = project / "models" / "gold" / "documented.sql"
    model.write_text("select 1 as number")
    yield model
    model.unlink()
    model.with_suffix(".yml").unlink()
    spark.sql("drop view gold.documented")


def test_a_view_has_the_comments_that_its_project_keeps(
    view: Path, dbt: Callable[..., list[Any]], spark: Any
) -> None:
    for text in ("It's one.", "It's 1."):
        described = {
            "name": view.stem,
            "description": text,
            "config": {"persist_docs": {"relation": True, "columns": True}},
            "columns": [{"name": "number", "description": f"The number: {text}"}],
        }
        view.with_suffix(".yml").write_text(json.dumps({"models": [described]}))
        dbt("run", "--select", view.stem)
        assert spark.catalog.getTable("gold.documented").description == text
        (column,) = spark.catalog.listColumns("gold.documented")
        assert column.description == f"The number: {text}"


def test_a_view_has_the_grants_of_its_project(view: Path, dbt: Callable[..., list[Any]]) -> None:
    """Spark itself knows none."""
    granted = {"name": view.stem, "config": {"grants": {"select": ["somebody"]}}}
    view.with_suffix(".yml").write_text(json.dumps({"models": [granted]}))
    with pytest.raises(AssertionError, match="to `somebody`"):
        dbt("run", "--select", view.stem)
