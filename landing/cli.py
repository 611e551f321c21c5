"""The `onelog` command."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console

from landing.errors import BrokenFiles, LandingError, first_line

FORMATS = ("table", "jsonl", "csv")


class OneLineErrors(click.Group):
    """Tells every error that a user can act on in one line on stderr."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command; exit 2 for a user's mistake."""
        kwargs["standalone_mode"] = False
        try:
            sys.exit(super().main(*args, **kwargs))
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message(), err=True)
            sys.exit(error.exit_code)
        except click.ClickException as error:
            click.echo(f"onelog: {' '.join(error.format_message().split())}", err=True)
            sys.exit(error.exit_code)
        except (click.Abort, KeyboardInterrupt):
            sys.exit(130)


@click.group(cls=OneLineErrors)
def main() -> None:
    """Land messages of change data capture, and query the warehouse made of them."""


@main.group()
def land() -> None:
    """Land messages as one batch, each whole and once."""


@land.command("files")
@click.option("--topic", help="Topic of all the files; else the folder that each lies in.")
@click.option("--again", is_flag=True, help="Land files that have landed before, too.")
@click.argument("paths", metavar="PATH…", nargs=-1, required=True)
def land_files_command(topic: str | None, again: bool, paths: tuple[str, ...]) -> None:
    """Land files: .jsonl (a message a line), .json (a message a file), .avro, each also .gz.

    PATH is a file, a folder or a pattern, local or of any Hadoop file system. Of a .jsonl file that
    has grown only what is new lands.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from landing.files import land_files
    from landing.session import SHORT_LIVED, open_session
    from landing.store import landings_take_turns

    with progress() as say:
        try:
            with (
                landings_take_turns(lambda said: click.echo(said, err=True)),
                open_session(SHORT_LIVED) as spark,
            ):
                report = land_files(spark, paths, topic, again, say)
        except (PySparkException, Py4JError) as error:
            raise LandingError(f"nothing was landed: {first_line(error)}") from error
    for line in report.lines():
        click.echo(line)
    if report.broken:
        raise BrokenFiles(report.broken)


@main.command("sql")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.argument("query")
def sql_command(form: str, query: str) -> None:
    """Run a query with the settings and the functions that the models run with."""
    from landing.session import SHORT_LIVED, open_session
    from landing.sql import print_query

    with open_session(SHORT_LIVED) as spark:
        print_query(spark, query, form, click.get_binary_stream("stdout"))


@main.command("summary")
def summary_command() -> None:
    """Say what the warehouse holds: rows of each log, repeats, and quarantine by reason."""
    from landing.session import SHORT_LIVED, open_session
    from landing.summary import summary

    with progress(), open_session(SHORT_LIVED) as spark:
        lines = list(summary(spark))
    for line in lines:
        click.echo(line)


@main.command("run-samples", hidden=True)
@click.pass_context
def run_samples_command(context: click.Context) -> None:
    """What `make run` does, in one process: Spark starts once for its three commands."""
    from dbt.cli.main import dbtRunner

    from landing.session import FEW_MESSAGES, open_session, profiles_folder

    # One task a stage is enough.
    os.environ.setdefault("ONELOG_SHUFFLE_PARTITIONS", "1")
    build = ["build", "--exclude-resource-type", "unit_test"]
    with open_session(FEW_MESSAGES):
        context.invoke(land_files_command, paths=("samples",))
        built = dbtRunner().invoke([*build, "--profiles-dir", str(profiles_folder())])
        if built.success:
            context.invoke(summary_command)
    context.exit(0 if built.success else 1)


@contextmanager
def progress() -> Iterator[Any]:
    """Show on stderr what is going on; the last step only, and nothing where nobody looks."""
    console = Console(stderr=True)
    with console.status("starting Spark") as status:
        yield status.update
