"""Follows files and Kafka topics: lands what is new and builds it, in one warm session."""

import time
from collections.abc import Callable, Collection, Hashable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import click

from landing.bronze import store
from landing.errors import JAVA_HAS_ENDED, LandingError, first_line
from landing.files.land import land_files
from landing.follow.project import Project
from landing.follow.rounds import Ingress, Landing, Rounds, Steps, Surroundings, Thing
from landing.follow.stopping import Stop
from landing.kafka.land import land_kafka
from landing.session import LeaseLostError
from landing.session.jvm import jvm
from landing.session.preparing import trim_log

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The newest change of the newest run that brought any.
NEWEST = """
    select unix_micros(max(coalesce(event_at, received_at))) as newest from resolve.changes
    where marked_unit is null and built_at = timestamp_micros({})
"""
BUILT_AT = """
    select unix_micros(built_at) as micros from resolve.changes where marked_unit = ''
    order by micros desc limit 1
"""


def follow(
    spark: "SparkSession",
    paths: tuple[str, ...],
    servers: str | None,
    topics: tuple[str, ...],
    every: float,
    stop: Stop,
    tell: Callable[[str], None],
) -> None:
    """Land and build every so many seconds until ``stop`` is set.

    Raises :class:`LandingError` when Java has ended, or another command writes by now: no round can
    work from then on.
    """
    ingresses = [Ingress("files", paths, partial(_land_files, spark))]
    if servers is not None:
        ingresses.append(Ingress("kafka", topics, partial(_land_kafka, spark, servers)))
    project = Project()
    steps = Steps(
        ingresses=ingresses,
        state=partial(_state, spark, project),
        build=partial(_build, spark, project),
        lag=partial(_lag, spark),
        reason=partial(_reason, spark),
    )

    def tell_time(line: str) -> None:
        tell(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}  {line}")

    Rounds(steps, Surroundings(time.monotonic, stop.wait, tell_time, stop.is_set), every).run()


def _land_files(
    spark: "SparkSession", paths: tuple[str, ...], passed_over: Collection[Thing]
) -> Landing:
    broken = {path for name, path in passed_over if name == "file"}
    report = land_files(spark, paths, passed_over=broken)
    return Landing(report.messages.total(), report.broken)


def _land_kafka(
    spark: "SparkSession", servers: str, topics: tuple[str, ...], passed_over: Collection[Thing]
) -> Landing:
    return Landing(land_kafka(spark, servers, topics).messages.total())


def _state(spark: "SparkSession", project: Project) -> Hashable:
    """The project's files and the number of the next batch."""
    is_landed = spark.catalog.tableExists("bronze.batches")
    return project.marks(), store.next_batch_number(spark) if is_landed else 1


def _build(spark: "SparkSession", project: Project) -> str | None:
    failure = project.build()
    if failure is not None:
        _check_java(spark)
    _forget_counts()
    trim_log()
    return failure


def _lag(spark: "SparkSession") -> float | None:
    """Seconds since the newest change that is built happened in its source, or came."""
    for (built_at,) in spark.sql(BUILT_AT).collect():
        ((newest,),) = spark.sql(NEWEST.format(int(built_at))).collect()
        return None if newest is None else time.time() - newest / 1e6
    return None


def _reason(spark: "SparkSession", error: Exception) -> str:
    """What went wrong, in one line; raises what ends all rounds."""
    if isinstance(error, LeaseLostError):
        raise error
    _check_java(spark)
    if isinstance(error, click.ClickException):
        return error.format_message()
    return first_line(error)


def _check_java(spark: "SparkSession") -> None:
    from py4j.protocol import Py4JError

    try:
        jvm(spark).java.lang.System.nanoTime()
    except (OSError, Py4JError) as error:
        raise LandingError(JAVA_HAS_ENDED) from error


def _forget_counts() -> None:
    """Let go of the counters of tasks, which PySpark keeps for as long as the process lives."""
    from pyspark import accumulators

    accumulators._accumulatorRegistry.clear()
