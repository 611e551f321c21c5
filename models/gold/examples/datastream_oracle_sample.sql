with changed as (

    {{ changed_rows(
        source='datastream_oracle',
        database_name='DB1',
        schema_name='ROOT',
        table_name='SAMPLE'
    ) }}

),

typed as (

    select
        *,
        {{ typed_int('THIS_IS_MY_PK') }} as this_is_my_pk,
        {{ typed_text('FIELD1') }} as field1,
        {{ typed_text('FIELD2') }} as field2
    from changed

)

select
    * except (column_types, row, time_zone, value_encoding),
    {{ cast_failures() }} as cast_failures
from typed
