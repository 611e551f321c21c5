{#-
  The columns that a table's newest statement gives, in their order; without one, those that
  seeds/table_columns.csv gives. The table's id, not its names, tells its statements: rows may name
  a tenant before the database, which the settings may leave out.
-#}
{% macro declared_columns(table) %}
    select
        listed.column_name as name,
        listed.data_type,
        listed.is_key,
        ordinal
    from (
        select max_by(
            transform(
                columns, item -> struct(item.column_name, item.data_type, item.is_key)
            ),
            struct(is_stated, from_position)
        ) as columns
        from (
            select
                span.columns,
                true as is_stated,
                span.from_position
            from {{ ref('name_spans') }}
                lateral view explode(spans) as span
            where
                span.table_id = {{ onelog.text_literal(table.table_id) }}
                and span.line is not null
            union all
            select
                columns,
                false as is_stated,
                null as from_position
            from {{ ref('table_settings') }}
            where
                source = {{ onelog.text_literal(table.source) }}
                and (
                    database_name <=> {{ onelog.text_literal(table.database_name) }}
                    or database_name
                    = get_json_object({{ onelog.text_literal(table.table_id) }}, '$[1]')
                )
                and table_name = {{ onelog.text_literal(table.table_name) }}
        )
        where size(columns) > 0
    )
        lateral view posexplode(columns) as ordinal, listed
{% endmacro %}
