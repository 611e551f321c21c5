{#- The text that the source sent for a column; cast_failures() hears which ones are asked for. -#}
{% macro row_text(column) -%}
    {%- if execute and model is defined -%}
        {%- do model.setdefault('typed_columns', []).append(column) -%}
    {%- endif -%}
    row[{{ text_literal(column) }}]
{%- endmacro %}
