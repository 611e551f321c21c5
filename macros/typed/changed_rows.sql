{#-
  The rows of one source table: at first and on a full refresh all live rows, then the rows that
  have changed since this model last read, deleted ones included. Some messages of a table name its
  database, some do not (Datastream's Oracle); some name a tenant before it, some do not (OMS
  Default).
-#}
{% macro changed_rows(source, database_name, table_name, schema_name=none) -%}
    {#- A test compares the model's contract with what statements make of this table. #}
    {{- config(meta={'source_table': {
        'source': source,
        'database_name': database_name,
        'schema_name': schema_name,
        'table_name': table_name,
    }}) }}
    {%- set database = onelog.database_of(source, database_name, table_name) -%}
    {%- set is_named -%}
        row_states.source = {{ onelog.text_literal(source) }}
        and row_states.table_name = {{ onelog.text_literal(table_name) }}
        {% if database_name %}
        {%- set identity = onelog.text_literal(database) %}
        and (
            coalesce(row_states.database_name, {{ identity }})
            in ({{ identity }}, {{ onelog.text_literal(database_name) }})
            -- A tenant may stand before it; the id of the table has none.
            or (
                endswith(row_states.database_name, {{ onelog.text_literal('.' ~ database) }})
                and get_json_object(row_states.table_id, '$[1]') = {{ identity }}
            )
        )
        {% else %}
        and (
            row_states.database_name is null
            -- Only some of its messages name it: the id of the table has none.
            or from_json(row_states.table_id, 'array<string>')[1] is null
        )
        {% endif %}
        {% if schema_name %}
        and row_states.schema_name = {{ onelog.text_literal(schema_name) }}
        {% endif %}
    {%- endset -%}
    {%- set read = onelog.read_to_micros(source, table_name, is_named) -%}
    {%- set is_new = 'row_states.built_at > timestamp_micros(' ~ read ~ ')' -%}
    select
        row_states.state_id,
        coalesce(row_states.copies, 1) as copies,
        row_states.change_id,
        row_states.event_at,
        row_states.is_live,
        row_states.built_at,
        row_states.row,
        row_states.value_encoding,
        row_states.column_types,
        row_states.time_zone
    from {{ ref('row_states') }} as row_states
    where
        {{ is_named }}
        and {{ is_new if is_incremental() else 'row_states.is_live' }}
    {%- set is_rebuilt = is_incremental() and onelog.states_are_rebuilt(read) -%}
    {%- set replaced = onelog.replaced_tables(source, read)
        if is_incremental() and not is_rebuilt -%}
    {% if is_rebuilt or replaced %}
    -- The model's rows that its table has no more: those of a table that has another name by now;
    -- of states that were made whole, also those that are gone from the log.
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
    left {{ 'anti' if is_rebuilt else 'semi' }} join {{ ref('row_states') }} as row_states
        on
            stored.state_id = row_states.state_id
        {% if is_rebuilt %}
            and {{ is_named }}
        {% else %}
            and {{ is_new }}
            and row_states.source = {{ onelog.text_literal(source) }}
            and row_states.table_id in ({{ replaced | join(', ') }})
            and not coalesce({{ is_named }}, false)
        {% endif %}
    {% endif %}
{%- endmacro %}


{#- Whether resolve.row_states was made whole after the model last read it. -#}
{% macro states_are_rebuilt(read) %}
    {% set models = modules.onelog.run(invocation_id).get('models') %}
    {{ return(models is not none and models.row_states.generation > read) }}
{% endmacro %}
