"""Other processes, as tests see them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.live_files import read_live


def is_running(pid: int) -> bool:
    """Return whether a process runs; one that has ended and was not waited for does not.

    After a kill the first thread may be gone while others are still ending, with files open and locks held.
    """
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return fields[0] != "Z" or int(fields[17]) > 1
    except OSError:  # it has ended since, or there is no such file system
        return not Path("/proc/self").exists()


def is_waiting(pid: int) -> bool:
    """Return whether each thread of a process waits for something; on a busy machine one that works may be kept from it
    for seconds, and does not.
    """
    threads = Path(f"/proc/{pid}/task").iterdir()
    states = [read_live(thread / "stat").rpartition(b")")[2].split()[:1] for thread in threads]
    return all(state in ([], [b"S"]) for state in states)


def running_with(text: str) -> list[str]:
    """Return the command lines of all processes that hold a text; those that have ended show none."""
    listed = subprocess.run(["ps", "-ewwo", "args="], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if text in line]
