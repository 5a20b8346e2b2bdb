"""A file is read as one moment of one regular file, reached without a link."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from scry.core.types import SkippedFile, SkipReason
from scry.index.scan.read_file import FileContent, read_file

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")


def test_a_file_comes_with_its_size_and_time(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "c.py"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"x = 1\r\n")
    assert read_file(tmp_path, "a/b/c.py", 100) == FileContent(b"x = 1\r\n", 7, file.stat().st_mtime_ns)


def test_what_is_gone_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert read_file(tmp_path, "a/b.py", 100) is None
    assert read_file(tmp_path, "file/b.py", 100) is None


def test_a_larger_file_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x" * 101)
    assert isinstance(skip := read_file(tmp_path, "a.py", 100), SkippedFile)
    assert skip.reason is SkipReason.TOO_LARGE


@needs_links
@pytest.mark.acceptance("F11")
@pytest.mark.parametrize("swapped", ["a", "a/b", "a/b/c.txt"])
def test_what_became_a_link_since_it_was_listed_is_not_followed(tmp_path: Path, swapped: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root, outside):
        (folder / "a" / "b").mkdir(parents=True)
        (folder / "a" / "b" / "c.txt").write_text("secret" if folder is outside else "ours")
    taken = root / swapped
    taken.rename(tmp_path / "away")
    taken.symlink_to(outside / swapped)
    assert not isinstance(read_file(root, "a/b/c.txt", 100), FileContent)


@needs_links
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert isinstance(skip := read_file(tmp_path, "pipe", 100), SkippedFile)
    assert skip.reason is SkipReason.NOT_REGULAR


def test_no_handle_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").touch()
    for path in ("a/b.py", "a/none.py", "none/b.py", "a/b.py/c"):
        read_file(tmp_path, path, 10)
    handles = Path("/proc/self/fd")
    held = [os.path.realpath(handle) for handle in handles.iterdir()] if handles.is_dir() else []
    assert not [path for path in held if path.startswith(str(tmp_path))]
