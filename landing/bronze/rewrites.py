"""Landed batches that are written anew: their messages move to another table or batch, or expire.

One Delta append of rows to ``bronze.rewrites``, one a batch, is the commit of a rewrite. All that
comes after it follows from these rows and can be done again: partitions take their new locations,
then the files in the old ones go. Whatever a killed command left behind, the next one, or the next
``dbt run``, completes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from landing.bronze import store
from landing.files.reading import LITERAL_PATHS
from landing.session import confirm_lease

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

# A bronze table of one batch: (envelope, batch).
Part = tuple[str, int]
# The folders of a landed file, envelope=…/batch=…, say where it belongs.
OF_FOLDER = r"regexp_extract(_metadata.file_path, '/envelope=([^/]*)/batch=(\\d+)/[^/]*$', {})"
# The rows of rewritten batches count what their tables hold now, and say where it lies.
RECOUNT = """
merge into bronze.batches as batches
using (
    select
        batch,
        tables,
        if(cause = 'join', nullif(max(batch) over (partition by rewrite), batch), null) as root
    from bronze.rewrites
    where completed_at is null
) as rewrites
on batches.batch = rewrites.batch
when matched then update set
    tables = concat(
        filter(
            batches.tables,
            fed -> not exists(rewrites.tables, part -> part.envelope = fed.envelope)
        ),
        transform(
            filter(rewrites.tables, part -> part.messages > 0),
            part -> struct(part.envelope, part.messages)
        )
    ),
    joined_into = coalesce(rewrites.root, batches.joined_into)
"""
# What was joined before into a batch that is joined now goes with it.
FOLLOW = """
merge into bronze.batches as batches
using (
    select batch, max(batch) over (partition by rewrite) as root
    from bronze.rewrites
    where completed_at is null and cause = 'join'
) as joined
on batches.joined_into = joined.batch and joined.root <> joined.batch
when matched then update set joined_into = joined.root
"""


@dataclass(frozen=True)
class Rewrite:
    """What a rewrite makes of one batch, column for column its row in ``bronze.rewrites``.

    ``tables``: (envelope, location, messages) of each bronze table that changes; without a message
    left there is no location. ``topic``: whose messages move to another envelope, else NULL.
    ``cause``: reroute, expire or join; all batches of one join lie in the greatest of them.
    """

    rewrite: int
    rewritten_at: datetime
    cause: str
    topic: str | None
    tables: Sequence[tuple[str, str | None, int]]
    batch: int
    completed_at: datetime | None = None


@dataclass(frozen=True)
class Numbers:
    """Those of the next rewrite and of the next batch: each one above the greatest, from 1."""

    rewrite: int
    batch: int


def prepare(spark: "SparkSession") -> Numbers:
    """Make bronze ready for a command: its tables, and what a killed rewrite left to do."""
    store.make_tables(spark)
    # One query: in a Java that has just started, each takes about a second.
    (known,) = spark.sql(
        "select coalesce(max(rewrite), 0) + 1 as rewrite, count_if(completed_at is null) as open,"
        f" ({store.NEXT_BATCH}) as batch from bronze.rewrites"
    ).collect()
    if known.open:
        complete(spark)
    return Numbers(_cleared(spark, known.rewrite), known.batch)


def next_number(spark: "SparkSession") -> int:
    """The number of the next rewrite; nothing is left of what was written under it before."""
    (row,) = spark.sql("select coalesce(max(rewrite), 0) + 1 from bronze.rewrites").collect()
    return _cleared(spark, row[0])


def _cleared(spark: "SparkSession", number: int) -> int:
    """The number, after nothing is left of what was written under it."""
    store.delete(spark, folder_of(spark, number))
    return number


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
    earlier = spark.table("bronze.rewrites").where(f"rewrite < {number}")
    rows = _of_batches(earlier, {batch for _, batch in found})
    for row in rows.orderBy("rewrite").collect():
        for envelope, location, _ in row.tables:
            if (envelope, row.batch) in found and location:
                found[envelope, row.batch] = location
    return found


def landed_lines(spark: "SparkSession", places: Iterable[str]) -> "DataFrame":
    """The landed lines in these folders, with the envelope and the batch that the folder names."""
    reader = spark.read.format("text").options(lineSep="\n", **LITERAL_PATHS)
    return reader.load(sorted(places)).selectExpr(
        "value as line",
        f"{OF_FOLDER.format(1)} as envelope",
        f"cast({OF_FOLDER.format(2)} as bigint) as batch",
    )


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
    if not _open(spark):
        return
    switch_partitions(spark)
    delete_replaced(spark)
    spark.sql(
        "update bronze.rewrites set completed_at = current_timestamp() where completed_at is null"
    )


def _open(spark: "SparkSession") -> list["Row"]:
    """The rows of the rewrites that are not complete, the oldest rewrite first."""
    rows = spark.table("bronze.rewrites").where("completed_at is null").collect()
    return sorted(rows, key=lambda row: row.rewrite)


def switch_partitions(spark: "SparkSession") -> None:
    """Let partitions take the locations of the rewrites that bronze does not show yet, or go.

    A dbt run begins with it, on Spark Connect too; it can be done again.
    """
    lies: dict[Part, str | None] = {}
    causes = set()
    for row in _open(spark):
        causes.add(row.cause)
        lies |= {(envelope, row.batch): location for envelope, location, _ in row.tables}
    if not lies:
        return
    shown = _shown(spark, {batch for (_, batch), location in lies.items() if location})
    added: dict[str, list[str]] = {}
    gone: dict[str, list[str]] = {}
    for (envelope, batch), location in lies.items():
        for table, partition in (
            (envelope, f"partition (batch={batch})"),
            ("messages", f"partition (envelope='{envelope}', batch={batch})"),
        ):
            if location is None:
                gone.setdefault(table, []).append(partition)
                continue
            place = "'" + location.replace("\\", "\\\\").replace("'", "\\'") + "'"
            if (envelope, batch) in shown:
                spark.sql(f"alter table bronze.{table} {partition} set location {place}")
            else:
                added.setdefault(table, []).append(f"{partition} location {place}")
    for table, partitions in added.items():
        spark.sql(f"alter table bronze.{table} add if not exists {' '.join(partitions)}")
    for table, partitions in gone.items():
        spark.sql(f"alter table bronze.{table} drop if exists {', '.join(partitions)}")
    spark.sql(RECOUNT)
    if "join" in causes:
        spark.sql(FOLLOW)


def _shown(spark: "SparkSession", batches: set[int]) -> set[Part]:
    """The tables that have a partition of these batches, as the batches' rows say."""
    rows = _of_batches(spark.table("bronze.batches"), batches).select("batch", "tables").collect()
    return {(fed.envelope, row.batch) for row in rows for fed in row.tables}


def _of_batches(table: "DataFrame", batches: set[int]) -> "DataFrame":
    """The table's rows of these batches."""
    asked = table.sparkSession.createDataFrame([(batch,) for batch in batches], "batch bigint")
    return table.join(asked, "batch", "left_semi")


def delete_replaced(spark: "SparkSession") -> None:
    """Delete the files that rewrites which are not complete have replaced."""
    parts: dict[int, list[Part]] = {}
    for row in _open(spark):
        replaced = parts.setdefault(row.rewrite, [])
        replaced += [(envelope, row.batch) for envelope, _, _ in row.tables]
    for number, replaced in parts.items():
        for location in locations(spark, number, replaced).values():
            store.delete(spark, location)
            rewritten = location.rpartition("/envelope=")[0]
            if rewritten != store.messages_location(spark) and store.is_empty(spark, rewritten):
                store.delete(spark, rewritten)


def joined(spark: "SparkSession", batches: Iterable[int]) -> list[int]:
    """The batches that were joined into one of these."""
    found = spark.table("bronze.batches").where("joined_into is not null")
    rows = found.select("batch", "joined_into").collect()
    asked = set(batches)
    return [row.batch for row in rows if row.joined_into in asked]


def expired_batches(spark: "SparkSession", batches: Iterable[int]) -> int:
    """How many of these batches have no messages in bronze any more."""
    expired = spark.table("bronze.rewrites").where("cause = 'expire'")
    return _of_batches(expired, set(batches)).select("batch").distinct().count()
