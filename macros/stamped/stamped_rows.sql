{#- The rows of a model, with the time of the run and without a mark. -#}
{% macro stamped_rows(sql) -%}
    select
        {% for column in own_columns(model) %}
        {{ column.name }},
        {% endfor %}
        {{ built_at() }} as built_at,
        cast(null as string) as marked_unit,
        cast(null as {{ mark_type() }}) as mark
    from (
        {{ sql }}
    )
{%- endmacro %}
