"""Reads Avro container files: each record as the JSON text that Datastream writes for its event.

fastavro reads the files, by their schemas as ``landing.avro.schema`` rewrites them, from the blocks
as ``landing.avro.blocks`` decompresses them.
"""

import io
import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import fastavro
import msgspec
from fastavro import _read_py as fastavro_in_python
from fastavro.io.binary_decoder import BinaryDecoder

from landing.avro.blocks import PlainFile, plain_blocks, read_number
from landing.avro.schema import SchemaRewriter

MAGIC = b"Obj\x01"
HEADER = {
    "type": "record",
    "name": "Header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": len(MAGIC)}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
        {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": 16}},
    ],
}
AFTER_MAGIC = {**HEADER, "fields": HEADER["fields"][1:]}
LARGEST_HEADER = 16 << 20
# The values of a block up to this size fit into memory, whatever they are. In a larger one a record
# may take so many readings: a value takes one or more, and becomes some hundred bytes.
SMALL_BLOCK = 1 << 20
MOST_READINGS = 1 << 22
# How bytes that are no UTF-8 stand in a text.
FOREIGN_BYTES = "surrogateescape"

_json_text = msgspec.json.Encoder().encode


class BrokenFileError(Exception):
    """What is read is no whole Avro file; the message says where it breaks and why."""


def read_messages(file: io.BufferedIOBase) -> Iterator[bytes]:
    """The records of an Avro container file as JSON texts.

    Raises :class:`BrokenFileError` where the file is cut or is not Avro, after the records before.
    """
    records = 0
    try:
        for record in _records(file):
            yield _message(record)
            records += 1
    # A hostile file makes fastavro raise all kinds of errors.
    except Exception as error:
        raise BrokenFileError(f"{_reason(error)} (after {records} records)") from error


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nests too deep"
    return " ".join(str(error).split()) or type(error).__name__


def _message(record: Any) -> bytes:
    try:
        return _json_text(record)
    except UnicodeEncodeError:
        pieces: list[bytes] = []
        _append_with_foreign_bytes(pieces, record)
        return b"".join(pieces)


def _append_with_foreign_bytes(pieces: list[bytes], value: Any) -> None:
    """Texts that are no UTF-8 with the bytes that they had: quarantine shows such a message."""
    match value:
        case str():
            text = json.dumps(value, ensure_ascii=False)
            pieces.append(text.encode("utf-8", FOREIGN_BYTES))
        case dict():
            for place, (name, inner) in enumerate(value.items()):
                pieces.append(b"," if place else b"{")
                _append_with_foreign_bytes(pieces, name)
                pieces.append(b":")
                _append_with_foreign_bytes(pieces, inner)
            pieces.append(b"}" if value else b"{}")
        case list():
            for place, inner in enumerate(value):
                pieces.append(b"," if place else b"[")
                _append_with_foreign_bytes(pieces, inner)
            pieces.append(b"]" if value else b"[]")
        case _:
            pieces.append(_json_text(value))


def _records(file: io.BufferedIOBase) -> Iterator[Any]:
    header = _header(file)
    rewriter = SchemaRewriter()
    schema = rewriter.rewrite(json.loads(header["meta"]["avro.schema"]))
    codec = header["meta"].get("avro.codec", b"null").decode()
    header["meta"] |= {"avro.schema": json.dumps(schema).encode(), "avro.codec": b"null"}
    head = io.BytesIO()
    fastavro.schemaless_writer(head, HEADER, header)
    plain = PlainFile(head.getvalue(), plain_blocks(file, codec, header["sync"]))
    # Python bounds its own recursion, so values may nest as deep as a hostile file likes.
    library = fastavro_in_python if rewriter.is_recursive else fastavro
    for block in library.block_reader(plain, handle_unicode_errors=FOREIGN_BYTES):
        if rewriter.holds_nothing and block.num_records:
            raise ValueError("its records hold nothing")
        block.bytes_ = _bounded(block.bytes_)
        for record in _in_python(block) if rewriter.is_recursive else block:
            yield record
            if isinstance(block.bytes_, _LargeBlock):
                block.bytes_.readings = 0
        if block.bytes_.read(1):
            raise ValueError("a block holds more than its records")


class _LargeBlock(io.BytesIO):
    """A block whose records are bounded: a kilobyte of a hostile file may hold a million values."""

    readings = 0

    def read(self, size: int | None = -1) -> bytes:
        """``size`` bytes, fewer at the end."""
        self.readings += 1
        if self.readings > MOST_READINGS:
            raise ValueError(f"a record has too many values: it takes {MOST_READINGS} readings")
        return super().read(size)


def _bounded(content: io.BytesIO) -> io.BytesIO:
    is_small = content.getbuffer().nbytes <= SMALL_BLOCK
    return content if is_small else _LargeBlock(content.getbuffer())


def _in_python(block: Any) -> Iterator[Any]:
    """A block's records by fastavro's Python part, texts and numbers as its compiled part does."""
    decoder: Any = BinaryDecoder(block.bytes_)
    # By this default it reads the keys of maps.
    decoder.read_utf8 = partial(decoder.read_utf8, handle_unicode_errors=FOREIGN_BYTES)
    # The time of its own grows with the square of a number's bytes, without a bound.
    decoder.read_long = decoder.read_int = partial(_number, block.bytes_)
    for _ in range(block.num_records):
        yield fastavro_in_python.read_data(
            decoder, block.writer_schema, block._named_schemas, None, block.options
        )


def _number(content: io.BufferedIOBase) -> int:
    number = read_number(content)
    if number is None:
        raise EOFError("a block ends inside a record")
    return number


def _header(file: io.BufferedIOBase) -> dict[str, Any]:
    if file.read(len(MAGIC)) != MAGIC:
        raise ValueError("not an Avro file")
    try:
        # fastavro reads from anything that has a method read().
        bounded: Any = _Header(file)
        header: Any = fastavro.schemaless_reader(bounded, AFTER_MAGIC)
    except EOFError as error:
        raise EOFError("not an Avro file, or cut in its header") from error
    if "avro.schema" not in header["meta"]:
        raise ValueError("not an Avro file: its header has no schema")
    return {"magic": MAGIC, **header}


class _Header:
    """The beginning of a file, bounded: a length in a broken file may be any number."""

    def __init__(self, file: io.BufferedIOBase) -> None:
        self._file, self._left = file, LARGEST_HEADER

    def read(self, size: int) -> bytes:
        """``size`` bytes, fewer at the end; none for a negative size."""
        if size > self._left:
            raise ValueError(f"its header is larger than {LARGEST_HEADER} bytes")
        data = self._file.read(max(size, 0))
        self._left -= len(data)
        return data
