{{
    config(
        materialized='incremental',
        incremental_strategy='append',
        partition_by=['class', 'is_split'],
        tblproperties={
            'delta.dataSkippingStatsColumns':
                'built_at,batch,topic,name_id,table_id,table_name,event_at'
        },
        pre_hook=[
            "{{ refuse_silent_replacement() }}",
            "declare or replace variable resolved_events_from_batch bigint default 0",
            "declare or replace variable resolved_events_to_batch bigint default 0",
            "declare or replace variable resolved_events_built_at timestamp
            default timestamp '1970-01-01'",
            "set variable resolved_events_to_batch = (
                select coalesce(max(batch), 0) from {{ source('bronze', 'resolved_batches') }}
            )",
            "{% if is_incremental() %}
            set variable (resolved_events_from_batch, resolved_events_built_at) = (
                select
                    coalesce(max(batch) filter (where not is_split), 0),
                    coalesce(max(built_at), timestamp '1970-01-01')
                from {{ this }}
            )
            {% endif %}",
            "{{ mark_rebuilt_tables([
                ('settings', ref('settings_changes'),
                'resolved.topic = changed.topic
                and changed.changed_at > resolved_events_built_at'),
                ('key', ref('named_tables'),
                'resolved.name_id = changed.name_id
                and changed.built_at > resolved_events_built_at
                and not sort_array(resolved.table_key_columns)
                <=> sort_array(changed.last_key.columns)'),
                ('statement', ref('name_spans'),
                'resolved.name_id = changed.name_id
                and changed.built_at > resolved_events_built_at
                and exists(map_entries(changed.changes), change ->
                change.value > resolved_events_built_at
                and (change.key.from_position is null or not '
                ~ is_above(
                    'change.key.line', 'change.key.from_position', 'change.key.from_at', 'resolved'
                )
                ~ '))'),
                ('pair', ref('split_updates'),
                'resolved.is_split
                and resolved.key is null
                and resolved.after is not null
                and resolved.change_id = changed.change_id
                and changed.built_at > resolved_events_built_at')
            ]) }}",
            "{{ mark_rebuilt_tables([
                ('name', source('bronze', 'rebuilt_tables'),
                'resolved.name_id = changed.name_id
                and changed.rebuilt_at > resolved_events_built_at')
            ]) }}",
            "{% if is_incremental() %}
            merge into {{ this }} as resolved
            using {{ ref('settings_changes') }} as changed
            on
                resolved.topic = changed.topic
                and changed.changed_at > resolved_events_built_at
            when matched then delete
            {% endif %}",
            "{% if is_incremental() %}
            merge into {{ this }} as resolved
            using (
                select distinct name_id from {{ source('bronze', 'rebuilt_tables') }}
                where
                    rebuilt_at > resolved_events_built_at
                    and cause in ('key', 'statement')
            ) as changed
            on resolved.name_id = changed.name_id
            when matched then delete
            {% endif %}",
            "{% if is_incremental() %}
            merge into {{ this }} as resolved
            using {{ ref('split_updates') }} as changed
            on
                resolved.is_split
                and resolved.change_id = changed.change_id
                and changed.built_at > resolved_events_built_at
            when matched then delete
            {% endif %}"
        ],
        post_hook="{{ mark_rebuilt_tables([
            ('settings', ref('settings_changes'),
            'resolved.topic = changed.topic
            and resolved.built_at > resolved_events_built_at
            and changed.changed_at > resolved_events_built_at')
        ]) }}"
    )
}}
-- Every event that is not a repeat or a statement, with all that is common to the envelopes: what
-- kind of row it is, its table and key, its time in UTC, its position. Three logs are cut from it.
-- New are the batches since the last run, split updates that changed, topics whose settings changed
-- and tables whose key or columns did; of these, a pre-hook has forgotten the rows of before.

with named_events as (

    select * from {{ ref('named_events') }}

),

operation_codes as (

    select * from {{ ref('operation_codes') }}

),

table_settings as (

    select * from {{ ref('table_settings') }}

),

-- What is to be resolved anew: topics whose settings changed, tables whose key or columns did.
outdated as (

    select
        topic,
        cast(null as string) as name_id
    from {{ ref('settings_changes') }}
    where changed_at > resolved_events_built_at
    union all
    select
        null as topic,
        name_id
    from {{ source('bronze', 'rebuilt_tables') }}
    where
        rebuilt_at > resolved_events_built_at
        and cause in ('key', 'statement')

),

-- Two branches, so that the ordinary one reads the new batches only.
newly_settled as (

    select *
    from named_events
    where
        batch > resolved_events_from_batch
        and batch <= resolved_events_to_batch
    union all
    select named_events.*
    from named_events
    left semi join outdated
        on named_events.topic = outdated.topic or named_events.name_id = outdated.name_id
    where named_events.batch <= resolved_events_from_batch

),

first_arrivals as (

    select newly_settled.*
    from newly_settled
    {{ without_repeats('newly_settled') }}
    where
        newly_settled.pair_id is null
        or newly_settled.rejection is not null

),

changed_split_updates as (

    select *
    from {{ ref('split_updates') }}
    where built_at > resolved_events_built_at
    union all
    select split_updates.*
    from {{ ref('split_updates') }} as split_updates
    left semi join outdated
        on split_updates.topic = outdated.topic or split_updates.name_id = outdated.name_id
    where split_updates.built_at <= resolved_events_built_at

),

events as (

    select
        {{ event_columns() | indent(8) }},
        source,
        topic_key_columns,
        time_zone,
        content_hash,
        database_identity,
        name_id,
        line,
        event_id as change_id,
        array(struct(partition, offset)) as messages,
        false as is_split
    from first_arrivals
    union all
    select
        {{ event_columns() | indent(8) }},
        source,
        topic_key_columns,
        time_zone,
        content_hash,
        database_identity,
        name_id,
        line,
        change_id,
        messages,
        true as is_split
    from changed_split_updates

),

placed as (

    select /*+ broadcast(line_starts) */
        events.*,
        operation_codes.operation as named_operation,
        operation_codes.class as named_class,
        operation_codes.is_old_key,
        {{ utc_timestamp('event_time', 'event_time_unit', 'time_zone') }} as event_at,
        line_starts.line_start
    from events
    left join operation_codes
        on
            events.envelope = operation_codes.envelope
            and events.operation_code = operation_codes.operation_code
    left join {{ ref('line_starts') }} as line_starts
        on
            events.source = line_starts.source
            and events.position_line = line_starts.position_line
    where
        events.rejection is not null
        or not operation_codes.class <=> 'ddl'

),

positioned as (

    select
        *,
        {{ log_position("if(is_old_key, 1, 2)") }} as log_position
    from placed

),

-- What a table's name means where the row stands: the last statement before it in its own line
-- says so, or in time where its line has none of this table.
dated as (

    select
        positioned.*,
        size(name_spans.spans) > 0 as has_statements,
        try_element_at(
            filter(
                name_spans.spans,
                span -> span.line <=> if(
                    exists(name_spans.spans, other -> other.line = positioned.line),
                    positioned.line,
                    null
                )
                and (
                    span.from_position is null
                    or not {{ is_above(
                        'span.line', 'span.from_position', 'span.from_at', 'positioned'
                    ) | indent(20) }}
                )
            ),
            -1
        ) as span
    from positioned
    left join {{ ref('name_spans') }} as name_spans on positioned.name_id = name_spans.name_id

),

joined as (

    select
        dated.* except (span),
        coalesce(dated.span.table_id, dated.name_id) as table_id,
        if(dated.has_statements, dated.span.column_names, table_settings.column_names)
            as column_names,
        case
            when size(dated.key_columns) > 0 then dated.key_columns
            when size(named_tables.last_key.columns) > 0 then named_tables.last_key.columns
            when size(dated.span.key_columns) > 0 then dated.span.key_columns
            when size(table_settings.key_columns) > 0 then table_settings.key_columns
            else dated.topic_key_columns
        end as table_key_columns
    from dated
    left join table_settings
        on
            dated.source = table_settings.source
            and dated.database_name <=> table_settings.database_name
            and dated.table_name = table_settings.table_name
    left join {{ ref('named_tables') }} as named_tables on dated.name_id = named_tables.name_id

),

decoded as (

    select
        * except (before, after),
        {{ decode_positional('before', 'before_values') }} as before,
        {{ decode_positional('after', 'after_values') }} as after
    from joined

),

judged as (

    select
        *,
        case
            when rejection is not null then rejection
            when named_class is null
                then concat('unknown operation ', coalesce(operation_code, 'NULL'))
            when named_class <> 'change' then null
            when table_name is null
                then 'no table name: name it in seeds/topics.csv for this topic'
            when
                coalesce(before_values, after_values) is not null
                and column_names is null
                then concat(
                    'no column list for ',
                    concat_ws('.', database_name, table_name),
                    ': land its CREATE TABLE, or name its columns in seeds/table_columns.csv'
                )
            when array_size(before_values) <> array_size(column_names)
                then {{ wrong_number_of_values('before_values') }}
            when array_size(after_values) <> array_size(column_names)
                then {{ wrong_number_of_values('after_values') }}
            when named_operation = 'delete' and before is null then 'delete without an image'
            when named_operation <> 'delete' and after is null and image <> 'before'
                then concat(named_operation, ' without an image')
        end as reason
    from decoded

),

-- The key columns that each image has, in the key's order, as entries (maps do not compare).
keyed as (

    select
        *,
        -- A partial image may lack the columns of its key.
        {{ key_entries(
            'coalesce(if(is_partial, map_concat(before, after), null), after, before)'
        ) | indent(8) }} as sent_key_entries,
        {{ key_entries('before') }} as previous_key_entries,
        if(reason is null, named_class, 'rejected') as class,
        if(is_backfill and named_class = 'change', 'read', named_operation) as operation
    from judged

),

identified as (

    select
        *,
        case
            -- OMS Default gives the key's values apart, also where the image lacks the columns.
            when
                size(sent_key_entries) < size(table_key_columns)
                and size(key_values) = size(table_key_columns)
                and coalesce(sort_array(key_columns) = sort_array(table_key_columns), true)
                then map_from_arrays(coalesce(key_columns, table_key_columns), key_values)
            when size(sent_key_entries) > 0 then map_from_entries(sent_key_entries)
            when row_id is not null then map('row_id', row_id)
        end as key,
        case
            when
                after is not null
                and size(previous_key_entries) = size(sent_key_entries)
                and previous_key_entries <> sent_key_entries
                then map_from_entries(previous_key_entries)
        end as previous_key
    from keyed

)

select
    change_id,
    envelope,
    topic,
    source,
    database_name,
    schema_name,
    table_name,
    database_identity,
    name_id,
    table_id,
    line,
    operation,
    before,
    after,
    key,
    previous_key,
    -- Rows of a table with a key go by it, rows of one without by their whole content: what a
    -- change leaves and takes, each image completed from the other.
    if(
        class = 'change',
        {{ row_state_id('key', 'coalesce(key, map_concat(before, after), after, before)')
            | indent(8) }},
        null
    ) as state_id,
    if(
        class = 'change',
        {{ row_state_id(
            'key',
            'if(key is null, if(after is null, null, coalesce(map_concat(after, before), before)),
            previous_key)'
        ) | indent(8) }},
        null
    ) as previous_state_id,
    table_key_columns,
    column_types,
    value_encoding,
    time_zone,
    transaction_id,
    event_at,
    log_position,
    -- What a change takes away goes before any image of the same message.
    if(previous_key is not null or key is null, {{ log_position('1') }}, null)
        as previous_key_position,
    is_partial,
    image,
    is_backfill,
    statement,
    reason,
    messages,
    current_timestamp() as built_at,
    partition,
    offset,
    row_index,
    batch,
    received_at,
    class,
    is_split
from identified
