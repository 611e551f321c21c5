-- One row per event that a run resolves, and per earlier event that one of these may repeat or
-- complete, with what its mention means: names, time zone, table and key.

{% call computed_once('named_events', 'repeats') %}
with events as (

    select
        *,
        false as is_earlier
    from {{ ref('events') }}
    where
        marked_unit is null
        and {{ is_due() }}
    {% call part('earlier') %}
    union all
    select
        *,
        true as is_earlier
    from {{ ref('events') }}
    where
        marked_unit is null
        and {{ looks_back() }}
    {% endcall %}

),

named as (

    select /*+ broadcast(facts) */
        events.* except (
            database_name, table_name, built_at, marked_unit, mark, database_naming, pair_id
        ),
        -- A half without a table or a new image is not paired: it is rejected by itself.
        if(
            facts.table_name is null or (events.image = 'after' and events.after is null),
            null,
            events.pair_id
        ) as pair_id,
        facts.source,
        facts.database_name,
        facts.table_name,
        facts.database_identity,
        facts.name_id,
        facts.time_zone,
        facts.line_starts[events.line] as line_start,
        facts.table_id,
        facts.key_columns as table_key_columns,
        facts.is_plain,
        if(facts.is_plain, null, facts.spans) as spans
    from events
    inner join {{ ref('facts') }} as facts on events.mention = facts.mention
    where facts.marked_unit is null

)

select
    *,
    {{ event_id() }} as event_id
from named
{% endcall %}
