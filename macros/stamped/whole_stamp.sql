{#- The stamp of one piece, which bears on every row of the unit: a hash of these columns. -#}
{% macro whole_stamp(columns) -%}
    array({{ stamp_piece(columns) }})
{%- endmacro %}


{#-
  One piece of a stamp: from where on it bears on rows, and the hash of what it says, of times down
  to the microsecond: where a clock stands behind, that is all by which two runs differ.
-#}
{% macro stamp_piece(columns, line='null', from_position='null', since='null') -%}
    named_struct(
        'line', cast({{ line }} as string),
        'from_position', cast({{ from_position }} as string),
        'since', cast({{ since }} as timestamp),
        'hash', xxhash64(to_json(
            struct({{ columns }}), map('timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS')
        ))
    )
{%- endmacro %}
