"""The sample project of tests: a folder with files of a small shop, under git where a test asks for it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from scry.projects import Project, open_project


def git(root: Path, *arguments: str, check: bool = True) -> str:
    """Run git in `root` and return its output, stripped; bytes that are no UTF-8 become surrogates."""
    done = subprocess.run(["git", *arguments], cwd=root, check=check, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def make_repository(root: Path, files: Mapping[str, str]) -> Path:
    """Write `files` to `root` and commit all that is there. Return `root`."""
    SampleProject(root).write(files)
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "First"]):
        git(root, *arguments)
    return root


T = TypeVar("T", bound="SampleProject")


@dataclass(eq=False)
class SampleProject:
    """The project at `root`. Its subclasses add an index, a history, a code graph or indexer processes."""

    root: Path

    @property
    def project(self) -> Project:
        return open_project(self.root)

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files, their folders included."""
        for path, content in files.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())

    def write_file(self, path: str, text: str) -> Path:
        """Write one file and return its absolute path."""
        self.write({path: text})
        return self.root / path

    def git(self, *arguments: str, check: bool = True) -> str:
        """Run git there; return its output."""
        return git(self.root, *arguments, check=check)

    def init_repository(self: T) -> T:
        """Make the folder, with an empty git repository, and return the project."""
        self.root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        return self

    def commit(self, message: str = "next") -> str:
        """Commit whatever was written; return the commit's name."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")
