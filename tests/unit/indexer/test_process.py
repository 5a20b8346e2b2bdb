from __future__ import annotations

import pytest

from scry.indexer import normalize_path


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
def test_only_paths_inside_the_project_are_accepted(path: str, plain: str) -> None:
    assert normalize_path(path) == plain
