"""Puts the mentions of joined batches together, so that their number does not grow with the runs.

``resolve.mentions`` has a row for each batch and table: at a run every half a minute on a thousand
tables these are millions a day, and each run reads them all. The rows of batches that were joined
become rows of the batch in which their messages lie, as a rebuild would make them.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MENTIONS = "resolve.mentions"
# A row with statements keeps its batch, as statements are found by it.
ORDINARY = "marked_unit is null and statements = 0"
# So does a row of a batch that was read anew when the other one was not, as its mark says when.
# Each mark is found by an equality: after a reroute, or with other operation codes, most batches
# may have one that says it.
JOINED = f"""
    select batches.batch, batches.joined_into
    from bronze.batches
    left join {MENTIONS} as own on cast(batches.batch as string) = own.marked_unit
    left join {MENTIONS} as other on cast(batches.joined_into as string) = other.marked_unit
    where
        batches.joined_into is not null
        and own.mark.replaced_at <=> other.mark.replaced_at
"""
RANGE = f"""
    select min(mentions.batch) as first, max(joined.joined_into) as last
    from {MENTIONS} as mentions
    inner join ({JOINED}) as joined on mentions.batch = joined.batch
    where {ORDINARY}
"""
SAME = ("mention", "line", "topic", "database_name", "schema_name", "table_name", "key_columns")
SUMS = ("rows", "statements", "anchored_statements", "halves", "positional_rows")
LEAST = ("line_start", "least_position")


def put_together(spark: "SparkSession") -> None:
    """Write the rows of joined batches as those of the batch that holds the others, in one commit.

    What is read of them all stays the same: counts, the least and the greatest of each.
    """
    (found,) = spark.sql(RANGE).collect()
    if found.first is None:
        return
    rows = f"{ORDINARY} and batch between {found.first} and {found.last}"
    columns = spark.table(MENTIONS).columns
    kept = {"batch", "marked_unit", "mark", *SAME}
    values = {"marked_unit": "null", "mark": "null"}
    for name in set(columns) - kept:
        function = "sum" if name in SUMS else "min" if name in LEAST else "max"
        values[name] = f"{function}({name})"
    selected = ", ".join(f"{values.get(name, name)} as {name}" for name in columns)
    same = ", ".join(SAME)
    spark.sql(f"""
        insert into {MENTIONS}
        replace where {rows}
        select {selected}
        from (
            select mentions.* except (batch), coalesce(joined.joined_into, mentions.batch) as batch
            from (select * from {MENTIONS} where {rows}) as mentions
            left join ({JOINED}) as joined on mentions.batch = joined.batch
        )
        group by batch, {same}
    """)
