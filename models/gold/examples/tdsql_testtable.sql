with changed as (

    {{ changed_rows(source='tdsql', database_name='testdb', table_name='testtable') }}

),

typed as (

    select
        *,
        {{ typed_int('id') }} as id,
        {{ typed_text('name') }} as name
    from changed

)

select
    * except (column_types, row, time_zone, value_encoding),
    {{ cast_failures() }} as cast_failures
from typed
