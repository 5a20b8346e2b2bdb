"""One line on a file."""

from __future__ import annotations

import pytest

from scry.engine.browse.files import summarize_file

API_PAGE = """.. _api:

API
===

.. module:: shop

This part covers *all* interfaces of the shop, in the order of the import. More.
"""
PACKAGE = """from __future__ import annotations

from .app import Shop as Shop
from .cart import (
    Cart,  # of a guest
    add as add_item,
    _hidden,
)
from . import json
"""


@pytest.mark.acceptance("O1")
@pytest.mark.parametrize(
    ("path", "text", "summary"),
    [
        ("docs/api.rst", API_PAGE, "API — This part covers all interfaces of the shop, in the order of the import."),
        ("docs/api.rst", "=====\nTitle\n=====\n\n- \n", "Title"),
        ("docs/api.rst", "Some words without a title.\n", "Some words without a title."),
        ("shop/__init__.py", PACKAGE, "offers Shop, Cart, add_item, json"),
        ("shop/__init__.py", "from .a import (", ""),
        ("shop/other.py", "from .app import Shop\n", ""),
    ],
)
def test_pages_and_packages_have_a_summary(path: str, text: str, summary: str) -> None:
    assert summarize_file(path, (), text) == summary
