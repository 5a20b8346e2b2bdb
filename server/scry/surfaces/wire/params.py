"""What was asked, decoded by the protocol's own rules; what is wrong is refused by the field's name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from scry.core.errors import BadRequest

P = TypeVar("P", bound=msgspec.Struct)

_AT = re.compile(r"(?P<what>.*) - at `(?P<place>[^`]*)`", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`")


def read_params(kind: type[P], values: Mapping[str, object]) -> P:
    """The values as `kind`. Raises BadRequest that names the field: "limit: Expected int >= 1"."""
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise _named(str(error), kind) from None


def _named(text: str, kind: type[msgspec.Struct]) -> BadRequest:
    """The words of msgspec with the field in front."""
    at = _AT.fullmatch(text)
    what, place = (at["what"], at["place"].removeprefix("$").removeprefix(".")) if at else (text, "")
    if unknown := _UNKNOWN.fullmatch(what):
        return BadRequest(unknown[1], f"unknown field (known: {', '.join(kind.__struct_fields__)})")
    if missing := _MISSING.fullmatch(what):
        return BadRequest(missing[1], "required, and missing")
    return BadRequest(place or "params", what.replace("`", ""))
