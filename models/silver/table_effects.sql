{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        unique_key='table_id'
    )
}}
-- What statements did to the rows before them, table by table: a floor (TRUNCATE, DROP) ends them,
-- columns were added, dropped, renamed or given another type. And the name that a renamed table
-- has now. A table that no statement names any more keeps its row, without effects.

with replays as (

    select * from {{ ref('ddl_replays') }}
    where built_at > {{ last_read() }}

),

tables as (

    select
        replays.source,
        replayed.*
    from replays
        lateral view explode(replays.replay.tables) as replayed

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

),

compared as (

    select * from identified
    {% if is_incremental() %}
    union all
    select
        known.table_id,
        null as present_name,
        array() as floors,
        array() as column_changes,
        array() as type_changes
    from {{ this }} as known
    left semi join replays on get_json_object(known.table_id, '$[0]') = replays.source
    left anti join identified on known.table_id = identified.table_id
    {% endif %}

)

select
    compared.*,
    current_timestamp() as built_at
from compared
{% if is_incremental() %}
left join {{ this }} as known on compared.table_id = known.table_id
where
    not compared.present_name <=> known.present_name
    or compared.floors <> coalesce(known.floors, array())
    or compared.column_changes <> coalesce(known.column_changes, array())
    or compared.type_changes <> coalesce(known.type_changes, array())
{% else %}
where
    present_name is not null
    or size(floors) > 0
    or size(column_changes) > 0
    or size(type_changes) > 0
{% endif %}
