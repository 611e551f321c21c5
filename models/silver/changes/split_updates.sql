-- One row per pair of halves, or per half whose other half has not come. The same halves give the
-- same rows in every order of arrival: several contents under one id are paired in the order of
-- their hashes.

with halves as (

    select {{ bounded_broadcast('repeats') }}
        events.*,
        {{ split_update_id() }} as split_update_id
    from {{ ref('named_events') }} as events
    {% call part('repeats') %}
    left anti join {{ ref('repeated_events') }} as repeats
        on
            events.topic = repeats.topic
            and events.partition = repeats.partition
            and events.offset = repeats.offset
            and events.row_index = repeats.row_index
            and events.batch = repeats.batch
    {% endcall %}
    where
        events.pair_id is not null
        and events.rejection is null

),

numbered as (

    select
        *,
        row_number() over (
            partition by split_update_id, image
            order by content_hash
        ) as number,
        bool_or(is_earlier) over (partition by split_update_id) as has_earlier,
        bool_and(is_earlier) over (partition by split_update_id) as is_untouched
    from halves

),

paired as (

    select
        split_update_id,
        number,
        max_by(struct(*), if(image = 'after', 1, 0)) as half,
        any_value(before) filter (where image = 'before') as before,
        any_value(after) filter (where image = 'after') as after,
        count(*) as halves,
        any_value(has_earlier) as has_earlier,
        sort_array(collect_list(struct(partition, offset))) as messages
    from numbered
    where not is_untouched
    group by
        split_update_id,
        number

),

whole as (

    select
        half.* except (before, after, is_partial, image, split_update_id, has_earlier, number),
        before,
        after,
        -- DataHub sends some updates with the changed columns only.
        coalesce(size(array_except(map_keys(before), map_keys(after))) > 0, false) as is_partial,
        if(halves = 2, 'both', half.image) as image,
        if(number = 1, split_update_id, md5(concat_ws(chr(1), split_update_id, number)))
            as change_id,
        messages,
        has_earlier as supersedes
    from paired

)

select
    {{ due_event_columns() | indent(4) }},
    change_id,
    messages,
    false as is_repeat,
    supersedes
from whole
