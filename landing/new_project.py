"""Makes a dbt project that uses onelog as a package."""

import re
import shutil
from importlib.metadata import version
from pathlib import Path

from landing.errors import UserError

TEMPLATE = Path(__file__).parent / "template"
# Where a wheel has the dbt project; in a clone it lies around this package.
PACKAGED = Path(__file__).parent / "project"
# The template's packages.yml names this link to it.
LINK = ".onelog"
# Folders with what a project may change or do without.
BEGINNINGS = {("models", "marts"), (".github", "workflows")}
OWN_NAME = re.compile(r"^name: *onelog *$", re.MULTILINE)
# Names of dbt's packages and of ours, and what YAML takes for no text.
TAKEN = {"onelog", "dbt", "dbt_spark", "true", "false", "yes", "no", "on", "off", "null"}


def write_project(folder: Path) -> list[str]:
    """Write a new project into ``folder``; returns the names of the files written.

    A file that is there stays as it is; an example that was deleted does not come back. The link to
    this machine's onelog is made anew. The project is called as its folder. Raises UserError where
    the folder has another project.
    """
    config = folder / "dbt_project.yml"
    is_new = not config.exists()
    known = "" if is_new else config.read_text(encoding="utf-8", errors="replace")
    if OWN_NAME.search(known):
        raise UserError(f"{folder} is onelog's own dbt project: name another folder")
    if not is_new and "onelog" not in known:
        raise UserError(f"{folder} has a dbt project that does not use onelog: name another")
    files = {path.relative_to(TEMPLATE): path for path in TEMPLATE.rglob("*") if path.is_file()}
    profiles = dbt_project() / "profiles"
    files |= {Path("profiles") / path.name: path for path in profiles.iterdir()}
    written = [
        name
        for name in sorted(files)
        if not (folder / name).exists() and (is_new or name.parts[:2] not in BEGINNINGS)
    ]
    for name in written:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if name != Path(config.name):
            shutil.copyfile(files[name], folder / name)
    # Last: a folder that has it gets no beginnings any more.
    if is_new:
        text = (TEMPLATE / config.name).read_text()
        config.write_text(text.replace("own_log", _project_name(folder)))
    requirements = folder / "requirements.txt"
    if not requirements.exists():
        # A path, as another project has this name on PyPI.
        requirements.write_text(f"./wheels/onelog-{version('onelog')}-py3-none-any.whl\n")
        written.append(Path(requirements.name))
    link = folder / LINK
    link.unlink(missing_ok=True)
    link.symlink_to(dbt_project(), target_is_directory=True)
    return [str(name) for name in (*written, LINK)]


def dbt_project() -> Path:
    """The folder of onelog's own dbt project."""
    return PACKAGED if PACKAGED.exists() else PACKAGED.parents[1]


def _project_name(folder: Path) -> str:
    """A name that dbt takes, after the folder's; never one that means something else."""
    name = re.sub(r"[^a-z0-9]+", "_", folder.resolve().name.lower()).strip("_")
    if not name[:1].isalpha() or name in TAKEN:
        name = f"own_{name}".rstrip("_")
    return name
