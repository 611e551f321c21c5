"""Says in a few lines what the warehouse holds."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from landing.errors import UserError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOGS = ("change_log", "ddl_log", "control_log", "quarantine")


def summary(spark: "SparkSession") -> Iterator[str]:
    """Rows of each log by envelope, then the repeats, and quarantine by topic and reason.

    Raises :class:`UserError` where nothing has been built yet.
    """
    if not spark.catalog.tableExists("silver.quarantine"):
        raise UserError("nothing is built yet: run dbt run first")
    logs = " union all ".join(
        f"select envelope, '{log}' as log, count(*) as found from silver.{log} group by envelope"
        for log in LOGS
    )
    rows = spark.sql(
        f"select * from ({logs}) pivot (sum(found) for log in {LOGS}) order by envelope"
    ).collect()
    width = max([len(row.envelope) for row in rows], default=0)
    yield f"{'':{width}}" + "".join(f"{log:>13}" for log in LOGS)
    for row in rows:
        yield f"{row.envelope:{width}}" + "".join(f"{row[log] or '-':>13}" for log in LOGS)
    repeats, live = (
        spark.table(table).count() for table in ("silver.repeats", "gold.current_rows")
    )
    yield f"{repeats} repeats taken out, {live} live rows in gold.current_rows"
    reasons = spark.sql(
        "select topic, reason, count(*) as messages from silver.quarantine group by topic, reason"
        " order by messages desc, topic, reason limit 20"
    ).collect()
    for row in reasons:
        yield f"quarantine, {row.topic}: {row.messages} messages: {row.reason}"
