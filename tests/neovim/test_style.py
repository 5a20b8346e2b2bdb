"""The form of the plugin's Lua: stylua, luacheck, and annotations that name what exists."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.neovim.prefixes import CACHE, NEWEST, ROOT

PLUGIN = ROOT / "editor" / "neovim"
TOOLS = PLUGIN / "tools"
OURS = sorted(path for path in PLUGIN.rglob("*.lua") if "node_modules" not in path.parts)
HAND_WRITTEN = [path for path in OURS if "generated" not in path.parts]

BUILT_IN = set("any boolean fun function integer nil number string table true false".split())
FOREIGN = ("vim.", "lsp.")
"""Types of Neovim itself, which its own annotations define."""

_CLASS = re.compile(r"^---@(?:class (?:\(exact\) )?|alias )([\w.]+)", re.MULTILINE)
_ANNOTATION = re.compile(r"---@(?P<tag>param|field|return|type|cast)\s+(?P<text>.*)")
_FUNCTION = re.compile(r"^(?:local )?function (?P<name>[\w.:]+)\((?P<parameters>[^)]*)\)", re.MULTILINE)


def run(*command: str | Path) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.needs("node", "stylua")
def test_lua_is_formatted() -> None:
    run("node", TOOLS / "stylua.cjs", "--check", "editor/neovim", "tests/neovim")


@pytest.mark.needs("neovim")
def test_luacheck_finds_nothing() -> None:
    run(TOOLS / "luacheck.sh", CACHE / NEWEST.version, "--no-color", "-q", "editor/neovim", "tests/neovim")


def types_named(text: str) -> Iterator[str]:
    """Return the names of types in the type at the beginning of an annotation's text."""
    depth, end = 0, len(text)
    for at, character in enumerate(text):
        depth += (character in "<({[") - (character in ">)}]")
        if character == " " and not depth and not text[:at].rstrip().endswith((":", ",", "|")):
            end = at
            break
    yield from re.findall(r"(?<![\w\"-])[A-Za-z][\w.]*(?![\w.]*\??:)", re.sub(r'"[^"]*"', "", text[:end]))


def types_in(path: Path) -> Iterator[tuple[str, str]]:
    """Return every (type, annotation) of a file, without the names of params and fields."""
    for match in _ANNOTATION.finditer(path.read_text(encoding="utf-8")):
        text = match["text"]
        if match["tag"] in ("param", "field", "cast"):
            _, _, text = text.partition(" ")
        for name in types_named(re.sub(r"\bfun\([^)]*\)", lambda part: _without_names(part.group()), text)):
            yield name, match.group()


def _without_names(signature: str) -> str:
    return re.sub(r"[\w.]+\??:\s*", "", signature)


@pytest.mark.parametrize("path", HAND_WRITTEN, ids=lambda path: path.relative_to(PLUGIN).as_posix())
def test_annotations_name_types_that_exist(path: Path) -> None:
    classes = {name for one in OURS for name in _CLASS.findall(one.read_text(encoding="utf-8"))}
    unknown = [
        (name, where)
        for name, where in types_in(path)
        if name not in BUILT_IN | classes and not name.startswith(FOREIGN)
    ]
    assert not unknown


@pytest.mark.parametrize("path", HAND_WRITTEN, ids=lambda path: path.relative_to(PLUGIN).as_posix())
def test_functions_are_annotated(path: Path) -> None:
    """Each named function documents its parameters by their names, in order; scry.Picker documents `open`."""
    text = path.read_text(encoding="utf-8")
    wrong = [
        match["name"]
        for match in _FUNCTION.finditer(text)
        if (names := [name.strip() for name in match["parameters"].split(",") if name.strip()])
        and documented(text[: match.start()]) != names
        and not (path.parent.name == "pickers" and match["name"] == "M.open")
    ]
    assert not wrong


def test_unknown_lua_type_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "planted.lua"
    path.write_text("---@param a? fun(b: scry.Hit): planted.One, x[]\n---@return table<string, y|nil> words\n")
    assert {name for name, _ in types_in(path)} - BUILT_IN == {"scry.Hit", "planted.One", "x", "y"}


def documented(before: str) -> list[str]:
    """Return the parameters that the comment block at the end of this text names."""
    block = re.search(r"(?:^---.*\n)*\Z", before, re.MULTILINE)
    return re.findall(r"^---@param ([\w.]+)\??", block.group(), re.MULTILINE) if block else []
