{#- Says that a positional row does not fit its table's column list. -#}
{% macro wrong_number_of_values(values) -%}
    concat(
        size({{ values }}),
        ' values for the ',
        size(column_names),
        ' columns of ',
        concat_ws('.', database_name, table_name)
    )
{%- endmacro %}
