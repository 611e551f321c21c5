"""Asks Kafka's brokers what they hold, with the settings of the environment, which nobody is told.

Every variable ``ONELOG_KAFKA_X_Y`` is the client's setting ``x.y``.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from landing.errors import LandingError, UserError, first_line
from landing.kafka.stretches import Held, Place
from landing.session.jvm import jvm

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PREFIX = "ONELOG_KAFKA_"
# Spark's source and what it needs beside Spark itself. The token provider of 4.0.0 fits 4.1.1.
JARS = (
    "org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.1",
    "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0",
    "org.apache.kafka:kafka-clients:3.9.1",
    "org.apache.commons:commons-pool2:2.12.1",
)
DEFAULTS = {
    # Of a transaction that was given up nothing lands, of an open one nothing yet.
    "isolation.level": "read_committed",
    "default.api.timeout.ms": "15000",
    "request.timeout.ms": "8000",
}
# Spark counts microseconds in 64 bits: it fails at a record of so many milliseconds.
TOO_LATE = 2**63 // 1000 + 1
NO_ID = "AAAAAAAAAAAAAAAAAAAAAA"
# What may stand around a secret in a setting of several words, as sasl.jaas.config is.
BETWEEN_WORDS = re.compile(r"""[\s"'=;,]+""")


def add_kafka(spark: "SparkSession") -> None:
    """Let this session read Kafka: only the landing that needs them fetches the jars, once.

    SQL's ADD JAR would do, but the scheduler's threads could not read Kafka's errors then.
    """
    present = spark._jsc.sc().listJars().mkString(" ")
    loader = jvm(spark).org.apache.spark.util.Utils.getContextOrSparkClassLoader()
    for coordinates in JARS:
        if coordinates.split(":")[1] in present:
            continue
        for path in fetch_jars(spark, coordinates, transitive=False):
            spark._jsc.addJar(path)
            loader.addURL(jvm(spark).java.io.File(path).toURI().toURL())


def fetch_jars(spark: "SparkSession", coordinates: str, transitive: bool) -> list[str]:
    """The paths of a package's jars, which Spark's Ivy fetches where they have not been yet."""
    uri = jvm(spark).java.net.URI(f"ivy://{coordinates}?transitive={str(transitive).lower()}")
    found = jvm(spark).org.apache.spark.util.DependencyUtils.resolveMavenDependencies(uri)
    return [found.apply(number) for number in range(found.size())]


def client_settings(servers: str) -> dict[str, str]:
    """The settings of a Kafka client of these bootstrap servers."""
    return {**DEFAULTS, **_of_environment(), "bootstrap.servers": servers}


def _of_environment() -> dict[str, str]:
    return {
        name.removeprefix(PREFIX).lower().replace("_", "."): value
        for name, value in os.environ.items()
        if name.startswith(PREFIX) and name != PREFIX
    }


def without_secrets(text: str) -> str:
    """The text without any word that a setting of the environment has."""
    words = set()
    for value in _of_environment().values():
        words |= {value, *BETWEEN_WORDS.split(value)}
    for word in sorted(words, key=len, reverse=True):
        if len(word) > 2:
            # A number is not a part of another one: that may be an offset.
            whole = r"(?<!\d){}(?!\d)" if word.isdecimal() else "{}"
            text = re.sub(whole.format(re.escape(word)), "…", text)
    return text


@contextmanager
def kafka_errors(
    servers: str,
    kind: type[click.ClickException] = LandingError,
    times: Callable[[], list[str]] = list,
) -> Iterator[None]:
    """Tell what went wrong between Kafka and us in one line of this kind, and no secret.

    ``times`` names the records whose times Spark cannot read.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        causes = list(_causes(error))
        names = {name for name, _ in causes}
        if names & {"OffsetOutOfRangeException", "KafkaIllegalStateException"}:
            said = "messages went away while they were read; land again to be told which"
        elif ("ArithmeticException", "long overflow") in causes:
            said = _times_told(times)
        elif "TimeoutException" in names:
            said = (
                f"no broker answered in time at {servers}: is this where they listen, and does "
                f"{PREFIX}SECURITY_PROTOCOL fit?"
            )
        else:
            said = next((text for _, text in reversed(causes) if text), first_line(error))
        raise kind(without_secrets(f"nothing was landed: {said}")) from None


def _times_told(times: Callable[[], list[str]]) -> str:
    from py4j.protocol import Py4JError

    places: list[str] = []
    # The fault is told, too, where the brokers do not say its place.
    with suppress(Py4JError):
        places = times()
    where = f" ({'; '.join(places)})" if places else ""
    return (
        f"a record's time is no number of milliseconds since 1970{where}: let its producer send "
        "such a number; then either copy what waits to another topic, or delete it up to this "
        "record with kafka-delete-records and land with --accept-lost"
    )


def _causes(error: Any) -> Iterator[tuple[str, str]]:
    """The name and the first line of each Java exception behind an error, outermost first."""
    cause = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    while cause is not None:
        lines = (cause.getMessage() or "").strip().splitlines()
        yield cause.getClass().getSimpleName(), " ".join(lines[:1])
        cause = cause.getCause()


class Brokers:
    """An administrative client; close it."""

    def __init__(self, spark: "SparkSession", settings: Mapping[str, str]) -> None:
        self._jvm = jvm(spark)
        self._kafka = jvm(spark).org.apache.kafka
        properties = jvm(spark).java.util.Properties()
        for name, value in settings.items():
            properties.setProperty(name, value)
        self._admin = self._kafka.clients.admin.AdminClient.create(properties)
        self._reads_committed = settings["isolation.level"] == "read_committed"
        self._without_leader: list[str] = []

    def close(self) -> None:
        """Let go of the connections at once."""
        self._admin.close(self._jvm.java.time.Duration.ZERO)

    def cluster_id(self) -> str:
        """The cluster's own id."""
        return self._admin.describeCluster().clusterId().get() or ""

    def held(self, topics: Iterable[str]) -> dict[Place, Held]:
        """What the brokers hold of each partition of these topics.

        The end is the last stable offset, unless the settings read what is not committed. Raises
        :class:`UserError` for a topic that is not there, and for partitions that no broker leads.
        """
        ids = {place: id for topic in topics for place, id in self._partitions(topic)}
        spec, levels = self._kafka.clients.admin.OffsetSpec, self._kafka.common.IsolationLevel
        # The end first: a first offset that moves meanwhile is noticed by whoever reads.
        ends = written = self._offsets(ids, spec.latest(), levels.READ_UNCOMMITTED)
        if self._reads_committed:
            ends = self._offsets(ids, spec.latest(), levels.READ_COMMITTED)
        firsts = self._offsets(ids, spec.earliest(), levels.READ_UNCOMMITTED)
        return {
            place: Held(id, firsts[place], ends[place], written[place]) for place, id in ids.items()
        }

    def unreadable_times(self, places: Collection[Place]) -> list[str]:
        """The first record of each partition whose time Spark cannot read, if it has one."""
        spec = self._kafka.clients.admin.OffsetSpec.forTimestamp(TOO_LATE)
        level = self._kafka.common.IsolationLevel.READ_UNCOMMITTED
        return [
            f"topic {topic}, partition {number}, offset {offset}"
            for (topic, number), offset in self._offsets(places, spec, level).items()
            if offset >= 0
        ]

    def _partitions(self, topic: str) -> Iterator[tuple[Place, str]]:
        """Each partition of a topic, and the topic's id, which is empty where brokers give none."""
        from py4j.protocol import Py4JJavaError

        try:
            described = self._admin.describeTopics(self._jvm.java.util.List.of(topic))
            description = described.topicNameValues().get(topic).get()
        except Py4JJavaError as error:
            names = {name for name, _ in _causes(error)}
            if "UnknownTopicOrPartitionException" in names:
                said = f"topic {topic}: the brokers have no such topic: check its name"
                raise UserError(said) from None
            if "InvalidTopicException" in names:
                raise UserError(f"topic {topic}: not a name that a topic can have") from None
            if "TopicAuthorizationException" in names:
                raise UserError(
                    f"topic {topic}: the brokers do not let this user describe it: grant the user "
                    "Describe and Read"
                ) from None
            raise
        topic_id = description.topicId().toString()
        for partition in description.partitions():
            if partition.leader() is None:
                self._without_leader.append(f"topic {topic}, partition {partition.partition()}")
            yield (topic, partition.partition()), "" if topic_id == NO_ID else topic_id

    def _offsets(self, places: Iterable[Place], spec: Any, level: Any) -> dict[Place, int]:
        from py4j.protocol import Py4JJavaError

        asked = self._jvm.java.util.HashMap()
        keys = {place: self._kafka.common.TopicPartition(*place) for place in places}
        for key in keys.values():
            asked.put(key, spec)
        options = self._kafka.clients.admin.ListOffsetsOptions(level)
        try:
            answer = self._admin.listOffsets(asked, options).all().get()
        except Py4JJavaError as error:
            names = {name for name, _ in _causes(error)}
            if not self._without_leader or "TimeoutException" not in names:
                raise
            raise UserError(
                f"nothing was landed: {', '.join(self._without_leader)}: no broker leads it at "
                "present: land again once the brokers that have its replicas are up"
            ) from None
        return {place: answer.get(key).offset() for place, key in keys.items()}
