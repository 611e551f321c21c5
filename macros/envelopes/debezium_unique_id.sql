{#-
  An event's complete place in its database's log. The rows of a snapshot share its place, and all
  events of a MongoDB transaction may share theirs: no id.
-#}
{% macro debezium_unique_id() -%}
    if(
        is_read or source.ord is not null or exists(coordinates, part -> part is null),
        null,
        array_join(coordinates, ' ')
    )
{%- endmacro %}
