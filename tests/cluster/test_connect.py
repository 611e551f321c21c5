"""dbt and the commands that ask build and read over Spark Connect what they do without it."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hosts import DBT, ONELOG, ROOT, Host, end, kill
from services import ADDRESS, SPARK, free_port, wait_for

from landing.session import session_settings

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    return landed(tmp_path_factory.mktemp("connect"))


def landed(folder: Path) -> Host:
    """A home in which the samples have landed."""
    settings = {"ONELOG_HOME": str(folder / "warehouse"), "ONELOG_SHUFFLE_PARTITIONS": "1"}
    # The server's Python is one that has onelog.
    others = {"ONELOG_DRIVER_MEMORY": "2g", "PYSPARK_PYTHON": sys.executable}
    host = Host(folder, os.environ | settings | others)
    host.run(*ONELOG, "land", "files", str(ROOT / "samples"))
    return host


@pytest.fixture(scope="module")
def server(host: Host, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Spark Connect server on the home, with the settings of the profile; its address."""
    port = free_port()
    defaults = tmp_path_factory.mktemp("server") / "settings.conf"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(host.folder)
        patch.setenv("ONELOG_HOME", host.environment["ONELOG_HOME"])
        settings = session_settings()
    settings |= {
        "spark.sql.catalogImplementation": "hive",
        "spark.connect.grpc.binding.port": str(port),
        "spark.connect.grpc.binding.address": ADDRESS,
    }
    defaults.write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    submit = [str(SPARK / "bin" / "spark-submit"), "--class", SERVER]
    process = host.start(*submit, "--properties-file", str(defaults), "spark-internal")
    try:
        wait_for(port, process, "the Spark Connect server")
        yield f"sc://{ADDRESS}:{port}"
    finally:
        kill(process)


@pytest.fixture(scope="module")
def client(host: Host, server: str) -> Host:
    """The same project over the server."""
    host.environment["SPARK_REMOTE"] = server
    return host


def test_a_build_and_a_query_go_over_the_server(client: Host) -> None:
    said = client.run(*DBT, "build", "--exclude-resource-type", "unit_test")
    assert "ERROR=0" in said
    query = "select operation, count(*) as changes from silver.change_log group by 1 order by 1"
    said = client.run(*ONELOG, "sql", "--format", "jsonl", query)
    assert '{"operation":"delete","changes":12}' in said
    assert "UserWarning" not in said


@pytest.mark.parametrize(
    "command",
    [("land", "files", "samples"), ("maintain",), ("reroute", "tdsql"), ("follow", "--files", ".")],
)
def test_what_needs_its_own_java_says_so(client: Host, command: tuple[str, ...]) -> None:
    process = client.start(*ONELOG, *command)
    assert process.wait(timeout=60) == 2
    assert client.newest().startswith("onelog: this command asks a Java of its own")
    assert client.newest().count("\n") == 1


@pytest.mark.parametrize("command", [("status",), ("explain", "tdsql", "0"), ("report",)])
def test_commands_that_ask_work(client: Host, command: tuple[str, ...]) -> None:
    process = client.start(*ONELOG, *command)
    # status: the samples have messages that need a person.
    assert process.wait(timeout=180) in (0, 1), client.newest()
    assert "Traceback" not in client.newest()


def test_the_tables_are_those_of_a_build_without_a_server(
    client: Host, tmp_path_factory: pytest.TempPathFactory
) -> None:
    alone = landed(tmp_path_factory.mktemp("alone"))
    for host in (alone, client):
        end(host.start_build(), host)
    assert client.tables() == alone.tables()
