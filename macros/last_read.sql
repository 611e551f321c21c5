{#-
  The greatest built_at that the model has, as a literal: Spark prunes files by literals, and by no
  subquery. Each call queries the model's table.
-#}
{% macro last_read() -%}
    {%- set micros = [0] -%}
    {%- if execute and is_incremental() -%}
        {%- set micros = run_query(
            'select coalesce(unix_micros(max(built_at)), 0) from ' ~ this
        ).columns[0].values() -%}
    {%- endif -%}
    timestamp_micros({{ micros[0] | int }})
{%- endmacro %}
