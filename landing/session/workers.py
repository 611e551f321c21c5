"""Sends a cluster's workers what the project's functions need: its modules, and their packages."""

import contextlib
import hashlib
import os
import sys
import time
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import landing
import python_udfs

# What the modules import where they work on rows; Spark brings its own part of Python.
PACKAGES = (
    *("click", "cramjam", "fastavro", "jinja2", "markupsafe", "msgspec", "numpy", "pandas"),
    *("pyarrow", "pybase64", "python-dateutil", "pytz", "pyyaml", "six", "sqlglot", "sqlglotc"),
    "tzdata",
)
# Where an executor unpacks the archive, below the folder that it works in.
FOLDER = "onelog_packages"
# A command of an earlier installation may serve its archive for so many seconds after its start.
SERVED = 86_400.0
ARCHIVES = "spark.archives"
PYTHON_PATH = "spark.executorEnv.PYTHONPATH"


def is_local(master: str) -> bool:
    """Whether a Spark master means tasks in the very process that asks for them."""
    return master.partition("[")[0] == "local"


def python_of_workers(settings: dict[str, str], folder: Path) -> tuple[str, dict[str, str]]:
    """The Python that workers start, and the settings that bring it its packages.

    Of a cluster, workers find it on their PATH: it has this one's version, as Spark demands, and
    needs no package. The archive of them is made in ``folder``, once a version of them.
    """
    if is_local(settings.get("spark.master", "local")):
        return sys.executable, {}
    archive = f"{_archive(folder).as_uri()}#{FOLDER}"
    archives = ",".join(filter(None, [settings.get(ARCHIVES), archive]))
    path = os.pathsep.join(filter(None, [FOLDER, settings.get(PYTHON_PATH)]))
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return python, {ARCHIVES: archives, PYTHON_PATH: path}


def _archive(folder: Path) -> Path:
    files = dict(_files())
    content = hashlib.sha256()
    for name, path in sorted(files.items()):
        found = path.stat()
        content.update(f"{name}\0{found.st_size}\0{found.st_mtime_ns}\0".encode())
    archive = folder / f"workers-{content.hexdigest()[:16]}.zip"
    if not archive.exists():
        folder.mkdir(parents=True, exist_ok=True)
        new = archive.with_suffix(f".{os.getpid()}")
        with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
            for name, path in files.items():
                made.write(path, name)
        for older in folder.glob("workers-*.zip"):
            with contextlib.suppress(FileNotFoundError):
                if older.stat().st_mtime < time.time() - SERVED:
                    older.unlink()
        new.replace(archive)
    os.utime(archive)
    return archive


def _files() -> Iterator[tuple[str, Path]]:
    """The files that workers import, by their places below a folder of the import path."""
    for package in (landing, python_udfs):
        root = Path(package.__path__[0])
        for path in root.rglob("*.py"):
            yield str(path.relative_to(root.parent)), path
    for name in PACKAGES:
        try:
            of_package = distribution(name).files or []
        except PackageNotFoundError:
            # A package of a package that this version of it does without.
            continue
        for file in of_package:
            path = Path(str(file.locate()))
            if ".." not in file.parts and file.suffix != ".pyc" and "tests" not in file.parts:
                yield str(file), path
