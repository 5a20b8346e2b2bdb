"""Decode params and report errors by field name, the same on every surface."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from scry.core.decoding import convert
from scry.core.errors import BadRequest, PartMissing
from scry.core.text import escape_unencodable
from scry_protocol.messages import ErrorDetail, ErrorReport

P = TypeVar("P", bound=msgspec.Struct)

_LOCATED_MESSAGE = re.compile(r"(?P<reason>.*) - at `(?P<path>[^`]*)`", re.DOTALL)
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING_FIELD = re.compile(r"Object missing required field `(.*)`")


def parse_params(params_type: type[P], values: Mapping[str, object]) -> P:
    """Return the values as `params_type`. Raises BadRequest that names the field: "limit: Expected int >= 1"."""
    try:
        return convert(values, params_type)
    except msgspec.ValidationError as error:
        raise _to_bad_request(str(error), params_type) from None
    except UnicodeEncodeError:  # a name, a choice or a number is read as UTF-8; a text may hold anything
        raise BadRequest("params", "half a surrogate pair, which is no text, in a name, a choice or a number") from None


def _to_bad_request(text: str, params_type: type[msgspec.Struct]) -> BadRequest:
    """Return msgspec's message with the field in front."""
    located = _LOCATED_MESSAGE.fullmatch(text)
    reason, field = (located["reason"], located["path"].removeprefix("$").removeprefix(".")) if located else (text, "")
    if unknown := _UNKNOWN_FIELD.fullmatch(reason):
        return BadRequest(unknown[1], f"unknown field (known: {', '.join(params_type.__struct_fields__)})")
    if missing := _MISSING_FIELD.fullmatch(reason):
        return BadRequest(missing[1], "required, and missing")
    choices = _choices_of(params_type, field) if reason.startswith("Invalid enum value") else ""
    return BadRequest(field or "params", reason.replace("`", "") + choices)


def _choices_of(params_type: type[msgspec.Struct], field: str) -> str:
    """Return the values that a field takes, in words. field: its path, such as types[1]."""
    from typing import get_args, get_type_hints  # only a wrong value needs them

    pending, choices = [get_type_hints(params_type)[field.partition("[")[0]]], list[str]()
    while pending:
        each = pending.pop(0)
        choices += [each] if isinstance(each, str) else []
        pending += get_args(each)
    return f"; it is one of {', '.join(choices)}" if choices else ""


_CAMEL_CASE_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])")


def error_report(error: Exception) -> ErrorReport:
    """Return the error's code (its class name in snake_case), the parameter that is wrong, and its message."""
    field = error.field if isinstance(error, BadRequest) else None
    code = _CAMEL_CASE_BOUNDARY.sub("_", type(error).__name__).lower()
    words = escape_unencodable(str(error))  # JSON can't hold a lone surrogate
    return ErrorReport(ErrorDetail(code, field, words))


def missing_part_error(feature: str, error: ModuleNotFoundError) -> PartMissing:
    """Return the error for a package that is not installed. feature: what needs it, such as `scry mcp`."""
    from scry.core.installation import install_command

    extra = "mcp" if error.name == "mcp" else ""
    return PartMissing(f"{feature} needs a part that is not installed ({error.name}): {install_command(extra)}")
