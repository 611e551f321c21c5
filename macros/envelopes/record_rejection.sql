{#-
  Why a flat record cannot be read. It holds one row, so exactly one flag is Y; for an insert and a
  delete the documents say which.
-#}
{% macro record_rejection() -%}
    case
        when
            message['_operation_type_'] in ('I', 'U', 'D')
            and concat_ws(
                ' ',
                message['_operation_type_'],
                message['_before_image_'],
                message['_after_image_']
            ) not in ('I N Y', 'U Y N', 'U N Y', 'D Y N')
            then concat(
                'the image flags do not fit operation ',
                message['_operation_type_'],
                ': before ',
                coalesce(message['_before_image_'], 'missing'),
                ', after ',
                coalesce(message['_after_image_'], 'missing')
            )
    end
{%- endmacro %}
