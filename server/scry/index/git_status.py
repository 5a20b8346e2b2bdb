"""Which files differ from what is committed, as git sees it now. Nothing of the repository is executed for it."""

from __future__ import annotations

from pathlib import Path

from scry.index.git_command import run_git
from scry.index.git_folder import find_repository

_WORK_TREE_SETTING = "core.worktree"
_SETTINGS_PATTERN = r"^(core\.worktree|filter\..*\.(clean|smudge|process|required))$"
"""What has to be known of the settings before; git gives the first and last part of their names in small letters."""


def uncommitted_paths(root: Path) -> tuple[str, ...] | None:
    """The files in a folder that are changed, staged, new or gone, relative to it, sorted; None where git can't tell.

    Ignored files are left out, and so are submodules. A file of which only the time changed is not among them, save
    where a filter (such as that of large files) would be needed to see it: filters are never run.
    """
    settings = _read_git_settings(root)
    answer = run_git(
        root,
        [
            *_disable_filters(settings),
            *("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"),
            *("--no-ahead-behind", "--", "."),
        ],
    )
    prefix = _path_prefix(root, settings)
    if answer is None or prefix is None:
        return None
    entries = (entry[3:] for entry in answer.split(b"\0") if len(entry) > 3)
    found = {entry[len(prefix) :] for entry in entries if entry.startswith(prefix)}
    return tuple(sorted(path.decode("utf-8", "surrogateescape") for path in found))


def _read_git_settings(root: Path) -> frozenset[str]:
    """Those that are set of the settings that matter here, by the person or the repository."""
    names = run_git(root, ["config", "-z", "--name-only", "--get-regexp", _SETTINGS_PATTERN]) or b""
    return frozenset(names.decode("utf-8", "surrogateescape").split("\0")) - {""}


def _disable_filters(settings: frozenset[str]) -> list[str]:
    """Options that empty every filter that is set up."""
    options: list[str] = []
    for name in sorted(settings - {_WORK_TREE_SETTING}):
        options += ["-c", f"{name}={'false' if name.endswith('.required') else ''}"]
    return options


def _path_prefix(root: Path, settings: frozenset[str]) -> bytes | None:
    """What the folder's paths begin with as git gives them, from the top of the work tree. git itself is only asked
    where it has been told to look for that elsewhere.
    """
    repository = None if _WORK_TREE_SETTING in settings else find_repository(root)
    if repository is None:
        answer = run_git(root, ["rev-parse", "--show-prefix"])
        return None if answer is None else answer.removesuffix(b"\n")
    inside = root.relative_to(repository.work_tree).as_posix()
    return b"" if inside == "." else f"{inside}/".encode("utf-8", "surrogateescape")
