"""What one `dbt run` costs, each as a cold process, in a log of many tables with typed models.

With nothing new since the run before, with new rows of one table, and with some of many tables.
"""

import os
import shutil
import sys
from pathlib import Path

from benchmarks.measure import Report, of_command
from benchmarks.runs_steps import PROGRAMS, bytes_told, land, run
from benchmarks.skew_steps import FEW, write_changes

# Whose rows the new changes are, and how skew_steps spreads them so.
SPREADS = {"one table": "key", "1,000 tables": "tables"}


def main(folder: Path, logged: int, typed: int) -> None:
    """Measure on ``logged`` changes of 2,000 tables, with models of the first ``typed`` of them."""
    project = folder / "typed_project"
    shutil.copytree(Path.cwd(), project)
    os.chdir(project)
    messages = folder / "messages" / "typed"
    write_changes(messages / "logged", "tables", 0, logged)
    report = Report()
    land(messages / "logged")
    run()
    write_models(project, typed)
    report.costs["first"] = run()
    report.costs["nothing new"] = run()
    for number, (name, spread) in enumerate(SPREADS.items()):
        write_changes(messages / name, spread, logged + number * FEW, FEW)
        land(messages / name)
        report.costs[name] = run()
    # The model of one table reads all its rows anew.
    with bytes_told(report, "model"):
        run("--full-refresh", "--select", "orders_0")
    states = Path(os.environ["ONELOG_HOME"]) / "resolve.db" / "row_states"
    report.figures["megabytes of states"] = (
        sum(file.stat().st_size for file in states.glob("*.parquet")) / 1e6
    )
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


def write_models(project: Path, count: int) -> None:
    """Let onelog write the model of one table, and copy it for the others."""
    arguments = "{source: skew, database_name: shop, table_name: orders_0}"
    operation = "run-operation", "write_model", "--args", arguments
    of_command(str(PROGRAMS / "dbt"), *operation, "--quiet")
    for path in (project / "models/gold/typed").iterdir():
        for number in range(1, count):
            name = f"orders_{number}"
            copied = path.with_name(path.name.replace("orders_0", name))
            copied.write_text(path.read_text().replace("orders_0", name))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
