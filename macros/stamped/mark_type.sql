{#-
  A mark says how a unit of a stored model was built: with which stamp, how far (`reach`: the
  greatest position in each line), since which run, when its rows were last replaced, and `about`,
  what the models above have to know of it. The mark of the model itself has the unit ''. It tells
  the run in which the table was made (`generation`) and the hash of the seeds (`settings`).
-#}
{% macro mark_type() -%}
    struct<
        unit: string,
        stamp: {{ stamp_type() }},
        reach: map<string, string>,
        about: array<string>,
        since: timestamp,
        replaced_at: timestamp,
        generation: timestamp,
        settings: string
    >
{%- endmacro %}


{#-
  A stamp is a list of pieces. A piece counts from a position of a line on (NULL: from its start),
  and from a run on (NULL: always): above what is built of the unit it does not bear on any row.
-#}
{% macro stamp_type() -%}
    array<struct<line: string, from_position: string, since: timestamp, hash: bigint>>
{%- endmacro %}
