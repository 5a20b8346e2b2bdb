"""msgspec learns classes by scry.core.decoding alone, where one thread does so at a time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SERVER = Path(__file__).parents[2] / "server" / "scry"
LEARNS = re.compile(
    r"msgspec\.(?:json|msgpack)\.(?:Decoder\b|decode\(.*\btype=)"
    r"|msgspec\.convert\b|from msgspec\.(?:json|msgpack) import .*\b(?:Decoder|decode)\b"
)


def test_no_other_module_lets_msgspec_learn_a_class() -> None:
    learning = [path for path in SERVER.rglob("*.py") if LEARNS.search(path.read_text(encoding="utf-8"))]
    assert learning == [SERVER / "core" / "decoding.py"]


@pytest.mark.parametrize(
    "line",
    [
        "_decode = msgspec.msgpack.Decoder(Row).decode",
        "row = msgspec.json.decode(text, type=Row)",
        "return msgspec.convert(values, Row)",
        "from msgspec.json import decode as decode_json",
    ],
)
def test_a_line_by_which_a_class_is_learnt_is_found(line: str) -> None:
    assert LEARNS.search(line)


@pytest.mark.parametrize("line", ["values = msgspec.json.decode(text)", "raise msgspec.ValidationError(text)"])
def test_other_lines_are_none(line: str) -> None:
    assert not LEARNS.search(line)
