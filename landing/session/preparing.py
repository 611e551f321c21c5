"""Makes every Spark session of this process start quietly and know the project's SQL functions."""

import contextlib
import functools
import inspect
import logging
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from landing.session.jars import PACKAGES, fetched_jars, remember_jars
from landing.session.java import SessionError, check_java
from landing.session.lease import hold_lease, is_shared
from landing.session.turns import take_home
from landing.session.workers import python_of_workers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HOME = "ONELOG_HOME"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
LOG = "spark.log"
LARGEST_LOG = 32 * 2**20  # bytes
# What Spark adds to Java's class path.
CLASS_PATH = "SPARK_DIST_CLASSPATH"
PYTHON = "PYSPARK_PYTHON"
_chosen_python: str | None = None


def prepare_sessions(java_options: str = "") -> None:
    """Wrap ``SparkSession.builder.getOrCreate``; does nothing when it is wrapped already.

    ``java_options`` are for a Java that is started; those of the builder come after them. Over
    Spark Connect the server starts its own JVM; only the functions are registered then.
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    builder_class: Any = SparkSession.Builder
    from_spark = builder_class.getOrCreate
    if hasattr(from_spark, "__wrapped__"):
        return

    @functools.wraps(from_spark)
    def get_or_create(builder: Any) -> "SparkSession":
        if java_options:
            given = builder._options.get(JAVA_OPTIONS, "")
            builder.config(JAVA_OPTIONS, f"{java_options} {given}")
        # dbt asks for its session before each statement.
        is_new = SparkContext._active_spark_context is None
        session = start_session(builder)
        register_functions(session)
        if is_new and not is_remote():
            hold_lease(session)
        return session

    builder_class.getOrCreate = get_or_create


def start_session(builder: "SparkSession.Builder") -> "SparkSession":
    """The builder's session, which knows none of the project's functions if it is new.

    Raises :class:`SessionError` where none can start here.
    """
    from pyspark import SparkContext

    if is_remote():
        # A server has its catalog from its start, and would warn at each statement.
        builder._options.pop("spark.sql.catalogImplementation", None)
    elif SparkContext._active_spark_context is None:
        _check_home(builder._options)
        _choose_python(builder)
        _launch_java_quietly()
    return inspect.unwrap(type(builder).getOrCreate)(builder)


def _check_home(settings: Mapping[str, str]) -> None:
    """Raise :class:`SessionError` for a home that nobody would lock.

    Commands take turns by a lock in a folder, or by a lease where several may use the catalog.
    """
    if is_elsewhere() and not is_shared(settings):
        raise SessionError(
            f"the home {os.environ[HOME]} is a URL, and the catalog of this target is one of this "
            f"machine: set ONELOG_TARGET=cluster (docs/cluster.md), or {HOME} to a folder"
        )


def _choose_python(builder: Any) -> None:
    """Say which Python runs the project's functions, and send it what it needs.

    One that PYSPARK_PYTHON names has all that they need.
    """
    global _chosen_python
    if os.environ.get(PYTHON, _chosen_python) == _chosen_python:
        _chosen_python, settings = python_of_workers(builder._options, home())
        os.environ[PYTHON] = _chosen_python
        for name, value in settings.items():
            builder.config(name, value)


def home() -> Path:
    """The folder in which everything the pipeline writes lives.

    Of a home that is a URL, the folder of what this machine keeps of it: logs, and what it sends to
    the cluster.
    """
    named = os.environ.get(HOME) or "warehouse"
    if is_elsewhere():
        state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
        return Path(state).expanduser() / "onelog" / quote(named, safe="")
    return Path(named).absolute()


def is_remote() -> bool:
    """Whether sessions are those of a Spark Connect server, which SPARK_REMOTE names."""
    return bool(os.environ.get("SPARK_REMOTE"))


def is_elsewhere() -> bool:
    """Whether the home is a URL, of an object store or the like."""
    return "://" in os.environ.get(HOME, "")


def trim_log() -> None:
    """Begin ``<home>/spark.log`` anew once it is large; Java goes on at its end."""
    with contextlib.suppress(FileNotFoundError):
        if (home() / LOG).stat().st_size > LARGEST_LOG:
            os.truncate(home() / LOG, 0)


def class_archive() -> Path:
    """Java's archive of Spark's classes, made for this installation by `make setup`."""
    return Path(sys.prefix) / "onelog-classes.jsa"


@functools.cache
def _launch_java_quietly() -> None:
    """Send the JVM's own output to ``<home>/spark.log`` unless ONELOG_SPARK_LOG=1 asks for it."""
    import pyspark.core.context

    check_java()
    if class_archive().exists():
        # Java passes over an archive that does not fit, and would say so on standard output.
        options = f'-XX:SharedArchiveFile="{class_archive()}" -Xlog:disable -Xlog:all=error:stderr'
        os.environ.setdefault("SPARK_SUBMIT_OPTS", options)
    # The command prints the error itself; pyspark would log it once more, with its whole plan.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    # So would py4j and pyspark, of a Java that has ended, for each call that finds it gone.
    logging.getLogger().addFilter(lambda record: record.msg != "Exception while sending command.")
    warnings.filterwarnings("ignore", "Unable to cleanly shutdown Spark JVM process")
    context: Any = pyspark.core.context
    launch = context.launch_gateway

    @functools.wraps(launch)
    def launch_gateway(conf: Any = None, popen_kwargs: dict[str, Any] | None = None) -> Any:
        options = popen_kwargs or {}
        if is_elsewhere():
            # Its lease is what commands wait for.
            home().mkdir(parents=True, exist_ok=True)
        else:
            options = {"pass_fds": [take_home(home())]} | options
        if os.environ.get("ONELOG_SPARK_LOG") == "1":
            return _with_jars(launch, conf, options)
        trim_log()
        with open(home() / LOG, "ab") as log:
            return _with_jars(launch, conf, {"stderr": log, "stdout": log} | options)

    context.launch_gateway = launch_gateway


def _with_jars(launch: Callable[..., Any], conf: Any, options: dict[str, Any]) -> Any:
    """Launch Java with the jars of Spark's packages, from where an earlier start found them."""
    from pyspark import SparkConf

    settings = dict(conf.getAll()) if conf else {}
    jars = fetched_jars(settings)
    if jars:
        # Behind Spark's own, as Ivy's jars would be.
        given = os.environ.get(CLASS_PATH, "").split(os.pathsep)
        os.environ[CLASS_PATH] = os.pathsep.join(dict.fromkeys(filter(None, [*given, *jars])))
        rest = [(name, value) for name, value in settings.items() if name != PACKAGES]
        return launch(SparkConf().setAll(rest), options)
    gateway = launch(conf, options)
    remember_jars(settings, gateway.jvm.java.lang.System.getProperty("spark.jars") or "")
    return gateway


def register_functions(session: Any) -> None:
    """Let a session know the functions of ``python_udfs``."""
    from pyspark.sql.pandas import functions

    from python_udfs import FUNCTIONS

    if getattr(session, "_onelog_functions", False):
        return
    # First: in a thread without a session of its own, Spark asks for this one to register with.
    session._onelog_functions = True
    # Its types ask for the kind of function, which it reads from the function's own types.
    arrow_udf: Any = functions.arrow_udf
    for name, (function, returned) in FUNCTIONS.items():
        session.udf.register(name, arrow_udf(function, returned))
