"""Reads Avro container files: each record as the JSON text that Datastream writes for its event.

fastavro reads the files, by their schemas as ``landing.avro_schema`` rewrites them.
"""

import io
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import fastavro
import msgspec
from fastavro import _read_py as fastavro_in_python

from landing.avro_schema import SchemaRewriter

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
# A length in a broken file may be any number: no more is asked for at once.
PIECE = 1 << 24

_json_text = msgspec.json.Encoder().encode


class BrokenFileError(Exception):
    """What is read is no whole Avro file; the message says where it breaks and why."""


def read_messages(file: BinaryIO) -> Iterator[bytes]:
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
        return _json_text(_with_foreign_bytes(record))


def _with_foreign_bytes(value: Any) -> Any:
    """Texts that are no UTF-8 with the bytes that they had: quarantine shows such a message."""
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
        return msgspec.Raw(text.encode("utf-8", "surrogateescape"))
    if isinstance(value, dict):
        return {name: _with_foreign_bytes(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with_foreign_bytes(inner) for inner in value]
    return value


def _records(file: BinaryIO) -> Iterator[Any]:
    header = _header(file)
    rewriter = SchemaRewriter()
    schema = rewriter.rewrite(json.loads(header["meta"]["avro.schema"]))
    header["meta"]["avro.schema"] = json.dumps(schema).encode()
    head = io.BytesIO()
    fastavro.schemaless_writer(head, HEADER, header)
    stream = _Stream(head.getvalue(), file)
    # Python bounds its own recursion, so values may nest as deep as a hostile file likes.
    library = fastavro_in_python if rewriter.is_recursive else fastavro
    blocks = library.block_reader(stream, handle_unicode_errors="surrogateescape")
    end = stream.tell()
    for block in blocks:
        if rewriter.holds_nothing and block.num_records:
            raise ValueError("its records hold nothing")
        yield from block
        if block.bytes_.read(1):
            raise ValueError("a block holds more than its records")
        end = stream.tell()
    if stream.tell() != end:
        raise EOFError("the file ends inside a block")


def _header(file: BinaryIO) -> dict[str, Any]:
    try:
        header = fastavro.schemaless_reader(_Stream(b"", file), HEADER)
    except EOFError as error:
        raise EOFError("not an Avro file, or cut in its header") from error
    if header["magic"] != MAGIC or "avro.schema" not in header["meta"]:
        raise ValueError("not an Avro file")
    return header


class _Stream:
    """``head``, then what is left of a file, read in pieces."""

    def __init__(self, head: bytes, file: BinaryIO) -> None:
        self._head, self._file, self._position = io.BytesIO(head), file, 0

    def read(self, size: int) -> bytes:
        """``size`` bytes, fewer at the end; none for a negative size."""
        data = self._head.read(max(size, 0))
        pieces = [data] if data else []
        while (left := size - sum(map(len, pieces))) > 0:
            piece = self._file.read(min(left, PIECE))
            if not piece:
                break
            pieces.append(piece)
        data = b"".join(pieces)
        self._position += len(data)
        return data

    def tell(self) -> int:
        """The bytes read so far."""
        return self._position
