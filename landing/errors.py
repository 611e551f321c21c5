"""Errors that a user can act on: one line on stderr, no stack trace."""

import click


class UserError(click.ClickException):
    """A user's mistake; the message says in one line what is wrong and what to do."""

    exit_code = 2


class LandingError(click.ClickException):
    """Landing could not be completed; nothing of it was committed."""

    exit_code = 1


def first_line(error: BaseException) -> str:
    """What a Spark error says before it goes on about plans and stacks."""
    lines = (line.strip() for line in str(error).splitlines())
    return next((line for line in lines if line), type(error).__name__)
