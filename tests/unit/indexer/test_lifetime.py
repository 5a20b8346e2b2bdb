from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scry.indexer import LINGER_S, IndexerLock, linger_seconds

_HOLD = """
import subprocess, sys, time
from pathlib import Path
from scry.indexer.lifetime import IndexerLock
lock = IndexerLock.acquire(Path(sys.argv[1]))
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"]) if "child" in sys.argv else None
print("held" if lock else "refused", child.pid if child else 0, flush=True)
time.sleep(30)
"""


def _holder(path: Path, *extra: str) -> tuple[subprocess.Popen[str], list[str]]:
    process = subprocess.Popen([sys.executable, "-c", _HOLD, str(path), *extra], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().split()


def test_a_second_process_is_refused_until_the_first_releases(tmp_path: Path) -> None:
    lock = IndexerLock.acquire(tmp_path / "lock")
    assert lock is not None
    process, first = _holder(tmp_path / "lock")
    process.kill()
    process.communicate()
    lock.release()
    second, second_outcome = _holder(tmp_path / "lock")
    second.kill()
    second.communicate()
    assert (first[0], second_outcome[0]) == ("refused", "held")


def test_killed_holder_frees_the_lock_despite_children(tmp_path: Path) -> None:
    process, (first, child) = _holder(tmp_path / "lock", "child")
    try:
        assert first == "held"
        assert IndexerLock.acquire(tmp_path / "lock") is None
        process.kill()
        process.wait()
        lock = IndexerLock.acquire(tmp_path / "lock")
        assert lock is not None
        lock.release()
    finally:
        os.kill(int(child), signal.SIGKILL)
        process.communicate()


def test_lock_is_invalid_after_its_folder_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    lock = IndexerLock.acquire(folder / "lock")
    assert lock is not None
    assert lock.is_valid()
    shutil.rmtree(folder)
    assert not lock.is_valid()
    folder.mkdir()
    successor = IndexerLock.acquire(folder / "lock")
    assert successor is not None
    assert successor.is_valid()
    assert not lock.is_valid()
    lock.release()
    successor.release()


def test_unwritable_lock_folder_raises_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="Not a directory"):
        IndexerLock.acquire(tmp_path / "file" / "lock")


@pytest.mark.parametrize(
    ("value", "seconds"), [(None, LINGER_S), ("5", 5.0), ("0.5", 0.5), ("-1", 0.0), ("x", LINGER_S)]
)
def test_linger_time_can_be_set(monkeypatch: pytest.MonkeyPatch, value: str | None, seconds: float) -> None:
    if value is None:
        monkeypatch.delenv("SCRY_INDEXER_LINGER", raising=False)
    else:
        monkeypatch.setenv("SCRY_INDEXER_LINGER", value)
    assert linger_seconds() == seconds
