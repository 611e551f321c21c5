"""Tests that share their landings: one call lands what many tests of a file ask for.

Such a test is a generator. Where it yields what it wants landed, the next call lands that for all
tests of the file that wait, and gives each of them what the call said. What must land alone, a test
lands by itself.
"""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

Wanted = str | Path
Landings = Generator[Wanted | tuple[Wanted, ...], str, None]
Failures = dict[str, Exception]

# The tests of each module, in their order.
TESTS: dict[str, list[Callable[..., Landings]]] = {}


def shares_landings(test: Callable[..., Landings]) -> Callable[[Failures], None]:
    """Let a test land together with the others of its module; the result is what pytest runs."""
    TESTS.setdefault(test.__module__, []).append(test)

    def tell(failures: Failures) -> None:
        if test.__name__ in failures:
            raise failures[test.__name__]

    tell.__name__, tell.__module__, tell.__doc__ = test.__name__, test.__module__, test.__doc__
    return tell


def land_together(
    tests: list[Callable[..., Landings]],
    land: Callable[..., str],
    arguments: Callable[[str], tuple[Any, ...]],
) -> Failures:
    """Let all tests ask, land once, let them look and ask again, until each has ended.

    ``arguments``: what the test of a name is called with. Gives the errors that ended tests.
    """
    failures: Failures = {}
    going = {test.__name__: test(*arguments(test.__name__)) for test in tests}
    said = None
    while going:
        wanted: list[Wanted] = []
        for name, steps in list(going.items()):
            try:
                asked = next(steps) if said is None else steps.send(said)
            except StopIteration:
                del going[name]
            except Exception as error:
                failures[name] = error
                del going[name]
            else:
                wanted += asked if isinstance(asked, tuple) else [asked]
        if going:
            said = land(*wanted)
    return failures
