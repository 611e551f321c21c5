{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        unique_key='change_id',
        pre_hook=[
            "{{ resolve_from_batch('split_updates') }}",
            "{{ set_resolve_from_batch('split_updates') }}",
            "{% if is_incremental() %}
            delete from {{ this }} where split_updates_from_batch = 0
            {% endif %}"
        ],
        post_hook="{{ mark_resolved_batches() }}"
    )
}}
-- depends_on: {{ ref('settings_changes') }}, {{ ref('ddl_events') }}, {{ ref('named_tables') }}
-- Updates that came as two messages, one a row image. A half without the other is a row as well.
-- Whatever the order of arrival, the same halves give the same rows: several contents under one id
-- are paired in the order of their hashes.

with halves as (

    select named_events.*
    from {{ ref('named_events') }} as named_events
    {{ without_repeats('named_events') }}
    where
        named_events.pair_id is not null
        and named_events.rejection is null

),

touched as (

    select distinct split_update_id
    from halves
    where batch > split_updates_from_batch

),

numbered as (

    select
        halves.*,
        row_number() over (
            partition by halves.split_update_id, halves.image
            order by halves.content_hash
        ) as number
    from halves
    left semi join touched on halves.split_update_id = touched.split_update_id

),

paired as (

    select
        split_update_id,
        number,
        max_by(struct(*), if(image = 'after', 1, 0)) as half,
        any_value(before) filter (where image = 'before') as before,
        any_value(after) filter (where image = 'after') as after,
        count(*) as halves,
        sort_array(collect_list(struct(partition, offset))) as messages
    from numbered
    group by
        split_update_id,
        number

),

whole as (

    select
        half.* except (before, after, is_partial, image, split_update_id, event_id, built_at),
        before,
        after,
        -- DataHub sends some updates with the changed columns only.
        coalesce(size(array_except(map_keys(before), map_keys(after))) > 0, false) as is_partial,
        if(halves = 2, 'both', half.image) as image,
        if(number = 1, split_update_id, md5(concat_ws(chr(1), split_update_id, number)))
            as change_id,
        messages
    from paired

)

select
    {{ event_columns() | indent(4) }},
    source,
    topic_key_columns,
    time_zone,
    content_hash,
    database_identity,
    name_id,
    line,
    change_id,
    messages,
    current_timestamp() as built_at
from whole
