{#- Declares the variable that holds the built_at up to which a model has read. -#}
{% macro declare_last_read() %}
    declare or replace variable {{ this.identifier }}_read_to timestamp
    default timestamp '1970-01-01'
{% endmacro %}


{#- Sets it: Spark prunes files by a variable, which it does by no subquery. -#}
{% macro set_last_read() %}
    {% if is_incremental() %}
    set variable {{ this.identifier }}_read_to = (
        select coalesce(max(built_at), timestamp '1970-01-01') from {{ this }}
    )
    {% endif %}
{% endmacro %}
