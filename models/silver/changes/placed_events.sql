-- One row per due event that is no statement, with its time in UTC, its position in the log, and
-- what the vendor's word for the operation means.

with codes_of_envelopes as (

    select
        envelope,
        map_from_entries(collect_list(
            struct(operation_code, struct(operation, class, is_old_key))
        )) as codes
    from {{ ref('operation_codes') }}
    group by envelope

),

-- One map of all codes: to look a code up in it copies no rows, as a join would.
all_codes as (

    select map_from_entries(collect_list(struct(envelope, codes))) as codes
    from codes_of_envelopes

),

coded as (

    select
        *,
        (select codes from all_codes)[envelope][operation_code] as code
    from {{ ref('due_events') }}

)

select
    * except (code, after, after_values),
    code.operation as named_operation,
    -- The row of a delete is the one before it.
    if(code.operation = 'delete', null, after) as after,
    if(code.operation = 'delete', null, after_values) as after_values,
    code.class as named_class,
    {{ utc_timestamp('event_time', 'event_time_unit', 'time_zone') }} as event_at,
    {{ log_position('if(coalesce(code.is_old_key, false), 1, 2)') }} as log_position
from coded
where
    rejection is not null
    or not code.class <=> 'ddl'
