"""(b) The columns of ``from_json_job`` by DuckDB's `read_json`: message files to Parquet."""

import os
import sys
from pathlib import Path

import duckdb

from benchmarks.measure import Report
from benchmarks.number_texts import IS_SAMPLED

# What all three streams say alike, and what the key of their tables says.
COMMON = """
    source_topic as topic, source_topic as source, 'UTC' as time_zone, false as is_partial,
    'both' as image, 0 as partition, 1 as batch, now() as received_at,
    map {'id': coalesce(after, before)['id']} as key,
    if(before['id'] <> after['id'], map {'id': before['id']}, null) as previous_key
"""

CANAL = """
    with messages as (
        select *, row_number() over () - 1 as "offset"
        from read_json('{file}', format = 'newline_delimited', columns = {{
            data: 'map(varchar, varchar)[]', old: 'map(varchar, varchar)[]', type: 'varchar',
            database: 'varchar', "table": 'varchar', es: 'varchar', gtid: 'varchar',
            mysqlType: 'map(varchar, varchar)'
        }})
    ),
    numbered as (
        select *, unnest(data) as row_image, generate_subscripts(data, 1) as row_number
        from messages
    )
    select
        'canal' as source_topic, concat_ws('-', 'canal', 0, "offset", row_number - 1) as change_id,
        "offset", row_number - 1 as row_index, 'oms_canal' as envelope, lower(type) as operation,
        database as database_name, null::varchar as schema_name, "table" as table_name,
        case type
            when 'DELETE' then row_image
            when 'UPDATE' then map_concat(row_image, old[row_number])
        end as before,
        if(type = 'DELETE', null, row_image) as after,
        mysqlType as column_types, 'canal' as value_encoding, epoch_ms(es::bigint) as event_at,
        false as is_backfill,
        concat_ws(
            ' ', lpad("offset"::varchar, 19, '0'), lpad('0', 10, '0'),
            lpad((row_number - 1)::varchar, 10, '0')
        ) as log_position,
        gtid as transaction_id
    from numbered
"""

DEBEZIUM = """
    with messages as (
        select payload, payload.source as source, row_number() over () - 1 as "offset"
        from read_json('{file}', format = 'newline_delimited', columns = {{
            payload: 'struct(op varchar, before map(varchar, varchar), after map(varchar, varchar),
                source struct(ts_ms varchar, db varchar, schema varchar, "table" varchar,
                gtid varchar, file varchar, pos varchar, row varchar),
                transaction struct(id varchar))'
        }})
    )
    select
        'debezium' as source_topic,
        concat_ws('-', source.file, source.pos, source.row) as change_id,
        "offset", 0 as row_index, 'oms_debezium' as envelope,
        case payload.op
            when 'c' then 'insert' when 'u' then 'update' when 'd' then 'delete' else 'read'
        end as operation,
        source.db as database_name, source.schema as schema_name, source.table as table_name,
        payload.before as before, payload.after as after,
        null::map(varchar, varchar) as column_types, 'kafka_connect' as value_encoding,
        epoch_ms(source.ts_ms::bigint) as event_at, payload.op = 'r' as is_backfill,
        concat_ws(
            ' ', regexp_extract(source.file, '[0-9]+$'), lpad(source.pos, 19, '0'),
            lpad(source.row, 10, '0')
        ) as log_position,
        coalesce(source.gtid, payload.transaction.id) as transaction_id
    from messages
"""

DATASTREAM = """
    with messages as (
        select *, source_metadata as source, row_number() over () - 1 as "offset"
        from read_json('{file}', format = 'newline_delimited', columns = {{
            uuid: 'varchar', read_method: 'varchar', source_timestamp: 'varchar',
            source_metadata: 'struct("table" varchar, database varchar, log_file varchar,
                log_position varchar, change_type varchar, is_deleted boolean)',
            payload: 'map(varchar, varchar)'
        }})
    )
    select
        'datastream' as source_topic, uuid as change_id, "offset", 0 as row_index,
        'datastream' as envelope, lower(source.change_type) as operation,
        source.database as database_name, null::varchar as schema_name,
        source.table as table_name,
        if(source.is_deleted, payload, null) as before,
        if(source.is_deleted, null, payload) as after,
        null::map(varchar, varchar) as column_types, 'datastream' as value_encoding,
        source_timestamp::timestamptz as event_at,
        contains(read_method, 'backfill') as is_backfill,
        concat_ws(
            ' ', regexp_extract(source.log_file, '[0-9]+$'), lpad(source.log_position, 19, '0')
        ) as log_position,
        null::varchar as transaction_id
    from messages
"""


def main(folder: Path) -> None:
    """Flatten the files under ``folder``/messages/measured into ``folder``/read_json."""
    database = duckdb.connect()
    database.execute("set threads = 2")
    messages, written = folder / "messages" / "measured", folder / "read_json"
    written.mkdir()
    report = Report()
    with report.measured("read_json"):
        for topic, query in (("canal", CANAL), ("debezium", DEBEZIUM), ("datastream", DATASTREAM)):
            flat = query.format(file=messages / topic / "messages.jsonl")
            log = f"select * exclude (source_topic), {COMMON} from ({flat})"
            database.execute(f"copy ({log}) to '{written}/{topic}.parquet'")
    changes = f"from read_parquet('{written}/*.parquet')"
    ((report.rows,),) = database.execute(f"select count(*) {changes}").fetchall()
    described = database.execute(f"describe select * {changes}").fetchall()
    report.columns = sorted(name for name, *_ in described)
    sampled = database.execute(f"select before, after {changes} where {IS_SAMPLED}").fetchall()
    report.add_images([image for row in sampled for image in row])
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
