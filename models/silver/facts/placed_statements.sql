-- One row per message with a statement: its table's names, its time, its position, and whether an
-- earlier message had brought it.

with named as (

    select
        statements.* except (mark),
        mention_names.source,
        mention_names.database_name,
        mention_names.schema_name,
        mention_names.table_name,
        mention_names.database_identity,
        mention_names.line_starts[statements.line] as line_start,
        {{ utc_timestamp('event_time', 'event_time_unit', 'time_zone') }} as event_at
    from {{ ref('statements') }} as statements
    inner join {{ ref('mention_names') }} as mention_names
        on statements.mention = mention_names.mention

),

identified as (

    select
        *,
        {{ event_id() }} as event_id
    from named

)

select
    envelope,
    topic,
    source,
    partition,
    offset,
    row_index,
    batch,
    received_at,
    event_at,
    {{ log_position('0') }} as log_position,
    line,
    database_name,
    database_identity,
    schema_name,
    table_name,
    operation,
    statement,
    parsed,
    database_type,
    transaction_id,
    event_id,
    {{ arrival() }} > 1 as is_repeat,
    built_at
from identified
