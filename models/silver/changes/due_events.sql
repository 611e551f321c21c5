-- One row per event that a run resolves, repeats included; a split update is one row. Statements
-- are taken out later.

with told as (

    select {{ bounded_broadcast('repeats') }}
        events.*,
        {% call part('repeats') %} repeats.topic is not null or {% endcall %} false as is_repeat
    from {{ ref('named_events') }} as events
    {% call part('repeats') %}
    left join {{ ref('repeated_events') }} as repeats
        on
            events.topic = repeats.topic
            and events.partition = repeats.partition
            and events.offset = repeats.offset
            and events.row_index = repeats.row_index
            and events.batch = repeats.batch
            and not repeats.is_earlier
    {% endcall %}
    where not events.is_earlier

)

select
    {{ due_event_columns() | indent(4) }},
    if(pair_id is null, event_id, {{ split_update_id() }}) as change_id,
    array(struct(partition, offset)) as messages,
    is_repeat,
    cast(null as boolean) as supersedes
from told
where
    pair_id is null
    or rejection is not null
    or is_repeat
{% call part('halves') %}
union all
select
    {{ due_event_columns() | indent(4) }},
    change_id,
    messages,
    is_repeat,
    supersedes
from {{ ref('split_updates') }}
{% endcall %}
