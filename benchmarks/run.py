"""`python -m benchmarks.run --scale N`: each step in a process of its own, one table at the end."""

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from benchmarks.measure import Cost, Report
from benchmarks.messages import write_messages
from benchmarks.number_texts import altered

MESSAGES = 500_000  # of each envelope at scale 1
WARM_UP = 20_000  # of each envelope, whatever the scale
RESULTS = Path("benchmarks/RESULTS.md")
STEPS = ("empty_session", "onelog_steps", "from_json_job", "read_json_job")
STATE_KEYS = 50_000  # at scale 1, ten changes each; and ten times as many
STATE_MERGED = 10_000  # changes merged into each of the two states
# The steps of onelog by the name of their cost, the model's where it is one.
ONELOG = {
    "landing": "onelog: landing",
    "events": "onelog: flattening into resolve.events",
    "repeats": "onelog: looking for repeats",
    "split_updates": "onelog: pairing split updates",
    "resolved_events": "onelog: resolving",
}


@click.command()
@click.option("--scale", default=1.0, show_default=True, help="1 is 500,000 messages an envelope.")
def main(scale: float) -> None:
    """Measure onelog, a hand-written from_json job and DuckDB's read_json on the same messages."""
    if sys.platform != "linux":
        raise SystemExit("benchmarks: CPU time is read from /proc, which only Linux has")
    count = max(int(MESSAGES * scale), 2_000)
    busy = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="onelog-bench-") as name:
        folder = Path(name)
        say(f"writing {3 * count:,} messages")
        write_messages(folder / "messages" / "measured", 0, count)
        write_messages(folder / "messages" / "warm_up", count, WARM_UP)
        reports = {step: run_step(step, folder) for step in STEPS}
        keys = max(int(STATE_KEYS * scale), 1_000)
        merged = str(max(int(STATE_MERGED * scale), 200))
        states = {
            size: run_step("state_steps", folder, str(size), merged) for size in (keys, keys * 10)
        }
        files = sorted((folder / "messages" / "measured").rglob("*.jsonl"))
        lines = [*results(reports, files, 3 * count), *state_results(states, int(merged)), ""]
        text = "\n".join([*lines, *circumstances(reports["onelog_steps"], busy)]) + "\n"
    print(text)
    RESULTS.write_text(f"# Results of `make bench`\n\n```\n{text}```\n")


def say(what: str) -> None:
    """Tell the progress."""
    print(f"benchmarks: {what}", file=sys.stderr, flush=True)


def run_step(step: str, folder: Path, *arguments: str) -> Report:
    """Run one step in a process and, where it is a home of Spark's, a home of its own."""
    name = "_".join([step, *arguments[:1]])
    say(name.replace("_", " "))
    report = folder / f"{name}.json"
    home = folder / ("onelog" if step == "onelog_steps" else name)
    own = {
        "ONELOG_HOME": str(home),
        "DBT_PROFILES_DIR": "profiles",
        "DBT_TARGET_PATH": str(folder / "target"),
        "DBT_LOG_PATH": str(folder / "logs"),
        "BENCHMARK_REPORT": str(report),
    }
    command = [sys.executable, "-m", f"benchmarks.{step}", str(folder), *arguments]
    ended = subprocess.run(
        command, env=os.environ | own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if ended.returncode:
        raise SystemExit(f"benchmarks: {step} failed:\n{ended.stdout[-4000:]}")
    return Report.read(report)


def results(reports: dict[str, Report], files: list[Path], messages: int) -> Iterator[str]:
    """The lines of the table, its ratios and what it was measured on."""
    onelog, by_hand, duckdb = (reports[step] for step in STEPS[1:])
    for other in (by_hand, duckdb):
        if (other.rows, other.columns) != (onelog.rows, onelog.columns):
            columns = {*other.columns} ^ {*onelog.columns}
            raise SystemExit(f"rows differ: {onelog.rows}, {other.rows}, or columns: {columns}")
    megabytes = sum(file.stat().st_size for file in files) / 1e6
    yield f"{messages:,} messages, a third each of Canal, Debezium and Datastream;"
    each = megabytes * 1e6 / messages
    yield f"{megabytes:,.0f} MB, {each:.0f} bytes a message; {onelog.rows:,} changed rows"
    yield ""
    yield f"{'':44}{'CPU s':>8}{'wall s':>8}{'CPU us':>10}  numbers"
    yield f"{'':44}{'':8}{'':8}{'a message':>10}  altered"
    for name, label in ONELOG.items():
        checked = numbers(files, onelog) if name == "events" else ""
        yield line(label, onelog.costs[name], messages, checked)
    flattened = by_hand.costs["from_json"]
    yield line("(a) hand-written from_json job", flattened, messages, numbers(files, by_hand))
    read = duckdb.costs["read_json"]
    yield line("(b) DuckDB's read_json to Parquet", read, messages, numbers(files, duckdb))
    started = reports["empty_session"]
    yield f"{'starting and stopping Spark, in none of these':44}" + cells(started)
    yield ""
    yield from ratios(onelog, flattened)


def state_results(states: dict[int, Report], merged: int) -> Iterator[str]:
    """The table of the state, by the number of its rows, and its ratios."""
    labels = {
        "rebuild": "onelog: resolve.row_states, rebuilt",
        "window": "(c) bare row_number() window to Delta",
        "duckdb": "(d) DuckDB's window to Parquet",
        "merge": f"onelog: {merged:,} changes merged into it",
    }
    for keys, report in states.items():
        yield ""
        yield f"state of {keys:,} rows, ten changes each, from silver.change_log"
        for name, label in labels.items():
            yield f"{label:44}{report.costs[name].cpu:8.1f}{report.costs[name].wall:8.1f}"
        rebuild = report.costs["rebuild"].cpu
        by_window = rebuild / report.costs["window"].cpu
        yield f"rebuild / (c)          {by_window:5.2f}   goal: at most 1.00"
        of_rebuild = report.costs["merge"].cpu / rebuild
        yield f"merge / rebuild        {of_rebuild:5.2f}   goal: at most 0.15 of the larger"
    small, large = (report.costs["merge"].cpu for report in states.values())
    yield f"merge, large / small   {large / small:5.2f}   goal: at most 2.00"


def line(label: str, cost: Cost, messages: int, checked: str) -> str:
    """One row of the table."""
    each = cost.cpu / messages * 1e6
    return f"{label:44}{cost.cpu:8.1f}{cost.wall:8.1f}{each:10.1f}  {checked}".rstrip()


def cells(report: Report) -> str:
    """CPU and wall seconds of the process that did nothing."""
    return f"{report.start_cpu:8.1f}{report.costs['empty session'].wall:8.1f}"


def numbers(files: list[Path], report: Report) -> str:
    """How many of the sampled numbers a step has altered, in words."""
    wrong, looked_at = altered(files, report.images)
    return f"{wrong:,} of {looked_at:,}" if wrong else f"none of {looked_at:,}"


def ratios(onelog: Report, by_hand: Cost) -> Iterator[str]:
    """What the goals are about, in CPU seconds."""
    landing, flattening = onelog.costs["landing"].cpu, onelog.costs["events"].cpu
    yield f"flattening / (a)      {flattening / by_hand.cpu:5.2f}   goal: at most 1.00"
    yield f"landing / flattening  {landing / flattening:5.2f}   goal: at most 0.50"


def circumstances(onelog: Report, busy: float) -> Iterator[str]:
    """How it was measured, and on what."""
    yield "CPU: user and system time of the step's whole tree of processes (driver, JVM, Python"
    yield f"workers). Spark's steps run in a JVM that has done the same with {3 * WARM_UP:,} ones;"
    yield "onelog's models as `dbt run` runs them, hooks and commit included. (a) reads the lines"
    yield "that onelog landed and looks for no repeats; (b) reads the message files. Rebuild and"
    yield "(c) run in turn, twice; told is the second time."
    yield ""
    versions = {"Python": platform.python_version()} | onelog.versions
    yield ", ".join(f"{name} {version}" for name, version in versions.items())
    yield f"{processor()}, {os.cpu_count()} cores, load {busy:.1f} before"
    yield f"{datetime.now(UTC):%Y-%m-%d}"


def processor() -> str:
    """The processor's name."""
    for said in Path("/proc/cpuinfo").read_text().splitlines():
        if said.startswith("model name"):
            return said.partition(":")[2].strip()
    return platform.machine()


if __name__ == "__main__":
    main()
