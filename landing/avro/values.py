"""How Datastream's JSON shows what its Avro files hold: the text of each logical type.

After Google's table of unified types (Avro definition, JSON definition): a decimal is a number,
dates and times are ISO-8601 texts, TIME INTERVAL stays a number, JSON is nested, NUMBER and VARCHAR
are texts. No value passes through a float or a rounding decimal.
"""

import math
import uuid
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from typing import Any

import msgspec
import numpy

# A value as fastavro read it, and the schema it was written with.
Form = Callable[[Any, Mapping[str, Any]], Any]

SECONDS_OF_A_DAY = 86_400
EPOCH = date(1970, 1, 1).toordinal()
# The calendar repeats itself after 400 years: Python's knows the years 1 to 9999 only.
DAYS_OF_400_YEARS = 146_097
# PostgreSQL's infinity and -infinity, as Datastream writes them.
INFINITIES = {9_223_372_036_825_200_000: "infinity", -9_223_372_036_832_400_000: "-infinity"}

_sound_json = msgspec.json.Decoder(msgspec.Raw).decode


def decimal_number(value: bytes, schema: Mapping[str, Any]) -> msgspec.Raw:
    """A decimal of any size with all digits of its scale, as a JSON number."""
    unscaled, scale = int.from_bytes(value, "big", signed=True), schema["scale"]
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    text = f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
    return msgspec.Raw(f"{'-' if unscaled < 0 else ''}{text}".encode())


def double_number(value: float, _: Mapping[str, Any]) -> float | str:
    """JSON has no numbers for NaN and the infinities: they are texts."""
    return value if math.isfinite(value) else _not_finite(value)


def float_number(value: float, _: Mapping[str, Any]) -> msgspec.Raw | str:
    """The shortest number that is this float of 32 bits, 45.67 and not 45.66999816894531."""
    if not math.isfinite(value):
        return _not_finite(value)
    return msgspec.Raw(str(numpy.float32(value)).encode())


def _not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def nested_json(text: str, _: Mapping[str, Any]) -> msgspec.Raw | str:
    """JSON lies nested in JSON, letter for letter; what is none stays a text.

    So does JSON with line breaks, which a landed line has not.
    """
    try:
        return text if "\n" in text or "\r" in text else _sound_json(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text


def date_text(days: int, _: Mapping[str, Any] | None = None) -> str:
    """Days since 1970; years beyond 0000 to 9999 with a sign, as ISO-8601 extends itself."""
    cycles, day = divmod(days + EPOCH - 1, DAYS_OF_400_YEARS)
    in_cycle = date.fromordinal(day + 1)
    year = in_cycle.year + 400 * cycles
    text = f"{year:04}" if 0 <= year <= 9999 else f"{year:+05}"
    return f"{text}-{in_cycle.month:02}-{in_cycle.day:02}"


def clock_text(ticks: int, _: Mapping[str, Any] | None = None, *, digits: int) -> str:
    """Time since midnight, in units of ``digits`` decimals of a second; 24:00:00 is one."""
    seconds, fraction = divmod(abs(ticks), 10**digits)
    sign = "-" if ticks < 0 else ""
    text = f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:0{digits}}" if fraction else text


def moment_text(
    ticks: int, _: Mapping[str, Any] | None = None, *, digits: int, zone: str = ""
) -> str:
    """Time since 1970, in units of ``digits`` decimals of a second."""
    if digits == 6 and ticks in INFINITIES:
        return INFINITIES[ticks]
    days, clock = divmod(ticks, SECONDS_OF_A_DAY * 10**digits)
    return f"{date_text(days)}T{clock_text(clock, digits=digits)}{zone}"


def uuid_text(value: bytes, _: Mapping[str, Any]) -> str:
    """Avro's second form of a UUID, 16 bytes."""
    return str(uuid.UUID(bytes=value))


def zoned_timestamp(value: Mapping[str, int], _: Mapping[str, Any]) -> str | None:
    """``timestampTz``: a moment in microseconds, shown by a clock ``offset`` milliseconds ahead."""
    moment, offset = value["timestamp"], value["offset"] or 0
    if moment is None or moment in INFINITIES:
        return INFINITIES.get(moment)
    return moment_text(moment + offset * 1000, digits=6, zone=_zone_text(offset))


def zoned_time(value: Mapping[str, int], _: Mapping[str, Any]) -> str | None:
    """``timeTz``: what a clock shows in microseconds, and how far it is ahead in milliseconds."""
    if value["time"] is None:
        return None
    return clock_text(value["time"], digits=6) + _zone_text(value["offset"] or 0)


def _zone_text(milliseconds: int) -> str:
    if not milliseconds:
        return "Z"
    clock = clock_text(abs(milliseconds), digits=3)
    return ("-" if milliseconds < 0 else "+") + clock.removesuffix(":00")


def date_and_time(value: Mapping[str, int], _: Mapping[str, Any]) -> str | None:
    """``datetime``: days since 1970, and microseconds since midnight, without a zone."""
    if value["date"] is None:
        return None
    return f"{date_text(value['date'])}T{clock_text(value['time'] or 0, digits=6)}"


def calendar_date(value: Mapping[str, int], _: Mapping[str, Any]) -> str:
    """``calendarDate``, of older files; also one that no calendar has."""
    return f"{value['year']:04}-{value['month']:02}-{value['day']:02}"


def interval_text(value: Mapping[str, int], _: Mapping[str, Any]) -> str:
    """``interval``: an ISO-8601 duration whose parts stay as they are, for no day is 24 hours."""
    micros = value["micros"] or 0
    whole, fraction = divmod(abs(micros), 1_000_000)
    seconds = f"{'-' if micros < 0 else ''}{whole}{f'.{fraction:06}' if fraction else ''}"
    months = f"{value['months']}M" if value["months"] else ""
    hours = f"{value['hours']}H" if value["hours"] else ""
    time = hours + (f"{seconds}S" if micros else "")
    return f"P{months}{f'T{time}' if time else ''}" if months or time else "PT0S"


def avro_duration(value: bytes, _: Mapping[str, Any]) -> str:
    """Avro's own ``duration``: months, days and milliseconds, four bytes each."""
    months, days, millis = (int.from_bytes(value[at : at + 4], "little") for at in (0, 4, 8))
    seconds, fraction = divmod(millis, 1000)
    return f"P{months}M{days}DT{seconds}{f'.{fraction:03}' if fraction else ''}S"


# By the Avro type and the logical type; the type alone where none is declared.
FORMS: dict[str, Form] = {
    "float": float_number,
    "double": double_number,
    "bytes-decimal": decimal_number,
    "fixed-decimal": decimal_number,
    "fixed-uuid": uuid_text,
    "fixed-duration": avro_duration,
    "string-json": nested_json,
    "int-date": date_text,
    "int-time-millis": partial(clock_text, digits=3),
    "long-time-micros": partial(clock_text, digits=6),
    # The times of an event's metadata, which the document's samples show with "Z".
    "long-timestamp-millis": partial(moment_text, digits=3, zone="Z"),
    # TIMESTAMP, a column's. MySQL's DATETIME comes so too, which has no zone.
    "long-timestamp-micros": partial(moment_text, digits=6),
    "long-timestamp-nanos": partial(moment_text, digits=9),
    "long-local-timestamp-millis": partial(moment_text, digits=3),
    "long-local-timestamp-micros": partial(moment_text, digits=6),
    "long-local-timestamp-nanos": partial(moment_text, digits=9),
}
# Datastream's own records, by name and fields.
RECORD_FORMS: dict[tuple[str, frozenset[str]], Form] = {
    ("varchar", frozenset({"value", "length"})): lambda value, _: value["value"],
    ("year", frozenset({"year"})): lambda value, _: value["year"],
    ("calendarDate", frozenset({"year", "month", "day"})): calendar_date,
    ("datetime", frozenset({"date", "time"})): date_and_time,
    ("timestampTz", frozenset({"timestamp", "offset"})): zoned_timestamp,
    ("timeTz", frozenset({"time", "offset"})): zoned_time,
    ("interval", frozenset({"months", "hours", "micros"})): interval_text,
}
