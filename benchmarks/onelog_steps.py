"""onelog's own steps, in one process: land, then `dbt run`, model by model.

Two batches for the warm-up come first, one to build the tables and one to add to them, so that what
is measured is the work of a warm JVM on a batch that comes to tables that are there.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import Cost, Report, cpu_seconds, now, since
from benchmarks.messages import MEASURED_BATCH
from benchmarks.number_texts import IS_SAMPLED

# Settings that a run of few messages leaves in its session.
OF_FEW = ("spark.sql.codegen.wholeStage", "spark.sql.codegen.factoryMode")


def main(folder: Path, last: str) -> None:
    """Run the steps in ``folder``/onelog on ``folder``/messages, up to the model ``last``.

    After `changes` the states are built from all of it, as the window of the job by hand does.
    """
    import duckdb
    import pyspark

    from landing.files.land import land_files
    from landing.session import open_session

    report = Report(versions={"Spark": pyspark.__version__, "DuckDB": duckdb.__version__})
    messages = folder / "messages"
    with open_session() as spark:
        report.start_cpu = cpu_seconds()
        for batch in ("first", "second"):
            land_files(spark, (str(messages / batch),))
            run_models(ignore, f"+{last}")
            if last == "changes":
                run_models(ignore, "+row_states", "--exclude", "+changes")
                run_models(ignore, "row_states", "--full-refresh")
        with report.measured("landing"):
            land_files(spark, (str(messages / "measured"),))
        run_models(model_costs(report), f"+{last}")
        if last == "changes":
            run_models(model_costs(report), "row_states", "--full-refresh")
            log = spark.sql(f"select 1 from silver.change_log where batch = {MEASURED_BATCH}")
            report.rows = log.count()
            report.columns = sorted(spark.table("silver.change_log").columns)
        events = spark.table("resolve.events").where(f"batch = {MEASURED_BATCH}")
        report.rows = report.rows or events.count()
        sampled = events.where(IS_SAMPLED).select("before", "after").collect()
        report.add_images([image for row in sampled for image in row])
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


def run_models(on_event: Callable[[Any], None], select: str, *options: str) -> None:
    """`dbt run` of the models selected, on the session that is open.

    What the run has set in the session ends with it, as it does with a process of its own.
    """
    from dbt.cli.main import dbtRunner

    import dbt_onelog

    result = dbtRunner(callbacks=[on_event]).invoke(
        ["run", "--quiet", "--select", select, *options]
    )
    if not result.success:
        nodes = getattr(result.result, "results", None) or []
        said = [f"{node.node.name}: {node.message}" for node in nodes if node.status == "error"]
        raise SystemExit("\n".join(said) or str(result.exception))
    dbt_onelog.override(False, dict.fromkeys(OF_FEW, ""))


def ignore(event: Any) -> None:
    """Listen to nothing."""


def model_costs(report: Report) -> Callable[[Any], None]:
    """A listener to dbt's events: puts down what each stored model costs, commit included.

    All views together are ``views``.
    """
    begun: dict[str, Cost] = {}

    def listen(event: Any) -> None:
        if event.info.name == "NodeStart":
            begun[event.data.node_info.unique_id] = now()
        elif event.info.name == "NodeFinished":
            node = event.data.node_info
            name = node.node_name if node.materialized == "stamped" else "views"
            report.add(name, since(begun[node.unique_id]))

    return listen


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
