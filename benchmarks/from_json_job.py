"""(a) What one writes by hand in an afternoon: `from_json` of the landed lines, one Delta append.

It knows these three streams only, looks for no repeats and computes no hashes. The columns are
those of silver.change_log that the messages themselves can fill. from_json reads numbers before it
writes them, so 1.10 becomes 1.1.
"""

import os
import sys
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import Report, cpu_seconds
from benchmarks.messages import MEASURED_BATCH
from benchmarks.number_texts import IS_SAMPLED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMN_TYPES = {
    "change_id": "string",
    "envelope": "string",
    "topic": "string",
    "source": "string",
    "database_name": "string",
    "schema_name": "string",
    "table_name": "string",
    "operation": "string",
    "before": "map<string, string>",
    "after": "map<string, string>",
    "key": "map<string, string>",
    "previous_key": "map<string, string>",
    "column_types": "map<string, string>",
    "value_encoding": "string",
    "time_zone": "string",
    "transaction_id": "string",
    "event_at": "timestamp",
    "log_position": "string",
    "is_partial": "boolean",
    "is_backfill": "boolean",
    "image": "string",
    "partition": "int",
    "offset": "bigint",
    "row_index": "int",
    "batch": "bigint",
    "received_at": "timestamp",
}
# Of the change log's columns, those that only onelog needs: a job by hand does without them.
LEFT_OUT = {
    "database_identity",
    "table_id",
    "line",
    "state_id",
    "previous_state_id",
    "table_key_columns",
    "previous_key_position",
    "messages",
    "built_at",
}
STATISTICS = ("delta.dataSkippingStatsColumns", "topic,partition,offset")

COMMON = {
    "topic": "line.topic",
    "source": "line.topic",
    "partition": "line.partition",
    "offset": "line.offset",
    "row_index": "0",
    "batch": "batch",
    "received_at": "line.received_at",
    "time_zone": "'UTC'",
    "is_partial": "false",
    "is_backfill": "false",
    "image": "'both'",
}
# Of the columns above: all three streams are of tables whose key is `id`.
KEYS = {
    "key": "map('id', coalesce(after['id'], before['id']))",
    "previous_key": "if(before['id'] <> after['id'], map('id', before['id']), null)",
}

CANAL_MESSAGE = """struct<
    database: string, table: string, type: string, es: string, gtid: string,
    mysqlType: map<string, string>, data: array<map<string, string>>,
    old: array<map<string, string>>
>"""

CANAL = COMMON | {
    "change_id": "concat_ws('-', line.topic, line.partition, line.offset, row_index)",
    "row_index": "row_index",
    "envelope": "'oms_canal'",
    "operation": "lower(line.message.type)",
    "database_name": "line.message.database",
    "table_name": "line.message.table",
    "before": """case line.message.type
        when 'DELETE' then row
        when 'UPDATE' then map_concat(row, line.message.old[row_index])
    end""",
    "after": "if(line.message.type = 'DELETE', null, row)",
    "column_types": "line.message.mysqlType",
    "value_encoding": "'canal'",
    "event_at": "timestamp_millis(cast(line.message.es as bigint))",
    "log_position": """concat_ws(
        ' ', lpad(line.offset, 19, '0'), lpad(line.partition, 10, '0'), lpad(row_index, 10, '0')
    )""",
    "transaction_id": "line.message.gtid",
}

DEBEZIUM_MESSAGE = """struct<payload: struct<
    op: string, before: map<string, string>, after: map<string, string>, source: struct<
        ts_ms: string, db: string, schema: string, table: string, gtid: string, file: string,
        pos: string, row: string
    >, transaction: struct<id: string>
>>"""

DEBEZIUM_PLACE = "line.message.payload.source"

DEBEZIUM = COMMON | {
    "change_id": f"""concat_ws(
        '-', {DEBEZIUM_PLACE}.file, {DEBEZIUM_PLACE}.pos, {DEBEZIUM_PLACE}.row
    )""",
    "envelope": "'oms_debezium'",
    "operation": """case line.message.payload.op
        when 'c' then 'insert' when 'u' then 'update' when 'd' then 'delete' else 'read'
    end""",
    "database_name": f"{DEBEZIUM_PLACE}.db",
    "schema_name": f"{DEBEZIUM_PLACE}.schema",
    "table_name": f"{DEBEZIUM_PLACE}.table",
    "before": "line.message.payload.before",
    "after": "line.message.payload.after",
    "value_encoding": "'kafka_connect'",
    "event_at": f"timestamp_millis(cast({DEBEZIUM_PLACE}.ts_ms as bigint))",
    "is_backfill": "line.message.payload.op = 'r'",
    "log_position": f"""concat_ws(
        ' ',
        regexp_extract({DEBEZIUM_PLACE}.file, '[0-9]+$', 0),
        lpad({DEBEZIUM_PLACE}.pos, 19, '0'),
        lpad({DEBEZIUM_PLACE}.row, 10, '0')
    )""",
    "transaction_id": f"coalesce({DEBEZIUM_PLACE}.gtid, line.message.payload.transaction.id)",
}

DATASTREAM_MESSAGE = """struct<
    uuid: string, read_method: string, source_timestamp: string, source_metadata: struct<
        table: string, database: string, log_file: string, log_position: string,
        change_type: string, is_deleted: boolean
    >, payload: map<string, string>
>"""

DATASTREAM_PLACE = "line.message.source_metadata"

DATASTREAM = COMMON | {
    "change_id": "line.message.uuid",
    "envelope": "'datastream'",
    "operation": f"lower({DATASTREAM_PLACE}.change_type)",
    "database_name": f"{DATASTREAM_PLACE}.database",
    "table_name": f"{DATASTREAM_PLACE}.table",
    "before": f"if({DATASTREAM_PLACE}.is_deleted, line.message.payload, null)",
    "after": f"if({DATASTREAM_PLACE}.is_deleted, null, line.message.payload)",
    "value_encoding": "'datastream'",
    "event_at": "to_timestamp(line.message.source_timestamp)",
    "is_backfill": "contains(line.message.read_method, 'backfill')",
    "log_position": f"""concat_ws(
        ' ',
        regexp_extract({DATASTREAM_PLACE}.log_file, '[0-9]+$', 0),
        lpad({DATASTREAM_PLACE}.log_position, 19, '0')
    )""",
}


def main(folder: Path) -> None:
    """Flatten what onelog has landed in ``folder``/onelog: the warm-up's batches, then the last."""
    from landing.session import open_session

    landed = folder / "onelog" / "bronze.db" / "messages"
    written = str(folder / "from_json" / "change_log")
    report = Report()
    with open_session() as spark:
        report.start_cpu = cpu_seconds()
        for batch in range(1, MEASURED_BATCH):
            flatten_batch(spark, landed, batch, written)
        with report.measured("from_json"):
            flatten_batch(spark, landed, MEASURED_BATCH, written)
        changes = spark.read.format("delta").load(written).where(f"batch = {MEASURED_BATCH}")
        report.rows, report.columns = changes.count(), sorted(changes.columns)
        sampled = changes.where(IS_SAMPLED).select("before", "after").collect()
        report.add_images([image for row in sampled for image in row])
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


def flatten_batch(spark: "SparkSession", landed: Path, batch: int, written: str) -> None:
    """Append the rows of one batch, of all envelopes at once."""
    canal = read_lines(spark, landed / "envelope=oms_canal", batch, CANAL_MESSAGE)
    canal = canal.selectExpr(
        "batch", "line", "posexplode_outer(line.message.data) as (row_index, row)"
    )
    debezium = read_lines(spark, landed / "envelope=oms_debezium", batch, DEBEZIUM_MESSAGE)
    datastream = read_lines(spark, landed / "envelope=datastream", batch, DATASTREAM_MESSAGE)
    streams = ((canal, CANAL), (debezium, DEBEZIUM), (datastream, DATASTREAM))
    union = reduce(lambda one, other: one.unionAll(other), (changes(*each) for each in streams))
    union.write.format("delta").option(*STATISTICS).save(written, mode="append")


def read_lines(spark: "SparkSession", folder: Path, batch: int, message: str) -> "DataFrame":
    """The landed lines of one envelope's batch, parsed."""
    line = f"topic string, partition int, offset bigint, received_at timestamp, message {message}"
    return spark.read.text(str(folder / f"batch={batch}"), lineSep="\n").selectExpr(
        f"cast({batch} as bigint) as batch", f"from_json(value, '{line}') as line"
    )


def changes(lines: "DataFrame", columns: dict[str, str]) -> "DataFrame":
    """The columns of the change log, by name, type and order."""
    flat = lines.selectExpr(
        *(
            f"cast({columns.get(name, 'null')} as {data_type}) as {name}"
            for name, data_type in COLUMN_TYPES.items()
            if name not in KEYS
        )
    )
    return flat.selectExpr(
        *(f"{KEYS[name]} as {name}" if name in KEYS else name for name in COLUMN_TYPES)
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
