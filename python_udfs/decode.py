"""Bytes out of their text forms, over whole columns; NULL for what is not of the form."""

import binascii
from collections.abc import Callable

import pyarrow as pa
import pybase64


def decode_base64(text: pa.Array, *length: pa.Array) -> pa.Array:
    """Bytes of base64 text, by the rules of java.util.Base64's basic decoder.

    No line breaks and nothing outside the alphabet; padding may be left out, but is complete where
    it is there. With ``length`` (bytes), zero bytes are put before a shorter value: OMS cuts the
    leading zeros of types of fixed length.
    """
    return _decode(text, _base64_bytes, *length)


def decode_base16(text: pa.Array, *length: pa.Array) -> pa.Array:
    """Bytes of hexadecimal text in either case; ``length`` as for :func:`decode_base64`."""
    return _decode(text, binascii.unhexlify, *length)


def _base64_bytes(text: str) -> bytes:
    digits = text.rstrip("=")
    padding = -len(digits) % 4
    if padding == 3 or len(text) - len(digits) not in (0, padding):
        raise ValueError("the last four digits are incomplete")
    return pybase64.b64decode(digits + "=" * padding, validate=True)


def _decode(
    texts: pa.Array, decode: Callable[[str], bytes], lengths: pa.Array | None = None
) -> pa.Array:
    values = [_bytes_or_none(decode, text) for text in texts.to_pylist()]
    if lengths is not None:
        values = [
            value if value is None or length is None else value.rjust(length, b"\0")
            for value, length in zip(values, lengths.to_pylist(), strict=True)
        ]
    return pa.array(values, pa.binary())


def _bytes_or_none(decode: Callable[[str], bytes], text: str | None) -> bytes | None:
    try:
        return None if text is None else decode(text)
    except ValueError:
        return None
