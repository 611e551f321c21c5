"""Which views a run may leave alone: Spark keeps the columns with which a view was made."""

import re
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
