"""Counts the numbers whose text a step has changed, say ``1.10`` to ``1.1``."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.messages import FIRST_MEASURED

SAMPLED_MESSAGES = 2_000

# Picks the images of the sampled messages out of any table of changes.
IS_SAMPLED = f"""
    substring(coalesce(after, before)['image_id'], 3, 9) >= '{FIRST_MEASURED:09d}'
    and substring(coalesce(after, before)['image_id'], 3, 9)
    < '{FIRST_MEASURED + SAMPLED_MESSAGES:09d}'
"""


class Number(str):
    """A number's text as it stands in the file."""


def altered(files: list[Path], images: dict[str, dict[str, str]]) -> tuple[int, int]:
    """(numbers altered or lost, numbers looked at) of the first messages of ``files``."""
    wrong = looked_at = 0
    for file in files:
        for image_id, column, number in _numbers(file):
            looked_at += 1
            wrong += images.get(image_id, {}).get(column) != number
    return wrong, looked_at


def _numbers(file: Path) -> Iterator[tuple[str, str, str]]:
    """(image, column, text) of each number of a row image."""
    with open(file, encoding="utf-8") as lines:
        for line, _ in zip(lines, range(SAMPLED_MESSAGES), strict=False):
            for image in _row_images(line):
                for column, value in image.items():
                    if isinstance(value, Number):
                        yield image["image_id"], column, value


def _row_images(message: str) -> list[dict[str, Any]]:
    found = []

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        # Canal's types by column have an image_id, too.
        if str(values.get("image_id", "")).endswith(("a", "b")):
            found.append(values)
        return values

    json.loads(message, object_pairs_hook=keep, parse_int=Number, parse_float=Number)
    return found
