{#-
  OMS: what orders a table's rows (`parts`: SQL of arrays), then their place in the topic. Rows of a
  full synchronization have no time: the one at which OMS wrote them orders them (`written_at`: SQL
  of a whole number), where the envelope tells it, then their content.
-#}
{% macro oms_position(parts, written_at=none) -%}
    if(
        is_backfill,
        array(null{{ ', ' ~ written_at if written_at }}),
        concat({{ parts }}, array(cast(offset as string), cast(partition as string)))
    )
{%- endmacro %}
