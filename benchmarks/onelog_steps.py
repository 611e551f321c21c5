"""onelog's own steps, in one process: land, then `dbt run`, model by model.

Everything runs on the warm-up's messages first, so that what is measured is the work of a warm JVM
on a batch that comes to tables that are there; the models are told apart by dbt's own events.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import Cost, Report, cpu_seconds, now, since
from benchmarks.number_texts import IS_SAMPLED


def main(folder: Path) -> None:
    """Run the steps in ``folder``/onelog on the messages under ``folder``/messages."""
    import duckdb
    import pyspark

    from landing.files.land import land_files
    from landing.session import open_session

    report = Report(versions={"Spark": pyspark.__version__, "DuckDB": duckdb.__version__})
    with open_session() as spark:
        report.start_cpu = cpu_seconds()
        land_files(spark, (str(folder / "messages" / "warm_up"),))
        run_models(lambda event: None)
        with report.measured("landing"):
            land_files(spark, (str(folder / "messages" / "measured"),))
        run_models(model_costs(report))
        events = spark.table("resolve.events").where("batch = 2")
        report.rows, report.columns = events.count(), sorted(events.columns)
        sampled = events.where(IS_SAMPLED).select("before", "after").collect()
        report.add_images([image for row in sampled for image in row])
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


def run_models(
    on_event: Callable[[Any], None], select: str = "+resolved_events", *options: str
) -> None:
    """`dbt run` of the models selected, on the session that is open."""
    from dbt.cli.main import dbtRunner

    result = dbtRunner(callbacks=[on_event]).invoke(
        ["run", "--quiet", "--select", select, *options]
    )
    if not result.success:
        nodes = getattr(result.result, "results", None) or []
        said = [f"{node.node.name}: {node.message}" for node in nodes if node.status == "error"]
        raise SystemExit("\n".join(said) or str(result.exception))


def model_costs(report: Report) -> Callable[[Any], None]:
    """A listener to dbt's events: puts down what each model costs, hooks and commit included."""
    begun: dict[str, Cost] = {}

    def listen(event: Any) -> None:
        if event.info.name == "NodeStart":
            begun[event.data.node_info.node_name] = now()
        elif event.info.name == "NodeFinished":
            name = event.data.node_info.node_name
            report.costs[name] = since(begun[name])

    return listen


if __name__ == "__main__":
    main(Path(sys.argv[1]))
