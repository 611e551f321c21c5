"""Errors that a user can act on: one line on stderr, no stack trace."""

from collections.abc import Mapping

import click

JAVA_HAS_ENDED = "Java has ended; spark.log in ONELOG_HOME says why"


class UserError(click.ClickException):
    """A user's mistake; the message says in one line what is wrong and what to do."""

    exit_code = 2


class LandingError(click.ClickException):
    """Landing could not be completed; nothing of it was committed."""

    exit_code = 1


class BrokenFiles(UserError):
    """Files that cannot be read; what else was to be done is done."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        said = "; ".join(f"{path}: {reason}" for path, reason in reasons.items())
        super().__init__(f"not landed, as they cannot be read whole: {said}")


def first_line(error: BaseException) -> str:
    """What an error of Spark or of Java says before it goes on about plans and stacks.

    Java is asked for it: to be called before Spark stops.
    """
    try:
        lines = (line.strip() for line in _said(error).splitlines())
        return next((line for line in lines if line), type(error).__name__)
    except ConnectionError:
        return JAVA_HAS_ENDED


def _said(error: BaseException) -> str:
    of_java = getattr(error, "java_exception", None)
    if of_java is None:
        return str(error)
    return of_java.getMessage() or of_java.toString()
