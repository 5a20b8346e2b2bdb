"""The shop: a small project in several languages, indexed once a module."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.workplace import FILES, Workplace


def make_shop(root: Path) -> Workplace:
    """The shop's files under git, not yet indexed."""
    workplace = Workplace.make(root)
    workplace.write(FILES)
    workplace.commit("Open the shop")
    return workplace


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    """The indexed shop, shared by a module's tests, which must not change it."""
    workplace = make_shop(tmp_path_factory.mktemp("work") / "shop")
    workplace.bring()
    return workplace


@pytest.fixture
def own_shop(tmp_path: Path) -> Workplace:
    """An indexed shop that the test may change."""
    workplace = make_shop(tmp_path / "shop")
    workplace.bring()
    return workplace
