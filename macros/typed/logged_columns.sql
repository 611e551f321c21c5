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
            log_position
        from {{ ref('change_log') }}
            lateral view posexplode(map_keys(coalesce(after, before))) as place, name
        where table_id = {{ text_literal(table.table_id) }}
    ),

    imaged as (
        select
            name,
            max_by(place, log_position) as place,
            max_by(data_type, log_position) filter (where data_type is not null) as data_type,
            max_by(value_encoding, log_position) as value_encoding,
            coalesce(max_by(is_key, log_position), false) as is_key,
            max(log_position) as log_position
        from images
        group by name
    ),

    declared as (
        {{ declared_columns(table) | indent(4) }}
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
        imaged.log_position desc,
        imaged.place
{% endmacro %}


{#- The newest column list that DDL gives a table; none where there is no such table of lists. -#}
{% macro declared_columns(table) %}
    {% set schemas = load_relation(
        api.Relation.create(schema='silver', identifier='table_schemas')
    ) %}
    {% if schemas %}
    select
        column_name as name,
        max_by(data_type, valid_from_position) as data_type,
        max_by(is_key, valid_from_position) as is_key,
        max_by(ordinal, valid_from_position) as ordinal
    from (
        select
            *,
            rank() over (order by valid_from_position desc) as age
        from {{ schemas }}
        where
            {% for part in ['source', 'database_name', 'schema_name', 'table_name'] %}
            coalesce({{ part }}, '') = {{ text_literal(table[part] or '') }}
            {{- ' and' if not loop.last }}
            {% endfor %}
    )
    where age = 1
    group by column_name
    {% else %}
    select
        cast(null as string) as name,
        cast(null as string) as data_type,
        cast(null as boolean) as is_key,
        cast(null as int) as ordinal
    where false
    {% endif %}
{% endmacro %}
