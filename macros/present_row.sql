{#-
  A row with the columns that its table has now, after the statements above the row: dropped columns
  are gone, renamed ones have their new names, and a whole image has the added ones. `changes` are
  those of the column `later_changes` that count. A column in another case is meant only where none
  has the name as it is.
-#}
{% macro present_row(row, changes, is_whole) -%}
    {%- set is_meant = "if(map_contains_key(image, change.column_name), name = change.column_name,"
        ~ " lower(name) = lower(change.column_name))" -%}
    if(
        size(later_changes) > 0,
        aggregate(
            {{ changes }},
            {{ row }},
            (image, change) -> case
                when
                    change.action = 'drop'
                    then map_filter(image, (name, value) -> not {{ is_meant }})
                when
                    change.action = 'rename'
                    and not array_contains(map_keys(image), change.new_name)
                    then transform_keys(
                        image,
                        (name, value) -> if({{ is_meant }}, change.new_name, name)
                    )
                when
                    change.action = 'add'
                    and ({{ is_whole }})
                    and not exists(map_keys(image), name -> lower(name) = lower(change.column_name))
                    then map_concat(image, map(change.column_name, change.value))
                else image
            end
        ),
        {{ row }}
    )
{%- endmacro %}
