"""The seed of all that tests draw: 0 in `make test`, another one in each round of `make soak`."""

import os

from hypothesis.internal.conjecture import providers

SEED = int(os.environ.get("ONELOG_TEST_SEED", "0"))

# Hypothesis also draws constants of the modules that are loaded: with each edit of the sources, and
# each other choice of test files, a seed would draw something else.
_none = providers.Constants()
providers._get_local_constants = lambda: _none
