"""Takes the messages of old batches out of bronze, once silver holds what they said."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from landing.bronze import rewrites, store
from landing.queries.built import require_built

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession


@dataclass
class Expiry:
    """What was freed, and by batch why others were not."""

    batches: int = 0
    messages: int = 0
    bytes: int = 0
    kept: dict[int, str] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """The call in a few lines of text."""
        yield from (f"batch {batch} stays: {why}" for batch, why in sorted(self.kept.items()))
        if self.batches:
            freed = (
                f"{_number(self.batches, 'batch', 'batches')}, "
                f"{_number(self.messages, 'message', 'messages')}, {self.bytes:,} bytes"
            )
            yield f"freed {freed}; resolve.events can no longer be built anew"
        else:
            yield "nothing to expire"


def expire(
    spark: "SparkSession",
    before: datetime,
    with_quarantine: bool = False,
    progress: Callable[[str], None] = lambda step: None,
) -> Expiry:
    """Delete the messages of all batches that landed before a time and are in silver.

    Their rows in ``bronze.batches`` stay, by which landing goes on. Raises :class:`UserError` where
    nothing has been built yet.
    """
    progress("looking for old batches")
    number = rewrites.prepare(spark).rewrite
    report = Expiry()
    old = _landed_before(spark, before)
    if old:
        report.kept = dict.fromkeys(waiting_batches(spark), "its messages wait for dbt run")
        if not with_quarantine:
            report.kept = _quarantined(spark) | report.kept
        report.kept = {batch: why for batch, why in report.kept.items() if batch in old}
    expired = {batch: row for batch, row in old.items() if batch not in report.kept}
    if expired:
        progress("deleting the messages of old batches")
        _expire(spark, expired, number, report)
    return report


def _landed_before(spark: "SparkSession", before: datetime) -> dict[int, "Row"]:
    """The batches that landed before a time and still have messages in bronze."""
    from pyspark.sql.functions import col, lit, size

    batches = spark.table("bronze.batches")
    old = batches.where((col("landed_at") < lit(before)) & (size("tables") > 0))
    return {row.batch: row for row in old.select("batch", "tables").collect()}


def waiting_batches(spark: "SparkSession") -> list[int]:
    """The batches that silver has not read, or not resolved, as they are now.

    Raises :class:`UserError` where nothing has been built yet.
    """
    require_built(spark, "resolve.changes")
    rows = spark.sql(
        "select cast(today.unit as bigint) as batch from resolve.event_units as today"
        " left join ("
        "  select marked_unit as unit, mark.stamp.hash, built_at from resolve.events"
        "  where marked_unit <> ''"
        " ) as known on today.unit = known.unit"
        " where not known.hash <=> today.stamp.hash"
        " or known.built_at > ("
        "  select max_by(coalesce(mark.since, built_at), built_at)"
        "  from resolve.changes where marked_unit = ''"
        ")"
    ).collect()
    return [row.batch for row in rows]


def _quarantined(spark: "SparkSession") -> dict[int, str]:
    """The batches whose messages quarantine could no longer show."""
    from pyspark.sql.functions import coalesce

    rejected = spark.table("silver.quarantine").select("batch")
    batches = spark.table("bronze.batches").select("batch", "joined_into")
    lie_in = rejected.join(batches, "batch").select(coalesce("joined_into", "batch").alias("batch"))
    rows = lie_in.groupBy("batch").count().collect()
    return {
        row.batch: f"{_number(row['count'], 'message', 'messages')} in quarantine"
        " (--with-quarantine deletes them)"
        for row in rows
    }


def _expire(
    spark: "SparkSession", expired: Mapping[int, "Row"], number: int, report: Expiry
) -> None:
    """Commit that these batches have no messages left, then delete them."""
    held = {
        (fed.envelope, batch): fed.messages for batch, row in expired.items() for fed in row.tables
    }
    places = rewrites.locations(spark, number, held)
    report.batches, report.messages = len(expired), sum(held.values())
    report.bytes = sum(store.summary(spark, place).getLength() for place in places.values())
    now = datetime.now(UTC)
    rewrites.commit(
        spark,
        [
            rewrites.Rewrite(
                number, now, "expire", None, [(fed.envelope, None, 0) for fed in row.tables], batch
            )
            for batch, row in sorted(expired.items())
        ],
    )
    rewrites.complete(spark)


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
