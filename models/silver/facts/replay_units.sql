-- One row per source that has statements: all that decides what the statements make of its tables,
-- and the hash of it.

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

named_tables as (

    select
        source,
        database_identity as database_name,
        schema_name,
        table_name,
        max(topic_key_columns) as key_columns
    from {{ ref('mention_names') }}
    where
        marked_unit is null
        and table_name is not null
    group by
        source,
        database_identity,
        schema_name,
        table_name
    having bool_or(has_rows)

),

names as (

    select
        source,
        array_sort(
            collect_list(struct(database_name, schema_name, table_name, key_columns))
        ) as names
    from named_tables
    group by source

),

-- The place of the message that names a key is told by the last statements below the message: new
-- rows alone do not make a source replayed anew. A backfilled row has its place by time, in no
-- line.
keys as (

    select
        named_keys.source,
        array_sort(collect_list(struct(
            named_keys.named_at,
            struct(
                named_keys.database_name,
                named_keys.schema_name,
                named_keys.table_name,
                if(startswith(named_keys.named_at.position, '0'), null, named_keys.line) as line,
                array_max(filter(
                    statements.statements,
                    said -> said.line = named_keys.line
                    and said.position < named_keys.named_at.position
                ).position) as after_position,
                if(
                    named_keys.named_at.event_at is null,
                    null,
                    coalesce(array_max(filter(
                        statements.statements.event_at,
                        at -> at <= unix_micros(named_keys.named_at.event_at)
                    )), 0)
                ) as after_at,
                named_keys.key_columns
            ) as key
        ))).key as keys
    from {{ ref('named_keys') }} as named_keys
    inner join statements on named_keys.source = statements.source
    group by named_keys.source

),

lists as (

    select
        source,
        sort_array(collect_list(struct(database_name, table_name, columns))) as lists
    from {{ ref('table_settings') }}
    group by source

)

select
    statements.source as unit,
    {{ whole_stamp('statements.statements, names.names, keys.keys, lists.lists') }} as stamp,
    cast(null as map<string, string>) as reach,
    cast(null as array<string>) as about,
    array() as parts,
    array(statements.source) as sources,
    cast(null as bigint) as messages,
    cast(null as timestamp) as first_built_at,
    cast(null as timestamp) as built_at,
    statements.statements,
    names.names,
    keys.keys,
    lists.lists
from statements
left join names on statements.source = names.source
left join keys on statements.source = keys.source
left join lists on statements.source = lists.source
