{{ config(severity='warn') }}
-- Messages that wait in quarantine; not those of topics that the variable quarantine_ignored lists.

{% set topics = text_array(var('quarantine_ignored')) %}
{{ quarantined_messages('not array_contains(' ~ topics ~ ', topic)') }}
