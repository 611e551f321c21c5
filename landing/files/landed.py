"""Asks bronze which of the files at hand have landed; nothing else of its history leaves Spark."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from landing.files.listing import FoundFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

INGRESS = "files"
# A file that grows by the minute has landed half a million times in a year.
NEWEST = 100


@dataclass(frozen=True)
class Landed:
    """What has landed from a file's path: ``digests`` by length, of the newest landings.

    ``unchanged`` is the digest of the file that has the length and the time with which it landed;
    then there are no others.
    """

    unchanged: str | None = None
    digests: dict[int, str] = field(default_factory=dict)


def landed_files(spark: "SparkSession", files: Sequence[FoundFile]) -> dict[FoundFile, Landed]:
    """What has landed from the paths of these files, of those from which anything has."""
    from pyspark.sql import functions as f

    columns = {
        "number": range(len(files)),
        "topic": [file.topic for file in files],
        "path": [file.path for file in files],
        "length": [file.bytes for file in files],
        "millis": [file.modified_millis for file in files],
    }
    is_same = (f.col("bytes") == f.col("length")) & (f.col("modified_millis") == f.col("millis"))
    unchanged, landings = f.col("unchanged"), f.col("landings")
    all_landings = f.sort_array(f.collect_list(f.struct("batch", "bytes", "digest")), asc=False)
    rows = (
        _landings(spark)
        .join(_at_hand(spark, columns), ["topic", "path"])
        .groupBy("number")
        .agg(
            f.max(f.when(is_same, f.col("digest"))).alias("unchanged"),
            f.slice(all_landings, 1, NEWEST).alias("landings"),
        )
        .select("number", unchanged, f.when(unchanged.isNull(), landings).alias("landings"))
    )
    return {
        files[row.number]: Landed(
            row.unchanged,
            # The newest landing of a length counts.
            {landing.bytes: landing.digest for landing in reversed(row.landings or [])},
        )
        for row in rows.toLocalIterator()
    }


def landed_digests(
    spark: "SparkSession", digests: Collection[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Those of these (topic, digest) that a file has landed with, from whatever path."""
    if not digests:
        return set()
    topics, contents = zip(*digests, strict=True)
    at_hand = _at_hand(spark, {"topic": topics, "digest": contents})
    rows = _landings(spark).join(at_hand, ["topic", "digest"]).select("topic", "digest").distinct()
    return {(row.topic, row.digest) for row in rows.collect()}


def _at_hand(spark: "SparkSession", columns: Mapping[str, Sequence[Any]]) -> "DataFrame":
    return spark.createDataFrame(pa.table({name: list(of) for name, of in columns.items()}))


def _landings(spark: "SparkSession") -> "DataFrame":
    """Each file of each batch, with the columns that ``bronze.batches`` declares."""
    batches = spark.table("bronze.batches").where(f"ingress = '{INGRESS}'")
    return batches.selectExpr("batch", "inline(files)")
