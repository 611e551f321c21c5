{#- The id of a row of a table, by its key or, without one, by its content: a hash of 128 bits. -#}
{% macro row_state_id(key, columns) -%}
    md5(concat(
        table_id,
        if({{ key }} is null, 'row', 'key'),
        to_json(sort_array(map_entries({{ identifying_texts(columns) }})))
    ))
{%- endmacro %}
