"""The project as dbt sees it: its unit tests, its data tests on all that this session landed."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import land_well


@pytest.fixture(scope="module", autouse=True)
def built(project: Path, dbt: Callable[..., None]) -> None:
    """The samples landed and built, whatever else is there."""
    samples = Path(__file__).parents[2] / "samples"
    land_well(samples)
    dbt("run")


def test_unit_tests_pass(dbt: Callable[..., None]) -> None:
    dbt("test", "--select", "test_type:unit")


def test_laws_and_contracts_hold_on_all_that_was_landed(dbt: Callable[..., None]) -> None:
    dbt("test", "--exclude-resource-type", "unit_test")


def test_aliases_are_unique(project: Path) -> None:
    """Incremental models share one session: two with one alias would share a temporary view."""
    from dbt.cli.main import dbtRunner

    manifest = dbtRunner().invoke(["parse", "--quiet"]).result
    aliases = Counter(
        node.alias for node in manifest.nodes.values() if node.resource_type in ("model", "seed")
    )
    assert [alias for alias, count in aliases.items() if count > 1] == []
