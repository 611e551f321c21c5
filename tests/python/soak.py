"""Runs the drawn tests with one seed after the other, for as long as it is told.

Each round is a process of pytest: a home and a Spark of its own, and a seed by which the round's
workloads, hostile messages or kills are drawn anew.
"""

import contextlib
import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
# What the round runs, of which only the tests that are drawn.
ROUNDS = {"workloads": "test_states.py", "hostile": "test_hostile.py", "kills": "test_kills.py"}
# A round alone leaves a core idle.
AT_ONCE = 2
# A round that is still at work when the time is over is stopped, at the latest by this much later.
SECONDS_TO_STOP = 40


@click.command()
@click.option("--minutes", type=float, default=30, help="When to end.")
@click.option("--seed", type=int, help="The first round's seed; each later one has the next.")
@click.option("--only", type=click.Choice(list(ROUNDS)), multiple=True, help="Kinds of rounds.")
@click.option("--rounds", type=int, help="How many rounds at most.")
def main(minutes: float, seed: int | None, only: tuple[str, ...], rounds: int | None) -> None:
    """Look for faults with random workloads, hostile messages and kills."""
    end = time.monotonic() + minutes * 60
    first = random.SystemRandom().randrange(1, 10**6) if seed is None else seed
    click.echo(f"soak: seed {first}, {minutes:g} minutes")
    # In a short soak some kinds have no turn: each seed begins with others.
    kinds = itertools.cycle(random.Random(first).sample(only or list(ROUNDS), len(only or ROUNDS)))
    numbered = zip(itertools.count(first), kinds, strict=False)
    told: list[bool | None] = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running: set[Future[bool | None]] = set()
        for seed_of_round, kind in itertools.islice(numbered, rounds):
            if len(running) == AT_ONCE:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                told += [future.result() for future in done]
            if time.monotonic() >= end:
                break
            running.add(pool.submit(tell_round, kind, seed_of_round, end))
        told += [future.result() for future in running]
    outcomes = [passed for passed in told if passed is not None]
    click.echo(f"soak: {len(outcomes)} rounds, {outcomes.count(False)} failed")
    sys.exit(0 if outcomes and all(outcomes) else 1)


def tell_round(kind: str, seed: int, end: float) -> bool | None:
    """Run a round and print what came of it; whether it passed, None if it was not over in time."""
    started = time.monotonic()
    passed, output = run_round(kind, seed, end)
    result = {True: "ok", False: "FAILED", None: "stopped, the time is over"}[passed]
    said = [f"  {kind:<9}  seed {seed:<7}  {time.monotonic() - started:>4.0f} s  {result}"]
    if passed is False:
        said += [output, f"Repeat it: make soak ONLY={kind} SEED={seed} ROUNDS=1"]
        if kind == "workloads":
            said.append("Add the workload to ONCE_FAILED in tests/python/workloads.py.")
    click.echo("\n".join(said))
    return passed


def run_round(kind: str, seed: int, end: float) -> tuple[bool | None, str]:
    """Whether a round's tests passed, and what they said; None where the time was over before."""
    with tempfile.TemporaryDirectory(prefix="soak-", ignore_cleanup_errors=True) as folder:
        options = ["-q", "--tb=short", "-m", "drawn", "-p", "no:cacheprovider"]
        tests = str(ROOT / "tests" / "python" / ROUNDS[kind])
        log = Path(folder) / "output.txt"
        with log.open("w") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "pytest", *options, f"--basetemp={folder}/homes", tests],
                cwd=ROOT,
                env={**os.environ, "ONELOG_TEST_SEED": str(seed)},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=max(end - time.monotonic(), 0))
            is_over = process.poll() is None
            if is_over:
                stop(process)
                stop_commands(folder)
        return (None if is_over else process.returncode == 0), log.read_text()


def stop(process: subprocess.Popen) -> None:
    """Let pytest stop what its tests started, then end its group of processes."""
    os.killpg(process.pid, signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=SECONDS_TO_STOP)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def stop_commands(folder: str) -> None:
    """End the commands whose home is in the folder: those to be killed have groups of their own."""
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if f"ONELOG_HOME={folder}/".encode() in environment.read_bytes():
                os.kill(int(environment.parent.name), signal.SIGKILL)


if __name__ == "__main__":
    main()
