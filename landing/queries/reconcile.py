"""Compares the current rows of a table with an export of the source's table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from landing.errors import UserError, first_line
from landing.queries.comparison import Column, Comparison
from landing.queries.exports import Export, read_files, read_jdbc
from landing.queries.row_comparison import compare_by_key, compare_copies
from landing.queries.tables import STATES, Table, named_table
from landing.queries.values import declared_columns_sql, rule_for
from landing.session import other_settings
from landing.session.preparing import register_functions
from python_udfs.ddl import dialect_of

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame, Row, SparkSession

SETTINGS = {
    # Columns whose names differ only in their case are two columns.
    "spark.sql.caseSensitive": "true",
    # The rules make methods that are too long for Java to compile.
    "spark.sql.codegen.wholeStage": "false",
    # A side without rows would be planned away, and with it the count of its rows.
    "spark.sql.adaptive.optimizer.excludedRules": (
        "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"
    ),
}
# A declared type, and the dialect of the statement that declares it, if any.
Declared = tuple[str | None, str | None]
# What the log knows of a table, of its states.
FACTS = {
    "key_columns": "max_by(map_keys(key), struct(is_live, log_position))",
    "live_columns": "array_distinct(flatten(collect_set(map_keys(row)) filter (where is_live)))",
    "columns": "array_distinct(flatten(collect_set(map_keys(row))))",
    "column_types": "max_by(column_types, log_position) filter (where column_types is not null)",
    "time_zone": "max_by(time_zone, log_position)",
    "value_encoding": "max_by(value_encoding, log_position)",
    "table_id": "max_by(table_id, log_position)",
}
# The key where only a vendor's physical row id names a row: no table has it.
ROW_ID = ["row_id"]


def reconcile(
    spark: "SparkSession",
    source: str,
    name: str,
    path: str | None,
    jdbc: tuple[str, str] | None = None,
    most_examples: int = 10,
) -> Comparison:
    """Compare the rows that a table has now with those of an export.

    ``path``: a file or folder whose name ends in .csv, .jsonl or .parquet; ``jdbc``, in its place:
    a URL and a table's name. Raises :class:`UserError` where the table, the export or its key
    columns are not there, and for an export that cannot be read.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    table = named_table(spark, source, name)
    with other_settings(spark, SETTINGS):
        try:
            export = read_jdbc(spark, *jdbc) if jdbc else read_files(spark, path or "")
            comparison = _columns_of(spark, table, export)
            sides = _sides(spark, table, comparison, export)
            compare = compare_by_key if comparison.keys else compare_copies
            compare(comparison, *sides, most_examples)
        except (PySparkException, Py4JJavaError) as error:
            raise UserError(f"the export cannot be compared: {first_line(error)}") from error
    return comparison


def _columns_of(spark: "SparkSession", table: Table, export: Export) -> Comparison:
    """What is to be compared, and how."""
    facts = _facts(spark, table)
    # Rows that are gone may have columns that the table has no more.
    keys, in_log = facts.key_columns or [], facts.live_columns or facts.columns
    if keys == ROW_ID and "row_id" not in {*in_log, *export.kinds}:
        keys = []
    paired = _paired(list(dict.fromkeys([*keys, *in_log])), list(export.kinds))
    lacking = [key for key in keys if key not in paired]
    if lacking:
        raise UserError(f"the export has no {_listed(lacking)}, a key column of {table.name}")
    if not paired:
        raise UserError(f"the export has no column of {table.name}: {_listed(in_log)}")
    declared = _declared(spark, table, facts)
    columns = []
    for name, other in paired.items():
        word, dialect = declared.get(name, (None, None))
        rule = rule_for(word, facts.value_encoding, dialect, export.kinds[other])
        columns.append(Column(name, list(export.kinds).index(other), word, rule))
    return Comparison(
        f"{table.source} {table.name}",
        keys,
        columns,
        [name for name in in_log if name not in paired],
        [name for name in export.kinds if name not in paired.values()],
        facts.time_zone or "UTC",
    )


def _facts(spark: "SparkSession", table: Table) -> Any:
    from pyspark.sql.functions import col, expr

    states = spark.sql(STATES).where(col("table_id").isin(*table.table_ids))
    return states.agg(*(expr(sql).alias(name) for name, sql in FACTS.items())).first()


def _paired(names: Sequence[str], others: Sequence[str]) -> dict[str, str]:
    """The names that both have; where no name is the same, the one that differs only in case."""
    paired = {name: name for name in names if name in others}
    for name in names:
        free = [other for other in others if other not in paired.values()]
        alike = [other for other in free if other.lower() == name.lower()]
        if name not in paired and len(alike) == 1:
            paired[name] = alike[0]
    return {name: paired[name] for name in names if name in paired}


def _declared(spark: "SparkSession", table: Table, facts: "Row") -> dict[str, Declared]:
    """Each column's declared type."""
    from pyspark.sql.functions import col, lit, max_by

    types: dict[str, Declared] = {
        name: (word, None) for name, word in (facts.column_types or {}).items()
    }
    stated = spark.sql(declared_columns_sql(facts.table_id)).where("data_type is not null")
    statements = stated.collect()
    if not statements:
        return types
    placed = spark.table("resolve.placed_statements").where(col("source") == lit(table.source))
    newest: Any = placed.agg(max_by("database_type", "log_position")).first()
    return types | {row.name: (row.data_type, dialect_of(newest[0])) for row in statements}


def _sides(
    spark: "SparkSession", table: Table, comparison: Comparison, export: Export
) -> tuple["DataFrame", "DataFrame"]:
    """The rows of both, each an array of the cells that are to be compared."""
    from pyspark.sql.functions import array, coalesce, col, lit

    def cell(name: str) -> "SparkColumn":
        in_row = col("row")[lit(name)]
        # A partial image need not repeat its key.
        return coalesce(col("key")[lit(name)], in_row) if name in comparison.keys else in_row

    if any(column.rule.needs_functions() for column in comparison.columns):
        register_functions(spark)
    columns = comparison.columns
    in_log = array(*(cell(column.name) for column in columns))
    in_export = array(*(col(f"c{column.place_in_export}") for column in columns))
    rows = table.rows(spark.table("gold.current_rows"))
    return (
        rows.select(in_log.alias("in_log"), "copies", "value_encoding"),
        export.rows.select(in_export.alias("in_export")),
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
