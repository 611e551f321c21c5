"""`python -m benchmarks.run --scale N`: each step in a process of its own, one table at the end."""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import click

from benchmarks.follow_steps import QUANTILES
from benchmarks.from_json_job import LEFT_OUT
from benchmarks.measure import Cost, Report
from benchmarks.messages import FIRST_MEASURED, WARM_UP, write_messages
from benchmarks.number_texts import altered
from benchmarks.typed_steps import SPREADS as TYPED_NEWS

MESSAGES = 500_000  # of each of the three envelopes at scale 1
RUNS_ON = (50_000, 1_500_000)  # messages in the logs on which single runs are measured
LONG_LOG = 10_000_000  # messages of another one
NEW_MESSAGES = 334  # of each envelope, whatever the scale
FOLDERS = (100, 100_000)  # files in a folder, of so many messages in all:
IN_FOLDER = 300_000
STATE_KEYS = (50_000, 500_000)  # ten changes each
MERGED = (10_000, 100_000)  # changes merged into the state, one run each
SKEWED = 1_000_000  # changes of each spread
TYPED = (40_000, 200)  # changes of 2,000 tables, and typed models
FOLLOWED = (500, 1_200)  # messages a second of all envelopes, and seconds
SPREADS = {
    "even": "even: 100 tables, 10,000 rows each",
    "tables": "even: 2,000 tables, 500 rows each",
    "table": "nine of ten changes in one table",
    "key": "all changes of one key, whole rows",
    "partial": "all changes of one key, changed columns only",
}
SKEWED_STEPS = {
    "views": "the views between them",
    "history": "gold.row_history of one table",
    "few": "a warm run with 1,000 changes more",
}
SILVER = ("events", "mentions", "statements", "replays", "facts", "views", "changes")
RESULTS = Path("benchmarks/RESULTS.md")
# What a project of a user's own would have: the settings name the key where messages do not.
PROJECT = ("dbt_project.yml", ".dbtignore", "macros", "models", "profiles", "seeds", "tests")
KEYS_OF_TOPICS = "debezium,,,,,id,\nskew,,,,,id,\n"
WIDTH = 48


@dataclass(frozen=True)
class Row:
    """A row of the table: a cost, of how many messages, and which costs it is compared with."""

    label: str
    cost: Cost
    messages: int = 0
    compared: tuple[tuple[str, Cost], ...] = ()
    note: str = ""

    def __str__(self) -> str:
        each = f"{self.cost.cpu / self.messages * 1e6:10.1f}" if self.messages else " " * 10
        ratios = [f"{self.cost.cpu / cost.cpu:.2f} of {name}" for name, cost in self.compared]
        said = ", ".join([*ratios, *filter(None, [self.note])])
        return (
            f"{self.label:{WIDTH}}{self.cost.cpu:8.1f}{self.cost.wall:8.1f}{each}  {said}".rstrip()
        )


class Bench:
    """The steps that the parts of the table share, each run once."""

    def __init__(self, folder: Path, scale: float, parts: list[str]) -> None:
        self.folder = folder
        self.scale = scale
        self.parts = parts
        self.project = folder / "project"
        write_project(self.project)

    def scaled(self, count: int, least: int) -> int:
        """A number of messages or keys at this scale."""
        return max(int(count * self.scale), least)

    @property
    def count(self) -> int:
        """Measured messages of each envelope."""
        return self.scaled(MESSAGES, 2_000)

    def onelog(self) -> Report:
        """The steps of onelog; the jobs by hand read what it has landed."""
        messages = self.folder / "messages"
        if not messages.exists():
            say(f"writing {3 * self.count:,} messages")
            write_messages(messages / "first", 0, WARM_UP)
            write_messages(messages / "second", WARM_UP, WARM_UP)
            write_messages(messages / "measured", FIRST_MEASURED, self.count)
        last = "changes" if "resolve" in self.parts else "events"
        return self.step("onelog_steps", last, home="onelog")

    def by_from_json(self, onelog: Report) -> Report:
        """The job that everything up to the change log is compared with."""
        by_hand = self.step("from_json_job")
        if by_hand.rows != onelog.rows:
            raise SystemExit(f"benchmarks: rows differ: {onelog.rows}, {by_hand.rows}")
        if onelog.columns and {*onelog.columns} ^ {*by_hand.columns} != LEFT_OUT:
            raise SystemExit(f"benchmarks: columns differ: {onelog.columns}, {by_hand.columns}")
        return by_hand

    def files(self) -> list[Path]:
        """The files of the messages that are measured."""
        return sorted((self.folder / "messages" / "measured").rglob("*.jsonl"))

    def numbers(self, report: Report) -> str:
        """How many of the sampled numbers a step has altered, in words."""
        wrong, looked_at = altered(self.files(), report.images)
        return f"{f'{wrong:,}' if wrong else 'none'} of {looked_at:,} numbers altered"

    def step(self, step: str, *arguments: str, home: str = "") -> Report:
        """Run one step in a process, with a home of its own; once, if it is asked for again."""
        name = "_".join([step, *arguments[:1]])
        report = self.folder / f"{name}.json"
        if report.exists():
            return Report.read(report)
        say(name.replace("_", " "))
        own = {
            "ONELOG_HOME": str(self.folder / (home or name)),
            "DBT_PROFILES_DIR": "profiles",
            "DBT_TARGET_PATH": str(self.folder / "target" / name),
            "DBT_LOG_PATH": str(self.folder / "logs"),
            "BENCHMARK_REPORT": str(report),
            "PYTHONPATH": os.pathsep.join([str(Path.cwd()), str(Path("tests/python").resolve())]),
        }
        ended = subprocess.run(
            [sys.executable, "-m", f"benchmarks.{step}", str(self.folder), *arguments],
            cwd=self.project,
            env=os.environ | own,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if ended.returncode:
            # Without the lines of Java's traces.
            said = re.sub(r"(?m)^\s+(at |\.\.\. ).*\n", "", ended.stdout)[-4000:]
            raise SystemExit(f"benchmarks: {step} ended with {ended.returncode}:\n{said}")
        return Report.read(report)


def write_project(project: Path) -> None:
    """Copy the dbt project, with the settings of the topics whose messages name no key."""
    project.mkdir()
    for name in PROJECT:
        if Path(name).is_dir():
            shutil.copytree(name, project / name)
        else:
            shutil.copy(name, project / name)
    with open(project / "seeds" / "topics.csv", "a") as topics:
        topics.write(KEYS_OF_TOPICS)


def flatten(bench: Bench) -> Iterator[str | Row]:
    """Bronze, and what the messages themselves say."""
    onelog = bench.onelog()
    by_hand, duckdb = bench.by_from_json(onelog), bench.step("read_json_job")
    if (duckdb.rows, duckdb.columns) != (by_hand.rows, by_hand.columns):
        raise SystemExit(f"benchmarks: rows or columns differ: {by_hand.rows}, {duckdb.rows}")
    messages = 3 * bench.count
    megabytes = sum(file.stat().st_size for file in bench.files()) / 1e6
    yield (
        f"{messages:,} messages, a third each of Canal, Debezium and Datastream; {megabytes:,.0f}"
        f" MB; {onelog.rows:,} changed rows"
    )
    peer = by_hand.costs["from_json"]
    landing, events = onelog.costs["landing"], onelog.costs["events"]
    yield Row("onelog: landing", landing, messages, (("flattening", events), ("(a)", peer)))
    yield Row(
        "onelog: flattening (resolve.events)",
        events,
        messages,
        (("(a)", peer),),
        bench.numbers(onelog),
    )
    yield Row("(a) from_json job by hand", peer, messages, (), bench.numbers(by_hand))
    yield Row(
        "(b) DuckDB's read_json to Parquet",
        duckdb.costs["read_json"],
        messages,
        (("(a)", peer),),
        bench.numbers(duckdb),
    )


def resolve(bench: Bench) -> Iterator[str | Row]:
    """From bronze to silver.change_log, and on to the state."""
    onelog = bench.onelog()
    by_hand = bench.by_from_json(onelog).costs["from_json"]
    whole_by_hand = bench.step("by_hand_job").costs["by hand"]
    messages = 3 * bench.count
    yield f"{messages:,} messages of the same kind, from bronze to silver.change_log"
    for name in SILVER:
        label = "the views between them" if name == "views" else f"resolve.{name}"
        yield Row(f"onelog: {label}", onelog.costs[name], messages)
    to_log = sum((onelog.costs[name] for name in SILVER), Cost(0, 0))
    yield Row("onelog: bronze to change_log, in sum", to_log, messages, (("(a)", by_hand),))
    yield Row("(a) from_json job by hand", by_hand, messages)
    states = onelog.costs["row_states"]
    yield Row("onelog: resolve.row_states, from the whole log", states, messages)
    yield Row(
        "onelog: bronze to the state, in sum", to_log + states, messages, (("(e)", whole_by_hand),)
    )
    yield Row("(e) by hand: flatten, drop repeats, current rows", whole_by_hand, messages)


def runs(bench: Bench) -> Iterator[str | Row]:
    """Single runs, each as a process of its own."""
    yield from runs_on(bench, RUNS_ON)


def long(bench: Bench) -> Iterator[str | Row]:
    """The same on a long log."""
    yield from runs_on(bench, (LONG_LOG,))


def runs_on(bench: Bench, counts: tuple[int, ...]) -> Iterator[str | Row]:
    """Single runs on logs of so many messages."""
    new = f"{3 * NEW_MESSAGES:,} new messages"
    yield f"`dbt run` as a cold process; {new} land apart"
    labels = {
        "first": "first run, of all messages",
        "nothing new": "run with nothing new",
        "landing": f"landing {new}",
        "new": f"run with {new}",
        "build": f"dbt build with {new}",
    }
    small: dict[str, Cost] = {}
    for count in counts:
        logged = bench.scaled(count // 3, 1_000)
        report = bench.step("runs_steps", str(logged), str(NEW_MESSAGES))
        costs, figures = report.costs, report.figures
        yield f"on a log of {3 * logged:,} messages"
        for name, label in labels.items():
            compared = (("the small log's", small[name]),) if small else ()
            messages = 3 * logged if name == "first" else 0
            yield Row(f"onelog: {label}", costs[name], messages, compared)
        told = (
            f"{figures[f'{name} read']:.1f} and {figures[f'{name} written']:.1f} by {said}"
            for name, said in (("landing", "landing"), ("new", "dbt run"), ("build", "dbt build"))
        )
        yield f"megabytes that tasks read and wrote for {new}: {', '.join(told)}"
        small = costs


def files(bench: Bench) -> Iterator[str | Row]:
    """Folders in which many files have landed."""
    messages, new = bench.scaled(IN_FOLDER, 2_000), 3 * NEW_MESSAGES
    yield f"a folder of {messages:,} messages, and then a file of {new:,} more; cold processes"
    few: dict[str, Cost] = {}
    for count in FOLDERS:
        number = bench.scaled(count, count // 100)
        report = bench.step("folder_steps", str(number), str(messages), str(new))
        costs, figures = report.costs, report.figures
        yield f"in {number:,} files"
        for name, label in (
            ("first", "landing all of them"),
            ("nothing new", "landing with nothing new"),
            ("landing", "landing the file more"),
            ("new", "run after it"),
        ):
            compared = (("the few files'", few[name]),) if few else ()
            yield Row(f"onelog: {label}", costs[name], 0, compared)
        read, written = figures["landing read"], figures["landing written"]
        yield f"landing a file more, tasks read {read:.1f} MB and wrote {written:.1f} MB"
        few = costs


def state(bench: Bench) -> Iterator[str | Row]:
    """The state of a long log."""
    merged = [str(bench.scaled(count, 200 * place)) for place, count in enumerate(MERGED, 1)]
    small: dict[str, Cost] = {}
    for count in STATE_KEYS:
        keys = bench.scaled(count, count // 50)
        costs = bench.step("state_steps", str(keys), *merged).costs
        yield f"state of {keys:,} rows, {10 * keys:,} changes, from silver.change_log"
        rebuild, window = costs["rebuild"], costs["window"]
        yield Row("onelog: resolve.row_states, rebuilt", rebuild, 10 * keys, (("(c)", window),))
        yield Row("(c) bare row_number() window to Delta", window, 10 * keys)
        duckdb = costs["duckdb"]
        yield Row("(d) DuckDB's window to Parquet", duckdb, 10 * keys, (("(c)", window),))
        for changes in merged:
            merge = costs[f"merge {changes}"]
            before = (("the small state's", small[f"merge {changes}"]),) if small else ()
            yield Row(
                f"onelog: {int(changes):,} changes merged into it",
                merge,
                int(changes),
                (("the rebuild", rebuild), *before),
            )
        small = costs


def skew(bench: Bench) -> Iterator[str | Row]:
    """Changes that are not spread evenly over tables and keys."""
    count = bench.scaled(SKEWED, 10_000)
    yield f"{count:,} changes, from bronze to the state, and the history of one table"
    costs = {name: bench.step("skew_steps", name, str(count)).costs for name in SPREADS}
    for step in (*SILVER, "row_states", "history", "few"):
        yield SKEWED_STEPS.get(step, f"resolve.{step}")
        for name, label in SPREADS.items():
            even = () if name == "even" else (("even", costs["even"][step]),)
            each = 0 if step in SKEWED_STEPS else count
            yield Row(f"  {label}", costs[name][step], each, even)


def typed(bench: Bench) -> Iterator[str | Row]:
    """Many tables, and typed models of some of them."""
    logged, models = bench.scaled(TYPED[0], 4_000), bench.scaled(TYPED[1], 20)
    report = bench.step("typed_steps", str(logged), str(models))
    costs, figures = report.costs, report.figures
    yield f"`dbt run` as a cold process; {models:,} typed models of a log of 2,000 tables"
    nothing = costs["nothing new"]
    yield Row("onelog: first run with the typed models", costs["first"])
    yield Row("onelog: run with nothing new", nothing)
    for news in TYPED_NEWS:
        label = f"onelog: run with 1,000 new changes of {news}"
        yield Row(label, costs[news], 0, (("nothing new", nothing),))
    yield (
        f"all rows of one typed model: {figures['model read']:.1f} MB read, of states of"
        f" {figures['megabytes of states']:.1f} MB"
    )


def follow(bench: Bench) -> Iterator[str | Row]:
    """`onelog follow` on messages that come all the time."""
    rate, seconds = FOLLOWED[0], bench.scaled(FOLLOWED[1], 600)
    report = bench.step("follow_steps", str(rate), str(seconds), home="follow")
    figures = report.figures
    waited = ", ".join(f"{name} {figures[name]:.1f} s" for name in QUANTILES)
    memory = [f"{figures[name]:,.0f} MB" for name in ("megabytes halfway", "megabytes")]
    yield (
        f"onelog follow, {rate} messages a second of three envelopes for {seconds:,} s, broker and"
        " senders included"
    )
    yield Row("onelog follow", report.costs["follow"], rate * seconds)
    yield f"from the broker to gold.current_rows: {waited}"
    yield (
        f"{figures['rounds']:.0f} rounds after five minutes of warm-up, in the median"
        f" {figures['landing']:.1f} s of landing and {figures['building']:.1f} s of building"
    )
    yield f"memory of Java: at the most {memory[0]} in the first half, {memory[1]} in the second"


PARTS: dict[str, Callable[[Bench], Iterator[str | Row]]] = {
    "flatten": flatten,
    "resolve": resolve,
    "runs": runs,
    "long": long,
    "files": files,
    "state": state,
    "skew": skew,
    "typed": typed,
    "follow": follow,
}
HOW = """\
CPU: user and system time of all processes of a step (driver, JVM, Python workers). All steps but
the runs work in a JVM that has done the same twice before with fewer messages; a model costs what
`dbt run` takes for it, commit included, without dbt's start and the hooks of a run. The runs are
whole commands, their start included. (a) reads the lines that onelog landed, looks for no repeats
and writes the columns of the change log that messages can fill; (b) does so with the message files;
(e) goes on from (a) by two windows over the whole log. (c) and the rebuild run in turn, twice; told
is the second time. seeds/topics.csv names the key of the Debezium topic, whose messages name none.
"each": a message or, of the state, a change. Where a row says "of", CPU seconds are compared."""


@click.command()
@click.option("--scale", default=1.0, show_default=True, help="1 is 500,000 messages an envelope.")
@click.option(
    "--only", type=click.Choice(list(PARTS)), multiple=True, help="A part of it; may be repeated."
)
def main(scale: float, only: tuple[str, ...]) -> None:
    """Measure onelog beside Spark and DuckDB by hand; RESULTS.md keeps what --scale 1 gives."""
    if sys.platform != "linux":
        raise SystemExit("benchmarks: CPU time is read from /proc, which only Linux has")
    parts = [part for part in PARTS if part in (only or PARTS)]
    commit = measured_commit()
    with tempfile.TemporaryDirectory(prefix="onelog-bench-") as name:
        bench = Bench(Path(name), scale, parts)
        for part in parts:
            busy = os.getloadavg()[0]
            rows = list(PARTS[part](bench))
            text = "\n".join([*table(rows), "", *circumstances(commit, scale, busy)])
            print(f"{text}\n", flush=True)
            if scale == 1:
                before = RESULTS.read_text() if RESULTS.exists() else ""
                RESULTS.write_text(results(before, part, text))
    print(HOW)


def say(what: str) -> None:
    """Tell the progress."""
    print(f"benchmarks: {what}", file=sys.stderr, flush=True)


def table(rows: list[str | Row]) -> Iterator[str]:
    """The lines of one part."""
    head, *others = rows
    yield str(head)
    yield f"{'':{WIDTH}}{'CPU s':>8}{'wall s':>8}{'CPU us':>10}"
    yield f"{'':{WIDTH}}{'':16}{'each':>10}"
    yield from (str(row) for row in others)


def circumstances(commit: str, scale: float, busy: float) -> Iterator[str]:
    """On what a part was measured, and what else ran."""
    scaled = f", scale {scale:g}" if scale != 1 else ""
    yield f"commit {commit}, {datetime.now(UTC):%Y-%m-%d}{scaled}"
    after = os.getloadavg()[0]
    yield f"load {busy:.1f} before, {after:.1f} after; {processor()}, {os.cpu_count()} cores"
    packages = {"dbt-core": "dbt", "pyspark": "Spark", "duckdb": "DuckDB"}
    versions = [f"{name} {version(package)}" for package, name in packages.items()]
    yield ", ".join([f"Python {platform.python_version()}", *versions])


def measured_commit() -> str:
    """The commit that is checked out, and whether its files have been changed since."""
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", f":!{RESULTS}")
    return git("rev-parse", "--short", "HEAD") + (" with changes" if changed else "")


def git(*arguments: str) -> str:
    """What git says."""
    return subprocess.run(["git", *arguments], capture_output=True, text=True).stdout.strip()


def results(before: str, part: str, text: str) -> str:
    """RESULTS.md with the new text of one part: the others stay as they were."""
    told = dict(re.findall(r"^## (\w+)\n\n```\n(.*?)\n```$", before, re.MULTILINE | re.DOTALL))
    told[part] = text
    sections = [f"## {name}\n\n```\n{told[name]}\n```" for name in PARTS if name in told]
    return "\n\n".join(["# Results of `make bench`", *sections, HOW]) + "\n"


def processor() -> str:
    """The processor's name."""
    for said in Path("/proc/cpuinfo").read_text().splitlines():
        if said.startswith("model name"):
            return said.partition(":")[2].strip()
    return platform.machine()


if __name__ == "__main__":
    main()
