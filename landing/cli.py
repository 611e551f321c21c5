"""The `onelog` command."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import click

from landing.errors import JAVA_HAS_ENDED, BrokenFiles, LandingError, UserError, first_line
from landing.printable import printable
from landing.progress import progress

FORMATS = ("table", "vertical", "jsonl", "csv")
NOT_READ = "the tables cannot be read"
# The samples are the messages of the vendors' documents, which themselves have these faults.
WARNINGS_OF_THE_SAMPLES = """\
the three warnings above are about the samples, which are the messages of the vendors' documents:
  assert_one_id_has_one_content: SharePlex's have one id for three changes
  assert_key_columns_are_in_the_rows: of three formats of OMS, the rows lack the key that they name
  assert_no_row_is_taken_away_before_it_came: DataWorks 2.0 deletes a row that no message brought"""
STORY_FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json: one object, a list for each step.",
)


# What to do about a path that is no text in UTF-8, by the name of the parameter.
ADVICE = {"paths": ": rename it, or name the folder above it", "path": ": rename it"}


class TextCommand(click.Command):
    """A command whose texts are UTF-8: Java knows no others, nor files of such names."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Raises :class:`UserError` for a text that is not."""
        left = super().parse_args(context, arguments)
        for name in [str(part.name) for part in self.params if part.type is click.STRING]:
            given = context.params[name]
            for text in given if isinstance(given, tuple) else (given or "",):
                shown = text.encode(errors="surrogateescape").decode(errors="backslashreplace")
                if shown != text:
                    raise UserError(f"{shown} is not UTF-8 text{ADVICE.get(name, '')}")
        return left


class OneLineErrors(click.Group):
    """Tells every error that a user can act on in one line on stderr."""

    command_class = TextCommand
    group_class = type

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command; exit 2 for a user's mistake."""
        kwargs["standalone_mode"] = False
        try:
            sys.exit(super().main(*args, **kwargs))
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), err=True)
            sys.exit(error.exit_code)
        except click.ClickException as error:
            echo(f"onelog: {' '.join(error.format_message().split())}", err=True)
            sys.exit(error.exit_code)
        except (click.Abort, KeyboardInterrupt):
            sys.exit(130)


@click.group(cls=OneLineErrors)
def main() -> None:
    """Land messages of change data capture (CDC), and query the tables that are made of them."""


@main.group()
def land() -> None:
    """Land messages as one batch, each whole and once."""


@land.command("files")
@click.option("--topic", help="Topic of all files; else the nearest folder not named by digits.")
@click.option("--again", is_flag=True, help="Land files that have landed before, too.")
@click.argument("paths", metavar="PATH…", nargs=-1, required=True)
def land_files_command(topic: str | None, again: bool, paths: tuple[str, ...]) -> None:
    """Land files: .jsonl (a message a line), .json (a message a file), .avro, each also .gz.

    PATH is a file, a folder or a pattern, local or of any Hadoop file system. Where a .jsonl file
    has grown, only its new lines land.
    """
    from landing.files.land import land_files

    with landing_session() as (spark, say):
        report = land_files(spark, paths, topic, again, say)
    tell(report)
    if report.broken:
        raise BrokenFiles(report.broken)


@land.command("kafka")
@click.option(
    "--bootstrap-servers", metavar="HOST:PORT[,…]", required=True, help="Brokers of the topics."
)
@click.option(
    "--subscribe", metavar="TOPIC[,…]", required=True, multiple=True, help="The topics to land."
)
@click.option(
    "--accept-lost", is_flag=True, help="Go on where messages were lost before they could land."
)
def land_kafka_command(
    bootstrap_servers: str, subscribe: tuple[str, ...], accept_lost: bool
) -> None:
    """Land what Kafka topics hold now, from where the last landing stopped.

    Every variable ONELOG_KAFKA_X_Y is the client's setting x.y, as
    ONELOG_KAFKA_SECURITY_PROTOCOL=SASL_SSL.
    """
    from landing.kafka.land import land_kafka

    with landing_session() as (spark, say):
        report = land_kafka(spark, bootstrap_servers, named(subscribe), accept_lost, say)
    tell(report)


@land.command("table")
@click.option("--topic", help="Topic of the messages; else the table's column topic or its name.")
@click.option(
    "--by", metavar="COLUMN", help="A column that grows, for a table without a column offset."
)
@click.argument("name")
def land_table_command(name: str, topic: str | None, by: str | None) -> None:
    """Land the new rows of a Spark table or view that has a column value.

    Its columns topic, partition, offset, timestamp and key are used where it has them.
    """
    from landing.tables.land import land_table

    with landing_session() as (spark, say):
        report = land_table(spark, name, topic, by, say)
    tell(report)


@main.command("reroute")
@click.argument("topic")
def reroute_command(topic: str) -> None:
    """Move landed messages to the envelope that seeds/topics.csv now names for TOPIC.

    The messages keep topic, partition, offset and batch. The next dbt run reads them again.
    """
    from landing.bronze.reroute import reroute

    with landing_session("the reroute is not complete") as (spark, say):
        report = reroute(spark, topic, say)
    tell(report)


@main.command("expire")
@click.option(
    "--before",
    metavar="DATE",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    required=True,
    help="Batches that landed before this day or time, in UTC.",
)
@click.option("--with-quarantine", is_flag=True, help="Batches with messages in quarantine, too.")
def expire_command(before: datetime, with_quarantine: bool) -> None:
    """Delete from bronze the messages of old batches, as far as silver holds them.

    Silver and gold keep all that was made of these messages. From then on resolve.events cannot be
    rebuilt.
    """
    from landing.bronze.expire import expire

    with landing_session("the expiry is not complete") as (spark, say):
        report = expire(spark, before.replace(tzinfo=UTC), with_quarantine, say)
    tell(report)


@main.command("maintain")
def maintain_command() -> None:
    """Compact the tables' small files, and delete the files that only old versions need.

    A dbt run does this for the tables that need it. ONELOG_KEEP_HOURS is the time for which an old
    version stays readable: 0 by default where commands take turns on the home, else 24.
    """
    from landing.maintain import maintain

    with landing_session("the tables are not all maintained") as (spark, say):
        report = maintain(spark, progress=say)
    tell(report)
    if report.failed:
        raise LandingError("call it again once no other command is at work on these tables")


@main.command("follow")
@click.option("--files", "paths", multiple=True, metavar="PATH", help="Files to follow.")
@click.option("--kafka", "servers", metavar="HOST:PORT[,…]", help="Brokers of the topics.")
@click.option("--subscribe", metavar="TOPIC[,…]", multiple=True, help="The topics to land.")
@click.option(
    "--every",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    default=10,
    show_default=True,
    help="Least time from the beginning of a round to that of the next.",
)
def follow_command(
    paths: tuple[str, ...], servers: str | None, subscribe: tuple[str, ...], every: float
) -> None:
    """Land and build again and again, in one warm session, until told to stop.

    SIGTERM and SIGINT end it after the step that it is in. A PATH is what `land files` takes; say
    --files for each.
    """
    from landing.follow.follow import follow
    from landing.follow.stopping import Stop
    from landing.session import LONG_LIVED, hold_lease, need_own_java, open_session

    topics = tuple(dict.fromkeys(named(subscribe)))
    if not (paths or servers or topics):
        raise click.UsageError("follow what? Say --files, or --kafka and --subscribe, or both")
    if bool(servers) != bool(topics):
        raise click.UsageError("--kafka and --subscribe go together")
    need_own_java()
    stop, told = Stop(), partial(errors_of_spark_told, "following ended")
    stop.end_at_once()
    with told(), open_session(LONG_LIVED) as spark, told():
        # Once more: Spark's start takes SIGINT.
        stop.end_at_once()
        hold_lease(spark)
        stop.listen()
        follow(spark, paths, servers, topics, every, stop, echo)


@main.command("sql")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="vertical: each row a block of lines.",
)
@click.option("--full", is_flag=True, help="Cut nothing to fit a table into the terminal.")
@click.option(
    "-f", "--file", type=click.File(encoding="utf-8-sig"), help="Read the query from a file."
)
@click.argument("query", required=False)
def sql_command(form: str, full: bool, file: TextIO | None, query: str | None) -> None:
    """Run a query with the settings and the functions that the models run with.

    Without QUERY it is read from standard input; on a terminal there is a prompt.
    """
    from landing.queries.prompt import asked
    from landing.queries.sql import print_query
    from landing.session import READING, open_session

    if file and query:
        raise click.UsageError("give a query or a file with one, not both")
    try:
        if file or not (query is not None or sys.stdin.isatty()):
            query = (file or sys.stdin).read()
        (query or "").encode()
    except UnicodeError as error:
        raise UserError(f"the query is no text in UTF-8: {error}") from error
    out, tell = sys.stdout.buffer, partial(echo, err=True)
    told = partial(errors_of_spark_told, NOT_READ)
    with told(), open_session(READING) as spark, told():
        if query is not None:
            print_query(spark, query, form, out, tell, full)
            return
        for entered in asked(spark):
            try:
                print_query(spark, entered, form, out, tell, full)
            except UserError as error:
                tell(error.format_message())


@main.command("explain")
@click.option(
    "--partition", type=int, default=0, show_default=True, help="Partition of the message."
)
@STORY_FORMAT
@click.argument("topic")
@click.argument("offset", type=int)
def explain_command(topic: str, offset: int, partition: int, form: str) -> None:
    """Say what became of one message, from its raw text to the rows of gold, and why."""
    from landing.queries.explain import explain

    tell_story(lambda spark: explain(spark, topic, partition, offset), form)


@main.command("trace")
@STORY_FORMAT
@click.argument("source")
@click.argument("table", metavar="DATABASE.TABLE")
@click.argument("key")
def trace_command(source: str, table: str, key: str, form: str) -> None:
    """Tell a row's whole story: each change of it in the log's order, and why it is as it is.

    KEY is a JSON object of the key columns, as '{"id": 7}', or the bare value of a single key
    column. In a table without a key, it is an object of columns that tell the row from others. A
    state_id of gold.current_rows names a row of any table.
    """
    from landing.queries.trace import trace

    tell_story(lambda spark: trace(spark, source, table, key), form)


@main.command("reconcile")
@click.option("--with", "path", metavar="PATH", help="The export: .csv, .jsonl or .parquet.")
@click.option("--jdbc", metavar="URL", help="The source's own database, instead of a file.")
@click.option("--jdbc-table", metavar="NAME", help="The table's name there, if not DATABASE.TABLE.")
@click.option(
    "--examples",
    metavar="NUMBER",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="How many examples of each kind of difference are shown.",
)
@click.argument("source")
@click.argument("table", metavar="DATABASE.TABLE")
@click.pass_context
def reconcile_command(
    context: click.Context,
    source: str,
    table: str,
    path: str | None,
    jdbc: str | None,
    jdbc_table: str | None,
    examples: int,
) -> None:
    """Compare gold.current_rows of a table with an export of the source's table.

    Exit status 1 where they differ. ONELOG_JDBC_USER and ONELOG_JDBC_PASSWORD open the database of
    --jdbc.
    """
    from landing.queries.reconcile import reconcile

    if (path is None) == (jdbc is None):
        raise click.UsageError("give an export, --with PATH or --jdbc URL, and not both")
    database = (jdbc, jdbc_table or table) if jdbc is not None else None
    with reading_session() as spark:
        comparison = reconcile(spark, source, table, path, database, examples)
    tell(comparison)
    context.exit(1 if comparison.differs else 0)


@main.command("status")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="json: one object, for monitors.",
)
@click.pass_context
def status_command(context: click.Context, form: str) -> None:
    """Show each topic's landings, lag, changes and quarantine, and what the last runs did.

    Exit status 1 means that something needs a person; a line says what.
    """
    from landing.queries.status import status
    from landing.session import READING

    with reading_session(READING) as spark:
        found = status(spark)
    if form == "json":
        click.echo(found.as_json())
    else:
        tell(found)
    context.exit(1 if found.reasons else 0)


@main.command("report")
@click.argument("path", default="report.html", type=click.Path(dir_okay=False))
def report_command(path: str) -> None:
    """Write what status shows, and more, as one HTML page with plots: report.html, or PATH."""
    from landing.queries.report import report
    from landing.session import READING

    folder = Path(path).parent
    if not folder.is_dir():
        raise UserError(f"{path} cannot be written: there is no folder {folder}")
    with reading_session(READING) as spark:
        page = report(spark)
    with unwritable_told(path):
        Path(path).write_text(page, encoding="utf-8")
    echo(f"wrote {path}")


@main.command("init")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
def init_command(folder: Path) -> None:
    """Make a dbt project of your own in DIR that uses onelog as a package.

    Files that are already there stay as they are. Only the link .onelog, which says where onelog is
    on this machine, is made again.
    """
    from landing.new_project import write_project

    with unwritable_told(folder):
        written = write_project(folder)
    for name in written:
        echo(str(folder / name))
    click.echo("\nNext, in that folder: dbt deps; README.md says the rest.", err=True)


@main.command("run-samples", hidden=True)
@click.pass_context
def run_samples_command(context: click.Context) -> None:
    """What `make run` does, in one process: Spark starts once for its three commands."""
    from dbt.cli.main import dbtRunner

    from landing.queries.status import status
    from landing.session import FEW_MESSAGES, open_session, profiles_folder

    os.environ["ONELOG_SAMPLES"] = "true"
    # One task a stage is enough.
    os.environ.setdefault("ONELOG_SHUFFLE_PARTITIONS", "1")
    build = ["build", "--exclude-resource-type", "unit_test"]
    with open_session(FEW_MESSAGES) as spark:
        context.invoke(land_files_command, paths=("samples",))
        built = dbtRunner().invoke([*build, "--profiles-dir", str(profiles_folder())])
        if built.success:
            tell(status(spark))
            click.echo(WARNINGS_OF_THE_SAMPLES)
    context.exit(0 if built.success else 1)


def named(options: tuple[str, ...]) -> list[str]:
    """The names in options that hold several with commas between them."""
    names = (name.strip() for option in options for name in option.split(","))
    return [name for name in names if name]


@contextmanager
def landing_session(not_done: str = "nothing was landed") -> Iterator[tuple[Any, Any]]:
    """A Spark session to write bronze with, and a function that shows a step."""
    from landing.session import SHORT_LIVED, hold_lease, need_own_java

    need_own_java()
    told = partial(errors_of_spark_told, not_done)
    # Once while Spark can be asked what it means, and once for its start and its end.
    with told(), shown_session(SHORT_LIVED) as (spark, say), told():
        hold_lease(spark)
        yield spark, say


@contextmanager
def reading_session(java_options: str = "") -> Iterator[Any]:
    """A Spark session to read the tables with."""
    told = partial(errors_of_spark_told, NOT_READ)
    with told(), shown_session(java_options) as (spark, _), told():
        yield spark


@contextmanager
def shown_session(java_options: str = "") -> Iterator[tuple[Any, Callable[[str], None]]]:
    """A Spark session whose work is shown on stderr, and a function that names a step of it."""
    from landing.session import open_session

    with progress() as shown, open_session(java_options) as spark, shown.counted(spark):
        yield spark, shown.say


@contextmanager
def unwritable_told(path: str | Path) -> Iterator[None]:
    """Tell in one line why the system does not let a file or a folder be written."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from error


@contextmanager
def errors_of_spark_told(not_done: str) -> Iterator[None]:
    """Tell an error of Spark, or that its Java is gone, in one line."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise LandingError(f"{not_done}: {first_line(error)}") from error
    except BrokenPipeError:
        # Nobody reads what is printed. py4j has an error of its own for a pipe to Java.
        raise
    except ConnectionError as error:
        raise LandingError(f"{not_done}: {JAVA_HAS_ENDED}") from error


def tell_story(told: Callable[[Any], Any], form: str) -> None:
    """Ask Spark for the steps of a story, and print them."""
    from landing.queries.sql import wrong_queries_told
    from landing.queries.story import print_story
    from landing.session import READING

    with reading_session(READING) as spark, wrong_queries_told():
        steps = told(spark)
    print_story(steps, form, sys.stdout.buffer)


def tell(report: Any) -> None:
    """Print what a command has done or found."""
    for line in report.lines():
        echo(line)


def echo(line: str, err: bool = False) -> None:
    """Print one line. Names in it come from the outside: they may hold line ends and escapes."""
    click.echo(printable(line), err=err)
