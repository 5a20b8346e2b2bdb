"""The shop: a small project in several languages, indexed once a module."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sample.files import SEARCHED_SHOP
from tests.sample.indexed import IndexedProject


def make_shop(root: Path) -> IndexedProject:
    """Return the shop's files under git, not yet indexed."""
    sample = IndexedProject(root).init_repository()
    sample.write(SEARCHED_SHOP)
    sample.commit("Open the shop")
    return sample


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    """Return the indexed shop, shared by a module's tests, which must not change it."""
    sample = make_shop(tmp_path_factory.mktemp("work") / "shop")
    sample.update_index()
    return sample


@pytest.fixture
def own_shop(tmp_path: Path) -> IndexedProject:
    """Return an indexed shop that the test may change."""
    sample = make_shop(tmp_path / "shop")
    sample.update_index()
    return sample
