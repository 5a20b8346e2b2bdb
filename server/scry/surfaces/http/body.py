"""The body of POST /scry: `mode` says what is asked for, and all else are that mode's params."""

from __future__ import annotations

import json
from typing import NoReturn

import msgspec

from scry.core.errors import BadRequest
from scry.surfaces.wire.calls import CALLS, Call
from scry.surfaces.wire.params import read_params
from scry.surfaces.wire.schema import is_node

DEFAULT_MODE = "find"


class Asked(msgspec.Struct, frozen=True):
    """What a request asks for."""

    call: Call
    params: msgspec.Struct

    @property
    def words(self) -> str:
        """What it is about, in the asker's words; not for a log, unless the person wants that."""
        return str(next((getattr(self.params, name) for name in _WORDS if getattr(self.params, name, None)), ""))


_WORDS = ("query", "doc_id", "file", "path", "query_id")


def read_body(body: bytes) -> Asked:
    """Raises BadRequest that names the field."""
    values = _object(body)
    mode = values.pop("mode", DEFAULT_MODE)
    if not isinstance(mode, str) or mode not in CALLS:
        raise BadRequest("mode", f"is one of {', '.join(CALLS)}")
    call = CALLS[mode]
    return Asked(call, read_params(call.params, values))


def _object(body: bytes) -> dict[str, object]:
    if not body:
        raise BadRequest("body", 'is empty; send a JSON object, such as {"query": "where is the retry limit"}')
    try:
        value: object = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise BadRequest("body", f"is not UTF-8: byte {error.start} can't be read") from None
    except RecursionError:
        raise BadRequest("body", "is nested too deeply") from None
    except ValueError as error:
        raise BadRequest("body", f"is not JSON: {error}") from None
    if not is_node(value):
        raise BadRequest("body", "is a JSON object, and nothing else")
    return value


def _refuse_constant(name: str) -> NoReturn:
    """NaN and Infinity are Python's, not JSON's."""
    raise ValueError(f"{name} is not a JSON value")
