"""dbt plugin: every Spark session that dbt opens starts quietly and knows the SQL functions.

dbt loads installed top-level modules named ``dbt_*`` that have a ``plugins`` list.
"""

from dbt.plugins.manager import dbtPlugin


class OnelogPlugin(dbtPlugin):
    """Registers the functions of ``python_udfs`` in each session."""

    def initialize(self) -> None:
        from python_udfs.session import prepare_sessions

        prepare_sessions()


plugins = [OnelogPlugin]
