"""Functions that SQL cannot replace, by the name under which every session knows them."""

from pyspark.sql.functions import arrow_udf

from python_udfs.decode import decode_base16, decode_base64

FUNCTIONS: dict = {
    "decode_base64": arrow_udf(decode_base64, "binary"),
    "decode_base16": arrow_udf(decode_base16, "binary"),
}
