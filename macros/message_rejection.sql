{#- Why a landed message cannot be read as its envelope; NULL for a sound one. -#}
{% macro message_rejection() -%}
    case
        when raw is not null then coalesce(problem, 'not one JSON object')
        when _corrupt_record is not null
            then {{ wrong_type() }}
    end
{%- endmacro %}
