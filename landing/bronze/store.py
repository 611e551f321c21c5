"""The bronze tables as landing sees them: which batch comes next, its partitions, and its commit.

A batch spans several tables. It is there when its row in ``bronze.batches`` is; whatever else a
killed landing left behind has no row, and the next landing removes it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from landing.envelopes import ENVELOPES, UNRECOGNIZED
from landing.errors import LandingError, UserError
from landing.session import profiles_folder
from landing.session.jvm import jvm

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

MESSAGE_TABLES = (*ENVELOPES, UNRECOGNIZED)


@dataclass(frozen=True)
class Batch:
    """What one landing brings, column for column its row in ``bronze.batches``.

    ``files``: (topic, path, digest, bytes, messages), also of what is no file, with the bytes NULL;
    ``offsets``: (topic, partition, next offset).
    """

    batch: int
    landed_at: datetime
    ingress: str
    tables: Mapping[str, int]
    files: Sequence[tuple[str, str, str, int | None, int]]
    offsets: list[tuple[str, int, int]]


def make_tables(spark: "SparkSession") -> None:
    """Make the bronze tables that are missing, by the project's own macro."""
    if spark.catalog.databaseExists("bronze"):
        present = {row.tableName for row in spark.sql("show tables in bronze").collect()}
        if present >= {*MESSAGE_TABLES, "messages", "batches", "rewrites"}:
            return
    run_operation("create_bronze")


def run_operation(macro: str) -> None:
    """Run one of the project's macros in this process's Spark."""
    from dbt.cli.main import dbtRunner

    folder = str(profiles_folder())
    ran = dbtRunner().invoke(["run-operation", macro, "--quiet", "--profiles-dir", folder])
    if not ran.success:
        raise LandingError(f"the macro {macro} failed: {ran.exception or ran.result}")


def history(spark: "SparkSession", topics: Iterable[str]) -> list["Row"]:
    """Every committed batch, with those of its ``files`` and ``offsets`` that are of ``topics``."""
    from pyspark.sql.functions import array_contains, filter, lit

    named = lit(list(topics))
    return (
        spark.table("bronze.batches")
        .select(
            "batch",
            "ingress",
            filter("files", lambda file: array_contains(named, file.topic)).alias("files"),
            filter("offsets", lambda place: array_contains(named, place.topic)).alias("offsets"),
        )
        .collect()
    )


def next_batch_number(batches: list["Row"]) -> int:
    """One above the greatest committed batch, from 1."""
    return max((batch.batch for batch in batches), default=0) + 1


def next_offsets(batches: list["Row"], ingress: str) -> dict[tuple[str, int], int]:
    """Where each topic and partition goes on.

    Raises :class:`UserError` for a topic that another way in feeds.
    """
    offsets: dict[tuple[str, int], int] = {}
    for batch in sorted(batches, key=lambda batch: batch.batch):
        for topic, partition, offset in batch.offsets:
            if batch.ingress != ingress:
                raise UserError(
                    f"topic {topic} is fed by {batch.ingress}: {ingress} cannot land in it as well"
                )
            offsets[topic, partition] = offset
    return offsets


def by_envelope(messages: Mapping[tuple[str, str], int]) -> Counter[str]:
    """Messages by bronze table, of messages by topic and envelope."""
    tables: Counter[str] = Counter()
    for (_, envelope), count in messages.items():
        tables[envelope] += count
    return tables


def landed_digests(batches: list["Row"]) -> set[tuple[str, str]]:
    """(topic, digest) of every file that has landed."""
    return {(file.topic, file.digest) for batch in batches for file in batch.files}


def landed_files(batches: list["Row"]) -> dict[tuple[str, str], dict[int, str]]:
    """By topic and path, what has landed from there: digests by the length in bytes."""
    landed: dict[tuple[str, str], dict[int, str]] = {}
    for batch in sorted(batches, key=lambda batch: batch.batch):
        for file in batch.files:
            landed.setdefault((file.topic, file.path), {})[file.bytes] = file.digest
    return landed


def remove_leftovers(spark: "SparkSession", number: int) -> None:
    """Take away what a killed landing wrote under this number."""
    folder = jvm(spark).org.apache.hadoop.fs.Path(messages_location(spark))
    file_system = folder.getFileSystem(spark._jsc.hadoopConfiguration())
    pattern = jvm(spark).org.apache.hadoop.fs.Path(folder, f"envelope=*/batch={number}")
    for status in file_system.globStatus(pattern) or []:
        envelope = status.getPath().getParent().getName().removeprefix("envelope=")
        drop = "alter table {} drop if exists {}"
        spark.sql(drop.format(f"bronze.{envelope}", f"partition (batch={number})"))
        spark.sql(drop.format("bronze.messages", _of_all_messages(envelope, number)))
        file_system.delete(status.getPath(), True)
    file_system.delete(jvm(spark).org.apache.hadoop.fs.Path(folder, "_temporary"), True)


def write_messages(lines: "DataFrame", number: int) -> None:
    """Write landed lines (columns ``envelope``, ``line``) where each bronze table expects them."""
    from pyspark.sql.functions import lit

    # One open file an envelope instead of a sort of all the messages by envelope.
    lines.sparkSession.conf.set("spark.sql.maxConcurrentOutputFileWriters", "32")
    writer = lines.withColumn("batch", lit(number)).write.partitionBy("envelope", "batch")
    writer.mode("append").text(messages_location(lines.sparkSession), lineSep="\n")


def commit(spark: "SparkSession", batch: Batch) -> None:
    """Register the batch's partitions, then make it count by its row in ``bronze.batches``."""
    add = "alter table {} add if not exists {}"
    for envelope in batch.tables:
        spark.sql(add.format(f"bronze.{envelope}", f"partition (batch={batch.batch})"))
    partitions = (_of_all_messages(envelope, batch.batch) for envelope in batch.tables)
    if batch.tables:
        spark.sql(add.format("bronze.messages", " ".join(partitions)))
    table = spark.table("bronze.batches")
    row = vars(batch) | {"tables": list(batch.tables.items())}
    values = [tuple(row[name] for name in table.columns)]
    spark.createDataFrame(values, table.schema).write.insertInto("bronze.batches")


def _of_all_messages(envelope: str, number: int) -> str:
    return f"partition (envelope='{envelope}', batch={number})"


def delete(spark: "SparkSession", folder: str) -> None:
    """Delete a folder of any Hadoop file system; none there is well too."""
    path = jvm(spark).org.apache.hadoop.fs.Path(folder)
    path.getFileSystem(spark._jsc.hadoopConfiguration()).delete(path, True)


def bronze_location(spark: "SparkSession") -> str:
    """The folder of the bronze database."""
    return spark.catalog.getDatabase("bronze").locationUri


def staging_location(spark: "SparkSession") -> str:
    """Where a landing may put copies of what it reads, until it has landed."""
    return f"{bronze_location(spark)}/staged"


def messages_location(spark: "SparkSession") -> str:
    """The folder of all landed messages."""
    return f"{bronze_location(spark)}/messages"
