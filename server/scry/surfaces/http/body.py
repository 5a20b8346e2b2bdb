"""The body of POST /scry: `mode` says what is asked for, and all else are that mode's params."""

from __future__ import annotations

import json
from typing import NoReturn

import msgspec

from scry.core.errors import BadRequest
from scry.surfaces.wire.calls import OPERATIONS, Operation
from scry.surfaces.wire.params import parse_params
from scry.surfaces.wire.schema import is_json_object

DEFAULT_MODE = "find"


class ParsedRequest(msgspec.Struct, frozen=True):
    """What a request asks for."""

    operation: Operation
    params: msgspec.Struct

    @property
    def query_text(self) -> str:
        """What it is about, in the asker's words; not for a log, unless the person wants that."""
        return str(next((getattr(self.params, name) for name in _QUERY_FIELDS if getattr(self.params, name, None)), ""))


_QUERY_FIELDS = ("query", "doc_id", "file", "path", "query_id")


def parse_request_body(body: bytes) -> ParsedRequest:
    """Raises BadRequest that names the field."""
    values = _parse_object(body)
    mode = values.pop("mode", DEFAULT_MODE)
    if not isinstance(mode, str) or mode not in OPERATIONS:
        raise BadRequest("mode", f"is one of {', '.join(OPERATIONS)}")
    call = OPERATIONS[mode]
    return ParsedRequest(call, parse_params(call.params, values))


def _parse_object(body: bytes) -> dict[str, object]:
    if not body:
        raise BadRequest("body", 'is empty; send a JSON object, such as {"query": "where is the retry limit"}')
    try:
        value: object = json.loads(body.decode("utf-8"), parse_constant=_reject_constant)
    except UnicodeDecodeError as error:
        raise BadRequest("body", f"is not UTF-8: byte {error.start} can't be read") from None
    except RecursionError:
        raise BadRequest("body", "is nested too deeply") from None
    except ValueError as error:
        raise BadRequest("body", f"is not JSON: {error}") from None
    if not is_json_object(value):
        raise BadRequest("body", "is a JSON object, and nothing else")
    return value


def _reject_constant(name: str) -> NoReturn:
    """NaN and Infinity are Python's, not JSON's."""
    raise ValueError(f"{name} is not a JSON value")
