"""The project as dbt sees it: its unit tests, its names."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from landing.envelopes import ENVELOPES


def test_every_envelope_has_unit_tests_and_all_pass(dbt: Callable[..., list[Any]]) -> None:
    results = dbt("test", "--select", "test_type:unit")
    tested = {getattr(result.node, "tested_node_unique_id", None) for result in results}
    assert tested >= {f"model.onelog.{envelope}" for envelope in ENVELOPES}


def test_aliases_are_unique(project: Path) -> None:
    """Incremental models share one session: two with one alias would share a temporary view."""
    from dbt.cli.main import dbtRunner

    manifest = dbtRunner().invoke(["parse", "--quiet"]).result
    aliases = Counter(
        node.alias for node in manifest.nodes.values() if node.resource_type in ("model", "seed")
    )
    assert [alias for alias, count in aliases.items() if count > 1] == []
