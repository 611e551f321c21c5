"""What one writes by hand instead: landed lines as text, `from_json`, Delta; an envelope at a time.

It knows these three streams only and looks for no repeats. The columns are those of resolve.events,
but from_json reads numbers before it writes them, so 1.10 becomes 1.1.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Report, cpu_seconds
from benchmarks.number_texts import IS_SAMPLED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMN_TYPES = {
    "topic": "string",
    "partition": "int",
    "offset": "bigint",
    "row_index": "int",
    "batch": "bigint",
    "received_at": "timestamp",
    "envelope": "string",
    "operation_code": "string",
    "database_name": "string",
    "schema_name": "string",
    "table_name": "string",
    "key_columns": "array<string>",
    "key_values": "array<string>",
    "row_id": "string",
    "before": "map<string, string>",
    "after": "map<string, string>",
    "is_partial": "boolean",
    "image": "string",
    "pair_id": "string",
    "before_values": "array<string>",
    "after_values": "array<string>",
    "column_types": "map<string, string>",
    "value_encoding": "string",
    "event_time": "string",
    "event_time_unit": "string",
    "is_backfill": "boolean",
    "position": "string",
    "position_line": "string",
    "is_placed": "boolean",
    "unique_id": "string",
    "transaction_id": "string",
    "statement": "string",
    "statement_meta": "string",
    "database_type": "string",
    "table_changes": "string",
    "statement_anchor": "string",
    "database_naming": "string",
    "is_ordered_by_line": "boolean",
    "rejection": "string",
}

COMMON = {
    "topic": "line.topic",
    "partition": "line.partition",
    "offset": "line.offset",
    "row_index": "0",
    "batch": "batch",
    "received_at": "line.received_at",
    "is_partial": "false",
    "image": "'both'",
    "is_backfill": "false",
    "is_placed": "true",
    "database_naming": "'plain'",
    "is_ordered_by_line": "false",
    "rejection": "if(line.message is null, 'cannot be read', null)",
}

CANAL_MESSAGE = """struct<
    id: string, database: string, table: string, type: string, isDdl: string, es: string,
    ts: string, sql: string, gtid: string, pkNames: array<string>, mysqlType: map<string, string>,
    data: array<map<string, string>>, old: array<map<string, string>>
>"""

CANAL = COMMON | {
    "row_index": "row_index",
    "envelope": "'oms_canal'",
    "operation_code": "line.message.type",
    "database_name": "line.message.database",
    "table_name": "line.message.table",
    "key_columns": "line.message.pkNames",
    "before": """case line.message.type
        when 'DELETE' then row
        when 'UPDATE' then map_concat(row, line.message.old[row_index])
    end""",
    "after": "if(line.message.type = 'DELETE', null, row)",
    "column_types": "line.message.mysqlType",
    "value_encoding": "'canal'",
    "event_time": "line.message.es",
    "event_time_unit": "'ms'",
    "position": "concat_ws(' ', lpad(line.offset, 19, '0'), lpad(line.partition, 10, '0'))",
    "transaction_id": "line.message.gtid",
    "statement": "nullif(line.message.sql, '')",
}

DEBEZIUM_MESSAGE = """struct<payload: struct<
    op: string, before: map<string, string>, after: map<string, string>, source: struct<
        connector: string, name: string, ts_ms: string, snapshot: string, db: string,
        schema: string, table: string, gtid: string, file: string, pos: string, row: string
    >, ts_ms: string, transaction: struct<id: string>
>>"""

DEBEZIUM_PLACE = "line.message.payload.source"

DEBEZIUM = COMMON | {
    "envelope": "'oms_debezium'",
    "operation_code": "line.message.payload.op",
    "database_name": "line.message.payload.source.db",
    "schema_name": "line.message.payload.source.schema",
    "table_name": "line.message.payload.source.table",
    "before": "line.message.payload.before",
    "after": "line.message.payload.after",
    "value_encoding": "'kafka_connect'",
    "database_type": "line.message.payload.source.connector",
    "event_time": "line.message.payload.source.ts_ms",
    "event_time_unit": "'magnitude'",
    "is_backfill": "line.message.payload.op = 'r'",
    "position": f"""concat_ws(
        ' ',
        regexp_extract({DEBEZIUM_PLACE}.file, '[0-9]+$', 0),
        lpad({DEBEZIUM_PLACE}.pos, 19, '0'),
        lpad({DEBEZIUM_PLACE}.row, 10, '0')
    )""",
    "unique_id": f"""if(
        line.message.payload.op = 'r',
        null,
        concat_ws('-', {DEBEZIUM_PLACE}.file, {DEBEZIUM_PLACE}.pos, {DEBEZIUM_PLACE}.row)
    )""",
    "transaction_id": """coalesce(
        line.message.payload.source.gtid, line.message.payload.transaction.id
    )""",
}

DATASTREAM_MESSAGE = """struct<
    uuid: string, read_method: string, object: string, read_timestamp: string,
    source_timestamp: string, source_metadata: struct<
        table: string, database: string, primary_keys: array<string>, log_file: string,
        log_position: string, change_type: string, is_deleted: boolean
    >, payload: map<string, string>
>"""

DATASTREAM_PLACE = "line.message.source_metadata"

DATASTREAM = COMMON | {
    "envelope": "'datastream'",
    "operation_code": f"{DATASTREAM_PLACE}.change_type",
    "database_name": f"{DATASTREAM_PLACE}.database",
    "table_name": f"{DATASTREAM_PLACE}.table",
    "key_columns": f"{DATASTREAM_PLACE}.primary_keys",
    "before": f"if({DATASTREAM_PLACE}.is_deleted, line.message.payload, null)",
    "after": f"if({DATASTREAM_PLACE}.is_deleted, null, line.message.payload)",
    "value_encoding": "'datastream'",
    "event_time": "line.message.source_timestamp",
    "event_time_unit": "'iso'",
    "is_backfill": "contains(line.message.read_method, 'backfill')",
    "position": f"""concat_ws(
        ' ',
        regexp_extract({DATASTREAM_PLACE}.log_file, '[0-9]+$', 0),
        lpad({DATASTREAM_PLACE}.log_position, 19, '0')
    )""",
    "unique_id": "line.message.uuid",
}

# The same marks of identity that resolve.events has.
CONTENT_HASH = """if(
    unique_id is not null or is_backfill,
    xxhash64(
        operation_code, database_name, schema_name, table_name,
        sort_array(map_entries(before)), sort_array(map_entries(after)), statement
    ),
    null
)"""
ID_HASH = """if(
    unique_id is null,
    xxhash64(topic, partition, offset, row_index),
    xxhash64(unique_id, content_hash)
)"""


def main(folder: Path) -> None:
    """Flatten what onelog has landed in ``folder``/onelog: the warm-up's batch, then the other."""
    from landing.session import open_session

    landed = folder / "onelog" / "bronze.db" / "messages"
    report = Report()
    with open_session() as spark:
        report.start_cpu = cpu_seconds()
        written = str(folder / "from_json" / "events")
        flatten_batch(spark, landed, 1, written)
        with report.measured("from_json"):
            flatten_batch(spark, landed, 2, written)
        written_events = spark.read.format("delta").load(written).where("batch = 2")
        report.rows, report.columns = written_events.count(), sorted(written_events.columns)
        sampled = written_events.where(IS_SAMPLED).select("before", "after").collect()
        report.add_images([image for row in sampled for image in row])
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


def flatten_batch(spark: "SparkSession", landed: Path, batch: int, written: str) -> None:
    """Append the rows of one batch, an envelope at a time."""
    canal = read_lines(spark, landed / "envelope=oms_canal", batch, CANAL_MESSAGE)
    canal = canal.selectExpr(
        "batch", "line", "posexplode_outer(line.message.data) as (row_index, row)"
    )
    debezium = read_lines(spark, landed / "envelope=oms_debezium", batch, DEBEZIUM_MESSAGE)
    datastream = read_lines(spark, landed / "envelope=datastream", batch, DATASTREAM_MESSAGE)
    for lines, columns in ((canal, CANAL), (debezium, DEBEZIUM), (datastream, DATASTREAM)):
        events(lines, columns).write.format("delta").partitionBy("envelope").save(
            written, mode="append"
        )


def read_lines(spark: "SparkSession", folder: Path, batch: int, message: str) -> "DataFrame":
    """The landed lines of one envelope's batch, parsed."""
    line = f"topic string, partition int, offset bigint, received_at timestamp, message {message}"
    return spark.read.text(str(folder / f"batch={batch}"), lineSep="\n").selectExpr(
        f"cast({batch} as bigint) as batch", f"from_json(value, '{line}') as line"
    )


def events(lines: "DataFrame", columns: dict[str, str]) -> "DataFrame":
    """The columns of resolve.events by name, type and order."""
    flat = lines.selectExpr(
        *(
            f"cast({columns.get(name, 'null')} as {data_type}) as {name}"
            for name, data_type in COLUMN_TYPES.items()
        )
    )
    return (
        flat.selectExpr("*", f"{CONTENT_HASH} as content_hash")
        .selectExpr("*", f"{ID_HASH} as id_hash")
        .selectExpr("*", "current_timestamp() as built_at")
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
