"""The blocks of an Avro container file as they are without a codec, within bounds.

fastavro decompresses a block at once, whatever it grows to: a megabyte may hold a thousand. So it
is given files whose blocks are decompressed already.
"""

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterator

import fastavro
from cramjam import snappy

LARGEST = 256 << 20
# A length in a broken file may be any number: no more is asked for at once.
PIECE = 1 << 24
CHECKSUM_BYTES = 4


class PlainFile:
    """What fastavro asks of a file: here ``head``, then what else there is of it, in pieces."""

    def __init__(self, head: bytes, pieces: Iterator[bytes]) -> None:
        self._piece, self._pieces, self._position = io.BytesIO(head), pieces, 0

    def read(self, size: int) -> bytes:
        """``size`` bytes, fewer at the end.

        Raises :class:`ValueError` where a file ends too early: fastavro takes an ``EOFError``, as a
        cut gzip file raises it, for the end of a whole file.
        """
        data = self._piece.read(size)
        try:
            while len(data) < size and (piece := next(self._pieces, None)) is not None:
                self._piece = io.BytesIO(piece)
                data += self._piece.read(size - len(data))
        except EOFError as error:
            raise ValueError(str(error)) from error
        self._position += len(data)
        return data

    def tell(self) -> int:
        """The bytes read so far."""
        return self._position


def plain_blocks(file: io.BufferedIOBase, codec: str, sync: bytes) -> Iterator[bytes]:
    """What follows the header of a container file, in pieces, as codec ``null`` writes it.

    Raises :class:`ValueError` where the file is cut or broken, or a block larger than ``LARGEST``.
    """
    if codec not in DECOMPRESS:
        raise ValueError(f"its codec is {codec}: only {', '.join(DECOMPRESS)} are read")
    while (records := read_number(file)) is not None:
        content = DECOMPRESS[codec](_bytes(file, read_number(file)))
        if len(content) > LARGEST:
            raise _too_large()
        if _bytes(file, len(sync)) != sync:
            raise ValueError("expected sync marker not found")
        yield _written(records) + _written(len(content))
        yield content
        yield sync


def read_number(file: io.BufferedIOBase) -> int | None:
    """A number as Avro writes it; None at the end of the file."""
    number, bits = 0, 0
    while byte := file.read(1):
        number |= (byte[0] & 127) << bits
        bits += 7
        if byte[0] < 128:
            return (number >> 1) ^ -(number & 1)
        if bits > 63:
            raise ValueError("a number of more than 64 bits")
    if bits:
        raise _cut()
    return None


def _written(number: int) -> bytes:
    file = io.BytesIO()
    fastavro.schemaless_writer(file, "long", number)
    return file.getvalue()


def _bytes(file: io.BufferedIOBase, size: int | None) -> bytes:
    """So many bytes of a file, read in pieces."""
    if size is None:
        raise _cut()
    if size < 0:
        raise ValueError(f"a block of {size} bytes")
    if size > LARGEST:
        raise _too_large()
    pieces = []
    while size and (piece := file.read(min(size, PIECE))):
        pieces.append(piece)
        size -= len(piece)
    if size:
        raise _cut()
    return b"".join(pieces)


def _cut() -> ValueError:
    return ValueError("the file ends inside a block")


def _too_large() -> ValueError:
    return ValueError(f"a block is larger than {LARGEST} bytes: write the file with smaller ones")


# Each gives no more than a byte beyond what is allowed.
def _inflated(content: bytes) -> bytes:
    return zlib.decompressobj(-zlib.MAX_WBITS).decompress(content, LARGEST + 1)


def _from_bzip2(content: bytes) -> bytes:
    return bz2.BZ2File(io.BytesIO(content)).read(LARGEST + 1)


def _from_xz(content: bytes) -> bytes:
    return lzma.LZMAFile(io.BytesIO(content)).read(LARGEST + 1)


def _from_snappy(content: bytes) -> bytes:
    compressed, checksum = content[:-CHECKSUM_BYTES], content[-CHECKSUM_BYTES:]
    if snappy.decompress_raw_len(compressed) > LARGEST:
        raise _too_large()
    plain = bytes(snappy.decompress_raw(compressed))
    if zlib.crc32(plain).to_bytes(CHECKSUM_BYTES, "big") != checksum:
        raise ValueError("a block's checksum does not fit")
    return plain


DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "null": bytes,
    "deflate": _inflated,
    "bzip2": _from_bzip2,
    "xz": _from_xz,
    "snappy": _from_snappy,
}
