{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        unique_key='source'
    )
}}
{%- set read_to = last_read() %}
-- What the statements of each source make of its tables along the log. A source is replayed whole
-- when it brings statements or new names, or when its settings change: statements are few. One that
-- has lost its last statement (a reroute, another source for the topic) is replayed to nothing.

with statements as (

    select * from {{ ref('ddl_events') }}

),

named_tables as (

    select * from {{ ref('named_tables') }}

),

outdated as (

    select source from statements
    where built_at > {{ read_to }}
    union distinct
    select source from named_tables
    where built_at > {{ read_to }}

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
            statements.database_type,
            parsed.statement as text,
            parsed.parsed
        )) as statements
    from statements
    left semi join outdated on statements.source = outdated.source
    left join {{ ref('ddl_statements') }} as parsed
        on statements.statement_id = parsed.statement_id
    group by statements.source

),

replayed as (

    select
        source,
        statements
    from statements_by_source
    {% if is_incremental() %}
    union all
    select
        known.source,
        null as statements
    from {{ this }} as known
    left anti join statements on known.source = statements.source
    where size(known.replay.spans) > 0
    {% endif %}

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
    replayed.source,
    replay_ddl(
        replayed.statements,
        names_by_source.names,
        lists_by_source.lists
    ) as replay,
    current_timestamp() as built_at
from replayed
left join names_by_source on replayed.source = names_by_source.source
left join lists_by_source on replayed.source = lists_by_source.source
