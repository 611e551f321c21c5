"""Landed batches that are written anew: their messages move to another envelope, or expire.

One Delta append of rows to ``bronze.rewrites``, one a batch, is the commit of a rewrite. All that
comes after it follows from these rows and can be done again: partitions take their new locations,
then the files in the old ones go. Whatever a killed command left behind, the next one, or the next
``dbt run``, completes.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from landing.bronze import store
from landing.session import confirm_lease

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# A bronze table of one batch: (envelope, batch).
Part = tuple[str, int]


@dataclass(frozen=True)
class Rewrite:
    """What a rewrite makes of one batch, column for column its row in ``bronze.rewrites``.

    ``tables``: (envelope, location, messages) of each bronze table that changes; without a message
    left there is no location. ``topic``: whose messages move; NULL for a batch that expires.
    """

    rewrite: int
    rewritten_at: datetime
    cause: str
    topic: str | None
    tables: list[tuple[str, str | None, int]]
    batch: int
    completed_at: datetime | None = None


def prepare(spark: "SparkSession") -> int:
    """Make bronze ready for a command: its tables, and what a killed rewrite left to do.

    Returns the number of the next rewrite: one above the greatest committed one, from 1.
    """
    store.make_tables(spark)
    ((last, is_open),) = spark.sql(
        "select coalesce(max(rewrite), 0), coalesce(bool_or(completed_at is null), false)"
        " from bronze.rewrites"
    ).collect()
    if is_open:
        complete(spark)
    # What was written without a commit.
    store.delete(spark, folder_of(spark, last + 1))
    return last + 1


def folder_of(spark: "SparkSession", number: int) -> str:
    """Where a rewrite's files lie."""
    return f"{store.bronze_location(spark)}/rewritten/{number}"


def locations(spark: "SparkSession", number: int, parts: Iterable[Part]) -> dict[Part, str]:
    """Where the files of each table of a batch lie before the rewrite of this number."""
    landed = store.messages_location(spark)
    found: dict[Part, str] = {
        (envelope, batch): f"{landed}/envelope={envelope}/batch={batch}"
        for envelope, batch in parts
    }
    batches = [(batch,) for batch in {batch for _, batch in found}]
    earlier = spark.table("bronze.rewrites").where(f"rewrite < {number}")
    rows = earlier.join(spark.createDataFrame(batches, "batch bigint"), "batch", "left_semi")
    for row in rows.orderBy("rewrite").collect():
        for envelope, location, _ in row.tables:
            if (envelope, row.batch) in found and location:
                found[envelope, row.batch] = location
    return found


def write_lines(lines: "DataFrame", folder: str) -> None:
    """Write lines (columns ``envelope``, ``batch``, ``line``) in folders of the two."""
    writer = lines.write.partitionBy("envelope", "batch").mode("append")
    writer.text(folder, lineSep="\n")


def commit(spark: "SparkSession", rewrites: list[Rewrite]) -> None:
    """Make rewritten batches count, all of them at once."""
    table = spark.table("bronze.rewrites")
    values = [tuple(vars(rewrite).get(name) for name in table.columns) for rewrite in rewrites]
    rows = spark.createDataFrame(values, table.schema).coalesce(1)
    confirm_lease()
    rows.write.insertInto("bronze.rewrites")


def complete(spark: "SparkSession") -> None:
    """Let bronze show the rewrites that it does not show yet, and delete what they replaced."""
    switch_partitions()
    delete_replaced(spark)
    spark.sql(
        "update bronze.rewrites set completed_at = current_timestamp() where completed_at is null"
    )


def switch_partitions() -> None:
    """Let the partitions of bronze take their new locations, by the project's own macro."""
    store.run_operation("complete_rewrites")


def delete_replaced(spark: "SparkSession") -> None:
    """Delete the files that rewrites which are not complete have replaced."""
    parts: dict[int, list[Part]] = {}
    for row in spark.table("bronze.rewrites").where("completed_at is null").collect():
        replaced = parts.setdefault(row.rewrite, [])
        replaced += [(envelope, row.batch) for envelope, _, _ in row.tables]
    for number, replaced in parts.items():
        for location in locations(spark, number, replaced).values():
            store.delete(spark, location)


def expired_batches(spark: "SparkSession", batches: Iterable[int]) -> int:
    """How many of these batches have no messages in bronze any more."""
    asked = spark.createDataFrame([(batch,) for batch in batches], "batch bigint")
    expired = spark.table("bronze.rewrites").where("cause = 'expire'")
    return asked.join(expired, "batch", "left_semi").count()
