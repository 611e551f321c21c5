-- Every value that did not fit its declared type in a typed model. `dbt run-operation write_model`
-- adds its models at the end of the list; a test fails if one is forgotten.

{%- set typed_models = [
] %}

{%- set examples = [
    'dataworks_record_t_orders',
    'oms_debezium_table_name',
    'tdsql_testtable',
    'datastream_oracle_sample',
    'datahub_blob_t_shiyu_pk',
    'datahub_tuple_t_orders',
    'oms_canal_table',
    'oms_dataworks_tab',
    'oms_debezium_flatten_table_name',
    'oms_debezium_smt_table_name',
    'oms_default_table_name',
    'oms_default_extend_column_type_table',
    'oms_shareplex_mock_table',
    'maxwell_e',
    'aws_dms_foo',
] %}
{%- set are_samples_built = env_var('ONELOG_SAMPLES', 'false') == 'true' %}

{{ failures_of(typed_models + (examples if are_samples_built else [])) }}
