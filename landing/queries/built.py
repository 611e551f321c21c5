"""Is there anything that a query could read, and did this version build it?"""

from typing import TYPE_CHECKING

from landing.errors import UserError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What the last model of a run needs, and a column that earlier versions lack.
LAST, MARK = "resolve.row_states", "marked_unit"


def is_built(spark: "SparkSession") -> bool:
    """Whether a run has built the tables.

    Raises :class:`UserError` where an earlier version has: its tables are read by that one alone.
    """
    earlier = spark.catalog.tableExists("silver.resolved_events")
    is_there = spark.catalog.tableExists(LAST)
    if earlier or (is_there and MARK not in spark.table(LAST).columns):
        raise UserError(
            "an earlier version of onelog built this home: run dbt run --full-refresh once"
        )
    return is_there


def require_built(spark: "SparkSession") -> None:
    """Raise :class:`UserError`, which says what to run, where nothing is built by this version."""
    if not is_built(spark):
        raise UserError("nothing is built yet: run dbt run first")
