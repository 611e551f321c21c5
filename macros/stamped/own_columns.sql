{#- The columns that a stored model's own text gives. -#}
{% macro own_columns(model) %}
    {{ return(
        model.columns.values()
        | rejectattr('name', 'in', ('built_at', 'marked_unit', 'mark'))
        | list
    ) }}
{% endmacro %}
