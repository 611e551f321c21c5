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
    {%- set is_named -%}
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
    {%- endset -%}
    {%- set is_new = 'built_at > ' ~ onelog.last_read() if is_incremental() -%}
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
        {{ is_named }}
        and {{ is_new or 'is_live' }}
    {% if is_incremental() %}
    {{- onelog.rows_gone(is_named, is_new, source) }}
    {% endif %}
{%- endmacro %}


{#-
  The model's rows that its table has no more, as rows to delete: those of a table that was renamed;
  of states that were made whole also those that are gone from the log.
-#}
{% macro rows_gone(is_named, is_new, source) -%}
    {%- set is_rebuilt, renamed = onelog.states_are_rebuilt(), onelog.renamed_tables() -%}
    {% if is_rebuilt or renamed %}
    union all
    select
        state_id,
        0 as copies,
        change_id,
        event_at,
        false as is_live,
        {{ onelog.built_at() }} as built_at,
        cast(null as map<string, string>) as row,
        cast(null as string) as value_encoding,
        cast(null as map<string, string>) as column_types,
        cast(null as string) as time_zone
    from {{ this }}
    left {{ 'anti' if is_rebuilt else 'semi' }} join (
        select state_id as other_id
        from {{ ref('row_states') }}
        where
    {% if is_rebuilt %}
            {{ is_named }}
    {% else %}
            {{ is_new }}
            and source = {{ onelog.text_literal(source) }}
            and table_id in ({{ renamed | join(', ') }})
            and not coalesce({{ is_named }}, false)
    {% endif %}
    )
        on state_id = other_id
    {% endif %}
{%- endmacro %}


{#- The tables that were ever renamed, as literals of their ids; asked once in a run. -#}
{% macro renamed_tables() %}
    {% set run = modules.onelog.run(invocation_id) %}
    {% if execute and 'renamed' not in run %}
        {% set effects = api.Relation.create(schema='resolve', identifier='table_effects') %}
        {% set renamed = [] %}
        {% for table_id in run_query(
            'select table_id from ' ~ effects ~ ' where present_name is not null'
        ).columns[0].values() %}
            {% do renamed.append(onelog.text_literal(table_id)) %}
        {% endfor %}
        {% do run.update({'renamed': renamed}) %}
    {% endif %}
    {{ return(run.get('renamed', [])) }}
{% endmacro %}


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
