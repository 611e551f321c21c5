{#-
  The columns that a table's newest statement gives, in their order. The table's id, not its names,
  tells its statements: rows may name a tenant before the database.
-#}
{% macro declared_columns(table) %}
    select
        listed.column_name as name,
        listed.data_type,
        listed.is_key,
        ordinal
    from (
        select max_by(span.columns, span.from_position) as columns
        from {{ ref('name_spans') }}
            lateral view explode(spans) as span
        where
            span.table_id = {{ text_literal(table.table_id) }}
            and span.line is not null
            and size(span.columns) > 0
    )
        lateral view posexplode(columns) as ordinal, listed
{% endmacro %}
