{#-
  The identity of a split update: equal for both halves, whichever comes first. A name may hold the
  character between the parts: then JSON tells where one ends.
-#}
{% macro split_update_id() -%}
    {%- set parts = "source, coalesce(database_name, ''), coalesce(schema_name, ''), "
        ~ "coalesce(table_name, ''), pair_id" -%}
    md5(if(
        instr(concat({{ parts }}), chr(1)) > 0,
        to_json(array({{ parts }})),
        concat_ws(chr(1), {{ parts }})
    ))
{%- endmacro %}
