{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        unique_key='table_id',
        pre_hook=["{{ declare_last_read() }}", "{{ set_last_read() }}"]
    )
}}
-- What statements did to the rows before them, table by table: a floor (TRUNCATE, DROP) ends them,
-- columns were added, dropped, renamed or given another type. And the name that a renamed table
-- has now.

with tables as (

    select
        ddl_replays.source,
        replayed.*
    from {{ ref('ddl_replays') }} as ddl_replays
        lateral view explode(ddl_replays.replay.tables) as replayed
    where ddl_replays.built_at > table_effects_read_to

),

identified as (

    select
        {{ table_id('source', 'identity') }} as table_id,
        if(
            identity.database_name <=> present.database_name
            and identity.schema_name <=> present.schema_name
            and identity.table_name <=> present.table_name,
            null,
            present
        ) as present_name,
        filter(effects, effect -> effect.action = 'floor') as floors,
        filter(effects, effect -> effect.action in ('add', 'drop', 'rename')) as column_changes,
        filter(effects, effect -> effect.action = 'modify') as type_changes
    from tables

)

select
    identified.*,
    current_timestamp() as built_at
from identified
{% if is_incremental() %}
left join {{ this }} as known on identified.table_id = known.table_id
where
    not identified.present_name <=> known.present_name
    or identified.floors <> coalesce(known.floors, array())
    or identified.column_changes <> coalesce(known.column_changes, array())
    or identified.type_changes <> coalesce(known.type_changes, array())
{% else %}
where
    present_name is not null
    or size(floors) > 0
    or size(column_changes) > 0
    or size(type_changes) > 0
{% endif %}
