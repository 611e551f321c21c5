{#-
  A mark says how a unit of a stored model was built: its stamp, its reach (the greatest position in
  each line), what readers of the model must know of it (`about`), the run that first built it
  (`since`), and the run that last replaced its rows (`replaced_at`). The newest mark with the unit
  '' is that of the model itself. It says in which run the table was made (`generation`), has the
  hash of the seeds (`settings`), names the models for which that run found nothing to do (`about`),
  and says how far the source was read where its newest rows had to wait (`since`). The unit is a
  column of its own (`marked_unit`), as Delta selects the files of a scan twice where a filter is on
  a field of a struct.
  A stamp is a list of pieces. A piece counts from a position of a line on (NULL: everywhere), and
  from a run on (NULL: always). A piece above all rows that are built of the unit bears on none of
  them.
-#}
{% macro mark_type() -%}
    struct<
        stamp: array<struct<line: string, from_position: string, since: timestamp, hash: bigint>>,
        reach: map<string, string>,
        about: array<string>,
        since: timestamp,
        replaced_at: timestamp,
        generation: timestamp,
        settings: string
    >
{%- endmacro %}
