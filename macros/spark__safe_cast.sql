{#-
  Lets unit test fixtures give maps, arrays and structs as YAML; dbt-spark has only scalars. Spark
  tells a type without the quotes that names of fields may need.
-#}
{% macro spark__safe_cast(field, type) -%}
    {%- if field is mapping or (field is sequence and field is not string) -%}
    {%- set quoted = modules.re.sub('([<,] ?)([^<>,:` ]+):', '\\1`\\2`:', type) -%}
    from_json('{{ onelog.spark__escape_single_quotes(tojson(field)) }}', '{{ quoted }}')
    {%- else -%}
    cast({{ field }} as {{ type }})
    {%- endif -%}
{%- endmacro %}
