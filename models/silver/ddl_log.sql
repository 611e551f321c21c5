-- One row per DDL statement, as the source sent it, with what it does.

select
    envelope,
    topic,
    source,
    partition,
    offset,
    batch,
    received_at,
    event_at,
    log_position,
    database_name,
    schema_name,
    table_name,
    statement,
    -- A message without a text (Debezium's truncate) says by its operation what happened.
    coalesce(nullif(parsed.statements.kind[0], 'unknown'), operation) as kind,
    transform(
        flatten(parsed.statements.tables),
        name -> struct(name.database_name, name.schema_name, name.table_name)
    ) as tables,
    transform(
        flatten(parsed.statements.column_changes),
        change -> struct(
            change.action,
            change.column_name,
            change.new_name,
            change.data_type,
            change.after
        )
    ) as column_changes,
    parsed.parse_error,
    parsed.statements,
    built_at
from {{ ref('placed_statements') }}
where not is_repeat
