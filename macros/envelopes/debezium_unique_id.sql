{#-
  An event's complete place in its database's log; NULL for the rows of a snapshot, which share its
  place, and for MongoDB, where the events of a transaction may share theirs.
-#}
{% macro debezium_unique_id() -%}
    if(
        is_read or source.ord is not null or exists(coordinates, part -> part is null),
        null,
        array_join(coordinates, ' ')
    )
{%- endmacro %}
