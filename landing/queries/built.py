"""Is there anything that a query could read, and did this version build it?"""

from typing import TYPE_CHECKING

from landing.errors import UserError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The last stored model of a run, and a column that earlier versions lack.
LAST, MARK = "resolve.row_states", "marked_unit"


def is_built(spark: "SparkSession", model: str = LAST) -> bool:
    """Whether a run has built a stored model, and so those before it.

    Raises :class:`UserError` where an earlier version has: its tables are read by that one alone.
    """
    earlier = spark.catalog.tableExists("silver.resolved_events")
    is_there = spark.catalog.tableExists(model)
    if earlier or (is_there and MARK not in spark.table(model).columns):
        raise UserError(
            "an earlier version of onelog built this home: run dbt run --full-refresh once"
        )
    return is_there


def require_built(spark: "SparkSession", model: str = LAST) -> None:
    """Raise :class:`UserError`, which says what to run, unless this version has built a model."""
    if not is_built(spark, model):
        raise UserError("nothing is built yet: run dbt run first")
