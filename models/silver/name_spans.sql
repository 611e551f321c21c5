{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        unique_key='name_id',
        pre_hook=["{{ declare_last_read() }}", "{{ set_last_read() }}"]
    )
}}
-- What each table's name means along the log, as far as statements say: which table, with which
-- columns. A row here is new or changed; `changes` says from where on it means something else.

with spans as (

    select
        ddl_replays.source,
        span.*
    from {{ ref('ddl_replays') }} as ddl_replays
        lateral view explode(ddl_replays.replay.spans) as span
    where ddl_replays.built_at > name_spans_read_to

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

)

select
    named.*,
    {% if is_incremental() %}
    transform(
        array_union(
            array_except(named.spans, coalesce(known.spans, array())),
            array_except(coalesce(known.spans, array()), named.spans)
        ),
        {% set span = 'struct(span.line, span.from_position, span.from_at)' %}
        span -> {{ span }}
    ) as changes,
    {% else %}
    transform(named.spans, span -> struct(span.line, span.from_position, span.from_at)) as changes,
    {% endif %}
    current_timestamp() as built_at
from named
{% if is_incremental() %}
left join {{ this }} as known on named.name_id = known.name_id
where not named.spans <=> known.spans
{% endif %}
