"""What was asked, decoded by the protocol's own rules; what is wrong is refused by the field's name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from scry.core.errors import BadRequest

P = TypeVar("P", bound=msgspec.Struct)

_LOCATED_MESSAGE = re.compile(r"(?P<what>.*) - at `(?P<place>[^`]*)`", re.DOTALL)
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING_FIELD = re.compile(r"Object missing required field `(.*)`")


def parse_params(params_type: type[P], values: Mapping[str, object]) -> P:
    """The values as `kind`. Raises BadRequest that names the field: "limit: Expected int >= 1"."""
    try:
        return msgspec.convert(values, params_type)
    except msgspec.ValidationError as error:
        raise _to_bad_request(str(error), params_type) from None


def _to_bad_request(text: str, kind: type[msgspec.Struct]) -> BadRequest:
    """The words of msgspec with the field in front."""
    at = _LOCATED_MESSAGE.fullmatch(text)
    what, place = (at["what"], at["place"].removeprefix("$").removeprefix(".")) if at else (text, "")
    if unknown := _UNKNOWN_FIELD.fullmatch(what):
        return BadRequest(unknown[1], f"unknown field (known: {', '.join(kind.__struct_fields__)})")
    if missing := _MISSING_FIELD.fullmatch(what):
        return BadRequest(missing[1], "required, and missing")
    return BadRequest(place or "params", what.replace("`", ""))
