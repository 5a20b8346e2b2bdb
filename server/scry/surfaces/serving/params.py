"""Decode params and report errors by field name, the same on every surface."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar, cast

import msgspec

from scry.core.decoding import convert
from scry.core.errors import BadRequest, PartMissing
from scry.core.text import escape_unencodable
from scry_protocol.messages import ErrorDetail, ErrorReport

P = TypeVar("P", bound=msgspec.Struct)

MAX_INTEGER = 2**53 - 1
"""The greatest number that every reader of JSON keeps exactly; databases and indexes hold numbers of 64 bits."""

_MAX_MESSAGE, _MAX_FIELD = 600, 100
"""Characters of an error's message, and of the name of a parameter in it."""

_LOCATED_MESSAGE = re.compile(r"(?P<reason>.*) - at `(?P<path>[^`]*)`", re.DOTALL)
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING_FIELD = re.compile(r"Object missing required field `(.*)`")


def parse_params(params_type: type[P], values: Mapping[str, object]) -> P:
    """Return the values as `params_type`. Raises BadRequest that names the field: "limit: Expected int >= 1".

    Lone surrogates of texts are escaped: no file, index or answer can hold them.
    """
    try:
        params = convert({name: _escape_surrogates(value) for name, value in values.items()}, params_type)
    except msgspec.ValidationError as error:
        raise _to_bad_request(str(error), params_type) from None
    except UnicodeEncodeError:  # in a name, or deep in a value of a wrong type
        raise BadRequest("params", "half a surrogate pair, which is no text, in a name or a value") from None
    for field in params_type.__struct_fields__:
        value = getattr(params, field)
        if isinstance(value, int) and abs(value) > MAX_INTEGER:
            raise BadRequest(field, f"is a number from {-MAX_INTEGER} to {MAX_INTEGER}")
    return params


def _escape_surrogates(value: object) -> object:
    """Return a text, or a list of texts, as UTF-8 can hold it; any other value unchanged."""
    if isinstance(value, str):
        return escape_unencodable(value)
    if isinstance(value, list):
        return [escape_unencodable(each) if isinstance(each, str) else each for each in cast("list[object]", value)]
    return value


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
    """Return the error's code (its class name in snake_case), the parameter that is wrong, and its message.

    Of a long message, which repeats a long value, only the beginning and the end are kept.
    """
    field = _shorten(error.field, _MAX_FIELD) if isinstance(error, BadRequest) else None
    code = _CAMEL_CASE_BOUNDARY.sub("_", type(error).__name__).lower()
    return ErrorReport(ErrorDetail(code, field, _shorten(str(error), _MAX_MESSAGE)))


def _shorten(text: str, most: int) -> str:
    """Return a text of about this many characters, that JSON can hold."""
    kept = most // 2
    return escape_unencodable(text if len(text) <= most else f"{text[:kept]}…{text[-kept:]}")


def missing_part_error(feature: str, error: ModuleNotFoundError) -> PartMissing:
    """Return the error for a package that is not installed. feature: what needs it, such as `scry mcp`."""
    from scry.core.installation import install_command

    extra = "mcp" if error.name == "mcp" else ""
    return PartMissing(f"{feature} needs a part that is not installed ({error.name}): {install_command(extra)}")
