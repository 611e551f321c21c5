{#- Whether the model has a table to which the run adds; false in a first build. -#}
{% macro is_stored() %}
    {{ return(
        execute
        and modules.onelog.run(invocation_id).get('models') is not none
        and stamped_mode(model) != 'build'
    ) }}
{% endmacro %}
