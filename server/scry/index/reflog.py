"""The commits that were made in a work tree, by its own log of where HEAD was; none of those that came by a pull."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from scry.index.git_command import run_git

_LOCAL_ACTION = re.compile(r"(?:commit|cherry-pick|revert|merge [^:]*: Merge made)")
"""How git begins the words for a commit that was made here."""

_MAX_LOCAL_COMMITS = 50
"""Of a longer way, say after a rebase, the last commits."""


class LocalCommit(Struct, frozen=True):
    """A commit that was made. time: in milliseconds since the epoch."""

    sha: str
    time: int
    subject: str


def list_local_commits(root: Path, since: str) -> list[LocalCommit]:
    """The commits that were made since HEAD was at `since`, the oldest first; none where git can't tell."""
    asked = ["log", "-g", "-z", f"--max-count={_MAX_LOCAL_COMMITS}", "--format=%H%x01%gs%x01%ct%x01%s", "HEAD", "--"]
    told = (run_git(root, asked) or b"").decode("utf-8", "replace")
    made: list[LocalCommit] = []
    for entry in told.split("\0"):
        sha, *rest = entry.strip("\n").split("\x01")
        if sha == since or len(rest) != 3:
            break
        if _LOCAL_ACTION.match(rest[0]):
            made.append(LocalCommit(sha, int(rest[1]) * 1000, rest[2]))
    return made[::-1]
