"""Clone and fetch the repositories of a team into folders of this machine's cache.

git runs with the person's own settings and credentials, asks for nothing, and runs no hooks. A checkout is locked while
it is used, so that two runs on one machine, or a task and the one that replaces it, take turns.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from scry.core.errors import IndexUnavailable
from scry.core.platform import IS_WINDOWS, cache_home, lock_handle, make_private_folder
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


@contextmanager
def check_out(repository: TeamRepository) -> Generator[tuple[Path, str]]:
    """Bring a repository's checkout to the newest commit of its branch; hold it, and give its folder and commit.

    Waits for another process that holds it. Raises IndexUnavailable with git's reason. A clone that was interrupted is
    begun again.
    """
    folder = checkout_folder(repository)
    make_private_folder(folder.parent)
    handle = os.open(folder.with_name(f"{folder.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            lock_handle(handle, wait=True)
        except OSError as error:
            raise IndexUnavailable(f"the checkout can't be locked: {error.strerror}") from error
        yield folder, _update_checkout(folder, repository, handle)
    finally:
        os.close(handle)


def _update_checkout(folder: Path, repository: TeamRepository, handle: int) -> str:
    """Clone or fetch a repository, and check its newest commit out; return the commit. handle: of the lock."""
    if (folder / ".git").is_dir():
        for left in (folder / ".git").rglob("*.lock"):  # of a git that was killed; no other one runs here
            with suppress(OSError):
                left.unlink()
        _git(folder, ["fetch", "--quiet", "--prune", "--no-tags", "--no-recurse-submodules", "origin"], handle)
    else:
        partial = folder.with_name(f"{folder.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        clone = ["clone", "--quiet", "--no-checkout", "--no-tags", "--no-recurse-submodules", "--", repository.url]
        try:
            _git(folder.parent, [*clone, str(partial)], handle)
            partial.rename(folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    if repository.branch:
        wanted = f"refs/remotes/origin/{repository.branch}"
    else:
        _git(folder, ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "origin", "HEAD"], handle)
        wanted = "FETCH_HEAD"  # of a repository whose HEAD is a commit, too
    named = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{wanted}^{{commit}}"]
    commit = _git(folder, named, handle)
    _git(folder, ["checkout", "--quiet", "--force", "--detach", commit], handle)
    _git(folder, ["clean", "--quiet", "-ffdx"], handle)
    return commit


def _git(folder: Path, arguments: Sequence[str], handle: int) -> str:
    """Return git's output. Raises IndexUnavailable.

    handle: of the lock, which git inherits: a git that outlives its killed parent still holds the checkout.
    """
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
            pass_fds=() if IS_WINDOWS else (handle,),
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise IndexUnavailable(f"git {arguments[0]} failed: {error}") from error
    if done.returncode:
        reason = describe_git_failure(done.stderr.decode(errors="replace")) or f"exit status {done.returncode}"
        raise IndexUnavailable(f"git {arguments[0]} failed: {reason}")
    return done.stdout.decode(errors="replace").strip()


_SAYS_LITTLE = "fatal: Could not read from remote repository."
"""Follows the reason that ssh or another git gave."""


def describe_git_failure(stderr: str) -> str:
    """Return the reason that git's errors give, in one line, without the advice that follows it after an empty line."""
    told = stderr.strip().partition("\n\n")[0].splitlines()
    lines = [line.strip() for line in told if line.strip() and not line.startswith("warning: ")]
    return "; ".join([line for line in lines if line != _SAYS_LITTLE][-_MAX_REASONS:] or lines)


_MAX_REASONS = 3
