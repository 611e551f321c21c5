{#-
  Which half of an update a flat record is: "For the data record that stores the original data, the
  value of _before_image_ is Y … For the data record that stores the updated data, … N".
-#}
{% macro record_image() -%}
    case
        when message['_operation_type_'] = 'U' and message['_before_image_'] = 'Y' then 'before'
        when message['_operation_type_'] = 'U' then 'after'
        else 'both'
    end
{%- endmacro %}
