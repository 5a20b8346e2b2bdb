from __future__ import annotations

import pytest

from training.leaks import NEVER_TRAIN_ON, names_judged, refused
from training.manifest import load_manifest


def test_every_project_is_refused_by_name() -> None:
    assert len(NEVER_TRAIN_ON) == 63
    assert all(names_judged(name) for name in NEVER_TRAIN_ON)


@pytest.mark.parametrize(
    "name",
    [
        "librust-serde-dev",
        "rust-tokio",
        "Flask",
        "haskell-aeson",
        "click-8.1.7",
        "ruby-rack",
        "golang-github-chi",
        "fmt",
    ],
)
def test_a_package_is_refused_under_its_other_names(name: str) -> None:
    assert names_judged(name)


@pytest.mark.parametrize("name", ["httpcomponents", "flasks", "clicker", "serve", "rust-regex", "lua-http", "zigar"])
def test_unrelated_name_is_no_leak(name: str) -> None:
    assert not names_judged(name)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/requests/api.py", ""),
        ("include/fmt/core.h", ""),
        ("lib/requests.py", ""),
        ("typer/_click/core.py", ""),
        ("internal/fixed_array.h", "// Copyright 2018 The Abseil Authors.\n"),
        ("lib/nlohmann/json.hpp", ""),
        ("src/core.h", "#pragma once\nnamespace fmt {\n"),
        ("src/Any.java", "package com.google.gson.internal;\n"),
        ("src/json.hs", "module Data.Aeson.Types where\n"),
    ],
)
def test_a_copy_within_another_package_is_refused(path: str, text: str) -> None:
    assert refused("other", path, text)


def test_ordinary_file_is_accepted() -> None:
    assert not refused("other", "src/net/upload.py", "import requests\nfrom flask import Flask\n")
    assert not refused("other", "src/zig/main.zig", "")


def test_manifest_contains_no_leaked_package() -> None:
    assert [one.key for one in load_manifest() if names_judged(one.name)] == []
