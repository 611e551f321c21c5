-- DDL statements as the sources sent them, and what each does.

with statements as (

    select * from {{ ref('ddl_events') }}

),

parsed as (

    select * from {{ ref('ddl_statements') }}

)

select
    statements.envelope,
    statements.topic,
    statements.source,
    statements.partition,
    statements.offset,
    statements.batch,
    statements.received_at,
    statements.event_at,
    statements.log_position,
    statements.database_name,
    statements.schema_name,
    statements.table_name,
    parsed.statement,
    -- A message without a text (Debezium's truncate) says by its operation what happened.
    coalesce(nullif(parsed.parsed.statements.kind[0], 'unknown'), statements.operation) as kind,
    transform(
        flatten(parsed.parsed.statements.tables),
        name -> struct(name.database_name, name.schema_name, name.table_name)
    ) as tables,
    transform(
        flatten(parsed.parsed.statements.column_changes),
        change -> struct(
            change.action,
            change.column_name,
            change.new_name,
            change.data_type,
            change.after
        )
    ) as column_changes,
    parsed.parsed.parse_error,
    parsed.parsed.statements,
    statements.built_at
from statements
left join parsed on statements.statement_id = parsed.statement_id
