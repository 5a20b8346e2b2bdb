from __future__ import annotations

import importlib
from typing import Any

import pytest

from protocol.generate.lua import PREFIX
from scry_protocol.methods import METHODS
from scry_protocol.version import PROTOCOL
from tests.contract.luacats import misfits, read_classes, unknown_fields
from tests.contract.samples import INVALID, ROOT, VALID, Sample, each

FOLDER = ROOT / "editor" / "neovim" / "lua"
CLASSES = read_classes((FOLDER / "scry" / "generated" / "protocol.lua").read_text(encoding="utf-8"))

NIL_IS_NULL = {
    "scry.find/invalid-params-limit-null",
    "scry.find/invalid-params-types-null",
    "scry.find/invalid-result-location-null",
    "scry.find/invalid-result-matches-null",
    "scry.status/invalid-result-index_commit-missing",
}
"""Samples that only JSON can distinguish: nil is both null and absent."""


def lua_type(sample: Sample) -> str:
    return PREFIX + sample.kind.__name__


def is_beyond_lua(sample: Sample) -> bool:
    return "out-of-range" in sample.what or sample.id in NIL_IS_NULL


@pytest.mark.parametrize("lua", ["lua51", "luajit21"])
def test_module_loads_and_names_every_method(lua: str) -> None:
    runtime: Any = importlib.import_module(f"lupa.{lua}").LuaRuntime()  # lupa has no types
    runtime.globals().package.path = (FOLDER / "?.lua").as_posix()
    module = runtime.eval("(require('scry.generated.protocol'))")
    assert module.version == PROTOCOL
    assert sorted(module.methods.values()) == sorted(method.name for method in METHODS)
    assert module.methods.status_changed == "scry/statusChanged"


@each(VALID)
def test_valid_sample_fits_its_annotations(sample: Sample) -> None:
    assert list(misfits(sample.value, lua_type(sample), CLASSES)) == []
    assert bool(unknown_fields(sample.value, lua_type(sample), CLASSES)) == sample.newer


@each(sample for sample in INVALID if not is_beyond_lua(sample))
def test_invalid_sample_does_not_fit_and_its_field_is_named(sample: Sample) -> None:
    assert any(sample.blamed in misfit for misfit in misfits(sample.value, lua_type(sample), CLASSES))


@each(sample for sample in INVALID if is_beyond_lua(sample))
def test_annotations_miss_only_ranges_and_null(sample: Sample) -> None:
    assert list(misfits(sample.value, lua_type(sample), CLASSES)) == []


def test_unknown_annotation_syntax_is_an_error() -> None:
    with pytest.raises(ValueError, match="alias"):
        read_classes("---@alias scry.protocol.Answer string")
