{#-
  The columns of a table: those that its images show, and those that its DDL gives where
  silver.table_schemas knows it, in that order, else in the order of the newest image.
-#}
{% macro logged_columns(table) %}
    with images as (
        select
            name,
            place,
            column_types[name] as data_type,
            value_encoding,
            array_contains(map_keys(key), name) as is_key,
            position
        from {{ ref('row_effects') }}
            lateral view posexplode(map_keys(row)) as place, name
        where table_id = {{ text_literal(table.table_id) }}
    ),

    imaged as (
        select
            name,
            max_by(place, position) as place,
            max_by(data_type, position) filter (where data_type is not null) as data_type,
            max_by(value_encoding, position) as value_encoding,
            coalesce(max_by(is_key, position), false) as is_key,
            max(position) as position
        from images
        group by name
    ),

    versions as (
        select
            *,
            max(valid_from_position) over () as last_position
        from {{ ref('table_schemas') }}
        where
            {% for part in ['source', 'database_name', 'schema_name', 'table_name'] %}
            coalesce({{ part }}, '') = {{ text_literal(table[part] or '') }}
            {{- ' and' if not loop.last }}
            {% endfor %}
    ),

    declared as (
        select
            column_name as name,
            data_type,
            is_key,
            ordinal
        from versions
        where valid_from_position = last_position
    )

    select
        coalesce(imaged.name, declared.name) as name,
        coalesce(declared.data_type, imaged.data_type) as data_type,
        coalesce(
            imaged.value_encoding, (select max(value_encoding) from images)
        ) as value_encoding,
        coalesce(declared.is_key, false) or coalesce(imaged.is_key, false) as is_key
    from imaged
    full outer join declared on imaged.name = declared.name
    order by
        declared.ordinal nulls last,
        imaged.position desc,
        imaged.place
{% endmacro %}
