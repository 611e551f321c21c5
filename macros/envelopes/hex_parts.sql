{#- The three hex numbers of 00000025:00000728:0003 and its like, each as decimal text. -#}
{% macro hex_parts(field, separator) -%}
    array(
        {{ hex_number("split_part(" ~ field ~ ", '" ~ separator ~ "', 1)") }},
        {{ hex_number("split_part(" ~ field ~ ", '" ~ separator ~ "', 2)") }},
        {{ hex_number("split_part(" ~ field ~ ", '" ~ separator ~ "', 3)") }}
    )
{%- endmacro %}
