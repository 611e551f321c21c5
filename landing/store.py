"""The bronze tables as landing sees them: which batch comes next, its partitions, and its commit.

A batch spans several tables. It is there when its row in ``bronze.batches`` is; whatever else a
killed landing left behind has no row, and the next landing removes it.
"""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from landing.envelopes import ENVELOPES, UNRECOGNIZED
from landing.errors import LandingError, UserError
from landing.session import profiles_folder
from python_udfs.session import home

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MESSAGE_TABLES = (*ENVELOPES, UNRECOGNIZED)


@dataclass(frozen=True)
class Batch:
    """What one landing brings, column for column its row in ``bronze.batches``.

    ``files``: (topic, path, digest, bytes, messages); ``offsets``: (topic, partition, next offset).
    """

    batch: int
    landed_at: datetime
    ingress: str
    tables: Mapping[str, int]
    files: list[tuple[str, str, str, int, int]]
    offsets: list[tuple[str, int, int]]


@contextmanager
def landings_take_turns(say: Callable[[str], None]) -> Iterator[None]:
    """Hold the home's lock; while another landing holds it, say whose turn it is and wait."""
    home().mkdir(parents=True, exist_ok=True)
    with open(home() / "landing.lock", "a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            say(f"waiting for the landing of process {lock.read().strip()} in {home()}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def make_tables(spark: "SparkSession") -> None:
    """Make the bronze tables that are missing, by the project's own macro."""
    if spark.catalog.databaseExists("bronze"):
        present = {row.tableName for row in spark.sql("show tables in bronze").collect()}
        if present >= {*MESSAGE_TABLES, "messages", "batches"}:
            return
    from dbt.cli.main import dbtRunner

    folder = str(profiles_folder())
    made = dbtRunner().invoke(
        ["run-operation", "create_bronze", "--quiet", "--profiles-dir", folder]
    )
    if not made.success:
        raise LandingError(f"the bronze tables cannot be made: {made.exception or made.result}")


def next_batch_number(spark: "SparkSession") -> int:
    """One above the greatest committed batch, from 1."""
    greatest = spark.sql("select coalesce(max(batch), 0) as batch from bronze.batches").first()
    return greatest.batch + 1


def next_offsets(spark: "SparkSession", topics: set[str], ingress: str) -> dict[str, int]:
    """Where each topic that has landed before goes on in partition 0.

    Raises :class:`UserError` for a topic that another way in feeds.
    """
    from pyspark.sql.functions import col, explode, max

    landed = (
        spark.table("bronze.batches")
        .select("ingress", explode("offsets").alias("place"))
        .where(col("place.topic").isin(list(topics)))
        .groupBy("place.topic", "ingress")
        .agg(max("place.next_offset").alias("next_offset"))
        .collect()
    )
    for row in landed:
        if row.ingress != ingress:
            raise UserError(
                f"topic {row.topic} is fed by {row.ingress}: {ingress} cannot land in it as well"
            )
    return {row.topic: row.next_offset for row in landed}


def landed_digests(spark: "SparkSession", topics: set[str]) -> set[tuple[str, str]]:
    """(topic, digest) of every file that these topics have landed."""
    from pyspark.sql.functions import col, explode

    files = spark.table("bronze.batches").select(explode("files").alias("file"))
    rows = files.where(col("file.topic").isin(list(topics))).select("file.topic", "file.digest")
    return {(row.topic, row.digest) for row in rows.collect()}


def remove_leftovers(spark: "SparkSession", number: int) -> None:
    """Take away what a killed landing wrote under this number."""
    folder = spark._jvm.org.apache.hadoop.fs.Path(_messages_location(spark))
    file_system = folder.getFileSystem(spark._jsc.hadoopConfiguration())
    pattern = spark._jvm.org.apache.hadoop.fs.Path(folder, f"envelope=*/batch={number}")
    for status in file_system.globStatus(pattern) or []:
        envelope = status.getPath().getParent().getName().removeprefix("envelope=")
        for table, partition in _partitions(envelope, number):
            spark.sql(f"alter table {table} drop if exists partition ({partition})")
        file_system.delete(status.getPath(), True)
    file_system.delete(spark._jvm.org.apache.hadoop.fs.Path(folder, "_temporary"), True)


def write_messages(lines: "DataFrame", number: int) -> None:
    """Write landed lines (columns ``envelope``, ``line``) where each bronze table expects them."""
    from pyspark.sql.functions import lit

    # One open file an envelope instead of a sort of all the messages by envelope.
    lines.sparkSession.conf.set("spark.sql.maxConcurrentOutputFileWriters", "32")
    writer = lines.withColumn("batch", lit(number)).write.partitionBy("envelope", "batch")
    writer.mode("append").text(_messages_location(lines.sparkSession), lineSep="\n")


def commit(spark: "SparkSession", batch: Batch) -> None:
    """Register the batch's partitions, then make it count by its row in ``bronze.batches``."""
    for envelope in batch.tables:
        for table, partition in _partitions(envelope, batch.batch):
            spark.sql(f"alter table {table} add if not exists partition ({partition})")
    table = spark.table("bronze.batches")
    row = asdict(batch) | {"tables": list(batch.tables.items())}
    values = [tuple(row[name] for name in table.columns)]
    spark.createDataFrame(values, table.schema).write.insertInto("bronze.batches")


def _partitions(envelope: str, number: int) -> Iterable[tuple[str, str]]:
    yield f"bronze.{envelope}", f"batch={number}"
    yield "bronze.messages", f"envelope='{envelope}', batch={number}"


def _messages_location(spark: "SparkSession") -> str:
    return f"{spark.catalog.getDatabase('bronze').locationUri}/messages"
