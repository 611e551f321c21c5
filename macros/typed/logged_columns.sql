{#-
  The columns of a table: those that its images show, and those that its statements give, in that
  order, else in the order of the newest image. The table's id, not its names, tells its statements:
  rows may name a tenant before the database.
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

    newest_statement as (
        select max_by(span.columns, span.from_position) as columns
        from {{ ref('name_spans') }}
            lateral view explode(spans) as span
        where
            span.table_id = {{ text_literal(table.table_id) }}
            and span.line is not null
            and size(span.columns) > 0
    ),

    declared as (
        select
            listed.column_name as name,
            listed.data_type,
            listed.is_key,
            ordinal
        from newest_statement
            lateral view posexplode(columns) as ordinal, listed
    )

    select
        coalesce(imaged.name, declared.name) as name,
        coalesce(declared.data_type, imaged.data_type) as data_type,
        declared.data_type is not null as is_stated,
        (
            select max_by(database_type, log_position)
            from {{ ref('ddl_events') }}
            where source = {{ text_literal(table.source) }}
        ) as database_type,
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
