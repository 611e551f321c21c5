-- One row per message that brings statements and that a run reads, with its text and its time
-- in UTC.

select
    events.* except (position),
    operation_codes.operation,
    mention_names.time_zone,
    {{ utc_timestamp('event_time', 'event_time_unit', 'time_zone') }} as event_at,
    -- The second at which a statement without a number stands; a local time needs the topic's zone.
    if(
        statement_anchor = 'local_second' and unique_id is null,
        regexp_replace(
            position,
            '^(.) [^ ]+',
            concat(
                '$1 ',
                {{ position_part('cast(unix_seconds(event_at) as string)') | indent(16) }}
            )
        ),
        position
    ) as position,
    -- DataHub may send the text in `ddlMeta` alone.
    coalesce(nullif(statement, ''), ddl_meta_text(statement_meta)) as statement_text
from {{ ref('events') }} as events
inner join {{ ref('operation_codes') }} as operation_codes
    on
        events.envelope = operation_codes.envelope
        and events.operation_code = operation_codes.operation_code
        and operation_codes.class = 'ddl'
inner join {{ ref('mention_names') }} as mention_names
    on events.mention = mention_names.mention
where
    events.marked_unit is null
    and events.rejection is null
    and {{ is_due() }}
