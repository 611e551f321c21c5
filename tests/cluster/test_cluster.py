"""What a cluster of several hosts makes is what one machine makes, also when a part of it dies."""

import json
import os
import random
import socket
from collections.abc import Callable, Iterator, Mapping

import pytest
from chance import SEED
from commands import register_topic
from hosts import DBT, ONELOG, ROOT, Host, end, kill, wait_until
from messages import oms_canal
from services import Cluster, missing, running_cluster
from workloads import drawn_workloads, in_disorder, topic_settings

SAMPLES = ROOT / "samples"
# The other side of a lease waits for a host that died for so many seconds.
LEASE_SECONDS = "20"
Files = Mapping[str, bytes]
# What a command writes first, in the middle and at its end.
LEASE, MESSAGES = "home/lease/", "home/bronze.db/messages/"
BATCHES, EVENTS = "home/bronze.db/batches/_delta_log/", "home/resolve.db/events/"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """All its services; skipped with the reason where this machine lacks one."""
    reason = missing()
    if reason:
        pytest.skip(reason)
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture(scope="module")
def batches() -> list[dict[str, bytes]]:
    """Files by name: the samples and a part of a workload of each kind, then the other part."""
    samples = {
        str(path.relative_to(SAMPLES)): path.read_bytes()
        for path in sorted(SAMPLES.rglob("*"))
        if path.is_file()
    }
    parts: list[dict[str, bytes]] = [samples, {}]
    for source, workload in WORKLOADS.items():
        for topic, (first, second, third) in in_disorder(workload, source).items():
            parts[0][f"{topic}/1.jsonl"] = as_lines(first)
            parts[1][f"{topic}/2.jsonl"] = as_lines(second + third)
    return parts


WORKLOADS = {
    f"drawn-{number}": workload
    for number, workload in enumerate(random.Random(SEED).sample(drawn_workloads(), 8))
}


@pytest.fixture(scope="module")
def one_machine(tmp_path_factory: pytest.TempPathFactory) -> Host:
    folder = tmp_path_factory.mktemp("one-machine")
    home = {"ONELOG_HOME": str(folder / "warehouse"), "ONELOG_SHUFFLE_PARTITIONS": "2"}
    return with_topics(Host(folder, os.environ | home))


@pytest.fixture(scope="module")
def hosts(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> tuple[Host, Host]:
    """Two that share nothing but the cluster."""
    first, second = (
        with_topics(
            Host(
                tmp_path_factory.mktemp(name),
                cluster.environment(name) | {"ONELOG_LEASE_SECONDS": LEASE_SECONDS},
            )
        )
        for name in ("host-1", "host-2")
    )
    return first, second


def with_topics(host: Host) -> Host:
    for source, workload in WORKLOADS.items():
        for topic, settings in topic_settings(workload, source).items():
            register_topic(host.folder, topic, **settings)
    return host


def as_lines(messages: list[str]) -> bytes:
    return "".join(f"{message}\n" for message in messages).encode()


def test_a_cluster_makes_what_one_machine_makes_when_a_worker_dies(
    cluster: Cluster, hosts: tuple[Host, Host], one_machine: Host, batches: list[Files]
) -> None:
    host, _ = hosts
    for number, files in enumerate(batches):
        local = one_machine.folder / "messages" / str(number)
        for name, content in files.items():
            cluster.upload(f"topics/{number}/{name}", content)
            (local / name).parent.mkdir(parents=True, exist_ok=True)
            (local / name).write_bytes(content)
        one_machine.run(*ONELOG, "land", "files", str(local))
        end(one_machine.start_build(), one_machine)
        host.run(*ONELOG, "land", "files", f"{cluster.topics}/{number}")
        grows = growth(cluster, EVENTS)
        building = host.start_build()
        if number:
            wait_until(grows, building, host)
            cluster.kill("worker-1")
            cluster.start_worker("worker-3")
        end(building, host)
        assert host.tables() == one_machine.tables()


def test_hosts_that_land_at_once_take_turns(cluster: Cluster, hosts: tuple[Host, Host]) -> None:
    uploaded(cluster, "at-once-1", "at-once-2")
    landings = [
        (host, host.start(*ONELOG, "land", "files", f"gs://lake/other/at-once-{number}"))
        for number, host in enumerate(hosts, start=1)
    ]
    for host, landing in landings:
        end(landing, host)
    assert landed(hosts[0], "at-once-1", "at-once-2") == [(1, 1), (1, 1)]
    assert sum("at work on this warehouse" in host.newest() for host in hosts) == 1


@pytest.mark.parametrize("moment", ["waits", "writes", "commits"])
def test_what_a_killed_landing_left_is_cleared_once_its_lease_has_ended(
    cluster: Cluster, hosts: tuple[Host, Host], moment: str
) -> None:
    """It is killed when it holds the lease, when rows of its batch are written, and at its end."""
    killed, lost = f"killed-{moment}", f"after-{moment}"
    uploaded(cluster, killed, lost)
    first, second = hosts
    prefix = {"waits": LEASE, "writes": MESSAGES, "commits": BATCHES}[moment]
    grows = growth(cluster, prefix)
    landing = first.start(*ONELOG, "land", "files", f"gs://lake/other/{killed}")
    wait_until(grows, landing, first)
    kill(landing)
    said = second.run(*ONELOG, "land", "files", f"gs://lake/other/{lost}")
    assert f"waiting for onelog land files on {socket.gethostname()}" in said
    second.run(*ONELOG, "land", "files", f"gs://lake/other/{killed}")
    assert landed(second, killed, lost) == [(1, 1), (1, 1)]


def test_two_runs_at_once_take_turns(hosts: tuple[Host, Host]) -> None:
    runs = [(host, host.start(*DBT, "run")) for host in hosts]
    for host, run in runs:
        end(run, host)
    assert sum("at work on this warehouse" in host.newest() for host in hosts) == 1


def test_no_secret_is_written_anywhere(cluster: Cluster, hosts: tuple[Host, Host]) -> None:
    """The one place that has it is the file that the platform mounts."""
    hosts[0].run(*DBT, "debug")
    written = [
        path
        for folder in (cluster.folder, *(host.folder for host in hosts))
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in (".jar", ".zip")
    ]
    conf = cluster.folder / "conf"
    mounted = {
        cluster.password: [conf / "hive-site.xml"],
        cluster.key_line: [conf / "store-key.json"],
        cluster.token: [],
    }
    for secret, holders in mounted.items():
        assert [path for path in written if secret.encode() in path.read_bytes()] == holders
        assert not any(secret in name for name in cluster.objects(""))


def growth(cluster: Cluster, prefix: str) -> Callable[[], bool]:
    """Tells whether there are objects below a prefix that are not there now."""
    before = set(cluster.objects(prefix))
    return lambda: not before.issuperset(cluster.objects(prefix))


def uploaded(cluster: Cluster, *topics: str) -> None:
    """Put a file of one message into the store for each topic."""
    for topic in topics:
        (message,) = oms_canal(1, None, {"id": 1, "name": topic})
        cluster.upload(f"other/{topic}/1.jsonl", as_lines([message]))


def landed(host: Host, *topics: str) -> list[tuple[int, int]]:
    """Of each topic, how many messages there are, and how many batches that have some."""
    query = "select topic, count(*) as messages, count(distinct batch) as batches "
    names = ", ".join(f"'{topic}'" for topic in topics)
    query += f"from bronze.messages where topic in ({names}) group by topic order by topic"
    rows = host.run(*ONELOG, "sql", "--format", "jsonl", query).splitlines()
    found = [json.loads(row) for row in rows if row.startswith("{")]
    return [(row["messages"], row["batches"]) for row in found]
