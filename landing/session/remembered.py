"""What a command leaves in a small JSON file for later ones, which can do without it."""

import contextlib
import json
import os
from pathlib import Path
from typing import Any


def read(path: Path) -> dict[str, Any]:
    """What the file holds; nothing where it is not there, or is broken."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}


def add(path: Path, known: dict[str, Any]) -> None:
    """Add to what the file holds, whole or not at all; not where others alone may write."""
    new = path.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        new.write_text(json.dumps(read(path) | known, indent=1))
        new.replace(path)
