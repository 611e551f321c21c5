{#-
  The values of MySQL literals, as an array: a bare NULL is null, quoted texts lose their quotes and
  escapes, all else (numbers, 0x…, x'…', b'…', _utf8'…') stays as written. A pair of backslashes
  means one backslash and is no escape of what follows. So the text is cut at the pairs, then each
  part at its single backslashes, whose next character is the escape.
-#}
{% macro unquote_sql_literals(literals) -%}
    transform({{ literals }}, literal -> case
        when upper(literal) = 'NULL' then null
        when not literal rlike '^(?s)(\'.*\'|".*")$' then literal
        when not contains(literal, '\\') then {{ quoted_text('literal') }}
        else array_join(
            transform(split({{ quoted_text('literal') }}, '\\\\\\\\'), part -> array_join(
                transform(split(part, '\\\\'), (piece, place) -> case
                    when place = 0 then piece
                    else concat(
                        coalesce(
                            map(
                                '0', '\0', 'b', '\b', 'n', '\n', 'r', '\r', 't', '\t',
                                'Z', '\Z', '%', '\\%', '_', '\\_', '', '\\'
                            )[left(piece, 1)],
                            left(piece, 1)
                        ),
                        substring(piece, 2)
                    )
                end), ''
            )), '\\'
        )
    end)
{%- endmacro %}
