"""Remembers where Ivy put the jars of Spark's packages, so that a later start need not ask it.

Ivy works out anew at each start what it fetched long ago. On Java's own class path, the archive of
classes holds those of the packages, too.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlparse

from landing.session import remembered
from landing.session.workers import is_local

PACKAGES = "spark.jars.packages"
EXCLUDES = "spark.jars.excludes"


def known_jars() -> Path:
    """Where this installation's list of jars lies, by packages."""
    return Path(sys.prefix) / "onelog-jars.json"


def fetched_jars(settings: Mapping[str, str]) -> list[str]:
    """The paths of the jars of a local Spark's packages; none where Ivy must be asked for them."""
    is_known = is_local(settings.get("spark.master", "")) and PACKAGES in settings
    jars = remembered.read(known_jars()).get(_key(settings), []) if is_known else []
    return jars if all(Path(jar).exists() for jar in jars) else []


def remember_jars(settings: Mapping[str, str], uris: str) -> None:
    """Write down which jars Spark has for these settings, of which Ivy has fetched all."""
    if PACKAGES not in settings or "spark.jars" in settings or not uris:
        return
    jars = [unquote(urlparse(uri).path) for uri in uris.split(",")]
    remembered.add(known_jars(), {_key(settings): jars})


def _key(settings: Mapping[str, str]) -> str:
    return f"{settings.get(PACKAGES)} without {settings.get(EXCLUDES)}"
