"""Which macro types a column, by the type that the vendor declares for it."""

import re

# Words of MySQL, Oracle, PostgreSQL, SQL Server, OMS, DataHub and Debezium, by the macro for them.
_WORDS = {
    "typed_int": "tinyint smallint mediumint int integer int2 int4 int16 int32 year serial"
    " smallserial io.debezium.time.year",
    "typed_bigint": "bigint int8 int64 long bigserial",
    "typed_double": "float double real float4 float8 float32 float64 binary_float binary_double"
    " double_precision",
    "typed_boolean": "bool boolean",
    "typed_date": "date localdate io.debezium.time.date org.apache.kafka.connect.data.date",
    "typed_time": "time localtime time_without_time_zone io.debezium.time.time"
    " io.debezium.time.microtime io.debezium.time.nanotime org.apache.kafka.connect.data.time",
    "typed_datetime": "datetime datetime2 smalldatetime localdatetime timestamp_without_time_zone"
    " io.debezium.time.timestamp io.debezium.time.microtimestamp"
    " io.debezium.time.nanotimestamp org.apache.kafka.connect.data.timestamp",
    "typed_timestamp": "timestamp timestamptz datetimeoffset zoned_datetime zoneddatetime"
    " timestamp_with_time_zone timestamp_with_local_time_zone io.debezium.time.zonedtimestamp",
    "typed_binary": "binary varbinary tinyblob blob mediumblob longblob raw long_raw bfile bytes"
    " bytea image",
    "typed_bit": "bit",
}
_MACROS = {word: macro for macro, words in _WORDS.items() for word in words.split()}
# What Oracle's words mean in those above: DATE has a time of day, FLOAT is exact (its digits are
# binary ones), integers have 38 digits.
_ORACLE_WORDS = {
    "date": "datetime",
    "timestamp": "datetime",
    **dict.fromkeys(("float", "real", "double_precision"), "number"),
    **dict.fromkeys(("integer", "int", "smallint"), "number(38)"),
}
# "SERIAL is an alias for BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE."
_MYSQL_WORDS = {"serial": "bigint unsigned"}
_DECIMALS = {"decimal", "numeric", "number", "dec", "fixed"}
_SQL_TYPES = {
    "typed_int": "int",
    "typed_bigint": "bigint",
    "typed_double": "double",
    "typed_boolean": "boolean",
    "typed_date": "date",
    "typed_datetime": "timestamp",
    "typed_timestamp": "timestamp",
    "typed_binary": "binary",
    "typed_bit": "binary",
}
LONGEST_DECIMAL = 38
# Bytes of the longest BINARY: SQL Server's. MySQL and DB2 have 255.
LONGEST_BINARY = 8000


def typed_macro(
    declared: str | None, encoding: str | None, dialect: str | None = None
) -> tuple[str, list[int], str]:
    """The macro for a declared type, its arguments behind the column, and its SQL type.

    What is not known, and what no type of Spark's holds without loss (decimals without a precision
    or with more than 38 digits, JSON, spatial types, intervals), stays text. ``encoding``: the
    value_encoding of the column's table. ``dialect``: of the statement that declares the type, as
    ddl.dialect_of has it; None where a message's image does.
    """
    word, arguments, is_unsigned = _parse(declared or "")
    meant = {"oracle": _ORACLE_WORDS, "mysql": _MYSQL_WORDS}.get(dialect or "", {})
    if word in meant:
        word, arguments, is_unsigned = _parse(meant[word])
    macro = _MACROS.get(word, "typed_text")
    if word in _DECIMALS:
        return _decimal(arguments)
    # OMS's BIGINT is the integer of any size, as its samples show; its 64-bit one is INT64.
    if word == "bigint" and (is_unsigned or encoding in ("oms", "oms_debezium")):
        return _decimal(["20"])
    # Elsewhere LONG is a text.
    if word == "long" and encoding != "datahub":
        return _TEXT
    if macro == "typed_int" and is_unsigned:
        macro = "typed_bigint"
    # DataHub's only type for times: a moment in milliseconds.
    if word == "date" and encoding == "datahub":
        macro = "typed_timestamp"
    # OMS's word for the type has no length; MySQL's own BIT is BIT(1).
    if macro == "typed_bit" and not arguments and encoding == "oms" and dialect is None:
        macro = "typed_binary"
    if macro == "typed_bit" or word == "binary":
        return _bytes(macro, arguments[:1])
    return macro, [], _SQL_TYPES.get(macro, "string")


_TEXT: tuple[str, list[int], str] = ("typed_text", [], "string")


def fits(declared: str | None, encoding: str | None, sql_type: str) -> bool:
    """Whether a column of this SQL type holds every value of the declared type.

    A type that means one thing in Oracle and another elsewhere may mean either.
    """
    return any(
        _holds(sql_type, typed_macro(declared, encoding, dialect)[2])
        for dialect in ("mysql", "oracle")
    )


def _holds(sql_type: str, needed: str) -> bool:
    if sql_type in {needed, "string"}:
        return True
    # Not every number of 10 digits is an int.
    has = _digits(sql_type, {"int": 9, "bigint": 18})
    needs = _digits(needed, {"int": 10, "bigint": 19})
    return has is not None and needs is not None and has[0] >= needs[0] and has[1] >= needs[1]


def _digits(sql_type: str, whole_digits: dict[str, int]) -> tuple[int, int] | None:
    """Digits before and behind the point that a numeric type holds."""
    if sql_type in whole_digits:
        return whole_digits[sql_type], 0
    found = re.fullmatch(r"decimal\((\d+), *(\d+)\)", sql_type)
    return (int(found[1]) - int(found[2]), int(found[2])) if found else None


def _parse(declared: str) -> tuple[str, list[str], bool]:
    """``"DECIMAL(9, 2) UNSIGNED"`` → ``("decimal", ["9", "2"], True)``; blanks in words are _."""
    found = re.fullmatch(r"([^()]*)(?:\(([^()]*)\))?([^()]*)", declared.strip().lower())
    if not found:
        return "", [], False
    words = f"{found[1]} {found[3]}".split()
    is_unsigned = bool({"unsigned", "zerofill"} & set(words))
    word = "_".join(word for word in words if word not in ("unsigned", "zerofill", "signed"))
    return word, [part.strip() for part in (found[2] or "").split(",") if part.strip()], is_unsigned


def _decimal(arguments: list[str]) -> tuple[str, list[int], str]:
    """Oracle's ``(*, s)`` has 38 digits; a scale above the precision, or below zero, shifts it.

    Oracle's ``(*)`` is any number, as is a type without arguments.
    """
    found = re.fullmatch(r"(?:\*(?=,)|([0-9]{1,9}))(?:,(-?[0-9]{1,4}))?", ",".join(arguments))
    if not found:
        return _TEXT
    precision, scale = int(found[1] or LONGEST_DECIMAL), int(found[2] or 0)
    precision, scale = max(precision - min(scale, 0), scale), max(scale, 0)
    if not 0 < precision <= LONGEST_DECIMAL:
        return _TEXT
    return "typed_decimal", [precision, scale], f"decimal({precision},{scale})"


def _bytes(macro: str, arguments: list[str]) -> tuple[str, list[int], str]:
    """A BINARY of so many bytes, or a BIT of 1 to 64 bits, of one where the type says no number.

    A BINARY that is longer than any database's has no length: its cells would be filled up to it.
    """
    length = [int(text) for text in arguments if re.fullmatch("[0-9]{1,9}", text)]
    if macro == "typed_bit" and not arguments:
        length = [1]
    if macro == "typed_binary" and length > [LONGEST_BINARY]:
        length, arguments = [], []
    is_wrong = len(length) < len(arguments) or (macro == "typed_bit" and not 0 < length[0] <= 64)
    return _TEXT if is_wrong else (macro, length, "binary")
