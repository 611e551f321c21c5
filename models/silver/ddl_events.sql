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

-- OMS statements come without a sequence: they stand at their second, right after the row of it
-- with the greatest counter that their partition brought before them.
without_sequence as (

    select
        topic,
        partition,
        offset,
        split_part(position, ' ', 1) as second
    from statements
    where
        envelope in ('oms_default', 'oms_default_extend_column_type', 'oms_shareplex')
        and split_part(position, ' ', 2) = '0'

),

counters as (

    select
        without_sequence.topic,
        without_sequence.partition,
        without_sequence.offset,
        max(split_part(rows_before.position, ' ', 2)) as counter
    from {{ ref('named_events') }} as rows_before
    inner join without_sequence
        on
            rows_before.topic = without_sequence.topic
            and rows_before.partition = without_sequence.partition
            and rows_before.offset < without_sequence.offset
            and startswith(rows_before.position, concat(without_sequence.second, ' '))
    group by
        without_sequence.topic,
        without_sequence.partition,
        without_sequence.offset

),

placed as (

    select
        statements.* except (position),
        case
            when counters.counter is null then statements.position
            else array_join(
                transform(
                    split(statements.position, ' '),
                    (part, place) -> if(place = 1, counters.counter, part)
                ),
                ' '
            )
        end as position,
        line_starts.line_start
    from statements
    left join counters
        on
            statements.topic = counters.topic
            and statements.partition = counters.partition
            and statements.offset = counters.offset
    left join {{ ref('line_starts') }} as line_starts
        on
            statements.source = line_starts.source
            and statements.position_line = line_starts.position_line

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
