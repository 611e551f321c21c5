{#- The SQL of gold.cast_failures: what did not fit its type in these typed models. -#}
{% macro failures_of(models) -%}
    with typed_rows as (

        {% for name in models %}
        select
            '{{ name }}' as model_name,
            change_id,
            cast_failures
        from {{ ref(name) }}
        union all
        {% endfor %}
        select
            cast(null as string) as model_name,
            cast(null as string) as change_id,
            cast(array() as array<struct<column_name: string, value: string>>) as cast_failures
        where false

    )

    select
        model_name,
        failure.column_name,
        failure.value,
        change_id
    from typed_rows
        lateral view explode(cast_failures) as failure
{%- endmacro %}
