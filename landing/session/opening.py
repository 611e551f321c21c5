"""Opens Spark with the settings that the project in the current folder gives to its models."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import yaml

from landing.errors import UserError, first_line
from landing.session.java import SessionError
from landing.session.lease import leave_lease
from landing.session.preparing import JAVA_OPTIONS, home, is_remote, start_session
from landing.session.turns import leave_homes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# A command lives for seconds: Java's second compiler would take more time than it saves. Without
# that compiler, Java's own limit of compiled code is 48 MB. A dbt run fills them: from then on
# nothing is compiled, and calls fail in the end.
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
# A thread of Spark's that hands results over and finds no memory ends alone: the command would wait
# for ever.
READING = f"{SHORT_LIVED} -XX:+ExitOnOutOfMemoryError"
# A few messages: compiling Spark's expressions takes longer than interpreting them.
FEW_MESSAGES = "-Dspark.sql.codegen.wholeStage=false -Dspark.sql.codegen.factoryMode=NO_CODEGEN"
# A session that goes on for days: Spark would keep what it did, with its plans, for a page that
# nobody opens.
LONG_LIVED = (
    "-Dspark.ui.retainedJobs=5 -Dspark.ui.retainedStages=5 -Dspark.ui.retainedTasks=100 "
    "-Dspark.sql.ui.retainedExecutions=5"
)


@contextmanager
def open_session(java_options: str = "") -> Iterator["SparkSession"]:
    """A Spark session on the warehouse; one that is open already is lent and left open."""
    from pyspark.sql import SparkSession

    open_already = SparkSession.getActiveSession()
    if open_already:
        yield open_already
        return
    settings = session_settings()
    # The Java of a server has its own.
    if not is_remote():
        settings[JAVA_OPTIONS] = f"{settings.get(JAVA_OPTIONS, '')} {java_options}"
    spark = _start(settings)
    try:
        yield spark
    except Exception as error:
        if "Another instance of Derby" in _causes(error):
            raise UserError(
                f"another onelog or dbt command is at work in {home()}: try again once it has ended"
            ) from error
        raise
    finally:
        _stop(spark)


@contextmanager
def other_settings(spark: "SparkSession", settings: Mapping[str, str]) -> Iterator[None]:
    """Give a session these settings for a while, and then its own back."""
    own = {name: spark.conf.get(name, None) for name in settings}
    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, before in own.items():
            if before is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, before)


def need_own_java() -> None:
    """Raise :class:`UserError` where sessions are those of a Spark Connect server."""
    if is_remote():
        raise UserError(
            "this command asks a Java of its own for files and their commits, and SPARK_REMOTE "
            "names a Spark Connect server: call it without, with ONELOG_TARGET=cluster"
        )


def profiles_folder() -> Path:
    """Where the project keeps its profile."""
    return Path(os.environ.get("DBT_PROFILES_DIR") or "profiles")


def session_settings() -> dict[str, str]:
    """The Spark settings of the target that ONELOG_TARGET, else the profile, names."""
    project = _read_yaml(Path("dbt_project.yml"))
    profiles = _read_yaml(profiles_folder() / "profiles.yml", _render)
    profile = profiles.get(project.get("profile", ""), {})
    target = os.environ.get("ONELOG_TARGET") or profile.get("target")
    output = profile.get("outputs", {}).get(target)
    if output is None:
        targets = ", ".join(profile.get("outputs", {})) or "none"
        raise UserError(
            f"{profiles_folder()}/profiles.yml has no target {target!r}: set ONELOG_TARGET to one "
            f"that it has ({targets})"
        )
    settings = output.get("server_side_parameters")
    if not settings:
        raise UserError(
            f"the target {target!r} opens no Spark session of its own; set ONELOG_TARGET to one "
            "with method: session"
        )
    return {name: str(value) for name, value in settings.items()}


def _read_yaml(path: Path, render: Callable[[str], str] = str) -> dict[str, Any]:
    if not path.exists():
        raise UserError(f"no {path} here: run onelog in the folder of the project")
    try:
        return yaml.safe_load(render(path.read_text())) or {}
    except (jinja2.TemplateError, yaml.YAMLError, ArithmeticError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}") from error


def _render(profile: str) -> str:
    """The profile with its Jinja rendered, of which only ``env_var`` is known here."""
    template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(profile)
    return template.render(env_var=_env_var)


def _env_var(name: str, default: str | None = None) -> str:
    value = os.environ.get(name, default)
    if value is None:
        raise UserError(f"the profile needs the environment variable {name}: set it")
    return value


def _start(settings: dict[str, str]) -> "SparkSession":
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.enableHiveSupport()
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        return start_session(builder)
    except SessionError as error:
        raise UserError(str(error)) from error
    except (PySparkException, Py4JError) as error:
        raise UserError(f"Spark does not start: {first_line(error)}") from error


def _causes(error: BaseException | None) -> str:
    """What each Java error behind an error says; Spark's own text names the first one only."""
    said = []
    while error is not None:
        cause = getattr(error, "_origin", None)
        while cause is not None:
            said.append(cause.toString())
            cause = cause.getCause()
        error = error.__cause__
    return "\n".join(said)


def _stop(spark: "SparkSession") -> None:
    """Stop Spark and wait for its JVM to end: the next command needs the catalog that it holds."""
    leave_lease()
    if is_remote():
        spark.stop()
        return
    context = spark.sparkContext
    gateway: Any = context._gateway
    spark.stop()
    process = getattr(gateway, "proc", None)
    if process:
        gateway.shutdown()
        process.stdin.close()
        process.wait(timeout=60)
        # The next session of this process starts another Java.
        type(context)._gateway = type(context)._jvm = None
    leave_homes()
