{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        unique_key=['batch', 'topic', 'partition', 'offset', 'row_index'],
        pre_hook=[
            "{{ resolve_from_batch('repeats') }}",
            "{{ set_resolve_from_batch('repeats') }}",
            "{% if is_incremental() %}
            delete from {{ this }} where repeats_from_batch = 0
            {% endif %}"
        ]
    )
}}
-- depends_on: {{ ref('settings_changes') }}
-- Messages that bring what an earlier message had brought. The one look back of the pipeline: the
-- hashes of the new events against those of all events, one narrow column.

with new_hashes as (

    select distinct id_hash
    from {{ ref('events') }}
    where batch > repeats_from_batch

),

repeated_hashes as (

    select events.id_hash
    from {{ ref('events') }} as events
    left semi join new_hashes on events.id_hash = new_hashes.id_hash
    group by events.id_hash
    having count(*) > 1

),

suspects as (

    select
        named_events.*,
        row_number() over (
            partition by named_events.event_id
            order by
                named_events.batch,
                named_events.received_at,
                named_events.topic,
                named_events.partition,
                named_events.offset,
                named_events.row_index
        ) as arrival
    from {{ ref('named_events') }} as named_events
    left semi join repeated_hashes on named_events.id_hash = repeated_hashes.id_hash

)

select
    topic,
    partition,
    offset,
    row_index,
    batch,
    if(pair_id is null, event_id, split_update_id) as change_id,
    current_timestamp() as built_at
from suspects
where
    arrival > 1
    and batch > repeats_from_batch
