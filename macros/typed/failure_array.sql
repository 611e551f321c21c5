{#- An array of the failures that are there; `checks` are SQL of one failure or NULL each. -#}
{% macro failure_array(checks) -%}
    cast(
        array_compact(array({{ checks | join(',\n        ') }}))
        as array<struct<column_name: string, value: string>>
    )
{%- endmacro %}
