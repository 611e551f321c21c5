with changed as (

    {{ changed_rows(source='oms_dataworks', database_name='db', table_name='tab') }}

),

typed as (

    select
        *,
        {{ typed_int('col1') }} as col1,
        {{ typed_int('col2') }} as col2,
        {{ typed_int('col3') }} as col3,
        {{ typed_bigint('col4') }} as col4,
        {{ typed_double('col5') }} as col5,
        {{ typed_text('col6') }} as col6,
        {{ typed_decimal('col7', 20, 0) }} as col7,
        {{ typed_boolean('col8') }} as col8,
        {{ typed_text('col9') }} as col9,
        {{ typed_binary('col10') }} as col10,
        {{ typed_text('col11') }} as col11,
        {{ typed_date('col12') }} as col12,
        {{ typed_time('col13') }} as col13,
        {{ typed_datetime('col14') }} as col14,
        {{ typed_timestamp('col15') }} as col15,
        {{ typed_text('col16') }} as col16,
        {{ typed_text('col17') }} as col17,
        {{ typed_text('col18') }} as col18
    from changed

)

select
    * except (column_types, row, time_zone, value_encoding),
    {{ cast_failures() }} as cast_failures
from typed
