-- One row per name of a table, line and key that messages name: the place and the time of the
-- greatest of these messages.

with keys as (

    select
        mention_names.source,
        mention_names.database_identity as database_name,
        mention_names.schema_name,
        mention_names.table_name,
        mentions.line,
        mention_names.line_starts[mentions.line] as line_start,
        mentions.key_columns,
        mentions.key_named_at.has_key_columns,
        mentions.key_named_at.named_at.position,
        {{ utc_timestamp(
            'mentions.key_named_at.time.event_time',
            'mentions.key_named_at.time.event_time_unit',
            'mention_names.time_zone'
        ) | indent(8) }} as event_at
    from {{ ref('mentions') }} as mentions
    inner join {{ ref('mention_names') }} as mention_names
        on mentions.mention = mention_names.mention
    where mentions.key_columns is not null

)

select
    source,
    database_name,
    schema_name,
    table_name,
    line,
    key_columns,
    max(struct(
        has_key_columns, {{ line_position('position') }} as position, event_at
    )) as named_at
from keys
group by
    source,
    database_name,
    schema_name,
    table_name,
    line,
    key_columns
