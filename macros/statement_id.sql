{#- What makes a statement the same one: its text, its binary form and the kind of its database. -#}
{% macro statement_id() -%}
    md5(concat_ws(
        chr(1),
        coalesce(statement, chr(0)),
        coalesce(statement_meta, chr(0)),
        lower(database_type)
    ))
{%- endmacro %}
