"""Rows as text for a person: a table that fits the terminal, or a block of lines for each row."""

import itertools
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

import msgspec
from rich.cells import cell_len, chop_cells, set_cell_size

from landing.errors import UserError
from landing.printable import printable

Cells = list[str]
json_bytes = msgspec.json.Encoder().encode
# Rows that a table's columns are measured by.
ROWS_MEASURED = 1000
WIDTH_WITHOUT_A_TERMINAL = 120
GAP = 2
# A column of a table is cut down to so many places, not further.
NARROWEST = 10
HOW_TO_SEE_ALL = "--full or --format vertical shows it; --format jsonl or csv is to work on"


def write_lines(out: BinaryIO, lines: Iterable[str]) -> bool:
    """Write lines in UTF-8; False where the reader has seen enough before their end.

    Raises :class:`UserError` where they cannot be written, as on a disk that is full.
    """
    for line in lines:
        try:
            out.write(line.encode("utf-8", "backslashreplace"))
        except OSError as error:
            return _end(out, error)
    try:
        out.flush()
    except OSError as error:
        return _end(out, error)
    return True


def _end(out: BinaryIO, error: OSError) -> bool:
    # Python would write what ``out`` still holds at its end, and fail with an exit status of 120.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, out.fileno())
    os.close(nowhere)
    if isinstance(error, BrokenPipeError):
        return False
    raise UserError(f"the output cannot be written: {error.strerror or error}") from error


def table(
    names: Cells, rows: Iterable[Cells], is_full: bool, tell: Callable[[str], None]
) -> Iterator[str]:
    """Columns side by side, as wide as their first rows need, cut where the terminal ends.

    Where not even narrow columns would fit, each row is a block. ``tell`` gets a line that says
    what was cut and how to see it. With ``is_full`` nothing is cut.
    """
    if not names:
        # A statement that makes something has no result.
        return
    rows = iter(rows)
    first = list(itertools.islice(rows, ROWS_MEASURED))
    widths = [max(map(cell_len, column)) for column in zip(names, *first, strict=True)]
    if not is_full:
        fitting = fitted(widths, terminal_width())
        if not fitting:
            yield from blocks(names, itertools.chain(first, rows))
            tell("too many columns for a table of this width: each row is a block (or --full)")
            return
        widths = fitting
    yield _line([_cut(name, width) for name, width in zip(names, widths, strict=True)], widths)
    yield _line(["-" * width for width in widths], widths)
    is_cut = False
    for row in itertools.chain(first, rows):
        if not is_full and any(map(_is_wider, row, widths)):
            is_cut = True
            row = [_cut(cell, width) for cell, width in zip(row, widths, strict=True)]
        yield _line(row, widths)
    if is_cut:
        tell(f"… stands for what did not fit: {HOW_TO_SEE_ALL}")


def blocks(names: Cells, rows: Iterable[Cells]) -> Iterator[str]:
    """A row after the other, a line for each column; long values go on below themselves."""
    indent = max(map(cell_len, names), default=0) + GAP
    for number, row in enumerate(rows, start=1):
        yield f"-- row {number} ".ljust(indent + NARROWEST, "-") + "\n"
        for name, cell in zip(names, row, strict=True):
            yield from labelled(name, cell, indent)


def labelled(name: str, cell: str, indent: int) -> Iterator[str]:
    """A value beside its name, from the column ``indent`` on; it goes on below itself."""
    width = max(terminal_width() - indent, NARROWEST)
    label = set_cell_size(name, indent)
    for line in chop_cells(cell, width) or [""]:
        yield f"{label}{line}".rstrip() + "\n"
        label = " " * indent


def cell(value: Any) -> str:
    """One plain value as text: what is nested as JSON."""
    return value if isinstance(value, str) else json_bytes(value).decode()


def shown_cell(value: Any) -> str:
    """As :func:`cell`, on one line and safe for a terminal: what cannot be printed is escaped."""
    return "NULL" if value is None else printable(cell(value))


def terminal_width() -> int:
    """Places in a line of the terminal: COLUMNS, else what the terminal says, else 120."""
    return shutil.get_terminal_size((WIDTH_WITHOUT_A_TERMINAL, 0)).columns


def fitted(widths: list[int], width: int) -> list[int]:
    """The widths of columns of which the widest are cut alike, to fit; [] where they cannot."""
    room = width - GAP * (len(widths) - 1)
    for most in range(max(widths, default=0), 0, -1):
        cut = [min(column, most) for column in widths]
        if sum(cut) <= room:
            return cut
        if most <= NARROWEST:
            break
    return []


def _is_wider(cell: str, width: int) -> bool:
    return cell_len(cell) > width


def _cut(cell: str, width: int) -> str:
    if not _is_wider(cell, width):
        return cell
    return set_cell_size(cell[: width + 1], width - 1).rstrip() + "…"


def _line(cells: Cells, widths: list[int]) -> str:
    padded = (
        cell + " " * (width - cell_len(cell)) for cell, width in zip(cells, widths, strict=True)
    )
    return (" " * GAP).join(padded).rstrip() + "\n"
