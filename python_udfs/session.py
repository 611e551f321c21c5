"""Makes every Spark session of this process start quietly and know the project's SQL functions."""

import functools
import logging
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

SUPPORTED_JAVA = (17, 21)


class SessionError(Exception):
    """Spark cannot start here; the message says in one line what to do."""


def prepare_sessions() -> None:
    """Wrap ``SparkSession.builder.getOrCreate``; does nothing when it is wrapped already.

    Over Spark Connect the server starts its own JVM; only the functions are registered then.
    """
    from pyspark.sql import SparkSession

    from_spark = SparkSession.Builder.getOrCreate
    if hasattr(from_spark, "__wrapped__"):
        return

    @functools.wraps(from_spark)
    def get_or_create(builder: "SparkSession.Builder") -> "SparkSession":
        if not os.environ.get("SPARK_REMOTE"):
            _launch_java_quietly()
        session = from_spark(builder)
        _register_functions(session)
        return session

    SparkSession.Builder.getOrCreate = get_or_create


def check_java() -> None:
    """Raise :class:`SessionError` unless a Java that this Spark runs on is installed."""
    home = os.environ.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else shutil.which("java")
    advice = "install Java 17 (for example the package openjdk-17-jre-headless) or set JAVA_HOME"
    if not java or not Path(java).exists():
        raise SessionError(f"Java was not found: {advice}")
    said = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    version = re.search(r'version "(\d+)', said)
    if not version or int(version[1]) not in SUPPORTED_JAVA:
        found = version[1] if version else "unknown"
        raise SessionError(f"Java {found} at {java} does not run this Spark: {advice}")


def home() -> Path:
    """The folder in which everything the pipeline writes lives."""
    return Path(os.environ.get("ONELOG_HOME") or "warehouse").absolute()


@functools.cache
def _launch_java_quietly() -> None:
    """Send the JVM's own output to ``<home>/spark.log`` unless ONELOG_SPARK_LOG=1 asks for it."""
    import pyspark.core.context as context

    check_java()
    # The command prints the error itself; pyspark would log it once more, with its whole plan.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    launch = context.launch_gateway

    @functools.wraps(launch)
    def launch_gateway(conf: Any = None, popen_kwargs: dict | None = None) -> Any:
        if os.environ.get("ONELOG_SPARK_LOG") == "1":
            return launch(conf, popen_kwargs)
        home().mkdir(parents=True, exist_ok=True)
        with open(home() / "spark.log", "ab") as log:
            return launch(conf, {"stderr": log, "stdout": log} | (popen_kwargs or {}))

    context.launch_gateway = launch_gateway


def _register_functions(session: Any) -> None:
    from pyspark.sql.functions import arrow_udf

    from python_udfs import FUNCTIONS

    if getattr(session, "_onelog_functions", False):
        return
    for name, (function, returned) in FUNCTIONS.items():
        session.udf.register(name, arrow_udf(function, returned))
    session._onelog_functions = True
