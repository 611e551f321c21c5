{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        unique_key='source',
        pre_hook=["{{ declare_last_read() }}", "{{ set_last_read() }}"]
    )
}}
-- What the statements of each source make of its tables along the log. A source is replayed whole
-- when it brings statements or new names, or when its settings change: statements are few.

with statements as (

    select * from {{ ref('ddl_events') }}

),

named_tables as (

    select * from {{ ref('named_tables') }}

),

outdated as (

    select source from statements
    where built_at > ddl_replays_read_to
    union distinct
    select source from named_tables
    where built_at > ddl_replays_read_to

),

statements_by_source as (

    select
        statements.source,
        collect_list(struct(
            statements.line,
            statements.log_position as position,
            unix_micros(statements.event_at) as event_at,
            statements.database_identity as database_name,
            statements.schema_name,
            statements.table_name,
            statements.operation,
            parsed.statement as text,
            parsed.parsed
        )) as statements
    from statements
    left semi join outdated on statements.source = outdated.source
    left join {{ ref('ddl_statements') }} as parsed
        on statements.statement_id = parsed.statement_id
    group by statements.source

),

names_by_source as (

    select
        source,
        collect_list(struct(database_identity as database_name, schema_name, table_name)) as names
    from named_tables
    group by source

),

lists_by_source as (

    select
        source,
        collect_list(struct(database_name, table_name, columns)) as lists
    from {{ ref('table_settings') }}
    group by source

)

select
    statements_by_source.source,
    replay_ddl(
        statements_by_source.statements,
        names_by_source.names,
        lists_by_source.lists
    ) as replay,
    current_timestamp() as built_at
from statements_by_source
left join names_by_source on statements_by_source.source = names_by_source.source
left join lists_by_source on statements_by_source.source = lists_by_source.source
