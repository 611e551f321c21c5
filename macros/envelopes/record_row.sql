{#- The user's columns of a flat record: all but those that Data Integration adds. -#}
{% macro record_row() -%}
    map_filter(
        message,
        (name, value) -> name not in (
            '_sequence_id_',
            '_operation_type_',
            '_execute_time_',
            '_excute_time_',
            '_source_table_',
            '_before_image_',
            '_after_image_'
        )
    )
{%- endmacro %}
