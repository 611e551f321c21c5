{#-
  OMS Default: "If the specified database is an OceanBase database, the database name includes the
  tenant name in the {tenant}.{database} format." A dot in the name of another kind of database is
  a part of the name (MySQL's `v1.shop`). A message that says no kind may be OceanBase's.
-#}
{% macro tenant_naming(database_type) -%}
    if(upper({{ database_type }}) in ('MYSQL', 'ORACLE', 'DB2', 'DB2_LUW'), 'plain', 'tenant')
{%- endmacro %}
