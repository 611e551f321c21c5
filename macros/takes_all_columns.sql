{#- Whether a text of SQL takes all columns of something (`*`), which may change while it stays. -#}
{% macro takes_all_columns(sql) -%}
    {{ return(
        modules.re.search('(?i)(\\b(select|all|distinct)|,|[\\w`][.])\\s*[*]', sql) is not none
    ) }}
{%- endmacro %}
