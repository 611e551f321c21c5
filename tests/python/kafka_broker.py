"""A real Kafka broker on this machine, out of the jars that Spark's Ivy fetches."""

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pyspark

from landing.kafka.brokers import fetch_jars

KAFKA = "org.apache.kafka:kafka_2.13:4.1.1"
TOOLS = "org.apache.kafka:kafka-tools:4.1.1"
CLUSTER_ID = "Mk3OEYBSD34fcwNTJENDM2"
USER, PASSWORD = "reader", "pass-word-9c1f"
JAVA = ("java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp")
SETTINGS = """
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{plain},SASL_SSL://127.0.0.1:{sasl},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{plain},SASL_SSL://127.0.0.1:{sasl}
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL
listener.name.sasl_ssl.sasl.enabled.mechanisms=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config=\
    org.apache.kafka.common.security.plain.PlainLoginModule required user_{user}="{password}";
listener.name.sasl_ssl.ssl.keystore.location={certificate}
listener.name.sasl_ssl.ssl.keystore.password={password}
log.dirs={folder}/data
auto.create.topics.enable=false
log.retention.ms=-1
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
"""


class Broker:
    """Its two addresses, plain and guarded by TLS and a password, and its certificate's store."""

    def __init__(self, plain: int, sasl: int, certificate: Path, command: list[str]) -> None:
        self.servers, self.sasl_servers = f"127.0.0.1:{plain}", f"127.0.0.1:{sasl}"
        self.certificate = certificate
        self._port, self._command, self._log = plain, command, certificate.with_name("broker.log")
        self._process: subprocess.Popen | None = None

    def start(self) -> None:
        with self._log.open("a") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log)
        wait_for(self._port, self._process, self._log)

    def stop(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait(timeout=30)


@contextlib.contextmanager
def running_broker(spark: "pyspark.sql.SparkSession", folder: Path) -> Iterator[Broker]:
    """Start a broker with its data in ``folder``; it ends with the block, whatever happens."""
    plain, sasl, controller = free_ports(3)
    settings, certificate = folder / "server.properties", make_certificate(folder)
    settings.write_text(
        SETTINGS.format(
            plain=plain,
            sasl=sasl,
            controller=controller,
            user=USER,
            password=PASSWORD,
            certificate=certificate,
            folder=folder,
        )
    )
    java = ["java", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-cp", class_path(spark)]
    storage = ["kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(settings)]
    said = subprocess.run([*java, *storage], capture_output=True, text=True, timeout=60)
    assert said.returncode == 0, said.stderr or said.stdout
    broker = Broker(plain, sasl, certificate, [*java, "kafka.Kafka", str(settings)])
    try:
        broker.start()
        yield broker
    finally:
        broker.stop()


def make_certificate(folder: Path) -> Path:
    """A key for this machine's address, signed by itself, in a store that PASSWORD opens."""
    store = folder / "broker.p12"
    keytool = ["keytool", "-genkeypair", "-keystore", str(store), "-storepass", PASSWORD]
    about = ["-alias", "broker", "-dname", "CN=broker", "-ext", "san=ip:127.0.0.1"]
    subprocess.run([*keytool, "-keyalg", "EC", *about], check=True, capture_output=True)
    return store


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for found in sockets:
            found.bind(("127.0.0.1", 0))
        return [found.getsockname()[1] for found in sockets]


def class_path(spark: "pyspark.sql.SparkSession") -> str:
    """Fetch the broker's jars; Spark's Ivy leaves out Scala's library, which Spark has."""
    spark_jars = Path(pyspark.__file__).parent / "jars"
    scala = map(str, spark_jars.glob("scala-library-*.jar"))
    return os.pathsep.join([*fetch_jars(spark, KAFKA, transitive=True), *scala])


def programs(spark: "pyspark.sql.SparkSession") -> str:
    """The class path of Kafka's own programs."""
    return os.pathsep.join([class_path(spark), *fetch_jars(spark, TOOLS, transitive=False)])


def create_topic(classes: str, servers: str, topic: str) -> None:
    """A topic of one partition; ``classes`` are those of ``programs``."""
    program = ["org.apache.kafka.tools.TopicCommand", "--bootstrap-server", servers]
    subprocess.run([*JAVA, classes, *program, "--create", "--topic", topic], check=True)


def sender(classes: str, servers: str, topic: str) -> "subprocess.Popen[bytes]":
    """Sends each line of its input; tries again for as long as no broker is there."""
    program = ["org.apache.kafka.tools.ConsoleProducer", "--bootstrap-server", servers]
    patience = [
        f"--producer-property={name}=600000" for name in ("delivery.timeout.ms", "max.block.ms")
    ]
    command = [*JAVA, classes, *program, "--topic", topic, *patience]
    return subprocess.Popen(command, stdin=subprocess.PIPE)


def wait_for(port: int, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise AssertionError(f"the broker did not start:\n{log.read_text()[-2000:]}")
