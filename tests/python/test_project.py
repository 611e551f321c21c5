"""The project as dbt sees it: its unit tests, its names."""

from collections import Counter
from collections.abc import Callable


def test_unit_tests_pass(dbt: Callable[..., None]) -> None:
    dbt("test", "--select", "test_type:unit")


def test_aliases_are_unique(project: object) -> None:
    """Incremental models share one session: two with one alias would share a temporary view."""
    from dbt.cli.main import dbtRunner

    manifest = dbtRunner().invoke(["parse", "--quiet"]).result
    aliases = Counter(
        node.alias for node in manifest.nodes.values() if node.resource_type in ("model", "seed")
    )
    assert [alias for alias, count in aliases.items() if count > 1] == []
