{#-
  An event's complete place in its database's log; NULL for the rows of a snapshot, which share its
  place, and for MongoDB, where the events of a transaction may share theirs. A statement is no row:
  its place is complete without the row's number.
-#}
{% macro debezium_unique_id() -%}
    if(
        is_read
        or source.ord is not null
        or (op is not null and exists(coordinates, part -> part is null)),
        null,
        array_join(coordinates, ' ')
    )
{%- endmacro %}
