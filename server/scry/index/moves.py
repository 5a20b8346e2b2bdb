"""Knows a registered project again where it was moved to: its old folder is gone, and the history begins the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scry.core.projects import RegisteredProject
from scry.index.git_command import run_git
from scry.index.git_folder import find_repository


def root_commits(root: Path) -> tuple[str, ...]:
    """The commits that a folder's history begins with, sorted; empty without git, a commit, or a git that answers."""
    answer = run_git(root, ["rev-list", "--max-parents=0", "HEAD"])
    return tuple(sorted(answer.decode("ascii", "replace").split())) if answer else ()


def path_in_work_tree(root: Path) -> str:
    """The folder relative to its git work tree's top, with slashes; empty at the top and without git."""
    repository = find_repository(root)
    if repository is None or repository.work_tree == root:
        return ""
    return root.relative_to(repository.work_tree).as_posix()


def find_moved_project(root: Path, registered: Sequence[RegisteredProject]) -> RegisteredProject | None:
    """The registered project, as it was, that this folder is now; None where it is none that moved.

    Asks git only where the folder of a registered project is gone, so that it costs nothing otherwise.
    """
    gone = [project for project in registered if project.commits and not project.root.is_dir()]
    if not gone or find_repository(root) is None:
        return None
    begins, inside = root_commits(root), path_in_work_tree(root)
    return next((each for each in gone if each.commits == begins and each.path_in_repository == inside), None)
