{#-
  Lets bronze show the rewrites of its batches that it does not show yet: each partition takes its
  new location, or goes, and the batch's row counts what its tables hold now. So a killed rewrite is
  completed before any model reads bronze. It can be done again.
-#}
{% macro complete_rewrites() %}
    {% if execute and load_relation(source('bronze', 'rewrites')) %}
        {% set parts = run_query(
            "select part.envelope, rewrites.batch, part.location"
            ~ " from bronze.rewrites lateral view explode(tables) as part"
            ~ " where completed_at is null order by rewrites.rewrite"
        ) %}
        {% for envelope, batch, location in parts.rows %}
            {% for table, partition in [
                (envelope, "(batch=" ~ batch ~ ")"),
                ("messages", "(envelope='" ~ envelope ~ "', batch=" ~ batch ~ ")"),
            ] %}
                {% set alter = "alter table bronze." ~ table %}
                {% if location %}
                    {% set location_sql = " location '" ~ location ~ "'" %}
                    {% do run_query(
                        alter ~ " add if not exists partition " ~ partition ~ location_sql
                    ) %}
                    {% do run_query(alter ~ " partition " ~ partition ~ " set" ~ location_sql) %}
                {% else %}
                    {% do run_query(alter ~ " drop if exists partition " ~ partition) %}
                {% endif %}
            {% endfor %}
        {% endfor %}
        {% if parts | length %}
            {% do run_query(recount_rewritten_batches()) %}
        {% endif %}
    {% endif %}
{% endmacro %}
