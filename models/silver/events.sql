{{
    config(
        materialized='incremental',
        incremental_strategy='append',
        pre_hook=[
            "{{ refuse_silent_replacement() }}",
            "{{ refuse_to_lose_expired_batches() }}",
            "{% set moved = moved_messages() if is_incremental() else '' %}
            {% if moved %} delete from {{ this }} where {{ moved }} {% endif %}"
        ],
        post_hook="{% if moved_messages() %}
            update {{ source('bronze', 'rewrites').render() }} set read_at = current_timestamp()
            where read_at is null and rewrite <= events_last_rewrite
            {% endif %}",
        tblproperties={'delta.dataSkippingStatsColumns': 'envelope,batch,id_hash'}
    )
}}
-- What the messages themselves say, one row a changed row, statement or mark. What depends on
-- settings, on DDL or on other messages is resolved above this table, never stored in it.

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
    'unrecognized',
] %}

{#-
  Only committed batches are read: a batch without its row in bronze.batches is not there. Numbers
  of batches become literals, by which Spark prunes the bronze partitions; the views of envelopes
  that no new batch brings are left out, as planning them costs more than a small batch. Messages
  that moved to another envelope are read again; a pre-hook has forgotten what they said before.
#}
{%- set from_batch, to_batch, arrived, moved = 0, 0, [], '' %}
{%- if execute and load_relation(source('bronze', 'rewrites')) %}
    {%- set last_rewrite = run_query(
        'select coalesce(max(rewrite), 0) from ' ~ source('bronze', 'rewrites')
    ).columns[0][0] %}
    {%- do run_query(
        'declare or replace variable events_last_rewrite bigint default ' ~ last_rewrite
    ) %}
    {%- set moved = (moved_messages() if is_incremental() else '') | trim %}
{%- endif %}
{%- if execute and is_incremental() %}
    {%- set from_batch = run_query(
        'select coalesce(max(batch), 0) from ' ~ this
    ).columns[0][0] %}
{%- endif %}
{%- if execute and load_relation(source('bronze', 'batches')) %}
    {%- set news = run_query(
        'select fed.envelope, max(batch) from ' ~ source('bronze', 'batches')
        ~ ' lateral view explode(tables) as fed where batch > ' ~ from_batch
        ~ (' or batch in (select batch from ' ~ source('bronze', 'rewrites')
        ~ ' where read_at is null)' if moved else '')
        ~ ' group by fed.envelope'
    ).columns %}
    {%- set arrived, batches = news[0].values(), news[1].values() %}
    {%- set to_batch = batches | max %}
{%- endif %}

with messages as (

    {% for envelope in envelopes if ref(envelope) and envelope in (arrived or envelopes[:1]) %}
    select
        topic,
        partition,
        offset,
        row_index,
        batch,
        received_at,
        envelope,
        operation_code,
        database_name,
        schema_name,
        table_name,
        key_columns,
        key_values,
        row_id,
        before,
        after,
        is_partial,
        image,
        pair_id,
        before_values,
        after_values,
        column_types,
        value_encoding,
        event_time,
        event_time_unit,
        is_backfill,
        position_parts,
        position_line,
        is_placed,
        unique_id,
        transaction_id,
        statement,
        statement_meta,
        database_type,
        table_changes,
        statement_anchor,
        database_naming,
        is_ordered_by_line,
        rejection
    from {{ ref(envelope) }}
    {{ 'union all' if not loop.last }}
    {% endfor %}

),

cleaned as (

    select
        * except (before, after, unique_id),
        -- What was not read of a rejected message may differ: nothing is a repeat of it.
        if(rejection is null, unique_id, null) as unique_id,
        {{ last_of_repeated_names('before') | indent(8) }} as before,
        {{ last_of_repeated_names('after') | indent(8) }} as after
    from messages
    where
        (batch > {{ from_batch }} and batch <= {{ to_batch or 0 }})
        or {{ moved or 'false' }}

),

-- One change is told from another by the vendor's id and the content; rows without an id are told
-- apart by their place, and need no hash of the content unless it orders them (backfill).
hashed as (

    select
        * except (position_parts),
        array_join(
            transform(position_parts, part -> {{ position_part('part') }}), ' '
        ) as position,
        case
            when unique_id is not null or is_backfill
                -- NULLs leave no mark in a hash of their own.
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
    {{ event_columns() | indent(4) }},
    content_hash,
    case
        when unique_id is null then xxhash64(topic, partition, offset, row_index)
        else xxhash64(unique_id, content_hash)
    end as id_hash,
    current_timestamp() as built_at
from hashed
