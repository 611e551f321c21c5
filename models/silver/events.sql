{{
    config(
        tblproperties={
            'delta.dataSkippingStatsColumns': 'marked_unit,built_at,batch,mention,topic,position',
        },
        meta={
            'units': 'event_units',
            'unit': 'batch',
            'reads': 'batch',
            'unit_is_number': true,
        },
    )
}}
{{- units([ref('event_units')]) }}
-- One row per changed row, statement or control event, as its message says it. What depends on
-- settings, on statements or on other messages is never stored here: resolve.changes has it.

{%- set envelopes = [
    'dataworks_record',
    'datahub_tuple',
    'datahub_blob',
    'oms_default',
    'oms_default_extend_column_type',
    'oms_canal',
    'oms_dataworks',
    'oms_shareplex',
    'oms_debezium',
    'oms_debezium_flatten',
    'oms_debezium_smt',
    'tdsql',
    'datastream',
    'maxwell',
    'aws_dms',
] %}

with messages as (

    {% for envelope in envelopes %}
    {% call part(envelope) %}
    select
        {{ envelope_columns() | indent(8) }}
    from {{ ref(envelope) }}
    where {{ is_due(envelope) }}
    union all
    {% endcall %}
    {% endfor %}
    select
        {{ envelope_columns() | indent(8) }}
    from {{ ref('unrecognized') }}
    where {{ is_due('unrecognized') }}

),

cleaned as (

    select
        * except (before, after, unique_id),
        -- The part of a rejected message that was not read may differ: nothing is a repeat of it.
        if(rejection is null, unique_id, null) as unique_id,
        {{ last_of_repeated_names('before') | indent(8) }} as before,
        {{ last_of_repeated_names('after') | indent(8) }} as after
    from messages

),

-- The vendor's id and the content tell one change from another. Rows without an id are told apart
-- by their place; they need a hash of their content only where it orders them (backfill).
hashed as (

    select
        * except (position_parts),
        concat(
            if(is_backfill, '0', if(is_placed, '2', '1')),
            ' ',
            array_join(
                transform(position_parts, part -> {{ position_part('part') }}), ' '
            )
        ) as position,
        case
            when unique_id is not null or is_backfill
                -- xxhash64 skips NULLs: each needs a value of its own.
                then xxhash64(
                    coalesce(operation_code, chr(0)),
                    coalesce(database_name, chr(0)),
                    coalesce(schema_name, chr(0)),
                    coalesce(table_name, chr(0)),
                    coalesce(statement, chr(0)),
                    coalesce(table_changes, chr(0)),
                    {{ content_text('before') | indent(20) }},
                    {{ content_text('after') | indent(20) }},
                    to_json(before_values),
                    before_values is null,
                    to_json(after_values)
                )
        end as content_hash
    from cleaned

)

select
    {{ envelope_columns('position') | indent(4) }},
    xxhash64(
        topic,
        coalesce(database_name, chr(0)),
        coalesce(schema_name, chr(0)),
        coalesce(table_name, chr(0))
    ) as mention,
    -- Positions compare within a line, times across lines.
    concat_ws(' ', envelope, position_line) as line,
    coalesce(
        size(key_columns) > 0
        and size(array_except(key_columns, map_keys(coalesce(after, before)))) = 0,
        false
    ) as has_key_columns,
    content_hash,
    case
        when unique_id is null then xxhash64(topic, partition, offset, row_index)
        else xxhash64(unique_id, content_hash)
    end as id_hash
from hashed
