-- One row per change of one row: the log that everything above reads. Columns as in the README.

with changes as (

    select * from {{ ref('resolved_events') }} where class = 'change'

),

-- Key columns that the row has, in the key's order, as entries (maps do not compare).
keyed as (

    select
        *,
        {{ key_entries('coalesce(after, before)') }} as sent_key_entries,
        {{ key_entries('before') }} as previous_key_entries
    from changes

)

select
    change_id,
    envelope,
    topic,
    source,
    database_name,
    schema_name,
    table_name,
    operation,
    before,
    after,
    case
        -- OMS Default gives the key's values apart, also where the image lacks the columns.
        when
            size(sent_key_entries) < size(table_key_columns)
            and size(key_values) = size(table_key_columns)
            then map_from_arrays(table_key_columns, key_values)
        when size(sent_key_entries) > 0 then map_from_entries(sent_key_entries)
        when row_id is not null then map('row_id', row_id)
    end as key,
    case
        when
            after is not null
            and size(previous_key_entries) = size(sent_key_entries)
            and previous_key_entries <> sent_key_entries
            then map_from_entries(previous_key_entries)
    end as previous_key,
    column_types,
    value_encoding,
    transaction_id,
    event_at,
    {{ log_position('if(operation = \'delete\', 1, 2)') }} as log_position,
    -- A changed key deletes the old one, before any image of the same message.
    {{ log_position('1') }} as previous_key_position,
    is_partial,
    image,
    messages,
    built_at,
    partition,
    offset,
    row_index,
    batch,
    received_at
from keyed
