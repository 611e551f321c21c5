{#-
  The text that the source sent for a column; cast_failures() knows from here which columns are
  typed.
-#}
{% macro row_text(column) -%}
    {%- if execute and model is defined -%}
        {%- do model.setdefault('typed_columns', []).append(column) -%}
    {%- endif -%}
    row[{{ onelog.text_literal(column) }}]
{%- endmacro %}
