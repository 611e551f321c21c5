"""Is there a Java that this Spark runs on? Needs nothing but Python; the Makefile runs it first."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SUPPORTED_JAVA = (17, 21)


class SessionError(Exception):
    """Spark cannot start here; the message says in one line what to do."""


def check_java() -> None:
    """Raise :class:`SessionError` unless a Java that this Spark runs on is installed."""
    home = os.environ.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else shutil.which("java")
    advice = "install Java 17 (for example the package openjdk-17-jre-headless) or set JAVA_HOME"
    if not java or not Path(java).exists():
        raise SessionError(f"Java was not found: {advice}")
    said = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    version = re.search(r'version "(\d+)', said)
    if not version or int(version[1]) not in SUPPORTED_JAVA:
        found = version[1] if version else "unknown"
        raise SessionError(f"Java {found} at {java} does not run this Spark: {advice}")


if __name__ == "__main__":
    try:
        check_java()
    except SessionError as error:
        sys.exit(f"onelog: {error}")
