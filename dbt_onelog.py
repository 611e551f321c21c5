"""dbt plugin: every Spark session that dbt opens starts quietly and knows the SQL functions.

Jinja finds what it cannot do itself (writing a model's files, reading a declared type) in
``modules.onelog``.

dbt loads installed top-level modules named ``dbt_*`` that have a ``plugins`` list.
"""

from pathlib import Path

from dbt.plugins.manager import dbtPlugin


class OnelogPlugin(dbtPlugin):
    """Registers the functions of ``python_udfs`` in each session, and modules.onelog in Jinja."""

    def initialize(self) -> None:
        from dbt.flags import get_flags

        from landing.session.preparing import prepare_sessions
        from landing.topics import read_topics

        # Another project's topics.csv is its own; dbt would not name a file that it cannot read.
        if self.project_name == "onelog":
            read_topics(Path(get_flags().PROJECT_DIR))
        prepare_sessions()
        add_module()


def add_module() -> None:
    """Add ``onelog`` to the modules of dbt's Jinja; does nothing when it is there already."""
    from dbt.context import base

    from landing.typed.declared_types import fits
    from landing.typed.envelope_fields import nested_fields
    from landing.typed.models import choose_table, write_typed_model

    from_dbt = base.get_context_modules
    if "onelog" not in from_dbt():
        functions = {
            "choose_table": choose_table,
            "write_typed_model": write_typed_model,
            "fits": fits,
            "nested_fields": nested_fields,
        }
        base.get_context_modules = lambda: from_dbt() | {"onelog": functions}


plugins = [OnelogPlugin]
