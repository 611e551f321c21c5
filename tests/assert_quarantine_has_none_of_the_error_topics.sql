-- Messages in quarantine of the topics that the variable quarantine_errors lists: these must never
-- wait there.

{% set topics = text_array(var('quarantine_errors')) %}
{{ quarantined_messages('array_contains(' ~ topics ~ ', topic)') }}
