"""The Java behind a Spark session. Python knows no types of its objects."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def jvm(spark: "SparkSession") -> Any:
    """The root of all Java packages: ``jvm(spark).java.io.File`` is the class."""
    return spark._jvm
