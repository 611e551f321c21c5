-- One row per source that has statements: all that decides what the statements make of its tables.

with statements as (

    select
        source,
        sort_array(collect_list(named_struct(
            'line', line,
            'position', log_position,
            'event_at', unix_micros(event_at),
            'database_name', database_identity,
            'schema_name', schema_name,
            'table_name', table_name,
            'operation', operation,
            'database_type', database_type,
            'text', statement,
            'parsed', parsed
        ))) as statements
    from {{ ref('placed_statements') }}
    where not is_repeat
    group by source

),

keys as (

    select
        source,
        database_identity as database_name,
        schema_name,
        table_name,
        max(last_key).columns as key_columns
    from {{ ref('mention_names') }}
    where
        marked_unit is null
        and rows > 0
    group by
        source,
        database_identity,
        schema_name,
        table_name

),

names as (

    select
        source,
        sort_array(
            collect_list(struct(database_name, schema_name, table_name, key_columns))
        ) as names
    from keys
    group by source

),

lists as (

    select
        source,
        sort_array(collect_list(struct(database_name, table_name, columns))) as lists
    from {{ ref('table_settings') }}
    group by source

)

select
    statements.source,
    statements.statements,
    names.names,
    lists.lists
from statements
left join names on statements.source = names.source
left join lists on statements.source = lists.source
