{#-
  OMS: what orders a table's rows (`parts`: SQL of arrays), then their place in the topic. Rows of a
  full synchronization have no time: their content alone orders them.
-#}
{% macro oms_position(parts) -%}
    if(
        is_backfill,
        array(null),
        concat({{ parts }}, array(cast(offset as string), cast(partition as string)))
    )
{%- endmacro %}
