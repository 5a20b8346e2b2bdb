"""Clone and fetch the repositories of a team into folders of this machine's cache.

git runs with the person's own settings and credentials, asks for nothing, and runs no hooks.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from scry.core.errors import IndexUnavailable
from scry.core.platform import cache_home, make_private_folder
from scry.projects.git import safe_git_command, safe_git_environment
from scry.store.team.writer import TeamRepository

_TIMEOUT_S = 1800.0
"""Longest time of one command of git: the first clone of a large repository over a slow line."""

_UNSAFE_IN_FOLDER = re.compile("[^A-Za-z0-9._-]")

_PROTOCOLS = "https:http:ssh:git:file"


def checkout_folder(repository: TeamRepository) -> Path:
    """Return the folder of this machine's cache in which a repository is checked out."""
    digest = hashlib.sha256(f"{repository.url} {repository.branch}".encode()).hexdigest()[:12]
    return cache_home() / "team" / f"{_UNSAFE_IN_FOLDER.sub('_', repository.name)[:40]}-{digest}"


def check_out(repository: TeamRepository) -> tuple[Path, str]:
    """Bring a repository's checkout to the newest commit of its branch; return folder and commit.

    Raises IndexUnavailable with git's reason. A clone that was interrupted is begun again.
    """
    folder = checkout_folder(repository)
    make_private_folder(folder.parent)
    if (folder / ".git").is_dir():
        _git(folder, ["fetch", "--quiet", "--prune", "--no-tags", "--no-recurse-submodules", "origin"])
    else:
        partial = folder.with_name(f"{folder.name}.{os.getpid()}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        clone = ["clone", "--quiet", "--no-checkout", "--no-tags", "--no-recurse-submodules", "--", repository.url]
        try:
            _git(folder.parent, [*clone, str(partial)])
            partial.rename(folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    if repository.branch:
        wanted = f"refs/remotes/origin/{repository.branch}"
    else:
        _git(folder, ["remote", "set-head", "origin", "--auto"])
        wanted = "refs/remotes/origin/HEAD"
    commit = _git(folder, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{wanted}^{{commit}}"])
    _git(folder, ["checkout", "--quiet", "--force", "--detach", commit])
    _git(folder, ["clean", "--quiet", "-ffdx"])
    return folder, commit


def _git(folder: Path, arguments: Sequence[str]) -> str:
    """Return git's output. Raises IndexUnavailable."""
    environment = safe_git_environment(os.environ) | {"GIT_ALLOW_PROTOCOL": _PROTOCOLS, "GIT_LFS_SKIP_SMUDGE": "1"}
    environment.pop("GIT_OPTIONAL_LOCKS")
    try:
        done = subprocess.run(
            safe_git_command(arguments),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise IndexUnavailable(f"git {arguments[0]} failed: {error}") from error
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        reason = lines[-1] if lines else f"exit status {done.returncode}"
        raise IndexUnavailable(f"git {arguments[0]} failed: {reason}")
    return done.stdout.decode(errors="replace").strip()
