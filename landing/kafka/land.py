"""Lands what Kafka topics hold now, from where the last landing stopped, as one batch.

Where it stopped is said by ``bronze.batches`` alone, and the end is asked for once, before reading:
so a landing that was killed has left nothing behind that the next one does not know.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from landing.bronze import rewrites, store
from landing.errors import UserError
from landing.kafka.brokers import Brokers, add_kafka, client_settings, kafka_errors
from landing.kafka.stretches import Landed, Place, Stretch, plan_stretches
from landing.records import Records, land_records
from landing.report import Report

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

INGRESS = "kafka"


def land_kafka(
    spark: "SparkSession",
    servers: str,
    topics: Iterable[str],
    accept_lost: bool = False,
    progress: Callable[[str], None] = lambda step: None,
) -> Report:
    """Land the topics' messages as one batch; without news there is no batch.

    Raises :class:`UserError` for a topic that is not there or that another way in feeds, and, where
    messages were lost before they could land, unless ``accept_lost``. Messages of transactions that
    were given up do not land; an open transaction ends what lands.
    """
    topics = sorted(set(topics))
    if not topics:
        raise UserError("--subscribe names no topic")
    progress("fetching what Spark needs to read Kafka")
    with kafka_errors(servers):
        add_kafka(spark)
    number = rewrites.prepare(spark).batch
    batches = store.history(spark, topics, number)
    # Refuses a topic that another way in feeds; where each goes on needs the marks, too.
    store.next_offsets(batches, INGRESS)
    landed = _landed(batches)
    settings = client_settings(servers)
    progress(f"asking {servers} what the topics hold")
    with kafka_errors(servers, UserError), closing(Brokers(spark, settings)) as brokers:
        cluster, held = brokers.cluster_id(), brokers.held(topics)
    plan = plan_stretches(held, landed)
    if plan.losses and not accept_lost:
        losses = "; ".join(plan.losses)
        raise UserError(f"nothing was landed: {losses} (say --accept-lost to accept)")
    report = Report(notes=plan.notes + [f"accepted: {loss}" for loss in plan.losses])
    if not plan.stretches:
        return report
    places = store.with_unmoved(landed, plan.stretches)

    def unreadable_times() -> list[str]:
        with closing(Brokers(spark, settings)) as brokers:
            return brokers.unreadable_times(plan.stretches)

    with kafka_errors(servers, times=unreadable_times):
        records = Records(
            INGRESS,
            _read(spark, settings, plan.stretches),
            ends={place: at.next_offset for place, at in places.items()},
            marks={place: _mark(cluster, place, at) for place, at in places.items()},
        )
        land_records(spark, records, number, report, progress=progress)
    return report


def _mark(cluster: str, place: Place, stretch: Landed | Stretch) -> tuple[str, str]:
    """The path and the digest by which ``bronze.batches`` knows a partition: see ``_landed``."""
    topic, partition = place
    shift = f"+{stretch.shift}" if stretch.shift else ""
    return f"kafka:{cluster}/{topic}/{partition}{shift}", stretch.topic_id


def _landed(batches: list["Row"]) -> dict[Place, Landed]:
    """Where the last landing of each partition stopped, the latest last."""
    landed: dict[Place, Landed] = {}
    for batch in batches:
        marks = {}
        for file in batch.files:
            partition, _, shift = file.path.rpartition("/")[2].partition("+")
            marks[file.topic, int(partition)] = file.digest, int(shift or 0)
        for topic, partition, next_offset in batch.offsets:
            topic_id, shift = marks.get((topic, partition), ("", 0))
            landed.pop((topic, partition), None)
            landed[topic, partition] = Landed(topic_id, shift, next_offset)
    return landed


def _read(
    spark: "SparkSession", settings: Mapping[str, str], stretches: Mapping[Place, Stretch]
) -> "DataFrame":
    """The records of the stretches; it fails where one of them is no longer there."""
    from pyspark.sql.functions import col, lit, when

    read = {place: at for place, at in stretches.items() if at.first < at.end}
    if not read:
        return spark.createDataFrame([], _COLUMNS)
    partitions: dict[str, list[int]] = defaultdict(list)
    firsts: dict[str, dict[str, int]] = defaultdict(dict)
    ends: dict[str, dict[str, int]] = defaultdict(dict)
    shift = lit(0)
    for (topic, partition), at in read.items():
        partitions[topic].append(partition)
        firsts[topic][str(partition)] = at.first
        ends[topic][str(partition)] = at.end
        if at.shift:
            is_here = (col("topic") == topic) & (col("partition") == partition)
            shift = when(is_here, lit(at.shift)).otherwise(shift)
    reader = spark.read.format("kafka").options(
        assign=json.dumps(partitions),
        startingOffsets=json.dumps(firsts),
        endingOffsets=json.dumps(ends),
        failOnDataLoss="true",
        # A long stretch of one partition is read by several tasks.
        minPartitions=str(spark.sparkContext.defaultParallelism),
        **{f"kafka.{name}": value for name, value in settings.items()},
    )
    return reader.load().withColumn("offset", col("offset") + shift)


_COLUMNS = """
    topic string, partition int, offset bigint, timestamp timestamp, key binary, value binary
"""
