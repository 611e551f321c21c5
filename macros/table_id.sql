{#-
  The id of a table, whatever it is called later: its first name and, where an earlier table had
  that name, a number.
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
