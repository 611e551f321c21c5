"""The same columns by DuckDB's `read_json`: message files to Parquet, in one process."""

import os
import sys
from pathlib import Path

import duckdb

from benchmarks.measure import Report
from benchmarks.number_texts import IS_SAMPLED

# What these streams do not bring is NULL in resolve.events as well.
ABSENT = """
    null::varchar as schema_name, null::varchar[] as key_values, null::varchar as row_id,
    null::varchar as pair_id, null::varchar[] as before_values, null::varchar[] as after_values,
    null::varchar as position_line, null::varchar as statement_meta, null::varchar as rejection,
    true as is_placed, null::varchar as table_changes, null::varchar as statement_anchor,
    'plain' as database_naming, false as is_ordered_by_line,
    false as is_partial, 'both' as image, 0 as partition, 1 as batch, now() as received_at
"""

CANAL = f"""
    with messages as (
        select *, row_number() over () - 1 as "offset"
        from read_json('{{file}}', format = 'newline_delimited', columns = {{{{
            data: 'map(varchar, varchar)[]', old: 'map(varchar, varchar)[]', type: 'varchar',
            database: 'varchar', "table": 'varchar', es: 'varchar', sql: 'varchar',
            gtid: 'varchar', pkNames: 'varchar[]', mysqlType: 'map(varchar, varchar)'
        }}}})
    ),
    numbered as (
        select *, unnest(data) as row_image, generate_subscripts(data, 1) as row_number
        from messages
    )
    select
        'canal' as topic, "offset", row_number - 1 as row_index, 'oms_canal' as envelope,
        type as operation_code, database as database_name, "table" as table_name,
        pkNames as key_columns,
        case type
            when 'DELETE' then row_image
            when 'UPDATE' then map_concat(row_image, old[row_number])
        end as before,
        if(type = 'DELETE', null, row_image) as after,
        mysqlType as column_types, 'canal' as value_encoding, es as event_time,
        'ms' as event_time_unit, false as is_backfill,
        lpad("offset"::varchar, 19, '0') as position, null::varchar as unique_id,
        gtid as transaction_id, nullif(sql, '') as statement,
        null::varchar as database_type, {ABSENT}
    from numbered
"""

DEBEZIUM = f"""
    with messages as (
        select payload, payload.source as source, row_number() over () - 1 as "offset"
        from read_json('{{file}}', format = 'newline_delimited', columns = {{{{
            payload: 'struct(op varchar, before map(varchar, varchar), after map(varchar, varchar),
                source struct(connector varchar, ts_ms varchar, snapshot varchar, db varchar,
                "table" varchar, gtid varchar, file varchar, pos varchar, row varchar),
                ts_ms varchar)'
        }}}})
    )
    select
        'debezium' as topic, "offset", 0 as row_index, 'oms_debezium' as envelope,
        payload.op as operation_code, source.db as database_name, source.table as table_name,
        null::varchar[] as key_columns, payload.before as before, payload.after as after,
        null::map(varchar, varchar) as column_types, 'kafka_connect' as value_encoding,
        source.ts_ms as event_time, 'magnitude' as event_time_unit,
        payload.op = 'r' as is_backfill,
        concat_ws(
            ' ', regexp_extract(source.file, '[0-9]+$'), lpad(source.pos, 19, '0'),
            lpad(source.row, 10, '0')
        ) as position,
        concat_ws('-', source.file, source.pos, source.row) as unique_id,
        source.gtid as transaction_id, null::varchar as statement,
        source.connector as database_type, {ABSENT}
    from messages
"""

DATASTREAM = f"""
    with messages as (
        select *, source_metadata as source, row_number() over () - 1 as "offset"
        from read_json('{{file}}', format = 'newline_delimited', columns = {{{{
            uuid: 'varchar', read_method: 'varchar', source_timestamp: 'varchar',
            source_metadata: 'struct("table" varchar, database varchar, primary_keys varchar[],
                log_file varchar, log_position varchar, change_type varchar, is_deleted boolean)',
            payload: 'map(varchar, varchar)'
        }}}})
    )
    select
        'datastream' as topic, "offset", 0 as row_index, 'datastream' as envelope,
        source.change_type as operation_code, source.database as database_name,
        source.table as table_name, source.primary_keys as key_columns,
        if(source.is_deleted, payload, null) as before,
        if(source.is_deleted, null, payload) as after,
        null::map(varchar, varchar) as column_types, 'datastream' as value_encoding,
        source_timestamp as event_time, 'iso' as event_time_unit,
        contains(read_method, 'backfill') as is_backfill,
        concat_ws(
            ' ', regexp_extract(source.log_file, '[0-9]+$'), lpad(source.log_position, 19, '0')
        ) as position,
        uuid as unique_id, null::varchar as transaction_id, null::varchar as statement,
        null::varchar as database_type, {ABSENT}
    from messages
"""

HASHED = """
    with flat as ({flat}), hashed as (
        select *, if(
            unique_id is null,
            null,
            hash(
                operation_code, database_name, table_name,
                list_sort(map_entries(before)), list_sort(map_entries(after))
            )
        ) as content_hash
        from flat
    )
    select *, if(
        unique_id is null, hash(topic, "offset", row_index), hash(unique_id, content_hash)
    ) as id_hash, now() as built_at
    from hashed
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
            database.execute(f"copy ({HASHED.format(flat=flat)}) to '{written}/{topic}.parquet'")
    events = f"from read_parquet('{written}/*.parquet')"
    ((report.rows,),) = database.execute(f"select count(*) {events}").fetchall()
    described = database.execute(f"describe select * {events}").fetchall()
    report.columns = sorted(name for name, *_ in described)
    sampled = database.execute(f"select before, after {events} where {IS_SAMPLED}").fetchall()
    report.add_images([image for row in sampled for image in row])
    report.write(Path(os.environ["BENCHMARK_REPORT"]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
