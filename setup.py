"""What pyproject.toml cannot say: the wheel brings the dbt project along, in landing/project."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

# What dbt needs of the project where it is used as a package, and the profile for a new project.
FOLDERS = ("macros", "models", "profiles", "seeds")
FILES = (".dbtignore", "dbt_project.yml")


class BuildWithProject(build_py):
    """Copies the dbt project into the package; an editable installation finds it as it stands."""

    def run(self) -> None:
        """Build the package."""
        super().run()
        if self.editable_mode:
            return
        project = Path(self.build_lib) / "landing" / "project"
        for name in FOLDERS:
            shutil.copytree(name, project / name, dirs_exist_ok=True)
        (project / "tests").mkdir(exist_ok=True)
        for path in (*map(Path, FILES), *Path("tests").glob("*.sql")):
            shutil.copy(path, project / path)


setup(cmdclass={"build_py": BuildWithProject})
