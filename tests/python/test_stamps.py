"""Stamps of units: what differs in what they say, differs in their hash."""

from pathlib import Path

import jinja2
from pyspark.sql import SparkSession

MACRO = Path(__file__).parents[2] / "macros/stamped/whole_stamp.sql"


def test_runs_that_are_a_microsecond_apart_have_other_stamps(spark: SparkSession) -> None:
    macros = jinja2.Environment().from_string(MACRO.read_text()).module
    piece = vars(macros)["stamp_piece"]("timestamp_micros(1700000000000000 + id)")
    hashes = spark.sql(f"select distinct ({piece}).hash from range(1000)")
    assert hashes.count() == 1000
