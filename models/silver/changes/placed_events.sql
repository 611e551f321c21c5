-- One row per due event that is no statement, with its time in UTC, its position in the log, and
-- what the vendor's word for the operation means.

with events as (

    select * from {{ ref('due_events') }}

),

operation_codes as (

    select * from {{ ref('operation_codes') }}

),

told as (

    select /*+ broadcast(operation_codes) */
        events.*,
        operation_codes.operation as named_operation,
        operation_codes.class as named_class,
        coalesce(operation_codes.is_old_key, false) as is_old_key,
        {{ utc_timestamp('event_time', 'event_time_unit', 'time_zone') }} as event_at
    from events
    left join operation_codes
        on
            events.envelope = operation_codes.envelope
            and events.operation_code = operation_codes.operation_code
    where
        events.rejection is not null
        or not operation_codes.class <=> 'ddl'

)

select
    *,
    {{ log_position('if(is_old_key, 1, 2)') }} as log_position
from told
