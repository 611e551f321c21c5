{#-
  The objects and arrays of a message of this envelope, as the sources' YAML declares them: array of
  (path, type, item_type). Types are words; item_type is NULL where an array may hold anything.
-#}
{% macro declared_fields(envelope) -%}
    case {{ envelope }}
        when 'unrecognized' then null
        {% for source in graph.sources.values() if 'message' in source.columns %}
        {% set fields = modules.onelog.nested_fields(source.columns.message.data_type) %}
        {% if fields %}
        when '{{ source.name }}' then array(
            {% for path, type, item_type in fields %}
            struct(
                '{{ path }}' as path,
                '{{ type }}' as type,
                nullif('{{ item_type or '' }}', '') as item_type
            ){{ ',' if not loop.last }}
            {% endfor %}
        )
        {% endif %}
        {% endfor %}
    end
{%- endmacro %}
