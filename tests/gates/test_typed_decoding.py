"""msgspec builds type information by scry.core.decoding alone, in one thread at a time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SERVER = Path(__file__).parents[2] / "server" / "scry"
BUILDS = re.compile(
    r"msgspec\.(?:json|msgpack)\.(?:Decoder\b|decode\(.*\btype=)"
    r"|msgspec\.convert\b|from msgspec\.(?:json|msgpack) import .*\b(?:Decoder|decode)\b"
)


def test_no_other_module_has_type_information_built() -> None:
    building = [path for path in SERVER.rglob("*.py") if BUILDS.search(path.read_text(encoding="utf-8"))]
    assert building == [SERVER / "core" / "decoding.py"]


@pytest.mark.parametrize(
    "line",
    [
        "_decode = msgspec.msgpack.Decoder(Row).decode",
        "row = msgspec.json.decode(text, type=Row)",
        "return msgspec.convert(values, Row)",
        "from msgspec.json import decode as decode_json",
    ],
)
def test_line_that_builds_type_information_is_found(line: str) -> None:
    assert BUILDS.search(line)


@pytest.mark.parametrize("line", ["values = msgspec.json.decode(text)", "raise msgspec.ValidationError(text)"])
def test_line_that_builds_none_is_not_found(line: str) -> None:
    assert not BUILDS.search(line)
