"""All cases of gold's state: landed and built together."""

from ddl_cases import DDL_CASES
from state_cases import STATE_CASES

CASES = [*STATE_CASES, *DDL_CASES]
