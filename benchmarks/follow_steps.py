"""`onelog follow` on a real broker: how long a message takes from the broker to the current rows.

The broker and the programs that send to it run on the same cores.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.measure import Report, descendants_seconds, resident_megabytes
from benchmarks.messages import canal, datastream, debezium

TOPICS = {"canal": canal, "debezium": debezium, "datastream": datastream}
PROGRAM = Path(sys.executable).with_name("onelog")
PAUSE = 0.2  # seconds between what is sent
EVERY = 5  # seconds from the beginning of a round to that of the next one, at the least
# Seconds whose messages do not count: tables are made, what came meanwhile is worked off, and Java
# compiles.
WARM_UP = 300
LONGEST_ROUND = 600  # seconds
QUANTILES = {"median": 0.5, "95th percentile": 0.95, "greatest": 1.0}
# Of each message the seconds until its round had written the states that the current rows show.
WAITED = """
    with rounds as (
        select built_at, min(written.at) as written_at
        from (select distinct built_at from resolve.events where marked_unit <> '') as events
        inner join values {written} as written (at) on written.at > unix_micros(built_at) / 1e6
        group by built_at
    )
    select
        percentile(
            rounds.written_at - unix_micros(events.received_at) / 1e6, array({quantiles})
        )
    from resolve.events as events
    inner join rounds using (built_at)
    where
        events.marked_unit is null
        and unix_micros(events.received_at) / 1e6 >= {begun}
"""


class Following:
    """`onelog follow` as a process: how many messages it has built, and what each round took.

    ``rounds``: when each had written the states, the seconds of its landing and building, and the
    memory of Java.
    """

    def __init__(self, servers: str, log: Path) -> None:
        topics = ["--kafka", servers, "--subscribe", ",".join(TOPICS), "--every", str(EVERY)]
        self.messages = 0
        self.rounds: list[tuple[float, float, float, float]] = []
        self._landed = 0
        self._log = log
        self._process = subprocess.Popen(
            [str(PROGRAM), "follow", *topics], stdout=subprocess.PIPE, text=True
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            print(line, end="", file=sys.stderr, flush=True)
            if found := re.search(r"([\d,]+) messages, landing ([\d.]+) s", line):
                self._landed += int(found[1].replace(",", ""))
                if building := re.search(r", building ([\d.]+) s", line):
                    self.messages = self._landed
                    seconds, memory = float(found[2]), resident_megabytes(self._process.pid)
                    written_at = last_written(self._log)
                    self.rounds.append((written_at, seconds, float(building[1]), memory))

    def wait_for(self, messages: int) -> None:
        """Wait until so many messages are built."""
        begun = time.monotonic()
        while self.messages < messages:
            if self._process.poll() is not None or time.monotonic() > begun + LONGEST_ROUND:
                raise SystemExit(f"follow built {self.messages} of {messages} messages")
            descendants_seconds()  # of processes that have ended, what was last seen counts
            time.sleep(1)

    def end(self) -> None:
        """End it as a service manager does."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(timeout=LONGEST_ROUND)
        self._reader.join()


def last_written(log: Path) -> float:
    """When a Delta table got its last rows, by its log; compactions bring none."""
    for path in sorted(log.glob("*.json"), reverse=True):
        about = json.loads(path.read_text().partition("\n")[0])["commitInfo"]
        if about["operation"] in ("MERGE", "CREATE OR REPLACE TABLE AS SELECT"):
            return about["timestamp"] / 1000
    raise SystemExit(f"no commit in {log} brought rows")


def main(folder: Path, rate: int, seconds: int) -> None:
    """Send ``rate`` messages a second, a third in each envelope, for so many seconds."""
    from landing.session import open_session

    report = Report()
    with running_kafka(folder / "kafka") as (servers, classes), report.measured("follow"):
        log = Path(os.environ["ONELOG_HOME"]) / "resolve.db" / "row_states" / "_delta_log"
        following, begun = Following(servers, log), time.time()
        try:
            following.wait_for(send(servers, classes, rate, seconds))
        finally:
            following.end()
    query = WAITED.format(
        written=", ".join(f"({written_at}D)" for written_at, *_ in following.rounds),
        quantiles=", ".join(map(str, QUANTILES.values())),
        begun=begun + WARM_UP,
    )
    rounds = [of for written_at, *of in following.rounds if written_at >= begun + WARM_UP]
    landing, building, megabytes = zip(*rounds, strict=True)
    with open_session() as spark:
        ((waited,),) = spark.sql(query).collect()
        ((report.rows,),) = spark.sql("select count(*) from silver.change_log").collect()
    half = len(rounds) // 2
    report.figures = dict(zip(QUANTILES, waited, strict=True)) | {
        "rounds": len(rounds),
        "landing": median(landing),
        "building": median(building),
        "megabytes halfway": max(megabytes[:half]),
        "megabytes": max(megabytes[half:]),
    }
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


@contextlib.contextmanager
def running_kafka(folder: Path) -> Iterator[tuple[str, str]]:
    """A broker with the topics; its address, and the class path of Kafka's own programs."""
    from kafka_broker import create_topic, programs, running_broker

    from landing.session import open_session

    folder.mkdir()
    own_home = os.environ["ONELOG_HOME"]
    with contextlib.ExitStack() as stack:
        os.environ["ONELOG_HOME"] = str(folder / "home")
        with open_session() as spark:
            classes = programs(spark)
            broker = stack.enter_context(running_broker(spark, folder))
        os.environ["ONELOG_HOME"] = own_home
        for topic in TOPICS:
            create_topic(classes, broker.servers, topic)
        yield broker.servers, classes


def send(servers: str, classes: str, rate: int, seconds: int) -> int:
    """Send at this rate; says how many messages were sent."""
    from kafka_broker import sender

    senders = {topic: sender(classes, servers, topic) for topic in TOPICS}
    inputs = {topic: process.stdin for topic, process in senders.items() if process.stdin}
    begun, sent = time.monotonic(), 0
    while (passed := time.monotonic() - begun) < seconds:
        due = int(passed * rate / len(TOPICS))
        for topic, lines in inputs.items():
            lines.writelines(f"{TOPICS[topic](number)}\n".encode() for number in range(sent, due))
            lines.flush()
        sent = due
        descendants_seconds()
        time.sleep(PAUSE)
    for topic, process in senders.items():
        inputs[topic].close()
        process.wait(timeout=60)
    return len(TOPICS) * sent


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
