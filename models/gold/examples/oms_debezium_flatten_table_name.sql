with changed as (

    {{ changed_rows(source='oms_debezium_flatten', database_name='test', table_name='table_name') }}

),

typed as (

    select
        *,
        {{ typed_int('c01') }} as c01,
        {{ typed_decimal('c02', 20, 0) }} as c02,
        {{ typed_decimal('c03', 10, 5) }} as c03,
        {{ typed_bit('c04', 8) }} as c04,
        {{ typed_int('c05') }} as c05,
        {{ typed_int('c06') }} as c06,
        {{ typed_int('c07') }} as c07,
        {{ typed_bigint('c08') }} as c08,
        {{ typed_double('c09') }} as c09,
        {{ typed_double('c10') }} as c10,
        {{ typed_text('c11') }} as c11,
        {{ typed_text('c12') }} as c12,
        {{ typed_text('c13') }} as c13,
        {{ typed_text('c14') }} as c14,
        {{ typed_binary('c15') }} as c15,
        {{ typed_text('c16') }} as c16,
        {{ typed_binary('c17') }} as c17,
        {{ typed_binary('c18') }} as c18,
        {{ typed_binary('c19') }} as c19,
        {{ typed_binary('c20') }} as c20,
        {{ typed_timestamp('c21') }} as c21,
        {{ typed_date('c22') }} as c22,
        {{ typed_time('c23') }} as c23,
        {{ typed_datetime('c24') }} as c24,
        {{ typed_int('c25') }} as c25,
        {{ typed_binary('c26') }} as c26
    from changed

)

select
    * except (column_types, row, time_zone, value_encoding),
    {{ cast_failures() }} as cast_failures
from typed
