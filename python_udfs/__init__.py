"""Functions that SQL cannot replace, by the name under which every session knows them."""

FUNCTIONS: dict = {}
