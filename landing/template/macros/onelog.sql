{# dbt asks the project itself, not its packages, for these three. #}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ onelog.generate_schema_name(custom_schema_name, node) }}
{%- endmacro %}


{% materialization view, adapter='spark' %}
    {{ return(onelog.materialization_view_spark()) }}
{% endmaterialization %}


{% materialization incremental, adapter='spark', supported_languages=['sql', 'python'] %}
    {{ return(onelog.materialization_incremental_spark()) }}
{% endmaterialization %}
