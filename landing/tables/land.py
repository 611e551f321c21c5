"""Lands the rows of a Spark table or view that are new since its last landing, as one batch."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from landing.bronze import rewrites, store
from landing.bronze.store import Place
from landing.errors import LandingError, UserError
from landing.records import Records, Written, land_records
from landing.report import Report
from landing.tables.source import OFFSET, Source, compares, read_source

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row, SparkSession

INGRESS = "table"


@dataclass(frozen=True)
class Mark:
    """What a landing leaves for the next one of its table, in the digest of ``bronze.batches``.

    ``greatest`` is the greatest value of column ``by`` that has landed, as text, and ``type`` that
    column's. Both are NULL for a table with offsets: the batch's own offsets say where it goes on.
    """

    by: str | None
    type: str | None = None
    greatest: str | None = None


@dataclass(frozen=True)
class NewRows:
    """Records to land, their number by place, and where each place goes on."""

    frame: "DataFrame"
    counts: dict[Place, int]
    ends: dict[Place, int]


def land_table(
    spark: "SparkSession",
    name: str,
    topic: str | None = None,
    by: str | None = None,
    progress: Callable[[str], None] = lambda step: None,
) -> Report:
    """Land the new rows; without one there is no batch.

    New are the rows whose ``offset`` is not below the next one of their topic and partition; in a
    table without offsets those whose column ``by`` is greater than all that has landed, and without
    ``by`` all, once. Raises :class:`UserError` where new rows cannot be told by that.
    """
    progress(f"looking for new rows of {name}")
    source = read_source(spark, name, topic, by)
    number = rewrites.prepare(spark).batch
    batches = store.history(spark, _topics(source), number)
    next_offsets = store.next_offsets(batches, INGRESS)
    last = _last_mark(source, batches)
    if source.by == OFFSET:
        rows, mark = _by_offset(source, next_offsets), Mark(OFFSET)
    else:
        rows, mark = _by_column(source, last, next_offsets)
    report = Report()
    if not rows.counts:
        return report
    digest = json.dumps(vars(mark), ensure_ascii=False)
    ends = store.with_unmoved(next_offsets, rows.ends)
    marks = {place: (_path(source), digest) for place in ends}

    def check(written: Written) -> None:
        if written.places != rows.counts:
            raise LandingError(f"nothing was landed: {name} changed while it was read; try again")

    records = Records(INGRESS, rows.frame, ends, marks)
    land_records(spark, records, number, report, check, progress)
    return report


def _topics(source: Source) -> list[str]:
    if source.topic is not None:
        return [source.topic]
    topics = [row.topic for row in source.frame.select("topic").distinct().collect()]
    if None in topics:
        raise UserError(
            f"table {source.name}: there are rows whose topic is NULL: land a view without them"
        )
    return topics


def _path(source: Source) -> str:
    return f"table:{source.name}"


def _last_mark(source: Source, batches: list["Row"]) -> Mark | None:
    """What the last landing of this table left.

    Raises :class:`UserError` where another table feeds one of its topics, where its rows were told
    new by something else than now, or where nothing tells them and it has landed.
    """
    last = None
    for batch in batches:
        for file in batch.files:
            if file.path != _path(source):
                raise UserError(
                    f"topic {file.topic} is fed by {file.path.removeprefix('table:')}: "
                    f"{source.name} cannot land in it as well; say --topic for another"
                )
            last = Mark(**json.loads(file.digest))
    elsewhere = "to land the whole table under another topic, say --topic"
    if last and source.by is None:
        raise UserError(
            f"table {source.name} has landed, and nothing tells which of its rows are newer: it "
            f"needs a column offset, or --by and a column that grows; {elsewhere}"
        )
    if last and (last.by != source.by or not compares(last.type, source.by_type)):
        raise UserError(
            f"table {source.name} has landed by {_column(last.by, last.type)}, not by "
            f"{_column(source.by, source.by_type)}: new rows cannot be told by that; {elsewhere}"
        )
    return last


def _column(name: str | None, type_name: str | None) -> str:
    return f"column {name} {type_name or ''}".strip() if name else "no column"


def _by_offset(source: Source, next_offsets: Mapping[Place, int]) -> NewRows:
    """The rows from the next offset on, by their own numbers."""
    from pyspark.sql import functions as f

    offset, count = f.col("offset"), f.col("count")
    is_new = offset >= f.coalesce(_value_by_place(next_offsets), offset)
    rows = source.frame.where(offset.isNull() | is_new)
    numbers = rows.groupBy("topic", "partition", "offset").count()
    places = numbers.groupBy("topic", "partition").agg(
        f.sum("count").alias("count"),
        f.sum(f.when(offset.isNull(), count)).alias("without"),
        f.min("offset").alias("first"),
        f.max("offset").alias("last"),
        f.min(f.when(offset.isNotNull() & (count > 1), offset)).alias("repeated"),
    )
    found = places.collect()
    for place in found:
        _refuse(source, place, place.without, "{} rows have no offset")
        _refuse(source, place, place.repeated, "several rows have offset {}")
        first = None if place.first >= 0 else place.first
        _refuse(source, place, first, "offset {} is below 0")
    ends = {(place.topic, place.partition): place.last + 1 for place in found}
    # What is added meanwhile is the next landing's.
    return NewRows(rows.where(offset < _value_by_place(ends)), _counts(found), ends)


def _by_column(
    source: Source, last: Mark | None, next_offsets: Mapping[Place, int]
) -> tuple[NewRows, Mark]:
    """The rows above the greatest value that has landed, numbered in the order of the column."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    by, rows = f.col("by"), source.frame
    if last and last.type:
        rows = rows.where(by.isNull() | (by > f.lit(last.greatest).cast(last.type)))
    found = (
        rows.groupBy("topic", "partition")
        .agg(
            f.count("*").alias("count"),
            f.nullif(f.count_if(by.isNull()), f.lit(0)).alias("without"),
            f.max(by).alias("greatest"),
        )
        .withColumn("greatest", f.max("greatest").over(Window.partitionBy()).cast("string"))
        .collect()
    )
    for place in found:
        without = place.without if source.by else None
        _refuse(source, place, without, f"{{}} rows have no {source.by}")
    greatest = found[0].greatest if found else None
    if source.by_type:
        # What is added meanwhile is the next landing's.
        rows = rows.where(by <= f.lit(greatest).cast(source.by_type))
    counts = _counts(found)
    ends = {place: next_offsets.get(place, 0) + count for place, count in counts.items()}
    numbered = _numbered(rows, source.by is not None, next_offsets)
    return NewRows(numbered, counts, ends), Mark(source.by, source.by_type, greatest)


def _numbered(
    rows: "DataFrame", is_ordered: bool, next_offsets: Mapping[Place, int]
) -> "DataFrame":
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    order = f.col("by") if is_ordered else f.monotonically_increasing_id()
    of_place = Window.partitionBy("topic", "partition").orderBy("order")
    first = f.coalesce(_value_by_place(next_offsets), f.lit(0))
    numbered = rows.withColumn("order", order).withColumn(
        "offset", f.row_number().over(of_place).cast("bigint") - 1 + first
    )
    # One task numbers a place; all may examine its messages.
    return numbered.repartition(rows.sparkSession.sparkContext.defaultParallelism, "offset")


def _counts(places: Iterable["Row"]) -> dict[Place, int]:
    return {(place.topic, place.partition): place["count"] for place in places}


def _refuse(source: Source, place: "Row", found: int | None, what: str) -> None:
    if place.partition is None:
        raise UserError(
            f"table {source.name}, topic {place.topic}: there are rows whose partition is NULL or "
            "no int: land a view without them"
        )
    if found is not None:
        where = f"table {source.name}, topic {place.topic}, partition {place.partition}"
        raise UserError(f"{where}: {what.format(found)}: land a view without such rows")


def _value_by_place(values: Mapping[Place, int]) -> "Column":
    """The value of a row's topic and partition; NULL where it has none.

    Where both are constants of the table, Spark folds this into a literal and prunes files by it.
    """
    from pyspark.sql import functions as f

    found: Column | None = None
    for (topic, partition), value in values.items():
        is_here = (f.col("topic") == topic) & (f.col("partition") == partition)
        number = f.lit(value).cast("bigint")
        found = f.when(is_here, number) if found is None else found.when(is_here, number)
    return f.lit(None).cast("bigint") if found is None else found
