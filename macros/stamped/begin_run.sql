{#-
  Begins a run: reads the models' own marks, by which each model knows whether it has anything to
  do, and gives the run its time. The time is greater than that of any earlier run, also where a
  clock went back, or another host has another clock.
-#}
{% macro begin_run() %}
    {% if execute and flags.WHICH in ('run', 'build') %}
        {% set run = modules.onelog.run(invocation_id) %}
        {% do modules.onelog.forget_kept() %}
        {% do suit_settings(has_many=false) %}
        {# Checksums of the files as dbt has parsed them: a file may have been saved since. #}
        {% set checksums = [] %}
        {% for seed in settings_seeds() %}
            {% do checksums.append(
                modules.onelog.digest(seed.root_path ~ '/' ~ seed.original_file_path)
                if seed.checksum.name == 'path' else seed.checksum.checksum
            ) %}
        {% endfor %}
        {% do run.update({
            'models': {}, 'untouched': [], 'settings': local_md5(checksums | join(' '))
        }) %}
        {% set marks = own_marks(old_models()) %}
        {% set times = [modules.onelog.now()] %}
        {% for name, mark in marks.items() %}
            {% do run.models.update({name: dict(mark)}) %}
            {% do times.append(just_after(mark.built_at) + 1) %}
        {% endfor %}
        {# A model for which a run had nothing to do is as new as that run. #}
        {% for mark in marks.values() %}
            {% for name in mark.about if name in run.models %}
                {% if run.models[name].built_at < mark.built_at %}
                    {% do run.models[name].update({
                        'built_at': mark.built_at, 'settings': mark.settings
                    }) %}
                {% endif %}
            {% endfor %}
        {% endfor %}
        {# For a model that was left out, or that a run did not reach, much may wait. #}
        {% set behind = [] %}
        {% for node in graph.nodes.values() if node.name in run.models %}
            {% for name in stamped_sources(node) if name in run.models %}
                {% if run.models[name].built_at > run.models[node.name].built_at %}
                    {% do behind.append(node.name) %}
                {% endif %}
            {% endfor %}
        {% endfor %}
        {% do run.update({'built_at': times | max, 'behind': behind}) %}
        {% do suit_settings(has_many=false, is_planned_once=false) %}
    {% endif %}
{% endmacro %}
