{#-
  The rows of one source table: at first and on a full refresh all live rows, then the rows that
  have changed since this model last read, deleted ones included. Some messages of a table name its
  database, some do not (Datastream's Oracle).
-#}
{% macro changed_rows(source, database_name, table_name, schema_name=none) -%}
    {#- A test compares the model's contract with what statements make of this table. #}
    {{- config(meta={'source_table': {
        'source': source,
        'database_name': database_name,
        'schema_name': schema_name,
        'table_name': table_name,
    }}) }}
    select
        state_id,
        coalesce(copies, 1) as copies,
        change_id,
        event_at,
        is_live,
        built_at,
        row,
        value_encoding,
        column_types,
        time_zone
    from {{ ref('row_states') }}
    where
        source = {{ onelog.text_literal(source) }}
        and table_name = {{ onelog.text_literal(table_name) }}
        {% if database_name %}
        and coalesce(database_name, {{ onelog.text_literal(database_name) }})
        = {{ onelog.text_literal(database_name) }}
        {% else %}
        and database_name is null
        {% endif %}
        {% if schema_name %}
        and schema_name = {{ onelog.text_literal(schema_name) }}
        {% endif %}
        and {{ 'built_at > ' ~ onelog.last_read() if is_incremental() else 'is_live' }}
    {% if is_incremental() and onelog.states_are_rebuilt() %}
    -- States that were made whole have no row for what is gone from the log.
    union all
    select
        stored.state_id,
        0 as copies,
        stored.change_id,
        stored.event_at,
        false as is_live,
        {{ onelog.built_at() }} as built_at,
        cast(null as map<string, string>) as row,
        cast(null as string) as value_encoding,
        cast(null as map<string, string>) as column_types,
        cast(null as string) as time_zone
    from {{ this }} as stored
    left anti join {{ ref('row_states') }} as row_states
        on stored.state_id = row_states.state_id
    {% endif %}
{%- endmacro %}


{#- Whether resolve.row_states was made whole after the model last read it. -#}
{% macro states_are_rebuilt() %}
    {% if not execute %}
        {{ return(false) }}
    {% endif %}
    {% set models = modules.onelog.run(invocation_id).get('models') %}
    {% set read = run_query(
        'select coalesce(unix_micros(max(built_at)), 0) from ' ~ this
    ).columns[0][0] | int %}
    {{ return(models is not none and models.row_states.generation > read) }}
{% endmacro %}
