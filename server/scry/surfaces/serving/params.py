"""Decode params and report errors by field name, the same on every surface.

What was asked, decoded by the protocol's own rules; what is wrong is refused by the field's name.

An error as programs read it, the same on every surface.

Parts of the package that are installed on demand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from scry.core.errors import BadRequest, ExtraMissing
from scry.core.text import escape_unencodable
from scry_protocol.messages import ErrorDetail, ErrorReport

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


_CAMEL_CASE_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])")


def error_report(error: Exception) -> ErrorReport:
    """The error's kind, the parameter that is wrong, and its words."""
    field = error.field if isinstance(error, BadRequest) else None
    code = _CAMEL_CASE_BOUNDARY.sub("_", type(error).__name__).lower()
    words = escape_unencodable(str(error))  # JSON can't hold a lone surrogate
    return ErrorReport(ErrorDetail(code, field, words))


DISTRIBUTION = "scry-sidecar"


def missing_extra_error(extra: str, feature: str, error: ModuleNotFoundError) -> ExtraMissing:
    """The one message where a module of an extra is not installed. what: what was asked for, such as `scry mcp`."""
    return ExtraMissing(
        f"{feature} needs a part that is not installed ({error.name}): pip install '{DISTRIBUTION}[{extra}]'"
    )
