"""Runs git for what its files don't tell, so that nothing of the repository's or the person's settings is executed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

_SAFE_OPTIONS = (
    "-c",
    "core.fsmonitor=",
    "-c",
    f"core.hooksPath={os.devnull}",
)
_TIMEOUT_S = 20.0


def safe_git_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would point git at another repository, and with nothing that asks or writes."""
    kept = {
        name: value for name, value in environ.items() if not name.startswith("GIT_") or name.startswith("GIT_CONFIG_")
    }
    return kept | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        # What a partial clone lacks is never fetched; git before 2.44 knows only the second.
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "",
        "LC_ALL": "C",
    }


def safe_git_command(arguments: Sequence[str]) -> list[str]:
    """The command line of git with these arguments, safe to run in a stranger's repository."""
    return ["git", "--no-pager", *_SAFE_OPTIONS, *arguments]


def run_git(folder: Path, arguments: Sequence[str]) -> bytes | None:
    """What git prints when run in the folder; None when it is missing, fails, or takes over 20 seconds."""
    import subprocess

    try:
        done = subprocess.run(
            safe_git_command(arguments),
            cwd=folder,
            env=safe_git_environment(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
