{#- Lets unit test fixtures give maps, arrays and structs as YAML; dbt-spark has only scalars. -#}
{% macro spark__safe_cast(field, type) -%}
    {%- if field is mapping or (field is sequence and field is not string) -%}
    from_json('{{ onelog.spark__escape_single_quotes(tojson(field)) }}', '{{ type }}')
    {%- else -%}
    cast({{ field }} as {{ type }})
    {%- endif -%}
{%- endmacro %}
