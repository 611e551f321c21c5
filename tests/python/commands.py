"""The commands that many tests give, in this process."""

from pathlib import Path

from click.testing import CliRunner, Result

from landing.cli import main


def land(*arguments: str | Path) -> Result:
    """What `onelog land files` did."""
    return CliRunner().invoke(main, ["land", "files", *map(str, arguments)])


def land_well(*arguments: str | Path) -> str:
    """What `onelog land files` said; it must have worked."""
    result = land(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout
