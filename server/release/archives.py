"""The parts of a release that are made of files of the repository: the Neovim plugin, notes, checksums.

All are functions of the files and of one time, so that the same commit gives the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import subprocess
import tarfile
from collections.abc import Iterable
from pathlib import Path

_PLUGIN = Path("editor/neovim")
_PLUGIN_PARTS = ("README.md", "doc", "lsp", "lua", "plugin")
_PLUGIN_NAME = "scry.nvim"
CHECKSUM_FILE = "SHA256SUMS"
_SECTION = re.compile(r"^## \[([^\]]+)\].*$", re.MULTILINE)


def commit_time(root: Path) -> int:
    """Return the time of the checked-out commit, in seconds: the time that every file of a release gets."""
    command = ["git", "log", "-1", "--format=%ct"]
    return int(subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout)


def write_neovim_plugin(root: Path, dist: Path, version: str, epoch: int) -> Path:
    """Write the Neovim plugin as an archive of a repository of its own, with its licence, and return its path.

    Only files that git tracks are in it. epoch: the time of all files.
    """
    listing = ["git", "ls-files", "-z", "--", *(str(_PLUGIN / part) for part in _PLUGIN_PARTS)]
    tracked = subprocess.run(listing, cwd=root, check=True, capture_output=True, text=True).stdout
    files = {str(Path(name).relative_to(_PLUGIN)): root / name for name in tracked.split("\0") if name}
    files["LICENSE"] = root / "LICENSE"
    path = dist / f"{_PLUGIN_NAME}-{version}.tar.gz"
    with (
        path.open("wb") as target,
        gzip.GzipFile(filename="", mode="wb", fileobj=target, mtime=epoch) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, file in sorted(files.items()):
            content = file.read_bytes()
            entry = tarfile.TarInfo(f"{_PLUGIN_NAME}/{name}")
            entry.size, entry.mtime, entry.mode = len(content), epoch, 0o644
            archive.addfile(entry, io.BytesIO(content))
    return path


def release_notes(changelog: str, version: str) -> str:
    """Return the section of a version in the changelog; that of the unreleased changes where it has none.

    Raises ValueError without either.
    """
    headings = list(_SECTION.finditer(changelog))
    ends = [*(heading.start() for heading in headings[1:]), len(changelog)]
    sections = {heading[1]: changelog[heading.end() : end] for heading, end in zip(headings, ends, strict=True)}
    if version in sections:
        return f"# Scry {version}\n\n{sections[version].strip()}\n"
    if "Unreleased" in sections:
        return f"# Scry {version}, not released yet\n\n{sections['Unreleased'].strip()}\n"
    raise ValueError(f"CHANGELOG.md has no section [{version}] and none [Unreleased]")


def write_checksums(dist: Path, files: Iterable[Path]) -> None:
    """Write the SHA-256 of each file, in the form that `sha256sum --check` reads."""
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(files)]
    (dist / CHECKSUM_FILE).write_text("".join(lines), encoding="utf-8", newline="\n")
