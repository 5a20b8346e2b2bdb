"""A content that ended one process does not end the next."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from scry.index import CrashGuard

DIE = """
import os, sys
from pathlib import Path
from scry.index.project_parser import CrashGuard

fatal = CrashGuard(Path(sys.argv[1]), "test")
fatal.begin(b"good")
fatal.end()
fatal.begin(b"bad")
os.kill(os.getpid(), 9)
"""


def test_crash_cause_is_known_to_later_processes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", DIE, str(tmp_path)], check=False)
    for _ in range(2):
        fatal = CrashGuard(tmp_path, "test")
        assert b"bad" in fatal
        assert b"good" not in fatal
        fatal.begin(b"other")
        fatal.close()


def test_crash_guard_without_a_writable_folder_records_nothing(tmp_path: Path) -> None:
    fatal = CrashGuard(tmp_path / "none", "test")
    fatal.begin(b"x")
    fatal.end()
    fatal.close()
    assert b"x" not in fatal
