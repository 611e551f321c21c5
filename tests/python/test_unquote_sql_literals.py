"""The macro that reads TDSQL's values, held against a reading of one character after the other."""

from pathlib import Path
from typing import Any

import jinja2
from hypothesis import given, settings
from hypothesis import strategies as st

MACROS = Path(__file__).parents[2] / "macros"
# https://dev.mysql.com/doc/refman/8.4/en/string-literals.html, table 11.1
ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"} | {
    wildcard: "\\" + wildcard for wildcard in "%_"
}
PIECES = st.sampled_from(
    ["''", "\\\\", "a", "n", "%", "é", "😀", '"', "\n", "$1"]
) | st.sampled_from("'\"nrtb0Z%_xé😀\\").map("\\".__add__)
QUOTED = st.lists(PIECES, max_size=8).map(lambda pieces: f"'{''.join(pieces)}'")
WRITTEN = st.sampled_from(
    ["1", "-1.10", "1e5", "0x00ff", "x'00FF'", "b'101'", "_utf8'a\\'b'", "", "'", "TRUE"]
)
NULLS = st.sampled_from([None, "NULL", "null"])


def read(literal: str | None) -> str | None:
    if literal is None or literal.upper() == "NULL":
        return None
    if len(literal) < 2 or literal[0] != literal[-1] or literal[0] not in "'\"":
        return literal
    characters = iter(literal[1:-1])
    value = ""
    for character in characters:
        if character == "\\":
            escaped = next(characters)
            value += ESCAPES.get(escaped, escaped)
        else:
            value += next(characters) if character == literal[0] else character
    return value


@settings(max_examples=5, deadline=None)
@given(literals=st.lists(QUOTED | WRITTEN | NULLS, min_size=300, max_size=300))
def test_literals_are_read_as_mysql_reads_them(spark: Any, literals: list[str | None]) -> None:
    literals += [
        "'\\\\\\''",
        "'it''s'",
        "'\\\\n'",
        "'\\n'",
        "''",
        "'NULL'",
        '"a""b\'\'c"',
        "'\\''''",
    ]
    macros = "".join(
        (MACROS / f"{name}.sql").read_text() for name in ("quoted_text", "unquote_sql_literals")
    )
    template = jinja2.Environment().from_string(
        macros + "{{ unquote_sql_literals('literals') }} as texts"
    )
    rows = spark.createDataFrame([(literals,)], "literals array<string>")
    assert rows.selectExpr(template.render()).first().texts == [read(text) for text in literals]
