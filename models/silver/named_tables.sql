{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        unique_key='name_id',
        pre_hook=[
            "{{ resolve_from_batch('named_tables') }}",
            "{{ set_resolve_from_batch('named_tables') }}",
            "{% if is_incremental() %}
            delete from {{ this }} where named_tables_from_batch = 0
            {% endif %}"
        ]
    )
}}
-- depends_on: {{ ref('settings_changes') }}
-- The tables that rows came of, by name. Of those whose messages name key columns: the columns that
-- the message names which stands last in the source's log, for all rows of the table. Some messages
-- of a table name its database, some do not (Datastream's Oracle).

with named_rows as (

    select
        *,
        struct(not is_backfill as is_logged, position, topic, partition, offset) as named_at
    from {{ ref('named_events') }}
    where
        batch > named_tables_from_batch
        and rejection is null
        and table_name is not null
        and coalesce(statement, statement_meta) is null

),

arrived as (

    select
        name_id,
        source,
        database_identity,
        schema_name,
        table_name,
        max(struct(named_at, key_columns as columns)) filter (
            where size(key_columns) > 0
        ) as last_key,
        max(struct(named_at, database_name as name)) filter (
            where database_name is not null
        ) as last_database
    from named_rows
    group by
        name_id,
        source,
        database_identity,
        schema_name,
        table_name

),

known as (

    {% if is_incremental() %}
    select * from {{ this }}
    {% else %}
    select
        *,
        current_timestamp() as built_at
    from arrived
    where false
    {% endif %}

)

select
    arrived.name_id,
    arrived.source,
    arrived.database_identity,
    arrived.schema_name,
    arrived.table_name,
    greatest(arrived.last_key, known.last_key) as last_key,
    greatest(arrived.last_database, known.last_database) as last_database,
    if(
        sort_array(greatest(arrived.last_key, known.last_key).columns)
        <=> sort_array(known.last_key.columns),
        coalesce(known.built_at, current_timestamp()),
        current_timestamp()
    ) as built_at
from arrived
left join known on arrived.name_id = known.name_id
where
    known.name_id is null
    or not arrived.last_key <= known.last_key
    or not arrived.last_database <= known.last_database
    or (known.last_key is null and arrived.last_key is not null)
    or (known.last_database is null and arrived.last_database is not null)
