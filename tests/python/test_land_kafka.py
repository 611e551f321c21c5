"""`onelog land kafka` from a real broker: what lands, where the next landing begins, and kills.

Some tests land together: see ``shared_landings``.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import commands
import pytest
from click.testing import CliRunner, Result
from conftest import ROOT
from kafka_broker import PASSWORD, USER, Broker, free_ports, running_broker
from pyspark import SparkContext
from pyspark.sql import Row, SparkSession
from shared_landings import TESTS, Failures, Landings, land_together, shares_landings

import landing.kafka.land
from landing.cli import main
from landing.kafka.brokers import add_kafka, client_settings
from landing.kafka.stretches import Stretch, plan_stretches

CANAL = '{"data":[{"id":"%s"}],"old":null,"type":"INSERT","database":"d","table":"t"}'
# Timestamps of the messages that tests send, in milliseconds.
SENT_AT = 1_700_000_000_123
WRONG = "wrong-4711"


@pytest.fixture(scope="module")
def broker(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker for the tests of this file, and Kafka's classes in the warm Spark."""
    add_kafka(spark)
    with running_broker(spark, tmp_path_factory.mktemp("broker")) as running:
        yield running


class Kafka:
    """Creates, fills and cuts topics by Kafka's own client in Spark's Java, and lands them."""

    def __init__(self, spark: SparkSession, servers: str) -> None:
        self.java: Any = spark._jvm
        self.kafka = self.java.org.apache.kafka
        self.servers = servers
        self.admin = self.kafka.clients.admin.AdminClient.create(self._settings())

    def create(self, topic: str, partitions: int = 1, **settings: str) -> None:
        new = self.kafka.clients.admin.NewTopic(topic, partitions, 1)
        names = {name.replace("_", "."): value for name, value in settings.items()}
        new.configs(self.java.java.util.HashMap(names))
        self.admin.createTopics(self.java.java.util.List.of(new)).all().get()

    def delete(self, topic: str) -> None:
        self.admin.deleteTopics(self.java.java.util.List.of(topic)).all().get()

    def widen(self, topic: str, partitions: int) -> None:
        wider = self.kafka.clients.admin.NewPartitions.increaseTo(partitions)
        self.admin.createPartitions(self.java.java.util.Map.of(topic, wider)).all().get()

    def expire(self, topic: str, before: int, partition: int = 0) -> None:
        """What retention does, at once: no offset below ``before`` is there any more."""
        place = self.kafka.common.TopicPartition(topic, partition)
        deletion = self._before_offset(before)
        self.admin.deleteRecords(self.java.java.util.Map.of(place, deletion)).all().get()

    def _before_offset(self, offset: int) -> Any:
        """``RecordsToDelete.beforeOffset``, which has a namesake that is no static method."""
        lang, gateway = self.java.java.lang, SparkContext._active_spark_context._gateway
        loader = lang.Thread.currentThread().getContextClassLoader()
        name = "org.apache.kafka.clients.admin.RecordsToDelete"
        types = gateway.new_array(lang.Class, 1)
        types[0] = lang.Long.TYPE
        values = gateway.new_array(lang.Object, 1)
        values[0] = offset
        method = lang.Class.forName(name, True, loader).getMethod("beforeOffset", types)
        return method.invoke(None, values)

    def producer(self, **settings: str) -> Any:
        bytes_ = "org.apache.kafka.common.serialization.ByteArraySerializer"
        serializers = {"key.serializer": bytes_, "value.serializer": bytes_}
        return self.kafka.clients.producer.KafkaProducer(self._settings(**serializers, **settings))

    def record(
        self,
        topic: str,
        value: str | bytes | None,
        key: bytes | None = None,
        partition: int = 0,
        sent_at: int = SENT_AT,
    ) -> Any:
        data = value.encode() if isinstance(value, str) else value
        return self.kafka.clients.producer.ProducerRecord(topic, partition, sent_at, key, data)

    def send(
        self, topic: str, *values: str | bytes | None, key: bytes | None = None, partition: int = 0
    ) -> None:
        producer = self.producer()
        for value in values:
            producer.send(self.record(topic, value, key, partition)).get()
        producer.close()

    def land(self, *arguments: str, servers: str | None = None) -> Result:
        """What `onelog land kafka` did, of topics and with options."""
        of = ["--bootstrap-servers", servers or self.servers, "--subscribe"]
        return CliRunner().invoke(main, ["land", "kafka", *of, *arguments])

    def land_well(self, *arguments: str, servers: str | None = None) -> str:
        """What it said; it must have worked."""
        result = self.land(*arguments, servers=servers)
        assert result.exit_code == 0, result.output
        return result.stdout

    def _settings(self, **settings: str) -> Any:
        properties = self.java.java.util.Properties()
        for name, value in ({"bootstrap.servers": self.servers} | settings).items():
            properties.setProperty(name, value)
        return properties


@pytest.fixture(scope="module")
def kafka(spark: SparkSession, broker: Broker) -> Iterator[Kafka]:
    client = Kafka(spark, broker.servers)
    yield client
    client.admin.close()


@pytest.fixture(scope="module")
def failures(spark: SparkSession, kafka: Kafka) -> Failures:
    def land_topics(*topics: Any) -> str:
        return kafka.land_well(",".join(topics))

    return land_together(TESTS[__name__], land_topics, lambda name: (spark, kafka))


def landed(spark: SparkSession, topic: str) -> list[Row]:
    messages = spark.table("bronze.messages").where(f"topic = '{topic}'")
    return messages.orderBy("partition", "offset").collect()


def places(spark: SparkSession, topic: str) -> list[tuple[int, int]]:
    return [(row.partition, row.offset) for row in landed(spark, topic)]


def next_offsets(spark: SparkSession, topic: str) -> dict[int, int]:
    rows = spark.sql(
        "select place.partition, max_by(place.next_offset, batch) from bronze.batches "
        f"lateral view explode(offsets) as place where place.topic = '{topic}' group by 1"
    )
    return {partition: offset for partition, offset in rows.collect()}


def last_batch(spark: SparkSession) -> int:
    return spark.sql("select coalesce(max(batch), 0) from bronze.batches").first()[0]


@shares_landings
def test_a_record_lands_whole(spark: SparkSession, kafka: Kafka) -> Landings:
    kafka.create("whole", 2)
    kafka.send("whole", CANAL % "1.10", key=b'{"id":1}')
    kafka.send("whole", '{"a":"é \\u0001"}', key="ключ".encode(), partition=1)
    kafka.send("whole", None, b"", b"null", b'{"a":"\xff"}', key=b"\x00k\xfe\xff")
    output = yield "whole"
    rows = landed(spark, "whole")
    assert [(row.partition, row.offset) for row in rows] == [
        *((0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 0))
    ]
    assert [row.message_key for row in rows] == ['{"id":1}', *["\x00k\\xfe\\xff"] * 4, "ключ"]
    assert [row.message for row in rows] == [CANAL % "1.10", *[None] * 4, '{"a":"é \\u0001"}']
    assert [row.raw for row in rows] == [None, None, "", "null", '{"a":"\\xff"}', None]
    assert rows[4].problem == "not UTF-8 (byte 6)"
    sent_at = datetime.fromtimestamp(SENT_AT / 1000, UTC).replace(tzinfo=None)
    assert {row.received_at for row in rows} == {sent_at}
    assert "  whole: 1 oms_canal" in output
    assert next_offsets(spark, "whole") == {0: 5, 1: 1}


@shares_landings
def test_a_landing_goes_on_where_the_last_one_stopped(
    spark: SparkSession, kafka: Kafka
) -> Landings:
    kafka.create("first")
    kafka.create("second")
    kafka.send("first", CANAL % 1, CANAL % 2)
    assert "batch" in (yield "first")
    before = last_batch(spark)
    assert kafka.land_well("first") == "nothing new\n"
    assert last_batch(spark) == before
    kafka.send("first", CANAL % 3)
    kafka.send("second", CANAL % 4)
    kafka.land_well("first, second,first")
    assert last_batch(spark) == before + 1
    rows = landed(spark, "first")
    assert [row.message for row in rows] == [CANAL % 1, CANAL % 2, CANAL % 3]
    assert [row.batch for row in rows] == [rows[0].batch, rows[0].batch, before + 1]
    assert rows[0].batch <= before
    assert [row.message for row in landed(spark, "second")] == [CANAL % 4]


@shares_landings
def test_a_new_partition_is_landed_and_said(spark: SparkSession, kafka: Kafka) -> Landings:
    kafka.create("widened")
    kafka.send("widened", CANAL % 1)
    yield "widened"
    kafka.widen("widened", 3)
    kafka.send("widened", CANAL % 2, partition=2)
    assert "topic widened, partition 2: is new" in (yield "widened")
    assert places(spark, "widened") == [(0, 0), (2, 0)]


@shares_landings
def test_transactions_land_when_they_are_committed(spark: SparkSession, kafka: Kafka) -> Landings:
    kafka.create("transactional")
    # The last one stays open for as long as the others of the landing need.
    patience = {"transaction.timeout.ms": "600000"}
    producer = kafka.producer(**{"transactional.id": "t"}, **patience)
    producer.initTransactions()
    for value, end in (("1", "commit"), ("2", "abort"), ("3", "commit"), ("4", "abort")):
        producer.beginTransaction()
        producer.send(kafka.record("transactional", CANAL % value)).get()
        getattr(producer, f"{end}Transaction")()
    producer.beginTransaction()
    producer.send(kafka.record("transactional", CANAL % 5)).get()
    yield "transactional"
    # The marks that end transactions have offsets, too; the last transaction is open.
    assert places(spark, "transactional") == [(0, 0), (0, 4)]
    assert next_offsets(spark, "transactional") == {0: 8}
    assert kafka.land_well("transactional") == "nothing new\n"
    producer.abortTransaction()
    assert "0 messages" in kafka.land_well("transactional")
    assert next_offsets(spark, "transactional") == {0: 10}
    producer.close()


def test_what_landed_of_an_open_transaction_is_no_loss_to_who_reads_committed(
    spark: SparkSession, kafka: Kafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    kafka.create("opened")
    patience = {"transaction.timeout.ms": "600000"}
    producer = kafka.producer(**{"transactional.id": "opened"}, **patience)
    producer.initTransactions()
    producer.beginTransaction()
    producer.send(kafka.record("opened", CANAL % 1)).get()
    with monkeypatch.context() as patch:
        patch.setenv("ONELOG_KAFKA_ISOLATION_LEVEL", "read_uncommitted")
        kafka.land_well("opened")
    assert kafka.land_well("opened") == "nothing new\n"
    producer.commitTransaction()
    assert "0 messages" in kafka.land_well("opened")
    assert places(spark, "opened") == [(0, 0)]
    producer.close()


@shares_landings
def test_expired_offsets_stop_a_landing_until_they_are_accepted(
    spark: SparkSession, kafka: Kafka
) -> Landings:
    kafka.create("expired")
    kafka.create("healthy")
    kafka.send("expired", *(CANAL % n for n in range(3)))
    yield "expired"
    kafka.send("expired", *(CANAL % n for n in range(3, 9)))
    kafka.send("healthy", CANAL % 1)
    kafka.expire("expired", 7)
    before = last_batch(spark)
    result = kafka.land("expired,healthy")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "topic expired, partition 0: offsets 3 to 6 have expired" in result.stderr
    assert "stopped at 3, the brokers hold 7 to 9" in result.stderr
    assert "--accept-lost" in result.stderr
    assert last_batch(spark) == before
    assert landed(spark, "healthy") == []
    output = kafka.land_well("expired,healthy", "--accept-lost")
    assert "accepted: topic expired, partition 0: offsets 3 to 6" in output
    assert places(spark, "expired") == [(0, n) for n in (0, 1, 2, 7, 8)]
    assert kafka.land_well("expired") == "nothing new\n"


@shares_landings
def test_a_topic_that_begins_late_is_landed_and_said(spark: SparkSession, kafka: Kafka) -> Landings:
    kafka.create("late")
    kafka.send("late", *(CANAL % n for n in range(3)))
    kafka.expire("late", 2)
    assert "topic late, partition 0: begins at offset 2" in (yield "late")
    assert places(spark, "late") == [(0, 2)]


def test_messages_that_go_away_while_they_are_read_stop_the_landing(
    spark: SparkSession, kafka: Kafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    kafka.create("fleeting")
    kafka.send("fleeting", *(CANAL % n for n in range(3)))

    def plan_and_lose(*arguments: Any) -> Any:
        kafka.expire("fleeting", 2)
        return plan_stretches(*arguments)

    monkeypatch.setattr(landing.kafka.land, "plan_stretches", plan_and_lose)
    result = kafka.land("fleeting")
    assert result.exit_code == 1
    assert result.stderr == (
        "onelog: nothing was landed: messages went away while they were read; "
        "land again to be told which\n"
    )
    assert landed(spark, "fleeting") == []


def test_a_time_that_spark_cannot_read_is_told_with_its_place(
    spark: SparkSession, kafka: Kafka
) -> None:
    """A producer writes nanoseconds, which brokers of today refuse unless told not to."""
    kafka.create("nanoseconds", 2, message_timestamp_after_max_ms=str(2**63 - 1))
    kafka.send("nanoseconds", CANAL % 1, CANAL % 2, partition=1)
    producer = kafka.producer()
    for at in (SENT_AT, SENT_AT * 10**6):
        record = kafka.record("nanoseconds", CANAL % at, partition=1, sent_at=at)
        producer.send(record).get()
    producer.close()
    result = kafka.land("nanoseconds")
    assert result.exit_code == 1
    assert "time is no number of milliseconds since 1970" in result.stderr
    assert "topic nanoseconds, partition 1, offset 3" in result.stderr
    assert "--accept-lost" in result.stderr
    assert result.stderr.count("\n") == 1
    assert landed(spark, "nanoseconds") == []


@shares_landings
def test_a_topic_made_anew_is_noticed_however_long_it_is(
    spark: SparkSession, kafka: Kafka
) -> Landings:
    topics = {"anew-1": 1, "anew-5": 5}
    for topic in topics:
        kafka.create(topic)
        kafka.send(topic, *(CANAL % n for n in range(3)))
    yield tuple(topics)
    for topic, grown in topics.items():
        kafka.delete(topic)
        create_again(kafka, topic)
        kafka.send(topic, *(CANAL % (10 + n) for n in range(grown)))
        result = kafka.land(topic)
        assert result.exit_code == 2
        assert f"topic {topic} was deleted and made anew" in result.stderr
        assert (
            f"stopped at (partition 0: 3), the brokers now hold (partition 0: 0 to {grown})"
            in result.stderr
        )
        assert len(landed(spark, topic)) == 3
    kafka.land_well(",".join(topics), "--accept-lost")
    for topic in topics:
        kafka.send(topic, CANAL % 99)
    yield tuple(topics)
    # The numbers of the old topic are taken: a message with one of them would be a repeat.
    for topic, grown in topics.items():
        assert places(spark, topic) == [(0, n) for n in range(3 + grown + 1)]
        assert landed(spark, topic)[-1].message == CANAL % 99


def create_again(kafka: Kafka, topic: str) -> None:
    """A deleted topic's name is free after a moment."""
    from py4j.protocol import Py4JJavaError

    for _ in range(50):
        try:
            return kafka.create(topic)
        except Py4JJavaError:
            time.sleep(0.1)
    raise AssertionError(f"{topic} cannot be made anew")


def test_a_tombstone_of_an_unwrapped_row_deletes_the_row_of_its_key(
    spark: SparkSession,
    kafka: Kafka,
    dbt: Callable[..., None],
    register: Callable[..., None],
) -> None:
    register("unwrapped", envelope="oms_debezium_smt", database_name="d", table_name="t")
    kafka.create("unwrapped")
    kafka.send("unwrapped", '{"id":7,"__deleted":"false"}', None, key=b'{"id":7}')
    kafka.land_well("unwrapped")
    dbt("run", "--select", "oms_debezium_smt")
    rows = spark.table("silver.oms_debezium_smt").where("topic = 'unwrapped'").orderBy("offset")
    changes = [(row.operation_code, row.before, row.after) for row in rows.collect()]
    assert changes == [("upsert", None, {"id": "7"}), ("delete", {"id": "7"}, None)]


def test_a_users_mistake_is_one_line(kafka: Kafka) -> None:
    missing = kafka.land("there-is-none")
    assert missing.stderr == (
        "onelog: topic there-is-none: the brokers have no such topic: check its name\n"
    )
    odd = kafka.land("not a name")
    assert odd.stderr == "onelog: topic not a name: not a name that a topic can have\n"
    assert (missing.exit_code, odd.exit_code, kafka.land(" , ").exit_code) == (2, 2, 2)


def test_a_topic_of_another_way_in_is_refused(kafka: Kafka, tmp_path: Path) -> None:
    kafka.create("by-files")
    (tmp_path / "by-files").mkdir()
    (tmp_path / "by-files" / "a.jsonl").write_text(CANAL % 1)
    commands.land_well(tmp_path)
    result = kafka.land("by-files")
    assert result.exit_code == 2
    assert result.stderr.startswith("onelog: topic by-files is fed by files: kafka cannot land")


def test_brokers_that_are_not_there_are_one_line_in_bounded_time(kafka: Kafka) -> None:
    began = time.monotonic()
    silent = kafka.land("t", servers=f"127.0.0.1:{free_ports(1)[0]}")
    unknown = kafka.land("t", servers="::")
    assert time.monotonic() - began < 40
    assert (silent.exit_code, unknown.exit_code) == (2, 2)
    assert silent.stderr.startswith("onelog: nothing was landed: no broker answered in time at")
    assert silent.stderr.count("\n") == unknown.stderr.count("\n") == 1


def test_settings_of_the_environment_reach_the_client_and_nobody_else(
    spark: SparkSession,
    broker: Broker,
    kafka: Kafka,
    monkeypatch: pytest.MonkeyPatch,
    project: Path,
) -> None:
    kafka.create("guarded")
    kafka.send("guarded", CANAL % 1)
    module = "org.apache.kafka.common.security.plain.PlainLoginModule required"
    login = f'{module} username="{USER}" password="%s";'
    monkeypatch.setenv("ONELOG_KAFKA_SECURITY_PROTOCOL", "SASL_SSL")
    monkeypatch.setenv("ONELOG_KAFKA_SSL_TRUSTSTORE_LOCATION", str(broker.certificate))
    monkeypatch.setenv("ONELOG_KAFKA_SSL_TRUSTSTORE_PASSWORD", PASSWORD)
    monkeypatch.setenv("ONELOG_KAFKA_SASL_MECHANISM", "PLAIN")
    monkeypatch.setenv("ONELOG_KAFKA_SASL_JAAS_CONFIG", login % PASSWORD)
    said = ""
    slips = {
        "SASL_JAAS_CONFIG": (login % WRONG, login.replace("required", WRONG) % PASSWORD, PASSWORD),
        "SECURITY_PROTOCOL": (PASSWORD,),
        "SASL_LOGIN_CLASS": (WRONG,),
        "SSL_TRUSTSTORE_PASSWORD": (WRONG,),
    }
    for setting, wrong_values in slips.items():
        for wrong in wrong_values:
            with monkeypatch.context() as patch:
                patch.setenv(f"ONELOG_KAFKA_{setting}", wrong)
                result = kafka.land("guarded", servers=broker.sasl_servers)
            assert result.exit_code == 2, result.output
            assert result.stderr.count("\n") == 1
            said += result.output
    said += kafka.land_well("guarded", servers=broker.sasl_servers)
    assert [row.message for row in landed(spark, "guarded")] == [CANAL % 1]
    stretches = {("guarded", 0): Stretch("", 0, 1, 0)}
    frame = landing.kafka.land._read(spark, client_settings(broker.sasl_servers), stretches)
    said += frame._jdf.queryExecution().toString()
    said += (project / "warehouse" / "spark.log").read_text(errors="replace")
    assert PASSWORD not in said
    assert WRONG not in said


# One message a template; what stands for the number makes it long or short, and unlike the others.
TEMPLATES = (
    CANAL.replace('"%s"', "%s.10"),
    '{"op":"c","before":null,"after":{"id":%s,"text":"é 😀 \\\\u0001"},"source":{"db":"d"}}',
    '{"payload":{"op":"u","before":{"id":%s},"after":{"id":2},"source":{"table":"t"}}}',
    '{"id":%s,"__deleted":"false"}',
    '{"meta":{"op":"ins","table":"d.t"},"data":{"id":"%s"}}',
    '{"recordType":"INSERT","allMetaData":{"db":"d"},"postStruct":{"id":"%s"}}',
    "not JSON: %s",
)
MESSAGES = 30_000
# A landing is killed in its middle; the last one runs to its end.
WRITING, WRITTEN = "its first file", "its last file"
ROUNDS = (WRITING, WRITTEN, None)
# The kill comes within so many seconds after its moment.
SECONDS = 0.5


def produce(spark: SparkSession, servers: str, number: int, topics: dict[str, int]) -> None:
    """Messages of all templates over all partitions; some with odd keys, and tombstones."""
    values = [f"replace('{template}', '%s', repeat(id, id % 20))" for template in TEMPLATES]
    template = f"array({', '.join(values)})[cast(id % {len(values)} as int)]"
    partitions = [f"('{topic}', {n})" for topic, count in topics.items() for n in range(count)]
    share = MESSAGES // len(ROUNDS)
    spark.range(number * share, (number + 1) * share).selectExpr(
        "id",
        f"array({', '.join(partitions)})[cast(id % {len(partitions)} as int)] as at",
        f"case when id % 101 = 0 then null when id % 103 = 0 then unhex('fffe')"
        f" else cast({template} as binary) end as value",
        "case when id % 3 = 0 then null when id % 5 = 0 then unhex(hex(id) || 'ff00')"
        " else cast(concat('{\"id\":', id, '}') as binary) end as key",
    ).selectExpr("at.col1 as topic", "at.col2 as partition", "key", "value").write.format(
        "kafka"
    ).option("kafka.bootstrap.servers", servers).save()


def kill(process: subprocess.Popen, moment: str, delay: float, messages: Path) -> None:
    """Kill a landing with all its processes, ``delay`` after ``moment``, where it still runs."""

    def written() -> set[tuple[str, int]]:
        found = set()
        for folder in messages.glob("envelope=*/batch=*"):
            # What an earlier landing left is taken away meanwhile.
            with contextlib.suppress(FileNotFoundError):
                found.add((str(folder), folder.stat().st_ctime_ns))
        return found

    before = written()
    while process.poll() is None:
        if (messages / "_temporary").exists() if moment == WRITING else written() - before:
            break
        time.sleep(0.02)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(delay)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def test_a_landing_killed_anywhere_loses_and_doubles_nothing(
    spark: SparkSession, broker: Broker, kafka: Kafka, project: Path, tmp_path: Path
) -> None:
    topics = {"killed-a": 3, "killed-b": 1}
    for topic, partitions in topics.items():
        kafka.create(topic, partitions)
    home = tmp_path / "home"

    def start(*arguments: str) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-c", "from landing.cli import main; main()", *arguments],
            env=os.environ | {"ONELOG_HOME": str(home), "PYTHONPATH": str(ROOT)},
            cwd=project,
            encoding="utf-8",
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    kafka_options = ("--bootstrap-servers", broker.servers, "--subscribe", ",".join(topics))
    for seed, moment in enumerate(ROUNDS):
        produce(spark, broker.servers, seed, topics)
        landing = start("land", "kafka", *kafka_options)
        try:
            if moment:
                delay = random.Random(seed).uniform(0, SECONDS)
                kill(landing, moment, delay, home / "bronze.db" / "messages")
            said = landing.communicate(timeout=300)
        finally:
            if landing.poll() is None:
                os.killpg(landing.pid, signal.SIGKILL)
        # Neither has a landing ended before it was killed, nor by itself in another way.
        assert landing.returncode == (-signal.SIGKILL if moment else 0), (moment, said)
    columns = "topic, partition, offset, message_key, coalesce(message, raw) as message"
    query = f"select {columns} from bronze.messages"
    found, said = start("sql", query, "--format", "jsonl").communicate(timeout=300)
    read = [tuple(json.loads(line).values()) for line in found.strip().split("\n")]
    assert len(read) == MESSAGES, said
    assert set(read) == sent(spark, broker, topics)


def sent(spark: SparkSession, broker: Broker, topics: dict[str, int]) -> set[tuple]:
    """What the broker holds, each message once."""
    records = (
        spark.read.format("kafka")
        .options(subscribe=",".join(topics))
        .option("kafka.bootstrap.servers", broker.servers)
        .load()
        .selectExpr("topic", "partition", "offset", "key", "value")
        .collect()
    )
    assert len(records) == MESSAGES
    return {(*place, text(key), text(value)) for *place, key, value in records}


def text(data: bytes | None) -> str | None:
    return None if data is None else bytes(data).decode("utf-8", "backslashreplace")
