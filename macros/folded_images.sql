{#- The row that images leave, each set on what the images before it left. -#}
{% macro folded_images(images) -%}
    aggregate(
        {{ images }},
        cast(map() as map<string, string>),
        (row_so_far, image) -> map_concat(row_so_far, image)
    )
{%- endmacro %}
