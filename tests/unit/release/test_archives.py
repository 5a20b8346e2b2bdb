"""The Neovim plugin's archive, the release notes and the checksums."""

from __future__ import annotations

import hashlib
import tarfile
from pathlib import Path

import pytest

from release.archives import release_notes, write_checksums, write_neovim_plugin
from tests.gates.parts import ROOT

EPOCH = 1_700_000_000

CHANGELOG = """\
# Changelog

## [Unreleased]

- next

## [1.1.0] - 2026-02-03

### Added

- a thing

## [1.0.0] - 2026-01-01

- first
"""


def test_notes_are_the_section_of_the_version() -> None:
    assert release_notes(CHANGELOG, "1.1.0") == "# Scry 1.1.0\n\n### Added\n\n- a thing\n"
    assert release_notes(CHANGELOG, "1.0.0") == "# Scry 1.0.0\n\n- first\n"


def test_notes_of_a_version_without_section_say_that_it_is_not_released() -> None:
    assert release_notes(CHANGELOG, "1.2.0") == "# Scry 1.2.0, not released yet\n\n- next\n"


def test_notes_need_a_section() -> None:
    with pytest.raises(ValueError, match=r"no section \[1\.2\.0\]"):
        release_notes("# Changelog\n\n## [1.1.0]\n", "1.2.0")


def test_checksums_name_each_file(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("b.whl", "a.vsix")]
    for file in files:
        file.write_bytes(file.name.encode())
    write_checksums(tmp_path, files)
    lines = (tmp_path / "SHA256SUMS").read_bytes().decode().splitlines(keepends=True)
    assert lines == [f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in ("a.vsix", "b.whl")]


def test_neovim_plugin_is_a_tree_of_its_own_with_its_licence(tmp_path: Path) -> None:
    with tarfile.open(write_neovim_plugin(ROOT, tmp_path, "1.0.0", EPOCH)) as archive:
        entries = {entry.name: entry for entry in archive}
        assert {"scry.nvim/LICENSE", "scry.nvim/README.md", "scry.nvim/plugin/scry.lua"} <= set(entries)
        assert {"scry.nvim/lua/scry/init.lua", "scry.nvim/doc/scry.txt", "scry.nvim/lsp/scry.lua"} <= set(entries)
        assert not [name for name in entries if name.startswith("scry.nvim/tools")]
        assert {entry.mtime for entry in entries.values()} == {EPOCH}


def test_neovim_plugin_has_the_same_bytes_twice(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    first, second = [write_neovim_plugin(ROOT, folder, "1.0.0", EPOCH).read_bytes() for folder in folders]
    assert first == second
