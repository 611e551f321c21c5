{#- The hash of a seed's file. In a stamp, it lets units be built anew when the seed changes. -#}
{% macro seed_digest(name) -%}
    {#- Unit tests have no graph. -#}
    {%- if execute and graph.nodes is defined -%}
        {%- set seed = graph.nodes.values() | selectattr('resource_type', 'equalto', 'seed')
            | selectattr('name', 'equalto', name) | first -%}
        {{ modules.onelog.digest(seed.root_path ~ '/' ~ seed.original_file_path) }}
    {%- endif -%}
{%- endmacro %}
