{{
    config(
        meta={
            'units': 'mention_units',
            'unit': 'batch',
            'reads': 'batch',
            'unit_is_number': true,
        }
    )
}}
{{- units([ref('mention_units')]) }}
-- One row per batch, mention (topic, database, schema and table, as messages say them), line and
-- key that the messages name: from where to where its rows reach, and how many rows and statements
-- it has.

with told as (

    select
        events.* except (key_columns),
        struct(position, topic, partition, offset) as named_at,
        coalesce(operation_codes.class = 'ddl', false) as is_statement,
        rejection is null
        and not is_statement
        and coalesce(statement, statement_meta) is null
        -- The settings may name the table.
        and (table_name is not null or coalesce(before, after) is not null) as is_row,
        -- Messages may name a column of the key twice, or null for one.
        array_except(key_columns, array(cast(null as string))) as named_columns,
        if(is_row and size(named_columns) > 0, named_columns, null) as named_key,
        concat(
            ' ', {{ position_count('offset') }}, ' ', {{ position_count('partition') }}
        ) as place,
        -- A repeat with a vendor's id has its original's position, but for the place in the topic.
        case
            when unique_id is null or is_ordered_by_line then null
            -- The same row may have been read at another time.
            when is_backfill then regexp_substr(position, '^[^ ]+ [^ ]+')
            when endswith(position, place) then left(position, length(position) - length(place))
        end as repeated_position
    from {{ ref('events') }} as events
    left join {{ ref('operation_codes') }} as operation_codes
        on
            events.envelope = operation_codes.envelope
            and events.operation_code = operation_codes.operation_code
    where
        marked_unit is null
        and {{ is_due() }}

)

select
    batch,
    mention,
    line,
    topic,
    database_name,
    schema_name,
    table_name,
    -- A set, as Spark then aggregates by hash: for texts and structs alone it would sort all rows.
    array_max(collect_set(database_naming)) as database_naming,
    max(position_line) as position_line,
    min(if(is_ordered_by_line, struct(offset, partition), null)) as line_start,
    min(coalesce(repeated_position, position)) as least_position,
    max(position) as greatest_position,
    -- '~' is above every place.
    max(coalesce(concat(repeated_position, ' ~'), position)) as repeated_to_position,
    count_if(is_row) as rows,
    count_if(is_statement and rejection is null) as statements,
    count_if(
        is_statement and rejection is null and statement_anchor is not null and unique_id is null
    ) as anchored_statements,
    count_if(pair_id is not null and rejection is null) as halves,
    count_if(coalesce(before_values, after_values) is not null) as positional_rows,
    named_key as key_columns,
    -- The greatest message that names the key. One whose own row has these columns comes first.
    max(
        if(
            named_key is null,
            null,
            struct(has_key_columns, named_at, struct(event_time, event_time_unit) as time)
        )
    ) as key_named_at,
    max(struct(named_at, database_name as name)) filter (
        where is_row and database_name is not null
    ) as last_database
from told
group by
    batch,
    mention,
    line,
    topic,
    database_name,
    schema_name,
    table_name,
    named_key
