"""The bronze tables as landing sees them: which batch comes next, its partitions, and its commit.

A batch spans several tables. It is there when its row in ``bronze.batches`` is; whatever else a
killed landing left behind has no row, and the next landing removes it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from landing.envelopes import ENVELOPES, UNRECOGNIZED
from landing.errors import LandingError, UserError
from landing.session import confirm_lease, profiles_folder
from landing.session.jvm import jvm

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

Place = tuple[str, int]
Known = TypeVar("Known")
Moved = TypeVar("Moved")

MESSAGE_TABLES = (*ENVELOPES, UNRECOGNIZED)
# What bronze.batches of an earlier version may lack.
ADDED_COLUMNS = {
    "is_whole": "is_whole boolean, files.element.modified_millis bigint",
    "joined_into": "joined_into bigint",
}
# Batches: so many of the newest are looked at first, and their rows are put together so often.
LOOK_BACK = 100
COMPACTED_EVERY = 100
NEXT_BATCH = "select coalesce(max(batch), 0) + 1 from bronze.batches"


@dataclass(frozen=True)
class Batch:
    """What one landing brings, column for column its row in ``bronze.batches``.

    ``files``: (topic, path, digest, bytes, messages, modified_millis), also of what is no file,
    with the bytes and the time NULL; ``offsets``: (topic, partition, next offset).
    """

    batch: int
    landed_at: datetime
    ingress: str
    tables: Mapping[str, int]
    files: Sequence[tuple[str, str, str, int | None, int, int | None]]
    offsets: list[tuple[str, int, int]]
    is_whole: bool | None = True
    joined_into: int | None = None


def make_tables(spark: "SparkSession") -> None:
    """Make the bronze tables that are missing, by the project's own macro."""
    if spark.catalog.databaseExists("bronze"):
        present = {row.tableName for row in spark.sql("show tables in bronze").collect()}
        if present >= {*MESSAGE_TABLES, "messages", "batches", "rewrites"}:
            add_columns(spark)
            return
    run_operation("create_bronze")


def add_columns(spark: "SparkSession", batches: str = "bronze.batches") -> None:
    """Add to the table of batches what an earlier version did not have."""
    present = spark.table(batches).columns
    for column, definition in ADDED_COLUMNS.items():
        if column not in present:
            spark.sql(f"alter table {batches} add columns ({definition})")


def run_operation(macro: str) -> None:
    """Run one of the project's macros in this process's Spark."""
    from dbt.cli.main import dbtRunner

    folder = str(profiles_folder())
    ran = dbtRunner().invoke(["run-operation", macro, "--quiet", "--profiles-dir", folder])
    if not ran.success:
        raise LandingError(f"the macro {macro} failed: {ran.exception or ran.result}")


def next_batch_number(spark: "SparkSession") -> int:
    """One above the greatest committed batch, from 1; Delta's statistics know it."""
    (row,) = spark.sql(NEXT_BATCH).collect()
    return row[0]


def history(
    spark: "SparkSession", topics: Iterable[str], number: int, with_files: bool = True
) -> list["Row"]:
    """The batches below ``number`` that say how far topics have landed, the newest last.

    Each has ``batch``, ``ingress``, and those of its ``files`` and ``offsets`` that are of the
    topics. The newest batch of a topic says all, so older ones are read only for topics that have
    not been found: for topics that land again and again this costs the same in any history.
    """
    missing, end, width = set(topics), number, LOOK_BACK
    found: list[Row] = []
    while missing and end > 1:
        begin = max(end - width, 1)
        newest = _newest(spark, missing, begin, end, with_files)
        missing -= newest.keys()
        partial = [topic for topic, batch in newest.items() if not batch.is_whole]
        found += [batch for topic, batch in newest.items() if topic not in partial]
        if partial:
            found += _batches_of(spark, partial)
        end, width = begin, width * 10
    return sorted(found, key=lambda batch: batch.batch)


def _newest(
    spark: "SparkSession", topics: Collection[str], begin: int, end: int, with_files: bool
) -> dict[str, "Row"]:
    """The newest batch of each topic among those from ``begin`` to below ``end``."""
    from pyspark.sql import functions as f

    topic, number = f.col("topic"), f.col("batch")
    files = f.filter("files", lambda file: file.topic == topic) if with_files else f.array()
    newest = f.struct(
        number,
        "ingress",
        # The topic of a file has one partition.
        f.coalesce("is_whole", f.col("ingress") == "files").alias("is_whole"),
        files.alias("files"),
        f.filter("offsets", lambda place: place.topic == topic).alias("offsets"),
    )
    rows = (
        spark.table("bronze.batches")
        .where((number >= begin) & (number < end))
        .withColumn("topic", f.explode(f.array_distinct("offsets.topic")))
        .where(topic.isin(*topics))
        .groupBy("topic")
        .agg(f.max_by(newest, number).alias("newest"))
    )
    return {row.topic: row.newest for row in rows.collect()}


def _batches_of(spark: "SparkSession", topics: Collection[str]) -> list["Row"]:
    """Every batch of topics whose newest batch, of an earlier version, names what moved only."""
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
        .where("size(offsets) > 0")
        .collect()
    )


def next_offsets(batches: list["Row"], ingress: str) -> dict[tuple[str, int], int]:
    """Where each topic and partition goes on, after these batches, the newest last.

    Raises :class:`UserError` for a topic that another way in feeds.
    """
    offsets: dict[tuple[str, int], int] = {}
    for batch in batches:
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


def with_unmoved(
    known: Mapping[Place, Known], moved: Mapping[Place, Moved]
) -> dict[Place, Known | Moved]:
    """What a batch says of every place of the topics that it moves; what moves comes last."""
    topics = {topic for topic, _ in moved}
    unmoved = {
        place: value for place, value in known.items() if place[0] in topics and place not in moved
    }
    return {**unmoved, **moved}


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
    """Register the batch's partitions, then make it count by its row in ``bronze.batches``.

    Rows that came one by one are put together before, so that few files hold them.
    """
    if batch.batch % COMPACTED_EVERY == 0:
        spark.sql("optimize bronze.batches")
    add = "alter table {} add if not exists {}"
    for envelope in batch.tables:
        spark.sql(add.format(f"bronze.{envelope}", f"partition (batch={batch.batch})"))
    partitions = (_of_all_messages(envelope, batch.batch) for envelope in batch.tables)
    if batch.tables:
        spark.sql(add.format("bronze.messages", " ".join(partitions)))
    table = spark.table("bronze.batches")
    row = vars(batch) | {"tables": list(batch.tables.items())}
    values = [tuple(row[name] for name in table.columns)]
    rows = spark.createDataFrame(values, table.schema)
    confirm_lease()
    rows.write.insertInto("bronze.batches")


def _of_all_messages(envelope: str, number: int) -> str:
    return f"partition (envelope='{envelope}', batch={number})"


def delete(spark: "SparkSession", folder: str) -> None:
    """Delete a folder of any Hadoop file system; none there is well too."""
    path = jvm(spark).org.apache.hadoop.fs.Path(folder)
    path.getFileSystem(spark._jsc.hadoopConfiguration()).delete(path, True)


def summary(spark: "SparkSession", folder: str) -> Any:
    """Hadoop's summary of what a folder holds: its bytes (`getLength`) and its files."""
    path = jvm(spark).org.apache.hadoop.fs.Path(folder)
    return path.getFileSystem(spark._jsc.hadoopConfiguration()).getContentSummary(path)


def is_empty(spark: "SparkSession", folder: str) -> bool:
    """Whether a folder has no data, in folders of its own neither; one that is not there has none.

    Files whose names begin with an underscore only say that a job was done.
    """
    path = jvm(spark).org.apache.hadoop.fs.Path(folder)
    file_system = path.getFileSystem(spark._jsc.hadoopConfiguration())
    if not file_system.exists(path):
        return True
    files = file_system.listFiles(path, True)
    while files.hasNext():
        if not files.next().getPath().getName().startswith(("_", "._")):
            return False
    return True


def bronze_location(spark: "SparkSession") -> str:
    """The folder of the bronze database."""
    return spark.catalog.getDatabase("bronze").locationUri


def staging_location(spark: "SparkSession") -> str:
    """Where a landing may put copies of what it reads, until it has landed."""
    return f"{bronze_location(spark)}/staged"


def messages_location(spark: "SparkSession") -> str:
    """The folder of all landed messages."""
    return f"{bronze_location(spark)}/messages"
