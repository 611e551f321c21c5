{#- The identity of a split update: equal for both halves, whichever comes first. -#}
{% macro split_update_id() -%}
    md5(concat_ws(
        chr(1),
        source,
        coalesce(database_name, ''),
        coalesce(schema_name, ''),
        coalesce(table_name, ''),
        pair_id
    ))
{%- endmacro %}
