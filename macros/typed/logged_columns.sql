{#-
  The columns of a table that its images show, or that its statements or seeds/table_columns.csv
  give, in the order of these, else in that of the newest image.
-#}
{% macro logged_columns(table) %}
    with imaged as (
        {{ onelog.imaged_columns(table) }}
    ),

    declared as (
        {{ onelog.declared_columns(table) }}
    )

    select
        coalesce(imaged.name, declared.name) as name,
        coalesce(declared.data_type, imaged.data_type) as data_type,
        declared.data_type is not null as is_stated,
        (
            select max_by(database_type, log_position)
            from {{ ref('placed_statements') }}
            where source = {{ onelog.text_literal(table.source) }}
        ) as database_type,
        coalesce(
            imaged.value_encoding, (select max(value_encoding) from imaged)
        ) as value_encoding,
        coalesce(declared.is_key, false) or coalesce(imaged.is_key, false) as is_key
    from imaged
    full outer join declared on imaged.name = declared.name
    order by
        declared.ordinal nulls last,
        imaged.position desc,
        imaged.place
{% endmacro %}
