"""Git itself, for tests of what is read of its files."""

from __future__ import annotations

import subprocess
from pathlib import Path


def git(root: Path, *arguments: str) -> str:
    """Runs git and returns what it says."""
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=True, text=True).stdout.strip()
