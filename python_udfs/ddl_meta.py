"""The statement in DataHub's ``ddl.ddlMeta``: base64 of a Java serialization stream, read as data.

The stream holds one com.alibaba.di.plugin.center.meta.DDLMeta. Its string ``ddlText`` comes before
its graph of FastSQL objects; only what stands before that string is read, in one pass over the
bytes, and nothing is built from it, in Python or in a JVM. javaobj-py3 reads the sample too, but
reads the whole graph, takes a cut string for a whole one, recurses as deep as the stream says, and
refuses Hangul from U+D000 on; its third parser has limits, but needs Python 3.12.

Grammar: Java Object Serialization Specification, section 6.4.
"""

import struct
from collections.abc import Iterator

import pyarrow as pa

from python_udfs.decode import decode_base64

_FIELD = "ddlText"

_HEADER = b"\xac\xed\x00\x05"
_NULL, _REFERENCE, _CLASS, _OBJECT, _STRING = 0x70, 0x71, 0x72, 0x73, 0x74
_END_BLOCK, _LONG_STRING = 0x78, 0x7C
_FIRST_HANDLE = 0x7E0000
_SERIALIZABLE, _EXTERNALIZABLE = 0x02, 0x04
_OWN_WRITER = 0x01  # the class writes more than its fields
_PRIMITIVE_SIZES = {"B": 1, "C": 2, "D": 8, "F": 4, "I": 4, "J": 8, "S": 2, "Z": 1}


def ddl_meta_text(metas: pa.Array) -> pa.Array:
    """The statement's text in each ddlMeta; NULL where there is none to be read."""
    streams = decode_base64(metas).to_pylist()
    texts = [None if stream is None else read_ddl_meta(stream) for stream in streams]
    return pa.array(texts, pa.string())


def read_ddl_meta(stream: bytes) -> str | None:
    """The text of the statement in one stream, or None for what is not such a stream."""
    try:
        return _Stream(stream).ddl_text()
    except ValueError:
        return None


class _Stream:
    """A pass over the bytes; raises ValueError where they are not what the grammar says."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        # What the stream may refer back to, in order; None for all that is no string.
        self._handles: list[bytes | None] = []

    def ddl_text(self) -> str | None:
        if self._take(4) != _HEADER or self._number("B") != _OBJECT:
            raise ValueError("not an object's stream")
        classes = list(self._classes())
        self._handles.append(None)  # the object itself
        for flags, fields in reversed(classes):  # the superclass's values come first
            for kind, name in fields:
                if kind in _PRIMITIVE_SIZES:
                    self._take(_PRIMITIVE_SIZES[kind])
                    continue
                text = self._string()
                if name == _FIELD:
                    return None if text is None else _from_modified_utf8(text)
            if flags & _OWN_WRITER and self._number("B") != _END_BLOCK:
                raise ValueError("values that only their class can read")
        return None

    def _classes(self) -> Iterator[tuple[int, list[tuple[str, str]]]]:
        """Flags and fields (kind, name) of the object's class, its superclass, and so on."""
        code = self._number("B")
        while code == _CLASS:
            self._take(self._number("H"))  # the class's name
            self._take(8)  # its version
            self._handles.append(None)
            flags = self._number("B")
            if flags & _EXTERNALIZABLE or not flags & _SERIALIZABLE:
                raise ValueError("values that only their class can read")
            yield flags, [self._field() for _ in range(self._number("H"))]
            if self._number("B") != _END_BLOCK:
                raise ValueError("an annotated class")
            code = self._number("B")
        if code != _NULL:
            raise ValueError("not a class")

    def _field(self) -> tuple[str, str]:
        kind = chr(self._number("B"))
        name = _from_modified_utf8(self._take(self._number("H")))
        if kind in "L[":
            self._string()  # the type's name
        elif kind not in _PRIMITIVE_SIZES:
            raise ValueError("not a type")
        return kind, name

    def _string(self) -> bytes | None:
        """The string or null that stands here, or the earlier string referred to."""
        code = self._number("B")
        if code == _NULL:
            return None
        if code == _REFERENCE:
            place = self._number("I") - _FIRST_HANDLE
            earlier = self._handles[place] if 0 <= place < len(self._handles) else None
            if earlier is None:
                raise ValueError("not a string's handle")
            return earlier
        if code not in (_STRING, _LONG_STRING):
            raise ValueError("not a string")
        text = self._take(self._number("H" if code == _STRING else "Q"))
        self._handles.append(text)
        return text

    def _number(self, code: str) -> int:
        return struct.unpack(f">{code}", self._take(struct.calcsize(f">{code}")))[0]

    def _take(self, length: int) -> bytes:
        if length > len(self._data) - self._at:
            raise ValueError("the stream is cut short")
        self._at += length
        return self._data[self._at - length : self._at]


def _from_modified_utf8(data: bytes) -> str:
    """Java's UTF-8: NUL in two bytes, characters beyond U+FFFF as two surrogates of three each."""
    halves = data.replace(b"\xc0\x80", b"\x00").decode("utf-8", "surrogatepass")
    return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
