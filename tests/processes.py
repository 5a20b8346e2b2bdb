"""Other processes, as tests see them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def is_running(pid: int) -> bool:
    """Return whether a process runs; one that has ended and was not waited for does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not Path("/proc/self").exists()


def running_with(text: str) -> list[str]:
    """Return the command lines of all processes that hold a text; those that have ended show none."""
    listed = subprocess.run(["ps", "-ewwo", "args="], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if text in line]
