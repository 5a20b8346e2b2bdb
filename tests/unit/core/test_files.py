"""Folders of Scry, and the format of sizes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scry.core import cache_home, config_home, data_home, format_size


@pytest.mark.skipif(sys.platform == "win32", reason="these variables are not heeded there")
def test_folders_follow_the_xdg_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, place in (("CACHE", cache_home), ("DATA", data_home), ("CONFIG", config_home)):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
        assert place() == tmp_path / name / "scry"
        assert not place().exists(), "asking makes nothing"


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1_000, "1.0 kB"),
        (999_960, "1.0 MB"),
        (5 * 10**15, "5000.0 TB"),
    ],
)
def test_sizes_are_formatted_in_decimal_units(count: int, words: str) -> None:
    assert format_size(count) == words
