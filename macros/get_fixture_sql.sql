{#-
  Lets unit tests give rows of an ephemeral model as YAML: dbt asks a model's relation for its
  columns, and an ephemeral one has none. Its rows have the columns of resolve.events, those that
  resolve.facts adds to them, and those that the test names. Stored models tell the types.
-#}
{% macro get_fixture_sql(rows, column_name_to_data_types) %}
    {%- set events = this.incorporate(path={'identifier': 'events'}) -%}
    {%- if adapter.get_columns_in_relation(this) or not load_relation(events) -%}
        {{ return(dbt.get_fixture_sql(rows, column_name_to_data_types)) }}
    {%- endif -%}
    {%- set names = ['source', 'database_identity', 'name_id', 'time_zone', 'line_start'] -%}
    {%- do names.extend(['table_id', 'table_key_columns', 'is_plain', 'spans']) -%}
    {%- do names.extend(['event_id', 'is_earlier']) -%}
    {%- set entries = 'array<struct<key: string, value: string>>' -%}
    {%- set types = {
        'key_entries': entries, 'before_key_entries': entries, 'column_names': 'array<string>'
    } -%}
    {%- for model_name in ['changes', 'facts', 'events'] -%}
        {%- set relation = this.incorporate(path={'identifier': model_name}) -%}
        {%- for column in adapter.get_columns_in_relation(relation) -%}
            {%- do types.update({column.name: column.data_type}) -%}
            {%- do names.append(column.name) if model_name == 'events' -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- for row in rows -%}
        {%- do names.extend(row) -%}
    {%- endfor -%}
    {%- for row in rows or [{}] %}
    select
        {%- for name in names | unique(true) %}
        {%- set value = row.get(name) %}
        {{ safe_cast(
            string_literal(escape_single_quotes(value)) if value is string
            else ('null' if value is none else value),
            types.get(name, 'boolean' if name.startswith('is_') else 'string')
        ) | trim }} as {{ name }}{{ ',' if not loop.last }}
        {%- endfor %}
    {{ 'union all' if not loop.last }}
    {%- endfor %}
    {{ 'limit 0' if not rows }}
{% endmacro %}
