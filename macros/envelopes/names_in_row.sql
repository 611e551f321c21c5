{#-
  Column names as the row spells them. SQL Server's key may differ from its payload in case: where
  the exact name is absent, the one that is equal without case.
-#}
{% macro names_in_row(names, row) -%}
    transform({{ names }}, name -> if(
        coalesce(map_contains_key({{ row }}, name), true),
        name,
        coalesce(
            get(filter(map_keys({{ row }}), sent -> lower(sent) = lower(name)), 0), name
        )
    ))
{%- endmacro %}
