"""A cluster on this machine: Spark's master and workers, PostgreSQL, and an object store.

Each is its own processes on the loopback address, with its data below one folder.
"""

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pyspark
from guard import TOKEN_PATH, Guard, guarded

SPARK = Path(pyspark.__file__).parent
ADDRESS = "127.0.0.1"
BUCKET = "lake"
# What the Makefile brings.
STORE = Path(sys.prefix) / "bin" / "fake-gcs-server"
JARS = Path(sys.prefix) / "cluster-jars"
HIVE_SITE = """<configuration>
{}
</configuration>
"""
PROPERTY = "  <property><name>{}</name><value>{}</value></property>"
START = 90.0  # seconds
Process = subprocess.Popen[bytes]


def missing() -> str | None:
    """What of this machine the tests of a cluster lack, and how to get it; None where nothing."""
    if not postgres_programs():
        return "PostgreSQL is not installed: the package postgresql has it"
    if not STORE.exists():
        return f"{STORE} is not there: `make test-cluster` builds it, with Go"
    if not list(JARS.glob("*.jar")):
        return f"{JARS} has no jars: `make test-cluster` fetches them, with Maven"
    if not shutil.which("openssl"):
        return "openssl is not installed: the package openssl has it"
    return None


def postgres_programs() -> Path | None:
    """The folder of PostgreSQL's own programs, of the newest version that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    if found:
        return found[-1].parent
    program = shutil.which("pg_ctl")
    return Path(program).parent if program else None


@dataclass
class Cluster:
    """Its addresses, its processes, and where a driver finds its settings.

    ``store`` asks nobody who he is: that is for the tests alone.
    """

    folder: Path
    master: str = ""
    database: str = ""
    store: str = ""
    password: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    # Of the store's key, and the token that one gets for it.
    key_line: str = ""
    token: str = ""
    processes: dict[str, Process] = field(default_factory=dict)

    @property
    def home(self) -> str:
        """The home in the object store."""
        return f"gs://{BUCKET}/home"

    @property
    def topics(self) -> str:
        """Where the object store has files to land."""
        return f"gs://{BUCKET}/topics"

    def environment(self, host: str) -> dict[str, str]:
        """The variables of a command as of the host of this name, which shares no file."""
        own = self.folder / host
        own.mkdir(exist_ok=True)
        given = {
            "ONELOG_TARGET": "cluster",
            "ONELOG_MASTER": self.master,
            "ONELOG_HOME": self.home,
            "ONELOG_SHUFFLE_PARTITIONS": "2",
            "ONELOG_DRIVER_MEMORY": "1g",
            "SPARK_CONF_DIR": str(self.folder / "conf"),
            "SPARK_LOCAL_IP": ADDRESS,
            "XDG_STATE_HOME": str(own),
        }
        kept = {name: value for name, value in os.environ.items() if name != "PYSPARK_PYTHON"}
        return kept | given

    def start(self, name: str, *command: str, environment: Mapping[str, str] = {}) -> Process:
        """Start one of its processes, as a group of its own, with its output in a file."""
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                command,
                cwd=self.folder,
                env=os.environ | environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return self.processes[name]

    def start_worker(self, name: str) -> None:
        """Start a worker of two cores; its Python has no package but the standard library's."""
        bare = {
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": "",
            "SPARK_WORKER_DIR": str(self.folder / name),
        }
        memory = ["--cores", "2", "--memory", "2g", "--host", ADDRESS]
        self.start_spark(name, "worker.Worker", *memory, self.master, environment=bare)

    def start_spark(self, name: str, part: str, *options: str, environment: dict[str, str]) -> None:
        """Start a master or a worker of Spark's own cluster manager."""
        home = {"SPARK_HOME": str(SPARK), "SPARK_LOCAL_IP": ADDRESS, "SPARK_DAEMON_MEMORY": "384m"}
        program = str(SPARK / "bin" / "spark-class")
        self.start(
            name,
            program,
            f"org.apache.spark.deploy.{part}",
            *options,
            environment=environment | home,
        )

    def upload(self, name: str, content: bytes) -> None:
        """Put an object into the bucket."""
        query = urlencode({"uploadType": "media", "name": name})
        self.ask(f"upload/storage/v1/b/{BUCKET}/o?{query}", content)

    def objects(self, prefix: str) -> list[str]:
        """The names of the bucket's objects that begin so."""
        names: list[str] = []
        query = {"prefix": prefix, "fields": "items(name),nextPageToken"}
        while True:
            page = self.ask(f"storage/v1/b/{BUCKET}/o?{urlencode(query)}")
            names += [item["name"] for item in page.get("items", [])]
            if "nextPageToken" not in page:
                return names
            query["pageToken"] = page["nextPageToken"]

    def ask(self, path: str, content: bytes | None = None) -> dict[str, Any]:
        """What the object store answers."""
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.store}/{path}", content, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or "{}")

    def kill(self, name: str) -> None:
        """Kill a process with all that it has started, executors too."""
        process = self.processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=30)


@contextlib.contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """Start all of it; it ends with the block, whatever happens."""
    cluster = Cluster(folder)
    port = free_port()
    place = Path(tempfile.mkdtemp(prefix="postgres-"))
    try:
        with guarded(ADDRESS, port) as guard:
            _start_postgres(cluster, place)
            _start_store(cluster, port, guard)
            _start_spark(cluster)
            _write_settings(cluster, guard)
            yield cluster
    finally:
        for name in list(cluster.processes):
            cluster.kill(name)
        shutil.rmtree(place)


def _start_postgres(cluster: Cluster, place: Path) -> None:
    """Start the database in a folder of its own: the tests' folders are closed to other users."""
    programs = postgres_programs()
    assert programs
    folder, password = place / "postgres", place / "password"
    folder.mkdir()
    password.write_text(cluster.password)
    # PostgreSQL does not run as root.
    as_its_user = []
    if os.geteuid() == 0:
        for path in (place, folder, password):
            shutil.chown(path, "postgres")
        as_its_user = ["runuser", "-u", "postgres", "--"]
    made = ["-D", str(folder), "--username=hive", f"--pwfile={password}", "--auth=scram-sha-256"]
    initdb = [*as_its_user, str(programs / "initdb"), *made, "--no-sync", "--encoding=UTF8"]
    subprocess.run(initdb, check=True, capture_output=True, cwd=folder)
    password.unlink()
    port = free_port()
    options = ["-D", str(folder), "-h", ADDRESS, "-p", str(port), "-k", str(folder), "-F"]
    cluster.start("postgres.server", *as_its_user, str(programs / "postgres"), *options)
    wait_for(port, cluster.processes["postgres.server"], "PostgreSQL")
    cluster.database = f"jdbc:postgresql://{ADDRESS}:{port}/postgres"


def _start_store(cluster: Cluster, port: int, guard: Guard) -> None:
    cluster.store = f"http://{ADDRESS}:{port}"
    names = ["-external-url", guard.url, "-public-host", guard.url.removeprefix("http://")]
    place = ["-scheme", "http", "-host", ADDRESS, "-port", str(port)]
    options = ["-backend", "memory", "-log-level", "error"]
    cluster.start("store.server", str(STORE), *options, *place, *names)
    wait_for(port, cluster.processes["store.server"], "the object store")
    cluster.ask("storage/v1/b?project=none", json.dumps({"name": BUCKET}).encode())


def _start_spark(cluster: Cluster) -> None:
    # A Python of the same version without any package.
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (cluster.folder / "bin").mkdir()
    (cluster.folder / "bin" / python).write_text(
        f'#!/bin/sh\nexec {sys.base_prefix}/bin/{python} -S "$@"\n'
    )
    (cluster.folder / "bin" / python).chmod(0o755)
    port = free_port()
    cluster.master = f"spark://{ADDRESS}:{port}"
    options = ["--host", ADDRESS, "--port", str(port), "--webui-port", "0"]
    cluster.start_spark("master.server", "master.Master", *options, environment={})
    wait_for(port, cluster.processes["master.server"], "Spark's master")
    for name in ("worker-1", "worker-2"):
        cluster.start_worker(name)


def _write_settings(cluster: Cluster, guard: Guard) -> None:
    """What a platform puts into Spark's folder of settings: the catalog, the store, the secrets."""
    folder = cluster.folder / "conf"
    folder.mkdir()
    key = folder / "store-key.json"
    cluster.key_line, cluster.token = guard.write_key(key), guard.token
    driver, connector = (next(JARS.glob(name)) for name in ("postgresql-*", "gcs-connector-*"))
    google = "com.google.cloud.hadoop.fs.gcs"
    defaults = {
        "spark.jars": connector.as_uri(),
        # Hive looks for it on Java's own class path.
        "spark.driver.extraClassPath": str(driver),
        "spark.driver.host": ADDRESS,
        "spark.executor.memory": "1g",
        "spark.executor.cores": "2",
        "spark.hadoop.fs.gs.impl": f"{google}.GoogleHadoopFileSystem",
        "spark.hadoop.fs.AbstractFileSystem.gs.impl": f"{google}.GoogleHadoopFS",
        "spark.hadoop.fs.gs.storage.root.url": f"{guard.url}/",
        "spark.hadoop.fs.gs.auth.service.account.enable": "true",
        "spark.hadoop.fs.gs.auth.service.account.json.keyfile": str(key),
        "spark.hadoop.fs.gs.token.server.url": guard.url + TOKEN_PATH,
        "spark.hadoop.fs.gs.project.id": "none",
    }
    lines = (f"{name} {value}\n" for name, value in defaults.items())
    (folder / "spark-defaults.conf").write_text("".join(lines))
    option = "javax.jdo.option.Connection"
    catalog = {
        f"{option}URL": cluster.database,
        f"{option}DriverName": "org.postgresql.Driver",
        f"{option}UserName": "hive",
        f"{option}Password": cluster.password,
        # In place of Hive's own tool for them; a constraint on a table in use would wait for ever.
        "datanucleus.schema.autoCreateTables": "true",
        "datanucleus.schema.autoCreateColumns": "true",
        "hive.metastore.schema.verification": "false",
    }
    site = folder / "hive-site.xml"
    site.touch(mode=0o600)
    site.write_text(HIVE_SITE.format("\n".join(PROPERTY.format(*item) for item in catalog.items())))


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind((ADDRESS, 0))
        return int(found.getsockname()[1])


def wait_for(port: int, process: Process, name: str) -> None:
    """Wait until somebody answers on a port."""
    give_up = time.monotonic() + START
    while time.monotonic() < give_up and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection((ADDRESS, port), timeout=1):
            return
        time.sleep(0.1)
    raise AssertionError(f"{name} did not start")
