"""The ignore rules against git itself, over generated trees and patterns."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from scry.core import Settings
from scry.index.scan import FileEntry, explain_ignored
from scry.index.scan.walk import walk

_ATOMS = (
    *("a", "b", "ab", "A", "é", "語", "-", ".", "#", "!", " ", "\t", "\r", "\\", "\\ ", "\\*", "\\["),
    *("*", "**", "***", "?", "[ab]", "[!a]", "[^b]", "[a-b]", "[b-a]", "[a-\\c]", "[]a]", "[\\]]", "[!]-a]", "[a/b]"),
    *("[[:alpha:]]", "[[:space:]]", "[[:nothing:]]", "[[:al", "[a"),
)
_NAMES = (
    *("a", "b", "c", "ab", "ba", "A", "é", "語", "a b", "a ", " ", "-", "a-b", ".a", "aa.b", "#a", "!b"),
    *("*", "**", "[", "]", "[a", "\\", "\t", "a\n", "\udcff", "é\udcff"),
)


class _Tree:
    """A repository of random names with random ignore files, the same for the same seed."""

    def __init__(self, root: Path, seed: int) -> None:
        self._random = random.Random(seed)
        for folder in ("objects", "refs", "info"):
            (root / ".git" / folder).mkdir(parents=True)
        (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        self._fill(root, 0)
        if self._random.random() < 0.3:
            self._write_rules(root / ".git" / "info" / "exclude")

    def _fill(self, folder: Path, depth: int) -> None:
        for name in self._random.sample(_NAMES, self._random.randint(2, 9)):
            path = folder / name
            if depth < 3 and self._random.random() < 0.4:
                path.mkdir()
                self._fill(path, depth + 1)
            else:
                path.touch()
        if self._random.random() < (0.8 if depth == 0 else 0.25):
            self._write_rules(folder / ".gitignore")

    def _write_rules(self, path: Path) -> None:
        lines = [self._pattern() for _ in range(self._random.randint(1, 8))]
        path.write_bytes("\n".join(lines).encode())

    def _pattern(self) -> str:
        choose = self._random.choice
        depth = choose((1, 1, 1, 2, 2, 3))
        path = "/".join("**" if self._random.random() < 0.25 else self._segment() for _ in range(depth))
        # Git has no plain meaning for an escaped slash behind stars.
        path = path.replace("*\\/", "*/")
        return choose(("", "", "", "!")) + choose(("", "", "/")) + path + choose(("", "", "/", " ", "  ", "\r"))

    def _segment(self) -> str:
        return "".join(self._random.choices(_ATOMS, k=self._random.choice((1, 1, 1, 2, 2, 3, 4))))


def _git(root: Path, *arguments: str, stdin: bytes = b"") -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=root, input=stdin, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return os.fsdecode(done.stdout).split("\0")[:-1]


def _lines_by_git(root: Path, found: list[FileEntry]) -> dict[str, str]:
    """Return what decides on each path, as git tells it."""
    paths = b"".join(os.fsencode(entry.path) + b"\0" for entry in found)
    answer = _git(root, "check-ignore", "--verbose", "-z", "--no-index", "--stdin", stdin=paths)
    fields = zip(answer[0::4], answer[1::4], answer[3::4], strict=True)
    return {path: f"{source} line {line}" for source, line, path in fields}


@pytest.mark.slow
@pytest.mark.acceptance("W2")
@pytest.mark.parametrize("block", range(6))
def test_ignored_files_and_rule_lines_equal_git(tmp_path: Path, block: int) -> None:
    ignored = 0
    for seed in range(block * 10, block * 10 + 10):
        root = tmp_path / str(seed)
        _Tree(root, seed)
        found = list(walk(root, Settings()))
        kept = {entry.path for entry in found if entry.skip is None}
        assert kept == set(_git(root, "ls-files", "--others", "-z", "--exclude-standard")), f"seed {seed}"
        skipped = [entry for entry in found if entry.skip is not None and entry.path != ".git"]
        decided = {entry.path: entry.skip.detail for entry in skipped if entry.skip is not None}
        assert decided == _lines_by_git(root, skipped), f"seed {seed}"
        ignored += len(skipped)
    assert ignored > 30, "the trees are too tame to show anything"


@pytest.mark.slow
def test_single_path_is_classified_as_by_the_walk(tmp_path: Path) -> None:
    for seed in range(500, 512):
        root = tmp_path / str(seed)
        _Tree(root, seed)
        for entry in walk(root, Settings()):
            assert explain_ignored(root, entry.path, Settings()) == entry.skip, f"seed {seed}"
            assert list(walk(root, Settings(), under=entry.path)) == [entry], f"seed {seed}"


def test_walk_under_a_folder_is_a_slice_of_the_whole(tmp_path: Path) -> None:
    for seed in range(600, 606):
        root = tmp_path / str(seed)
        _Tree(root, seed)
        folders: dict[str, int] = {}
        whole = list(walk(root, Settings(), folders))
        assert [entry.path for entry in whole] == sorted(entry.path for entry in whole)
        for folder in [path for path in folders if path and (root / path).is_dir()]:
            below = [entry for entry in whole if entry.path.startswith(folder + "/")]
            assert list(walk(root, Settings(), under=folder)) == below, f"seed {seed}"
