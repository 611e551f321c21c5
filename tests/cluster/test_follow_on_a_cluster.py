"""`onelog follow` on a cluster loses nothing when a worker is killed and the broker goes and comes.

MINUTES says for how long messages come.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest
from commands import register_topic
from hosts import ONELOG, Host, kill, wait_until
from kafka_broker import Broker, create_topic, programs, running_broker, sender
from messages import WRITERS
from services import Cluster, missing, running_cluster

from landing.session import open_session

SECONDS = 60 * float(os.environ.get("MINUTES") or 4)
PAUSE = 2.0  # between what is sent
AT_ONCE = 20  # messages of each topic
# Each is the name of its topic as well.
ENVELOPES = ("oms_canal", "oms_shareplex", "datahub_blob")


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Broker, str]]:
    """A broker with the topics, and the class path of Kafka's own programs."""
    folder = tmp_path_factory.mktemp("kafka")
    with contextlib.ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ONELOG_HOME", str(folder / "home"))
            with open_session() as spark:
                classes = programs(spark)
                broker = stack.enter_context(running_broker(spark, folder))
        for topic in ENVELOPES:
            create_topic(classes, broker.servers, topic)
        yield broker, classes


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    reason = missing()
    if reason:
        pytest.skip(reason)
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


def test_nothing_is_lost_when_a_worker_dies_and_the_broker_is_restarted(
    cluster: Cluster, kafka: tuple[Broker, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    broker, classes = kafka
    host = Host(tmp_path_factory.mktemp("host"), cluster.environment("host"))
    for topic in ENVELOPES:
        register_topic(host.folder, topic, database_name="d", table_name="t", key_columns="id")
    topics = ["--kafka", broker.servers, "--subscribe", ",".join(ENVELOPES)]
    following = host.start(*ONELOG, "follow", *topics, "--every", "5")
    try:
        sent = send_for_a_while(cluster, broker, classes, following)
        wait_until(lambda: followed(host) == len(ENVELOPES) * sent, following, host)
        os.kill(following.pid, signal.SIGTERM)
        assert following.wait(timeout=300) == 0
    finally:
        kill(following)
        print(host.newest())
    assert "Traceback" not in host.newest()
    assert ", lag " in host.newest()
    query = "select source, count(*) as changes, count(distinct to_json(key)) as keys from {}"
    for table in ("silver.change_log", "gold.current_rows"):
        said = host.run(
            *ONELOG, "sql", "--format", "jsonl", f"{query.format(table)} group by 1"
        ).splitlines()
        found = [json.loads(line) for line in said if line.startswith("{")]
        assert {row["source"] for row in found} == set(ENVELOPES)
        assert {(row["changes"], row["keys"]) for row in found} == {(sent, sent)}


def send_for_a_while(
    cluster: Cluster, broker: Broker, classes: str, following: "subprocess.Popen[bytes]"
) -> int:
    """Send messages of each topic while things go wrong; how many of each."""
    senders = {topic: sender(classes, broker.servers, topic) for topic in ENVELOPES}
    mishaps = (
        (0.5, lambda: cluster.kill("worker-1")),
        (0.6, lambda: cluster.start_worker("worker-3")),
        (0.7, broker.stop),
        (0.8, broker.start),
    )
    sent, begun = 0, time.monotonic()
    # Senders wait for the broker, and who writes to them waits too: the mishaps go on meanwhile.
    timers = [threading.Timer(part * SECONDS, mishap) for part, mishap in mishaps]
    for timer in timers:
        timer.start()
    while time.monotonic() < begun + SECONDS:
        assert following.poll() is None
        for topic, process in senders.items():
            for id in range(sent + 1, sent + AT_ONCE + 1):
                (message,) = WRITERS[topic](id, None, {"id": id})
                process.stdin.write(f"{message}\n".encode())
            process.stdin.flush()
        sent += AT_ONCE
        time.sleep(PAUSE)
    for timer in timers:
        timer.join()
    for process in senders.values():
        process.stdin.close()
        assert process.wait(timeout=120) == 0
    return sent


def followed(host: Host) -> int:
    """How many messages the rounds have landed and built."""
    rounds = re.findall(r"([0-9,]+) messages?, landing", host.newest())
    return sum(int(messages.replace(",", "")) for messages in rounds)
