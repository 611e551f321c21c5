{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        unique_key='table_id',
        pre_hook=[
            "{{ resolve_from_batch('table_keys') }}",
            "{{ set_resolve_from_batch('table_keys') }}"
        ]
    )
}}
-- depends_on: {{ ref('settings_changes') }}
-- The key columns of each table whose messages name them: those of the message that stands last in
-- the source's log, for all rows of the table.

with named_keys as (

    select
        table_id,
        key_columns,
        struct(not is_backfill as is_logged, position, topic, partition, offset) as named_at
    from {{ ref('named_events') }}
    where
        batch > table_keys_from_batch
        and rejection is null
        and table_name is not null
        and size(key_columns) > 0

),

last_named as (

    select
        table_id,
        max_by(key_columns, named_at) as key_columns,
        max(named_at) as named_at
    from named_keys
    group by table_id

)

select
    last_named.table_id,
    last_named.key_columns,
    last_named.named_at,
    {% set is_known = 'sort_array(last_named.key_columns) = sort_array(known.key_columns)' %}
    {{ 'if(' ~ is_known ~ ', known.built_at, current_timestamp())' if is_incremental()
        else 'current_timestamp()' }} as built_at
from last_named
{% if is_incremental() %}
left join {{ this }} as known on last_named.table_id = known.table_id
where
    known.table_id is null
    or last_named.named_at > known.named_at
{% endif %}
