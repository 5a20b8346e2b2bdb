from __future__ import annotations

import errno
from pathlib import Path

import pytest

from scry.core import BadSettings
from scry.indexer import describe_indexing_failure
from scry.projects import Project

_PROJECT = Project(Path("/p"), "p", "p-1", Path("/cache/p-1"), Path("/data/p"))


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
def test_indexing_failure_message_suggests_a_remedy(error: Exception, words: str) -> None:
    assert words in describe_indexing_failure(error, _PROJECT)
