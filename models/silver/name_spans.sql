{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        unique_key='name_id',
        pre_hook=["{{ declare_last_read() }}", "{{ set_last_read() }}"]
    )
}}
-- What each table's name means along the log, as far as statements say: which table, with which
-- columns. A row here is new or changed; `changes` says from where on it means something else. A
-- name of which no statement says anything any more keeps its row, without spans.

with replays as (

    select * from {{ ref('ddl_replays') }}
    where built_at > name_spans_read_to

),

spans as (

    select
        replays.source,
        span.*
    from replays
        lateral view explode(replays.replay.spans) as span

),

named as (

    select
        to_json(array(source, database_name, schema_name, table_name)) as name_id,
        source,
        database_name,
        schema_name,
        table_name,
        sort_array(collect_list(struct(
            line,
            number,
            from_position,
            from_at,
            {{ table_id('source', 'identity') }} as table_id,
            columns,
            columns.column_name as column_names,
            key_columns
        ))) as spans
    from spans
    group by
        source,
        database_name,
        schema_name,
        table_name

),

compared as (

    select * from named
    {% if is_incremental() %}
    union all
    select
        known.name_id,
        known.source,
        known.database_name,
        known.schema_name,
        known.table_name,
        array() as spans
    from {{ this }} as known
    left semi join replays on known.source = replays.source
    left anti join named on known.name_id = named.name_id
    {% endif %}

)

select
    compared.*,
    {% if is_incremental() %}
    transform(
        array_union(
            array_except(compared.spans, coalesce(known.spans, array())),
            array_except(coalesce(known.spans, array()), compared.spans)
        ),
        {% set span = 'struct(span.line, span.from_position, span.from_at)' %}
        span -> {{ span }}
    ) as changes,
    {% else %}
    transform(
        compared.spans, span -> struct(span.line, span.from_position, span.from_at)
    ) as changes,
    {% endif %}
    current_timestamp() as built_at
from compared
{% if is_incremental() %}
left join {{ this }} as known on compared.name_id = known.name_id
where not compared.spans <=> known.spans
{% endif %}
