with changed as (

    {{ changed_rows(source='datahub_blob', database_name='yunshi_db', table_name='t_shiyu_pk') }}

),

typed as (

    select
        *,
        {{ typed_text('name') }} as name,
        {{ typed_text('comment') }} as comment,
        {{ typed_bigint('id') }} as id
    from changed

)

select
    * except (column_types, row, time_zone, value_encoding),
    {{ cast_failures() }} as cast_failures
from typed
