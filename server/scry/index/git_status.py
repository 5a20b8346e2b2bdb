"""Which files differ from what is committed, as git sees it now. Nothing of the repository is executed for it."""

from __future__ import annotations

from pathlib import Path

from scry.index.git_command import ask_git

_FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"


def uncommitted_paths(root: Path) -> tuple[str, ...] | None:
    """The files in a folder that are changed, staged, new or gone, relative to it, sorted; None where git can't tell.

    Ignored files are left out, and so are submodules. A file of which only the time changed is not among them, save
    where a filter (such as that of large files) would be needed to see it: filters are never run.
    """
    answer = ask_git(
        root,
        [
            *_without_filters(root),
            *("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"),
            *("--no-ahead-behind", "--", "."),
        ],
    )
    prefix = ask_git(root, ["rev-parse", "--show-prefix"])
    if answer is None or prefix is None:
        return None
    inside = prefix.removesuffix(b"\n")
    entries = (entry[3:] for entry in answer.split(b"\0") if len(entry) > 3)
    found = {entry[len(inside) :] for entry in entries if entry.startswith(inside)}
    return tuple(sorted(path.decode("utf-8", "surrogateescape") for path in found))


def _without_filters(root: Path) -> list[str]:
    """Options that empty every filter that the person or the repository has set up."""
    names = ask_git(root, ["config", "-z", "--name-only", "--get-regexp", _FILTERS]) or b""
    settings: list[str] = []
    for name in sorted(set(names.decode("utf-8", "surrogateescape").split("\0")) - {""}):
        settings += ["-c", f"{name}={'false' if name.endswith('.required') else ''}"]
    return settings
