{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        unique_key=['batch', 'topic', 'partition', 'offset', 'row_index'],
        pre_hook=[
            "{{ resolve_from_batch('ddl_events') }}",
            "{{ set_resolve_from_batch('ddl_events') }}",
            "{% if is_incremental() %}
            delete from {{ this }} where ddl_events_from_batch = 0
            {% endif %}"
        ]
    )
}}
-- depends_on: {{ ref('settings_changes') }}
-- The messages that bring statements, with their place in the log. What they say is known before
-- any row is resolved.

with ddl_codes as (

    select * from {{ ref('operation_codes') }}
    where class = 'ddl'

),

statements as (

    select
        named_events.*,
        ddl_codes.operation,
        {{ utc_timestamp('event_time', 'event_time_unit', 'time_zone') }} as event_at
    from {{ ref('named_events') }} as named_events
    inner join ddl_codes
        on
            named_events.envelope = ddl_codes.envelope
            and named_events.operation_code = ddl_codes.operation_code
    {{ without_repeats('named_events') }}
    where
        named_events.rejection is null
        and named_events.batch > ddl_events_from_batch

),

-- SharePlex writes its time without a zone: the second that a statement without a number stands at
-- is known by the topic's settings.
zoned as (

    select
        * except (position),
        if(
            statement_anchor = 'local_second' and unique_id is null,
            regexp_replace(
                position,
                '^[^ ]+',
                {{ position_part('cast(unix_seconds(event_at) as string)') | indent(16) }}
            ),
            position
        ) as position
    from statements

),

-- OMS statements come without a number: they stand right after the greatest row that their
-- partition brought before them. Where numbers begin with the second, a row of the statement's own;
-- where they tell no time, one that is not later.
without_number as (

    select
        topic,
        partition,
        offset,
        envelope,
        event_at,
        split_part(position, ' ', 1) as second
    from zoned
    where
        statement_anchor is not null
        and unique_id is null

),

rows_before as (

    select
        without_number.topic,
        without_number.partition,
        without_number.offset,
        max(numbered.position) as position
    from {{ ref('named_events') }} as numbered
    inner join without_number
        on
            numbered.topic = without_number.topic
            and numbered.partition = without_number.partition
            and numbered.offset < without_number.offset
            and numbered.envelope = without_number.envelope
            and numbered.unique_id is not null
            and if(
                numbered.statement_anchor = 'time' or startswith(numbered.position, '0 '),
                {{ utc_timestamp(
                    'numbered.event_time', 'numbered.event_time_unit', 'numbered.time_zone'
                ) | indent(16) }} <= without_number.event_at,
                startswith(numbered.position, concat(without_number.second, ' '))
            )
    group by
        without_number.topic,
        without_number.partition,
        without_number.offset

),

placed as (

    select
        zoned.* except (position),
        if(
            rows_before.position is null,
            zoned.position,
            -- The row's parts, but for the last two: each has its own place in the topic.
            concat_ws(
                ' ',
                regexp_replace(rows_before.position, '( [^ ]+){2}$', ''),
                substring_index(zoned.position, ' ', -2)
            )
        ) as position,
        line_starts.line_start
    from zoned
    left join rows_before
        on
            zoned.topic = rows_before.topic
            and zoned.partition = rows_before.partition
            and zoned.offset = rows_before.offset
    left join {{ ref('line_starts') }} as line_starts
        on
            zoned.source = line_starts.source
            and zoned.position_line = line_starts.position_line

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
    statement_meta,
    database_type,
    -- The same statement of the same kind of database is read once.
    md5(concat_ws(
        chr(1),
        coalesce(statement, chr(0)),
        coalesce(statement_meta, chr(0)),
        lower(database_type)
    )) as statement_id,
    transaction_id,
    current_timestamp() as built_at
from placed
