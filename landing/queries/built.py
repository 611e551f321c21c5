"""Is there what a query reads, and did this version build it?"""

from typing import TYPE_CHECKING

from landing.errors import UserError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What only an earlier version has; a table that every version has, and a column that it lacks.
EARLIER, EVENTS, MARK = "silver.resolved_events", "resolve.events", "marked_unit"


def is_built(spark: "SparkSession", *tables: str) -> bool:
    """Whether a run has built these tables.

    Raises :class:`UserError` where an earlier version has: its tables are read by that one alone.
    """
    is_there = spark.catalog.tableExists
    if is_there(EARLIER) or (is_there(EVENTS) and MARK not in spark.table(EVENTS).columns):
        raise UserError(
            "an earlier version of onelog built this home: run dbt run --full-refresh once"
        )
    return all(is_there(table) for table in tables)


def require_built(spark: "SparkSession", *tables: str) -> None:
    """Raise :class:`UserError`, which says what to run, unless this version has built these."""
    if not is_built(spark, *tables):
        raise UserError("nothing is built yet: run dbt run first")
