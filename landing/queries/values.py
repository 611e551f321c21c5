"""When two texts of a column are one value: the rules of a comparison, as SQL.

A rule gives a text its value, written in one way (its form). Texts of a table's log follow the
vendor's encoding: the macros of typed models read them. Texts of an export are plain: numbers, ISO
times, hex or base64.
"""

import functools
import re
from dataclasses import dataclass
from typing import Any

import jinja2

from landing.new_project import dbt_project
from landing.typed.declared_types import typed_macro

TIMES = ("typed_date", "typed_datetime", "typed_timestamp")
BYTES = ("typed_binary", "typed_bit")
# The rule for a column of text by the macro for its declared type.
_RULES = {
    **dict.fromkeys(("typed_int", "typed_bigint", "typed_decimal"), "number"),
    "typed_double": "double",
    "typed_boolean": "boolean",
}
# Numbers that no type of Spark's holds: typed models keep them as text.
_NUMBERS = re.compile(r"\s*(decimal|numeric|number|dec|fixed|bigint)\b", re.IGNORECASE)
# Types that say nothing: DataHub, for one, declares decimals as STRING.
_NO_TYPES = ("", "string")

NUMBER = "'^[+-]?([0-9]++[.]?[0-9]*+|[.][0-9]+)([eE][+-]?[0-9]{1,9})?$'"
# Beyond it, numbers are equal only letter by letter.
GREATEST_EXPONENT = 99_999
# A local time, or one in UTC, that Spark itself reads.
PLAIN_TIME = (
    "'^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?Z?$'"
)
# Of a column without a type, 007 is a text.
CLEAR_NUMBER = "'^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]{1,9})?$'"


@dataclass(frozen=True)
class Rule:
    """How the texts of a column are compared.

    ``name``: text, number, double, float, boolean, any, or a macro for typed columns, whose
    arguments are ``arguments``. ``kind``: as an export's column has it.
    """

    name: str
    kind: str = "text"
    arguments: tuple[int, ...] = ()

    def needs_functions(self) -> bool:
        """Whether its SQL calls functions of python_udfs."""
        return self.name in BYTES

    def said(self) -> str:
        """The rule in words."""
        if self.name == "any":
            return "text, number, time or boolean"
        if self.name in BYTES:
            return "bytes"
        return "time" if self.name.startswith("typed_") else self.name


def rule_for(declared: str | None, encoding: str | None, dialect: str | None, kind: str) -> Rule:
    """The rule for a column: the type in the export decides, else the one that is declared."""
    if kind in ("number", "double", "float", "boolean"):
        return Rule(kind)
    macro, arguments, _ = typed_macro(declared, encoding, dialect)
    if kind in ("date", "clock", "moment"):
        known = {*TIMES, "typed_time"}
        fallback = "typed_date" if kind == "date" else "typed_datetime"
        return Rule(macro if macro in known else fallback, kind)
    if kind == "bytes":
        return Rule(macro, kind, tuple(arguments)) if macro in BYTES else Rule(BYTES[0], kind)
    if macro in _RULES or _NUMBERS.match(declared or ""):
        return Rule(_RULES.get(macro, "number"))
    if macro != "typed_text":
        return Rule(macro, kind, tuple(arguments) if macro in BYTES else ())
    return Rule("any" if (declared or "").strip().lower() in _NO_TYPES else "text")


def form_in_log(rule: Rule, text: str, declared: str) -> str:
    """SQL of the form of a text of the log; NULL for a text that is no such value.

    ``text`` and ``declared`` (the column's type) are SQL. The SQL reads the columns value_encoding
    and time_zone.
    """
    if not rule.name.startswith("typed_"):
        return _plain_form(rule, text)
    typed = _typed(rule, text, "value_encoding", declared)
    if rule.name in TIMES:
        return _quickly(rule, text, f"cast(unix_micros(cast({typed} as timestamp)) as string)")
    return f"hex({typed})" if rule.name in BYTES else typed


def form_in_export(rule: Rule, text: str) -> str:
    """SQL of the form of an export's text, as :func:`form_in_log`; it reads time_zone."""
    if not rule.name.startswith("typed_"):
        return _plain_form(rule, text)
    if rule.name in TIMES:
        is_utc = rule.name == "typed_date" or (rule.name, rule.kind) == (TIMES[2], "moment")
        with_time = f"if(length({text}) = 10, concat({text}, ' 00:00:00'), {text})"
        return _quickly(rule, text, _moment(with_time, "'UTC'" if is_utc else "time_zone"))
    if rule.name in BYTES:
        if rule.kind == "bytes":
            return f"hex(unbase64({text}))"
        digits = f"regexp_replace({text}, '^(0x|[\\\\\\\\]x)', '')"
        return f"hex(coalesce(try_to_binary({digits}, 'hex'), try_to_binary({text}, 'base64')))"
    # A time of day that Spark has read as a time of the first day.
    return _typed(rule, f"regexp_replace({text}, '^1970-01-01 ', '')", "''", "''")


def _plain_form(rule: Rule, text: str) -> str:
    if rule.name == "number":
        return _number(text, NUMBER)
    if rule.name == "boolean":
        return _boolean(text, """'true', '1', 't', "b'1'" """, """'false', '0', 'f', "b'0'" """)
    if rule.name in ("double", "float"):
        words = "('NaN', 'Infinity', '-Infinity')"
        # Zero has one sign. A number that is too large is no infinity.
        value = f"(0 + cast({text} as {rule.name}))"
        return f"""case
            when {text} in {words} then cast({value} as string)
            when {text} rlike {NUMBER} and abs({value}) < double('Infinity')
                then cast({value} as string)
        end"""
    if rule.name == "any":
        number, boolean = _number(text, CLEAR_NUMBER), _boolean(text, "'true'", "'false'")
        return f"coalesce({number}, {boolean}, concat('at ', {_moment(text, 'time_zone')}))"
    return text


def _boolean(text: str, true: str, false: str) -> str:
    word = f"lower({text})"
    return f"case when {word} in ({true}) then '1' when {word} in ({false}) then '0' end"


def _number(text: str, shape: str) -> str:
    """A number of any length in plain digits, without zeros that say nothing."""
    without_zeros = f"trim(trailing '.' from trim(trailing '0' from {text}))"
    short = f"if(contains({text}, '.'), {without_zeros}, {text})"
    return f"""case
        when {text} rlike '^-?(0|[1-9][0-9]*)([.][0-9]+)?$'
            then if({short} = '-0', '0', {short})
        when {text} rlike {shape} then {_unusual_number(text)}
    end"""


def _unusual_number(text: str) -> str:
    """A number with an exponent, a plus, zeros at its start or no digit beside its point."""
    fraction = f"regexp_extract({text}, '[.]([0-9]*)', 1)"
    whole = f"regexp_extract({text}, '^[+-]?([0-9]*)', 1)"
    exponent = f"coalesce(try_cast(regexp_extract({text}, '[eE](.*)$', 1) as bigint), 0)"
    digits = f"trim(trailing '0' from trim(leading '0' from concat({whole}, {fraction})))"
    # The power of ten of the first of the digits, which are then 0.ddd.
    zeros = f"length(regexp_extract(concat({whole}, {fraction}), '^0*', 0))"
    point = f"cast({exponent} + length({whole}) - {zeros} as int)"
    return f"""case
        when {digits} = '' then '0'
        when abs({exponent}) > {GREATEST_EXPONENT} then {text}
        else concat(
            if({text} like '-%', '-', ''),
            case
                when {point} <= 0 then concat('0.', repeat('0', -{point}), {digits})
                when {point} >= length({digits}) then rpad({digits}, {point}, '0')
                else concat(left({digits}, {point}), '.', substr({digits}, {point} + 1))
            end
        )
    end"""


def _moment(text: str, zone: str) -> str:
    return f"cast(unix_micros({_macros().local_timestamp(text, zone)}) as string)"


def _quickly(rule: Rule, text: str, form: str) -> str:
    """A time's form, in the quick way for a text that all vendors and exports mean alike."""
    if rule.name == "typed_date":
        return form
    quick = f"cast(unix_micros(try_cast({text} as timestamp)) as string)"
    return f"if(time_zone = 'UTC' and {text} rlike {PLAIN_TIME}, {quick}, {form})"


def _typed(rule: Rule, text: str, encoding: str, declared: str) -> str:
    sql = str(getattr(_macros(), rule.name)("v", *rule.arguments))
    for written, meant in (
        ("row['v']", text),
        ("column_types['v']", declared),
        ("value_encoding", encoding),
    ):
        sql = sql.replace(written, meant)
    return sql


def declared_columns_sql(table_id: str) -> str:
    """SQL of the columns that a table's newest statement gives, with their types."""
    return str(_macros().declared_columns({"table_id": table_id}))


@functools.cache
def _macros() -> Any:
    """The project's macros for typed models, which need nothing of dbt but its ``ref``."""
    folder = dbt_project() / "macros"
    paths = [*sorted((folder / "typed").glob("*.sql")), folder / "spark__escape_single_quotes.sql"]
    environment = jinja2.Environment(extensions=["jinja2.ext.do"])
    environment.globals["ref"] = "resolve.{}".format
    # The macros call each other by the name of their project.
    named: dict[str, Any] = {}
    environment.globals["onelog"] = named
    macros = environment.from_string("".join(path.read_text() for path in paths)).module
    named.update(vars(macros))
    return macros
