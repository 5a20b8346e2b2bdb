"""The shop: a small project in several languages, indexed once a module."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.workplace import FILES, IndexedProject


def make_shop(root: Path) -> IndexedProject:
    """The shop's files under git, not yet indexed."""
    workplace = IndexedProject.make(root)
    workplace.write(FILES)
    workplace.commit("Open the shop")
    return workplace


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    """The indexed shop, shared by a module's tests, which must not change it."""
    workplace = make_shop(tmp_path_factory.mktemp("work") / "shop")
    workplace.update_index()
    return workplace


@pytest.fixture
def own_shop(tmp_path: Path) -> IndexedProject:
    """An indexed shop that the test may change."""
    workplace = make_shop(tmp_path / "shop")
    workplace.update_index()
    return workplace
