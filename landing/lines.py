"""Makes landed lines: one JSON text a message, with its place and the message's text as it came."""

import functools
import json
import sys
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.accumulators import AccumulatorParam

from landing.envelopes import RECURSION_LIMIT, examine, examine_record

if TYPE_CHECKING:
    from pyspark.accumulators import Accumulator
    from pyspark.sql import SparkSession

LANDED_LINES = "line string, envelope string"
# PostgreSQL's NUMERIC: "up to 131072 digits before the decimal point; up to 16383 digits after".
DECIMAL_DIGITS = 131_072 + 16_383
# A record's place, its time as landed lines write it (else NULL), its key and its message.
RECORD_COLUMNS = ("topic", "partition", "offset", "received_at", "key", "value")


class LineBuilder:
    """Collects the landed lines of one Arrow batch, and counts them by topic and envelope."""

    def __init__(self, received_at: datetime) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self._lines: list[bytes] = []
        self._envelopes: list[str] = []
        self._received_at = received_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ").encode()

    def add(
        self,
        topic: str,
        partition: int,
        first_offset: int,
        messages: list[bytes],
        registered: str | None,
    ) -> None:
        """Append messages with consecutive offsets of one topic and partition."""
        head = _head(topic, partition)
        middle = b',"received_at":"%b"' % self._received_at
        examined = [examine(message, registered) for message in messages]
        self._lines += [
            b"%b%d%b%b" % (head, offset, middle, end)
            for offset, (_, end) in enumerate(examined, first_offset)
        ]
        envelopes = [envelope for envelope, _ in examined]
        self._envelopes += envelopes
        for envelope, count in Counter(envelopes).items():
            self.counts[topic, envelope] += count

    def add_records(self, records: pa.RecordBatch, registered: Mapping[str, str]) -> None:
        """Append records (``RECORD_COLUMNS``, texts as bytes) of any topics, in any order.

        ``registered`` is the envelope by topic, of the topics whose envelope the registry names.
        """
        columns = [records[name].to_pylist() for name in RECORD_COLUMNS]
        for topic, partition, offset, received_at, key, value in zip(*columns, strict=True):
            envelope, end = examine_record(value, registered.get(topic))
            head = _head(topic, partition)
            arrived = received_at or self._received_at
            message_key = b"" if key is None else b',"message_key":' + _key_text(key)
            self._lines.append(
                b'%b%d,"received_at":"%b"%b%b' % (head, offset, arrived, message_key, end)
            )
            self._envelopes.append(envelope)
            self.counts[topic, envelope] += 1

    def to_arrow(self) -> pa.RecordBatch:
        """The lines and their envelopes, as ``LANDED_LINES`` declares them."""
        lines = pa.array(self._lines, pa.binary()).view(pa.string())
        return pa.RecordBatch.from_arrays(
            [lines, pa.array(self._envelopes, pa.string())], ["line", "envelope"]
        )


@functools.cache
def _head(topic: str, partition: int) -> bytes:
    return b'{"topic":%b,"partition":%d,"offset":' % (json.dumps(topic).encode(), partition)


def _key_text(key: bytes) -> bytes:
    r"""A record's key as a JSON string; bytes that are no UTF-8 as ``\xNN``, as in quarantine."""
    return json.dumps(key.decode("utf-8", "backslashreplace")).encode()


class _CountsParam(AccumulatorParam[Counter[Any]]):
    def zero(self, value: Counter[Any]) -> Counter[Any]:
        return Counter()

    def addInPlace(self, value1: Counter[Any], value2: Counter[Any]) -> Counter[Any]:
        value1.update(value2)
        return value1


def new_counts(spark: "SparkSession") -> "Accumulator[Counter[Any]]":
    """Counts by key that tasks add to; Spark adds each finished task of a write exactly once."""
    return spark.sparkContext.accumulator(Counter(), _CountsParam())


def allow_long_decimals() -> None:
    """Let this worker write decimals of ``DECIMAL_DIGITS``; one takes Python half a second.

    The time grows with the square of the digits, so there is a bound all the same.
    """
    sys.set_int_max_str_digits(max(sys.get_int_max_str_digits(), DECIMAL_DIGITS))


def allow_deep_nesting() -> None:
    """Let this worker validate messages as deep as bronze can read them."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))
