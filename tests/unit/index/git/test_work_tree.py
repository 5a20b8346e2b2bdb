"""The commit that every answer tells: read again whenever it may be another."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scry.index.git import HeadTracker, uncommitted_paths
from scry.index.git import work_tree as head
from scry.projects import head_commit
from tests.sample.history import HistoryProject
from tests.sample.project import git

pytestmark = pytest.mark.slow


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits on `main`, and the folder `inside`."""
    root = tmp_path / "repository"
    (root / "inside").mkdir(parents=True)
    git(root, "init", "--quiet", "--initial-branch=main")
    for text in ("first", "second"):
        _commit(root, text)
    return root


def _commit(root: Path, text: str) -> None:
    (root / "inside" / "a.txt").write_text(text)
    git(root, "add", ".")
    git(root, "commit", "--quiet", f"--message={text}")


STEPS: dict[str, Callable[[Path], object]] = {
    "a commit": lambda root: _commit(root, "third"),
    "references are packed": lambda root: git(root, "pack-refs", "--all"),
    "a commit on a packed branch": lambda root: _commit(root, "fourth"),
    "another branch": lambda root: git(root, "checkout", "--quiet", "-b", "other", "HEAD~2"),
    "a commit there": lambda root: _commit(root, "fifth"),
    "back": lambda root: git(root, "checkout", "--quiet", "main"),
    "no branch": lambda root: git(root, "checkout", "--quiet", "--detach", "HEAD~1"),
    "a reset": lambda root: git(root, "reset", "--quiet", "--hard", "HEAD~1"),
    "a tag, which is asked of git": lambda root: (git(root, "tag", "v1"), _point_at(root, "refs/tags/v1")),
    "another tag": lambda root: git(root, "tag", "--force", "v1", "other"),
    "a branch without commits": lambda root: git(root, "checkout", "--quiet", "--orphan", "empty"),
    "its first": lambda root: _commit(root, "sixth"),
    "a repository inside": lambda root: git(root / "inside", "init", "--quiet"),
    "its first commit": lambda root: git(root / "inside", "commit", "--quiet", "--allow-empty", "--message=inner"),
    "it is gone": lambda root: shutil.rmtree(root / "inside" / ".git"),
    "all is gone": lambda root: shutil.rmtree(root / ".git"),
    "all anew": lambda root: (git(root, "init", "--quiet"), _commit(root, "seventh")),
}


def _point_at(root: Path, reference: str) -> None:
    (root / ".git" / "HEAD").write_text(f"ref: {reference}\n")


def test_head_tracker_equals_a_fresh_read_after_every_git_step(repository: Path) -> None:
    known = {folder: HeadTracker(folder) for folder in (repository, repository / "inside")}
    commits: set[str | None] = set()
    for name, step in STEPS.items():
        step(repository)
        for folder, tracker in known.items():
            assert tracker.commit() == head_commit(folder), name
            assert tracker.commit() == head_commit(folder), f"{name}, asked again"
            commits.add(tracker.commit())
    assert len(commits) >= 8


def test_unchanged_head_is_not_read_again(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tracker = HeadTracker(repository)
    first = tracker.commit()

    def read(_: object) -> None:
        pytest.fail("HEAD was read")

    monkeypatch.setattr(head, "read_head", read)
    monkeypatch.setattr(head, "head_commit", read)
    assert tracker.commit() == first is not None


def test_changed_staged_new_and_gone_files_are_uncommitted(tmp_path: Path) -> None:
    sample = HistoryProject(tmp_path / "shop").init_repository()
    names = ["same", "changed", "staged", "gone", "old name", "odd\nname"]
    sample.commit("base", {f"lib/{name}": "1\n" for name in names} | {"outside": "1\n", ".gitignore": "*.log\n"})
    assert uncommitted_paths(sample.root) == ()
    sample.write(
        {"lib/changed": "2\n", "lib/staged": "2\n", "lib/odd\nname": "2\n", "outside": "2\n", "lib/a.log": "x"}
    )
    sample.git("add", "lib/staged")
    sample.git("mv", "lib/old name", "lib/new name")
    (sample.root / "lib/gone").unlink()
    sample.write({"lib/deep/er/new": "1\n"})
    inside = ("changed", "deep/er/new", "gone", "new name", "odd\nname", "old name", "staged")
    assert uncommitted_paths(sample.root / "lib") == inside
    assert uncommitted_paths(sample.root) == (*(f"lib/{name}" for name in inside), "outside")


def test_work_tree_from_git_settings_is_used(tmp_path: Path) -> None:
    sample = HistoryProject(tmp_path / "top" / "inner").init_repository()
    sample.commit("base", {"a.py": "1\n"})
    sample.git("config", "core.worktree", str(tmp_path / "top"))
    sample.write({"a.py": "2\n"})
    assert uncommitted_paths(sample.root) == ("a.py",)


def test_uncommitted_paths_are_unknown_without_git(tmp_path: Path) -> None:
    assert uncommitted_paths(tmp_path) is None


def test_git_filters_and_fsmonitor_are_not_run(tmp_path: Path) -> None:
    sample = HistoryProject(tmp_path / "shop").init_repository()
    sample.commit("base", {"a.py": "1\n", ".gitattributes": "*.py filter=odd\n"})
    mark, program = tmp_path / "ran", tmp_path / "run.sh"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    for name in ("filter.odd.clean", "filter.odd.process", "core.fsmonitor"):
        sample.git("config", name, str(program))
    sample.git("config", "filter.odd.required", "true")
    sample.write({"a.py": "2\n"})
    assert uncommitted_paths(sample.root) == ("a.py",)
    assert not mark.exists()
