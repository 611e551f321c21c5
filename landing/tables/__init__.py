"""Lands the rows of Spark tables and views."""
