"""One line on a file."""

from __future__ import annotations

import pytest

from scry.core.path_kinds import DOCUMENT_LANGUAGES
from scry.core.types import Document, Point, Span, Symbol
from scry.engine.browse.summaries import summarize_file
from scry.index.parse.languages import language_of
from scry.index.parse.parse import parse

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
SPONSORED = """.. image:: shop.png

Donations
=========

Give us something.

Shop
====

Sells things. A lot. More.
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


LICENSED = """// Copyright 2026 The Shop Authors.
//
// Licensed under the Shop License.
//
// Authors: everybody
//
// SKIP_THIS_CHECK
//
// This header holds the `Cart`. And more.
#ifndef SHOP_CART_H_
"""
LICENCE = """// Copyright (c) 2026
// Licensed under the Shop License.
//
// See AUTHORS for who wrote it
//
// SPDX-License-Identifier: Shop-1.0
"""
HADDOCK = """{-# LANGUAGE CPP
           , TupleSections #-}
{-# LANGUAGE GADTs #-}
{- |
   Module      : Shop.Cart
   Copyright   : (C) 2026

   Maintainer  : somebody
   Stability   : alpha

What a customer is about to buy.
-}
module Shop.Cart where
"""
ATTRIBUTES = """#![warn(
    missing_docs,
)]
#![doc(test(
    attr(deny(warnings))
))]
// It makes no sense to deny this for `cart`, because
#![allow(dead_code)]

//! # Shop
//!
//! Sells what [`Cart`]s and [lists](crate::list) hold.
"""
JAVADOC = """/**
 * @fileoverview Sells {@link Cart}s as <b>fast</b> as {@code buy} can, see [[shop.Till]].
 */
"""
TAGS = """/**
 * @param cart the cart
 */
"""


@pytest.mark.acceptance("O1")
@pytest.mark.parametrize(
    ("path", "text", "summary"),
    [
        ("shop/cart.h", LICENSED, "This header holds the `Cart`. And more."),
        ("src/Shop/Cart.hs", HADDOCK, "What a customer is about to buy."),
        ("src/darwin.h", "#if defined(X)\n# include <mach.h>\n# define ON 1\n#endif\n", ""),
        ("docs/shop.txt", "MIT License Copyright (c) 2026\n\nHow the shop sells.\n", "How the shop sells."),
        ("src/cart.swift", f"// This source file is part of the Shop\n//\n{LICENCE}", ""),
        ("src/cart.c", f"/* $OpenBSD: cart.c,v 1.1 $ */\n\n// Carts of the shop.\n//\n{LICENCE}", "Carts of the shop."),
        ("README", "Welcome to the shop!\n\nThe shop sells. More.\n", "The shop sells. More."),
        (
            "docs/a.org",
            "#+TITLE: Shop\n\n[site]: https://x.org\n\nSells what there is.\n",
            "Shop — Sells what there is.",
        ),
        ("src/lib.rs", ATTRIBUTES, "Sells what Carts and lists hold."),
        ("src/shop.ts", JAVADOC, "Sells Carts as fast as buy can, see shop.Till."),
        ("src/shop.ts", TAGS + "import x\n", ""),
        ("setup.cfg", "[metadata]\nname = shop\n", "[metadata]"),
        (
            "docs/shop.rst",
            "Shop\n====\n\nThe shop is:\n\n1. A place to buy\n2. and to sell.\n",
            "Shop — The shop is: A place to buy",
        ),
        ("docs/api.rst", API_PAGE, "API — This part covers all interfaces of the shop, in the order of the import."),
        ("docs/api.rst", "=====\nTitle\n=====\n\n- \n", "Title"),
        ("docs/api.rst", "Some words without a title.\n", "Some words without a title."),
        ("CHANGES.rst", CHANGES, "Version 2.1 — Fix flag_value and list[int] in Shop.add, see the docs. 30"),
        (
            "docs/shop.org",
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
        ("README.rst", SPONSORED, "Shop — Sells things. A lot."),
        ("man/shop.1", '.\\" $Id$\n.TH SHOP 1\n.SH NAME\nshop \\- sells\n.SH USE\nx\n', "shop - sells"),
        (
            "lib/Shop.pm",
            "package Shop;\n1;\n=encoding utf8\n\n=head1 NAME\n\nShop - C<sells>\n\nMore.\n",
            "Shop - sells",
        ),
        ("docs/part.adoc", "= Shop\n\n== Part\n\nSells things.\n", "Shop — Sells things."),
        ("man/shop.8", ".Dd now\n.Sh NAME\n.Nm shop\n.Nd sell things\n.Sh USE\n", "shop — sell things"),
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
    language = language_of(path)
    content_type = "doc" if language is None or language.name in DOCUMENT_LANGUAGES else "code"
    symbols = parse(path, text).symbols if content_type == "doc" else ()
    name = language.name if language is not None else "text"
    documents = [Document(key, path, content_type, path, name, symbol) for key, symbol in enumerate(symbols, 1)]
    outermost = [each for each in documents if not each.symbol.container]
    assert summarize_file(path, outermost, text) == summary


def test_sections_whose_text_is_gone_are_named() -> None:
    span = Span(Point(3, 0, 30), Point(5, 0, 50))
    section = Symbol("Shop", "section", "", "", "", span, span, "")
    document = Document(1, "./README.md::Shop", "doc", "README.md", "markdown", section)
    assert summarize_file("README.md", [document], "") == "Shop"
