"""The seed of all that tests draw: 0 in `make test`, another one in each round of `make soak`."""

import os

SEED = int(os.environ.get("ONELOG_TEST_SEED", "0"))
