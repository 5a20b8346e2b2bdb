"""A sealed cache: any file that changed since is noticed, by size, by time, or by its checksum."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scry.store.seals import CacheSeal


@pytest.fixture
def sealed(tmp_path: Path) -> CacheSeal:
    (tmp_path / "words").mkdir()
    for name in ("index.sqlite", "words/a.idx"):
        (tmp_path / name).write_bytes(name.encode() * 100)
    seal = CacheSeal(tmp_path, "index")
    seal.write([tmp_path / "index.sqlite", tmp_path / "words" / "a.idx"])
    return seal


def test_intact_files_are_not_reported(sealed: CacheSeal) -> None:
    assert sealed.exists
    assert (sealed.describe_damage(thorough=False), sealed.describe_damage(thorough=True)) == ("", "")


def test_missing_and_short_files_are_reported(sealed: CacheSeal, tmp_path: Path) -> None:
    (tmp_path / "words" / "a.idx").unlink()
    assert sealed.describe_damage(thorough=False) == "words/a.idx is missing"
    (tmp_path / "words" / "a.idx").write_bytes(b"")
    assert sealed.describe_damage(thorough=False) == "words/a.idx has 0 bytes instead of 1,100"


def test_rewritten_file_of_equal_size_is_read_and_reported(sealed: CacheSeal, tmp_path: Path) -> None:
    content = bytearray((tmp_path / "index.sqlite").read_bytes())
    content[500] ^= 1
    (tmp_path / "index.sqlite").write_bytes(content)
    assert sealed.describe_damage(thorough=False) == "index.sqlite is not as it was written"


def test_flipped_bit_that_left_the_time_alone_is_found_by_a_thorough_check(sealed: CacheSeal, tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    before = path.stat()
    content = bytearray(path.read_bytes())
    content[500] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert sealed.describe_damage(thorough=False) == ""
    assert sealed.describe_damage(thorough=True) == "index.sqlite is not as it was written"


def test_copied_files_are_intact(sealed: CacheSeal, tmp_path: Path) -> None:
    os.utime(tmp_path / "index.sqlite", ns=(1, 1))
    assert sealed.describe_damage(thorough=False) == ""


@pytest.mark.parametrize("content", [b"", b"junk", b"00000000\n{}"])
def test_damaged_seal_counts_as_none(sealed: CacheSeal, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "index.seal").write_bytes(content)
    (tmp_path / "index.sqlite").unlink()
    assert not sealed.exists
    assert sealed.describe_damage(thorough=True) == ""


def test_removed_seal_reports_nothing(sealed: CacheSeal, tmp_path: Path) -> None:
    sealed.remove()
    (tmp_path / "index.sqlite").unlink()
    assert (sealed.exists, sealed.describe_damage(thorough=True)) == (False, "")
