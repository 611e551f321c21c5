{#-
  The id of a table, whatever it is called later: its first name and, where the name was free again
  for another table, the number of that table.
-#}
{% macro table_id(source, identity) -%}
    to_json(concat(
        array(
            {{ source }},
            {{ identity }}.database_name,
            {{ identity }}.schema_name,
            {{ identity }}.table_name
        ),
        if({{ identity }}.birth > 1, array(cast({{ identity }}.birth as string)), array())
    ))
{%- endmacro %}
