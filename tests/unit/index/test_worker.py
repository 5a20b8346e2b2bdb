from __future__ import annotations

import errno
from pathlib import Path

import pytest

from scry.core.errors import BadSettings
from scry.indexer.lifetime import LINGER_S, linger_seconds
from scry.indexer.loop import describe_indexing_failure
from scry.indexer.process import normalize_path
from scry.projects.project import Project

_PROJECT = Project(Path("/p"), "p", "p-1", Path("/cache/p-1"), Path("/data/p"))


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("a/b.py", "a/b.py"),
        ("./a//b.py", "a/b.py"),
        ("a/./b.py/", "a/b.py"),
        ("..a/b..", "..a/b.."),
        ("", ""),
        (".", ""),
        ("..", ""),
        ("a/../../b", ""),
        ("/etc/passwd", ""),
        ("a\0b", ""),
    ],
)
def test_only_paths_inside_the_project_are_taken(path: str, plain: str) -> None:
    assert normalize_path(path) == plain


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "/cache/p-1 is full"),
        (ValueError("IoError: Os { code: 28, message: No space left on device }"), "/cache/p-1 is full"),
        (RuntimeError("database or disk is full"), "/cache/p-1 is full"),
        (PermissionError(errno.EACCES, "Permission denied"), "Make that folder writable"),
        (RuntimeError("attempt to write a readonly database"), "Make that folder writable"),
        (BadSettings("max_file_bytes: 'many' is no number"), "max_file_bytes: 'many' is no number"),
        (KeyError("x"), "KeyError"),
    ],
)
def test_a_failure_is_said_with_what_to_do(error: Exception, words: str) -> None:
    assert words in describe_indexing_failure(error, _PROJECT)


@pytest.mark.parametrize(
    ("value", "seconds"), [(None, LINGER_S), ("5", 5.0), ("0.5", 0.5), ("-1", 0.0), ("x", LINGER_S)]
)
def test_how_long_it_stays_can_be_set(monkeypatch: pytest.MonkeyPatch, value: str | None, seconds: float) -> None:
    if value is None:
        monkeypatch.delenv("SCRY_INDEXER_LINGER", raising=False)
    else:
        monkeypatch.setenv("SCRY_INDEXER_LINGER", value)
    assert linger_seconds() == seconds
