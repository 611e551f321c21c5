with changed as (

    {{ changed_rows(source='maxwell', database_name='test', table_name='e') }}

),

typed as (

    select
        *,
        {{ typed_int('id') }} as id,
        {{ typed_double('m') }} as m,
        {{ typed_decimal('torvalds', 20, 0) }} as torvalds,
        {{ typed_timestamp('c') }} as c,
        {{ typed_text('comment') }} as comment
    from changed

)

select
    * except (column_types, row, time_zone, value_encoding),
    {{ cast_failures() }} as cast_failures
from typed
