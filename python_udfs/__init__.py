"""Functions that SQL cannot replace, by the name under which every session knows them."""

from collections.abc import Callable

import pyarrow as pa

from python_udfs.ddl import DDL_SQL_TYPE, parse_ddl
from python_udfs.ddl_meta import ddl_meta_text
from python_udfs.decode import decode_base16, decode_base64
from python_udfs.replay import REPLAY_SQL_TYPE, replay_ddl
from python_udfs.table_changes import parse_table_changes

# Arrow functions over whole columns, each with the SQL type of what it returns.
FUNCTIONS: dict[str, tuple[Callable[..., pa.Array], str]] = {
    "decode_base64": (decode_base64, "binary"),
    "decode_base16": (decode_base16, "binary"),
    "parse_ddl": (parse_ddl, DDL_SQL_TYPE),
    "parse_table_changes": (parse_table_changes, DDL_SQL_TYPE),
    "ddl_meta_text": (ddl_meta_text, "string"),
    "replay_ddl": (replay_ddl, REPLAY_SQL_TYPE),
}
