"""Says positions of the log in words: `macros/log_position.sql` writes them."""

import re

RANKS = {
    "0": "a row of a snapshot, below every change",
    "1": "no place in the source's log, below all rows that have one",
    "2": "in the source's log",
}
NINES = str.maketrans("0123456789", "9876543210")


def in_words(position: str, topic: str) -> str:
    """The numbers by which a position compares, and where they stand.

    The last parts of the text (the kind of the event, its row and its place in ``topic``) are left
    out: they decide only between events whose numbers are equal.
    """
    place = re.escape(topic)
    parts = re.sub(rf" [012] \w+ {place} \w+ \w+$", "", position).split(" ")
    numbers = ", ".join(map(_number, parts[1:]))
    return f"{numbers or 'no number'} ({RANKS.get(parts[0], parts[0])})"


def _number(part: str) -> str:
    """The number that `macros/position_part.sql` has written so that texts compare."""
    if part == "0":
        return "none"
    length, digits = part[:1], part[1:]
    if length.isupper():
        return "-" + digits[9:].translate(NINES)
    return digits[9:] if length == "z" else digits
