{#-
  As key_entries, for keys of at most four columns, without a higher-order function, which Spark
  interprets.
-#}
{% macro few_key_entries(image) -%}
    array_except(
        array(
            {% for place in range(4) %}
            {%- set name = 'get(table_key_columns, ' ~ place ~ ')' %}
            if(
                map_contains_key({{ image }}, {{ name }}),
                struct({{ name }} as key, {{ image }}[{{ name }}] as value),
                null
            ){{ ',' if not loop.last }}
            {% endfor %}
        ),
        array(null)
    )
{%- endmacro %}
