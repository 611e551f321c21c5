"""Keeps the Delta tables small: few files, and no old versions beyond what readers may need.

Both are Delta's own commands, OPTIMIZE and VACUUM. Each is one commit, or none: a kill between them
leaves a table that the next call goes on with. With bronze.batches, of which each landing writes a
file, come the messages of bronze: their batches are joined.
"""

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from landing.bronze import store
from landing.bronze.join import join
from landing.errors import LandingError, UserError, first_line
from landing.mentions import put_together
from landing.session import LeaseLostError, is_shared, other_settings, session_settings
from landing.session.jvm import jvm

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Every table of the project lies in one of these.
DATABASES = ("settings", "bronze", "silver", "resolve", "gold")
# Until the other one is there, no batch is built.
BATCHES, BUILT = "bronze.batches", "resolve.changes"
KEEP_HOURS = "ONELOG_KEEP_HOURS"
# Properties of a table: for how long the files stay that only old versions need, and their log.
KEPT_FILES, KEPT_LOG = "delta.deletedFileRetentionDuration", "delta.logRetentionDuration"
# Where several commands may use the tables at a time, the longest query or run that may go on.
SHARED_KEEP_HOURS = 24.0
HOUR = 3_600_000  # milliseconds
# A file of this size is left as it is; smaller ones are put together to files of twice the size.
LEAST_BYTES = 64 * 2**20
# The same of a run that maintains by itself: it must not write a file anew again and again while
# that grows, as what comes next waits.
LEAST_BYTES_OF_RUN = 16 * 2**20
# A table that nobody asked to maintain may have so many files more than it needs, so many files of
# its log, and so much space beyond twice its size. Of files it may have twice as many more while
# another table is put together: what comes next does not wait for all of them.
SPARE_FILES, SPARE_LOG_FILES, SPARE_BYTES = 32, 300, 8 * 2**20
# Of bronze.batches, each file is a batch that has landed since they were looked at.
SPARE_BATCHES = 32
# With a shared home, a vacuum may find nothing that is old enough: not with each commit again.
TRIED_EVERY = 20
ATTEMPTS = 3
# VACUUM lists a table's folder in so many tasks: 10,000 by default.
LISTING_TASKS = "spark.sql.sources.parallelPartitionDiscovery.parallelism"
SETTINGS = {
    "spark.databricks.delta.optimize.minFileSize": str(LEAST_BYTES),
    "spark.databricks.delta.optimize.maxFileSize": str(2 * LEAST_BYTES),
    # VACUUM would write two commits, that it begins and that it ends.
    "spark.databricks.delta.vacuum.logging.enabled": "false",
    # The hours are decided here.
    "spark.databricks.delta.retentionDurationCheck.enabled": "false",
}
# A run leaves more of what costs little to read: files in which up to a fifth of the rows is marked
# as deleted, where Delta would write all from a twentieth on anew.
SETTINGS_OF_RUN = {
    "spark.databricks.delta.optimize.minFileSize": str(LEAST_BYTES_OF_RUN),
    "spark.databricks.delta.optimize.maxDeletedRowsRatio": "0.2",
}


@dataclass
class Maintained:
    """What was done, and by table why nothing was."""

    compacted: dict[str, tuple[int, int]] = field(default_factory=dict)
    joined: int = 0
    freed: int = 0
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def did_something(self) -> bool:
        """True where a table needed something."""
        return bool(self.compacted or self.joined or self.freed or self.failed)

    def lines(self) -> Iterator[str]:
        """The call in a few lines of text."""
        for table, (before, after) in sorted(self.compacted.items()):
            yield f"{table}: {before} files are now {after}"
        if self.joined:
            yield f"bronze has {self.joined} batches fewer: they are joined into larger ones"
        yield from (f"{table} stays as it is: {why}" for table, why in sorted(self.failed.items()))
        yield f"freed {self.freed:,} bytes" if self.freed > 0 else "nothing to free"


@dataclass(frozen=True)
class Table:
    """A Delta table as it is: files and bytes of its newest version, and all that its folder holds.

    ``log_files`` are the files of its log.
    """

    name: str
    folder: str
    version: int
    files: int
    bytes: int
    held_bytes: int
    log_files: int

    def has_small_files(self, least_bytes: int, spare: int) -> bool:
        """True with more files than its bytes need, and some to spare."""
        return self.files > 1 + spare + self.bytes // least_bytes

    def is_littered(self) -> bool:
        """True where old versions take much more space, or have much more log, than it needs."""
        is_large = self.held_bytes > 2 * self.bytes + SPARE_BYTES
        return is_large or self.log_files > SPARE_LOG_FILES


def maintain(
    spark: "SparkSession",
    where_needed: bool = False,
    progress: Callable[[str], None] = lambda step: None,
) -> Maintained:
    """Compact the tables and delete what no version needs that readers may still use.

    ``where_needed``: only tables that have many small files or hold much more than they need. To
    find none takes no query. Another command that changes a table at the same time wins: the table
    is told, and stays as it is until the next call.
    """
    hours = math.ceil(keep_hours())
    report = Maintained()
    spare_batches, spare_files, least_bytes = (
        (SPARE_BATCHES, SPARE_FILES, LEAST_BYTES_OF_RUN) if where_needed else (0, 0, LEAST_BYTES)
    )
    settings = SETTINGS | {LISTING_TASKS: str(spark.sparkContext.defaultParallelism)}
    if where_needed:
        settings |= SETTINGS_OF_RUN
    for table in tables(spark):
        is_joined = table.name == BATCHES and table.files > spare_batches
        if is_joined and spark.catalog.tableExists(BUILT):
            with _told(report, "bronze"):
                report.joined = join(spark, progress)
                put_together(spark)
        is_many = table.has_small_files(least_bytes, spare_files * (1 + bool(report.compacted)))
        is_tried = hours == 0 or table.version % TRIED_EVERY == 0
        if is_many or not where_needed or (table.is_littered() and is_tried):
            progress(f"looking after {table.name}")
            with other_settings(spark, settings):
                _maintain(spark, table, is_many, where_needed, hours, report)
    return report


def keep_hours() -> float:
    """For how many hours an old version of a table stays readable.

    Zero where the catalog lets one command at a time work on the home: nobody reads meanwhile.
    """
    text = os.environ.get(KEEP_HOURS)
    if text:
        try:
            if 0 <= (hours := float(text)) < math.inf:
                return hours
        except ValueError:
            pass
        raise UserError(f"{KEEP_HOURS} is {text!r}: set it to a number of hours, 0 or more")
    return SHARED_KEEP_HOURS if is_shared(session_settings()) else 0.0


def tables(spark: "SparkSession") -> Iterator[Table]:
    """The Delta tables of the project, as their logs and folders are; no query is run."""
    catalog = spark._jsparkSession.sessionState().catalog()
    for database in DATABASES:
        if not catalog.databaseExists(database):
            continue
        for folder in _folders(spark, spark.catalog.getDatabase(database).locationUri):
            yield _table(spark, f"{database}.{folder.rpartition('/')[2]}", folder)


def _folders(spark: "SparkSession", database: str) -> Iterator[str]:
    """The folders of a database that have a Delta log."""
    path = jvm(spark).org.apache.hadoop.fs.Path
    file_system = path(database).getFileSystem(spark._jsc.hadoopConfiguration())
    for status in file_system.listStatus(path(database)):
        folder = status.getPath().toString()
        if status.isDirectory() and file_system.exists(path(folder, "_delta_log")):
            yield folder


def _table(spark: "SparkSession", name: str, folder: str) -> Table:
    snapshot = _log(spark, folder).update(False, *_nones(spark, 2))
    # The checksum of the version says it; without one, Spark counts the files.
    checksum = snapshot.computeChecksum()
    held, of_log = (store.summary(spark, path) for path in (folder, f"{folder}/_delta_log"))
    return Table(
        name=name,
        folder=folder,
        version=snapshot.version(),
        files=checksum.numFiles(),
        bytes=checksum.tableSizeBytes(),
        held_bytes=held.getLength(),
        log_files=of_log.getFileCount(),
    )


def _maintain(
    spark: "SparkSession",
    table: Table,
    is_compacted: bool,
    where_needed: bool,
    hours: int,
    report: Maintained,
) -> None:
    """Compact a table, or not, and delete what only its old versions need."""
    with _told(report, table.name):
        after = table
        if is_compacted:
            _retried(lambda: spark.sql(f"optimize {_quoted(table.name)}").collect())
            after = _table(spark, table.name, table.folder)
        if after.files != table.files:
            report.compacted[table.name] = table.files, after.files
        if after.is_littered() or not where_needed:
            _retried(lambda: _delete_old(spark, table, hours))
            report.freed += after.held_bytes - _table(spark, table.name, table.folder).held_bytes


@contextmanager
def _told(report: Maintained, table: str) -> Iterator[None]:
    """Put what went wrong with a table into the report, so that it keeps no other one waiting."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except LeaseLostError:
        raise
    except (LandingError, PySparkException, Py4JJavaError) as error:
        report.failed[table] = first_line(error)


def _delete_old(spark: "SparkSession", table: Table, hours: int) -> None:
    """Delete the files that only older versions need, then the log of these versions.

    Delta would keep the log until midnight at the least: 6,000 small runs a day leave as many
    commits in each table, which every command lists.
    """
    if hours:
        _keep(spark, table, hours)
    # VACUUM is told of no other hours than 0: it goes by the table's own.
    spark.sql(f"vacuum {_quoted(table.name)}{'' if hours else ' retain 0 hours'}").collect()
    java = jvm(spark)
    log = _log(spark, table.folder)
    snapshot = log.update(False, *_nones(spark, 2))
    log.checkpoint(snapshot, *_nones(spark, 1))
    millis = java.java.util.OptionalLong.of(hours * HOUR)
    kept = java.scala.jdk.javaapi.OptionConverters.toScala(millis)
    minute = java.org.apache.spark.sql.delta.TruncationGranularity.MINUTE()
    log.cleanUpExpiredLogs(snapshot, *_nones(spark, 1), kept, minute)


def _keep(spark: "SparkSession", table: Table, hours: int) -> None:
    """Let a table keep its old versions for so many hours, and their log for no less.

    Delta deletes by a table's own property, and refuses to read a version that is older than that.
    """
    log = _log(spark, table.folder)
    metadata = log.update(False, *_nones(spark, 2)).metadata()
    delta_log = jvm(spark).org.apache.spark.sql.delta.DeltaLog
    differing = []
    if delta_log.tombstoneRetentionMillis(metadata) != hours * HOUR:
        differing.append(KEPT_FILES)
    if log.deltaRetentionMillis(metadata) < hours * HOUR:
        differing.append(KEPT_LOG)
    if differing:
        properties = ", ".join(f"'{name}' = 'interval {hours} hours'" for name in differing)
        spark.sql(f"alter table {_quoted(table.name)} set tblproperties ({properties})")


def _retried(work: Callable[[], object]) -> None:
    """Do what another command's commit may come in between of."""
    for attempt in range(ATTEMPTS):
        try:
            work()
            return
        except Exception as error:
            if attempt == ATTEMPTS - 1 or "concurrent" not in str(error).lower():
                raise


def _log(spark: "SparkSession", folder: str) -> Any:
    return jvm(spark).org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, folder)


def _nones(spark: "SparkSession", count: int) -> list[Any]:
    """Scala's None, so many times."""
    return [jvm(spark).scala.Option.empty()] * count


def _quoted(name: str) -> str:
    return ".".join(f"`{part}`" for part in name.split(".", 1))
