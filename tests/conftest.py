"""The gates, and an environment for each test that never touches the person's files or git settings."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from scry.core import data_home

settings.register_profile("scry", deadline=None)  # a busy machine is no failure
settings.load_profile("scry")

pytest_plugins = ("pytester", "tests.gates.acceptance", "tests.gates.parts", "tests.gates.stand_ins")


@pytest.fixture(scope="session", autouse=True)
def own_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a home of its own for the whole run, for the tests and the processes they start;
    git gets a fixed author.
    """
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("SCRY_", "GIT_"))]:
            patch.delenv(name)
        for name in ("CACHE", "DATA", "CONFIG", "STATE"):
            patch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        for role in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{role}_NAME", "Test")
            patch.setenv(f"GIT_{role}_EMAIL", "test@example.invalid")
        yield home


@pytest.fixture(scope="module", autouse=True)
def no_notes_and_projects(own_world: Path) -> None:
    """Each file of tests begins without notes of the person and registered projects: they reach every project.

    Those of a fixture that already made a world of its own stay.
    """
    home = data_home()
    if not home.is_relative_to(own_world):
        return
    shutil.rmtree(home / "persona", ignore_errors=True)
    for path in [*home.glob("projects.sqlite*"), *home.glob("backups/projects*")]:
        path.unlink(missing_ok=True)  # SQLite's journals go with the last process that has the file open
