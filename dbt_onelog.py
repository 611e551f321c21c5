"""dbt plugin: every Spark session that dbt opens starts quietly and knows the SQL functions.

Jinja finds what it cannot do itself (writing a model's files, reading a declared type, remembering
what a run has built) in ``modules.onelog``.

dbt loads installed top-level modules named ``dbt_*`` that have a ``plugins`` list.
"""

import hashlib
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from dbt.plugins.manager import dbtPlugin

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# What the newest dbt command knows of its run, by the command's id.
_runs: dict[str, dict[str, Any]] = {}
# The own values of a session's settings that are overridden at present; None where it had none.
_own_settings: "WeakKeyDictionary[SparkSession, dict[str, str | None]]" = WeakKeyDictionary()
# The rows that the queries of a session's present model share, by their names.
_kept: "WeakKeyDictionary[SparkSession, dict[str, DataFrame]]" = WeakKeyDictionary()


class OnelogPlugin(dbtPlugin):
    """Registers the functions of ``python_udfs`` in each session, and modules.onelog in Jinja."""

    def initialize(self) -> None:
        """Prepare the process, before dbt reads the project; an error here ends the command.

        Raises :class:`landing.topics.SettingsError` for seeds that would be misread.
        """
        from dbt.flags import get_flags

        from landing.session import SHORT_LIVED
        from landing.session.preparing import home, is_elsewhere, prepare_sessions
        from landing.session.results import remember_results
        from landing.session.waiting import little_waits
        from landing.settings import check_settings

        flags = get_flags()
        # Another project's seeds are its own; dbt would not name a file that it cannot read.
        project = Path(flags.PROJECT_DIR)
        if self.project_name == "onelog" or (project / "dbt_packages" / "onelog").exists():
            check_settings(project)
            remember_results(_built_at)
        is_run = flags.WHICH == "run" and not flags.FULL_REFRESH
        is_small = is_run and not is_elsewhere() and little_waits(home())
        prepare_sessions(SHORT_LIVED if is_small else "")
        add_module()


def add_module() -> None:
    """Add ``onelog`` to the modules of dbt's Jinja; does nothing when it is there already."""
    from dbt.context import base

    from landing.session.marks import newest_commit, remember_mark, remembered_mark
    from landing.typed.declared_types import fits
    from landing.typed.envelope_fields import nested_fields
    from landing.typed.models import OWN_COLUMNS, choose_table, write_typed_model

    from_dbt = base.get_context_modules
    if "onelog" not in from_dbt():
        contents = {
            "OWN_COLUMNS": OWN_COLUMNS,
            "choose_table": choose_table,
            "write_typed_model": write_typed_model,
            "fits": fits,
            "nested_fields": nested_fields,
            "run": run,
            "digest": digest,
            "now": now,
            "override": override,
            "keep": keep,
            "is_one_process": is_one_process,
            "forget_kept": forget_kept,
            "newest_commit": newest_commit,
            "remembered_mark": remembered_mark,
            "remember_mark": remember_mark,
            "complete_rewrites": complete_rewrites,
            "maintained": maintained,
            "ranges": ranges,
        }
        base.get_context_modules = lambda: from_dbt() | {"onelog": contents}


def run(invocation_id: str) -> dict[str, Any]:
    """What this dbt command's macros remember from one model to the next; empty at first."""
    if invocation_id not in _runs:
        _runs.clear()
    return _runs.setdefault(invocation_id, {})


def _built_at() -> int | None:
    """The time of the present dbt command's run, once it has begun."""
    from dbt_common.invocation import get_invocation_id

    return _runs.get(get_invocation_id(), {}).get("built_at")


def digest(*paths: str) -> str:
    """The hash of the content of these files, one after the other."""
    content = hashlib.sha256()
    for path in paths:
        content.update(Path(path).read_bytes() + b"\0")
    return content.hexdigest()


def now() -> int:
    """The clock, in microseconds since 1970."""
    return time.time_ns() // 1000


def override(is_on: bool, settings: dict[str, str]) -> None:
    """Set these settings of dbt's session, or give them back their own values.

    A run that failed may have left some set: the next one still knows their own values.
    """
    from pyspark.sql import SparkSession

    session = SparkSession.builder.getOrCreate()
    own = _own_settings.setdefault(session, {})
    for name, value in settings.items():
        if is_on:
            own.setdefault(name, session.conf.get(name, None))
            session.conf.set(name, value)
        elif name in own:
            before = own.pop(name)
            session.conf.unset(name) if before is None else session.conf.set(name, before)


def keep(name: str, sql: str, are_few: bool) -> None:
    """Let the rows of a query be computed once, under this name, until ``forget_kept``.

    A view with a text would be analysed anew, all of it, by each query on it. Few rows also lose
    their plan, which would be planned twice and shown with each query. Not so on a cluster: rows
    that go with a host come back by their plan alone.
    """
    from pyspark.sql import SparkSession

    session = SparkSession.builder.getOrCreate()
    frame = session.sql(sql)
    frame = frame.localCheckpoint() if are_few and is_one_process() else frame.persist()
    frame.createOrReplaceTempView(name)
    _kept.setdefault(session, {})[name] = frame


def is_one_process() -> bool:
    """Whether Spark works in the process of dbt's session alone, without other hosts."""
    from pyspark.sql import SparkSession

    master = SparkSession.builder.getOrCreate().conf.get("spark.master", None) or ""
    return bool(re.match(r"local(\[|$)", master))


def forget_kept() -> None:
    """Give back what ``keep`` holds, also for a model that failed."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.getOrCreate()
    for name, frame in _kept.pop(session, {}).items():
        session.catalog.dropTempView(name)
        frame.unpersist()


def complete_rewrites() -> None:
    """Let bronze show the rewrites of its batches that it does not show yet."""
    from pyspark.sql import SparkSession

    from landing.bronze import rewrites, store

    spark = SparkSession.builder.getOrCreate()
    store.add_columns(spark)
    rewrites.switch_partitions(spark)


def maintained() -> list[str]:
    """Maintain the tables that need it, in this process's Spark; says what was done."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    from landing.errors import first_line
    from landing.maintain import maintain

    if SparkContext._active_spark_context is None:
        return []
    try:
        report = maintain(SparkSession.builder.getOrCreate(), where_needed=True)
    except Exception as error:
        # The run is done, and the next one will look again.
        return [f"the tables were not maintained: {first_line(error)}"]
    return list(report.lines()) if report.did_something else []


def ranges(numbers: list[int]) -> list[dict[str, Any]]:
    """The runs of numbers that follow one another: ``first``, ``last`` and ``is_one``, in order."""
    found: list[list[int]] = []
    for number in sorted(set(numbers)):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return [{"first": low, "last": high, "is_one": low == high} for low, high in found]


plugins = [OnelogPlugin]
