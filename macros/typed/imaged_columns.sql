{#- The columns that a table's images show, each as the newest image that has it. -#}
{% macro imaged_columns(table) %}
    select
        name,
        max_by(place, position) as place,
        max_by(data_type, position) filter (where data_type is not null) as data_type,
        max_by(value_encoding, position) as value_encoding,
        coalesce(max_by(is_key, position), false) as is_key,
        max(position) as position
    from (
        select
            name,
            place,
            column_types[name] as data_type,
            value_encoding,
            array_contains(map_keys(key), name) as is_key,
            position
        from {{ ref('row_effects') }}
            lateral view posexplode(map_keys(row)) as place, name
        where table_id = {{ onelog.text_literal(table.table_id) }}
    )
    group by name
{% endmacro %}
