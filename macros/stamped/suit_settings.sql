{#-
  Suits Spark's settings to the rows of the next queries. For a few thousand, Java's compiling takes
  longer than the work, and so does planning anew after each stage: expressions are interpreted, and
  a query is planned once, with one task a stage. Without `is_planned_once` that is left to the
  profile: a merge joins with the stored rows, which may be many. True for `has_many` restores all
  that the profile says.
-#}
{% macro suit_settings(has_many, is_planned_once=true) %}
    {% do modules.onelog.run(invocation_id).update({'has_many': has_many}) %}
    {% do override_settings(not has_many, {
        'spark.sql.codegen.wholeStage': 'false',
        'spark.sql.codegen.factoryMode': 'NO_CODEGEN',
    }) %}
    {% do override_settings(not has_many and is_planned_once, {
        'spark.sql.adaptive.enabled': 'false',
        'spark.sql.shuffle.partitions': '1',
    }) %}
{% endmacro %}


{#- Sets these settings of the session, or takes them back; nothing where they are so already. -#}
{% macro override_settings(is_on, settings) %}
    {% set overridden = modules.onelog.run(invocation_id).setdefault('overridden', {}) %}
    {% for setting, value in settings.items() if overridden.get(setting, false) != is_on %}
        {% do run_query('set ' ~ setting ~ '=' ~ value if is_on else 'reset ' ~ setting) %}
        {% do overridden.update({setting: is_on}) %}
    {% endfor %}
{% endmacro %}
