{{ config(materialized='incremental', incremental_strategy='append') }}
-- Each distinct statement once, with what it does. DataHub may send the text in `ddlMeta` alone.

with statements as (

    select distinct
        statement,
        statement_meta,
        lower(database_type) as database_type,
        statement_id
    from {{ ref('ddl_events') }}

),

new_statements as (

    select statements.*
    from statements
    {% if is_incremental() %}
    left anti join {{ this }} as known on statements.statement_id = known.statement_id
    {% endif %}

),

read_statements as (

    select
        statement_id,
        database_type,
        coalesce(nullif(statement, ''), ddl_meta_text(statement_meta)) as statement
    from new_statements

)

select
    statement_id,
    statement,
    parse_ddl(statement, database_type) as parsed
from read_statements
