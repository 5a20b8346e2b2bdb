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
CHANGES = """Version 2.1
-----------

-   Fix ``flag_value`` and ``list[int]`` in :py:meth:`Shop.add`, see `the docs <https://x.org>`_. :issue:`30`
-   Another change.
"""
MARKDOWN = """# `shop` and __init__.py

- A _small_ **shop** for [`cart_items`](cart.md) of snake_case and 2*3, as [told][1]. More.
- More.
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
        ("CHANGES.rst", CHANGES, "Version 2.1 — Fix flag_value and list[int] in Shop.add, see the docs. 30"),
        (
            "docs/shop.rst",
            MARKDOWN.replace("# `shop`", "* `shop`"),
            "shop and __init__.py — A small shop for cart_items of snake_case and 2*3, as told.",
        ),
        ("shop/__init__.py", PACKAGE, "offers Shop, Cart, add_item, json"),
        ("shop/__init__.py", "from .a import (", ""),
        ("shop/other.py", "from .app import Shop\n", ""),
        ("shop/__init__.py", "\n", "empty"),
        (
            "docs/api.adoc",
            "= Shop API\n:toc:\n\nAll calls of the shop. More of it below here.\n",
            "Shop API — All calls of the shop. More of it below here.",
        ),
        ("notes.org", "#+TITLE: Opening hours\n\nWhen the shop is open.\n", "Opening hours — When the shop is open."),
        ("docs/part.md", "---\nid: x\n---\n\nA part without *any* heading.\n", "A part without any heading."),
        (
            "src/mod.rs",
            "mod client;\npub use self::client::{Client, Builder as Made};\n",
            "offers client, Client, Made",
        ),
        ("src/lib.rs", "pub use a::{\n    b::{C, D}, // two\n    E,\n};\n", "offers C, D, E"),
        (
            "src/index.ts",
            "export { a, type B, c as d } from './x'\nexport * from './lib/cart.js';\n",
            "offers a, B, d, cart",
        ),
        ("src/index.js", "'use strict';\n\nmodule.exports = require('./lib/shop');\n", "offers shop"),
        ("src/index.js", "export { default } from './till/index.js'\nexport {\n  x as default,\n}\n", "offers till, x"),
    ],
)
def test_pages_and_packages_have_a_summary(path: str, text: str, summary: str) -> None:
    assert summarize_file(path, (), text) == summary
