with changed as (

    {{ changed_rows(source='oms_debezium_smt', database_name='test', table_name='table_name') }}

),

typed as (

    select
        *,
        {{ typed_text('field1') }} as field1,
        {{ typed_text('field2') }} as field2
    from changed

)

select
    * except (column_types, row, time_zone, value_encoding),
    {{ cast_failures() }} as cast_failures
from typed
