"""Typed gold models and declared types, as dbt's Jinja calls for them in ``modules.onelog``."""
