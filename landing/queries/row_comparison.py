"""Finds where the rows of two tables differ: by their key, or as copies where there is none.

A row is an array of texts, a cell for each column that both sides have: ``in_log``, ``in_export``.
No name of a column stands in the SQL.
"""

from collections import Counter
from typing import TYPE_CHECKING, Any

from landing.queries.comparison import (
    DIFFERENT,
    MISSING,
    TOO_MANY,
    TWICE_IN_EXPORT,
    TWICE_IN_LOG,
    Comparison,
)
from landing.queries.values import form_in_export, form_in_log

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SAME, BY_RULE = "same", "by rule"


def compare_by_key(
    comparison: Comparison, log: "DataFrame", export: "DataFrame", most_examples: int
) -> None:
    """Compare the rows of one key with each other, cell by cell, in one join.

    ``log`` has the columns in_log and value_encoding, ``export`` in_export.
    """
    from pyspark.sql import Observation

    seen, counted = (Observation(), Observation()), Counter[str]()
    cells = _cells(comparison, _observed(log, seen[0]), _observed(export, seen[1]))
    for row in cells.groupBy("kind", "place").agg(*_counts()).collect():
        counted[row.kind] += row.rows
        name = comparison.columns[row.place or 0].name
        if row.kind == BY_RULE:
            comparison.by_rule[name] += row.cells
        elif row.kind == DIFFERENT:
            comparison.by_column[name] += row.cells
    missing, too_many = counted.pop(MISSING, 0), counted.pop(TOO_MANY, 0)
    pairs = sum(counted.values())
    comparison.rows_in_log, comparison.rows_in_export = (one.get["rows"] for one in seen)
    comparison.found = +Counter(
        {
            MISSING: missing,
            TOO_MANY: too_many,
            DIFFERENT: comparison.by_column.total(),
            # A key that is there twice is in more pairs than its side has rows.
            TWICE_IN_LOG: pairs + missing - comparison.rows_in_export,
            TWICE_IN_EXPORT: pairs + too_many - comparison.rows_in_log,
        }
    )
    if comparison.differs and most_examples:
        _tell_examples(comparison, _cells(comparison, log, export), most_examples)


def _counts() -> tuple[Any, Any]:
    from pyspark.sql.functions import count, expr, lit

    # Each joined row once, however many of its cells are looked at.
    return count(lit(1)).alias("cells"), expr("count_if(coalesce(place, 0) = 0)").alias("rows")


def _observed(frame: "DataFrame", seen: Any) -> "DataFrame":
    from pyspark.sql.functions import count, lit

    return frame.observe(seen, count(lit(1)).alias("rows"))


def _cells(comparison: Comparison, log: "DataFrame", export: "DataFrame") -> "DataFrame":
    """One row for each pair, or for each cell of a pair whose texts are not all the same.

    ``kind`` is what became of it; ``place`` is the cell's column, NULL for a whole row.
    """
    places = range(len(comparison.keys))
    in_log = _knowing(comparison, log).selectExpr(
        "in_log", "value_encoding", *(f"{_of_log(comparison, at)} as log_{at}" for at in places)
    )
    in_export = _knowing(comparison, export).selectExpr(
        "in_export", *(f"{_of_export(comparison, at)} as export_{at}" for at in places)
    )
    conditions = [in_log[f"log_{at}"].eqNullSafe(in_export[f"export_{at}"]) for at in places]
    joined = in_log.join(in_export, conditions, "full_outer")
    cells = _knowing(comparison, joined).selectExpr(
        "*",
        "posexplode_outer(if(in_export is null or in_log <=> in_export, null, in_log))"
        " as (place, logged)",
    )
    return cells.selectExpr(
        "*",
        f"""case
            when in_log is null then '{MISSING}'
            when in_export is null then '{TOO_MANY}'
            when place is null or logged <=> in_export[place] then '{SAME}'
            when {_is_equal(comparison)} then '{BY_RULE}'
            else '{DIFFERENT}'
        end as kind""",
    )


def _knowing(comparison: Comparison, frame: "DataFrame") -> "DataFrame":
    """With what the SQL of the rules reads beside the cells."""
    from pyspark.sql.functions import array, lit

    declared = [lit(column.declared).cast("string") for column in comparison.columns]
    return frame.withColumns({"declared": array(*declared), "time_zone": lit(comparison.time_zone)})


def _of_log(comparison: Comparison, place: int, cells: str = "in_log") -> str:
    """SQL of the value of a cell of the log; a text that fits no rule stands for itself."""
    text, rule = f"{cells}[{place}]", comparison.columns[place].rule
    return f"coalesce({form_in_log(rule, text, f'declared[{place}]')}, concat('=', {text}))"


def _of_export(comparison: Comparison, place: int, cells: str = "in_export") -> str:
    text, rule = f"{cells}[{place}]", comparison.columns[place].rule
    return f"coalesce({form_in_export(rule, text)}, concat('=', {text}))"


def _is_equal(comparison: Comparison) -> str:
    """SQL of whether a cell's two texts are one value by the rule of their column."""
    rules = list(dict.fromkeys(column.rule for column in comparison.columns))
    numbers = ", ".join(str(rules.index(column.rule)) for column in comparison.columns)
    exported = "in_export[place]"
    cases = " ".join(
        f"when {number} then {form_in_log(rule, 'logged', 'declared[place]')}"
        f" = {form_in_export(rule, exported)}"
        for number, rule in enumerate(rules)
    )
    return f"case array({numbers})[place] {cases} end"


def _tell_examples(comparison: Comparison, cells: "DataFrame", most: int) -> None:
    """Tell the first of each kind, in the order of their keys."""
    from pyspark.sql import Window
    from pyspark.sql.functions import col, row_number

    order = [f"coalesce(log_{at}, export_{at})" for at in range(len(comparison.keys))]
    found = cells.where(col("kind").isin(MISSING, TOO_MANY, DIFFERENT)).selectExpr(
        "kind",
        f"array({', '.join(order)}) as key",
        "coalesce(in_log, in_export) as cells",
        "place",
        "logged",
        "in_export[place] as exported",
    )
    number = row_number().over(Window.partitionBy("kind").orderBy("key", "place"))
    chosen = found.withColumn("number", number).where(col("number") <= most)
    for row in chosen.orderBy("kind", "number").collect():
        key = dict(zip(comparison.keys, row.cells, strict=False))
        if row.kind == DIFFERENT:
            name = comparison.columns[row.place].name
            comparison.tell_cell(key, name, row.logged, row.exported)
        else:
            comparison.tell_row(row.kind, key)


def compare_copies(
    comparison: Comparison, log: "DataFrame", export: "DataFrame", most_examples: int
) -> None:
    """Compare how often each row is there: first equal texts, then equal values of what is left.

    ``log`` has the columns in_log, copies and value_encoding, ``export`` in_export.
    """
    from pyspark.sql import Observation, Window
    from pyspark.sql.functions import col, expr, row_number

    seen = (Observation(), Observation())
    places = range(len(comparison.columns))
    copies = (
        log.observe(seen[0], expr("coalesce(sum(copies), 0) as rows"))
        .selectExpr("in_log as cells", "copies", "value_encoding")
        .union(_observed(export, seen[1]).selectExpr("in_export", "-1", "null"))
    )
    left = copies.groupBy("cells").agg(
        expr("sum(copies) as balance"), expr("max(value_encoding) as value_encoding")
    )
    values = (
        f"if(balance > 0, {_of_log(comparison, at, 'cells')}, "
        f"{_of_export(comparison, at, 'cells')})"
        for at in places
    )
    counted = (
        _knowing(comparison, left.where("balance <> 0"))
        .selectExpr("balance", "cells", f"array({', '.join(values)}) as row_value")
        .groupBy("row_value")
        .agg(
            expr("sum(greatest(balance, 0)) as in_log"),
            expr("sum(greatest(-balance, 0)) as in_export"),
            expr("min(cells) as cells"),
        )
    )
    total: Any = counted.agg(
        expr("coalesce(sum(least(in_log, in_export)), 0) as by_rule"),
        expr("coalesce(sum(greatest(in_export - in_log, 0)), 0) as missing"),
        expr("coalesce(sum(greatest(in_log - in_export, 0)), 0) as too_many"),
    ).first()
    comparison.rows_in_log, comparison.rows_in_export = (one.get["rows"] for one in seen)
    comparison.rows_by_rule = total.by_rule
    comparison.found = +Counter({MISSING: total.missing, TOO_MANY: total.too_many})
    if not comparison.differs:
        return
    kind = f"if(in_export > in_log, '{MISSING}', '{TOO_MANY}') as kind"
    wrong = counted.where("in_log <> in_export").selectExpr("*", kind)
    number = row_number().over(Window.partitionBy("kind").orderBy("cells"))
    chosen = wrong.withColumn("number", number).where(col("number") <= most_examples)
    names = [column.name for column in comparison.columns]
    for row in chosen.orderBy("kind", "number").collect():
        cells = dict(zip(names, row.cells, strict=True))
        comparison.tell_row(row.kind, cells, abs(row.in_log - row.in_export))
