"""The JSON-RPC envelope: which of the things that a body can hold is a message. Pure.

What leaves here has `jsonrpc`, and either `method` and `params` (a request when it has `id`), or `id` and `result` or
`error` (an answer to what we asked). Everything else is `Malformed`, with the request's id where it has a usable one.
"""

from __future__ import annotations

import json
import re
from typing import NoReturn, TypeGuard, cast

from msgspec import Struct

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602

Envelope = dict[str, object]
MessageId = int | str

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


class Malformed(Struct, frozen=True):
    """What is answered to bytes that are no message: a JSON-RPC error code, words, and the id if one could be read."""

    code: int
    message: str
    id: MessageId | None = None


def read_envelope(body: bytes) -> Envelope | Malformed:
    """One frame's body as a message."""
    try:
        text = body.decode("utf-8-sig")
        value: object = json.loads(text, parse_constant=_refuse_constant)
        if _SURROGATE_ESCAPE.search(text):
            value = _without_lone_surrogates(value)
    except UnicodeDecodeError as error:
        return Malformed(PARSE_ERROR, f"The body is not UTF-8: byte {error.start} can't be read.")
    except RecursionError:
        return Malformed(PARSE_ERROR, "The body is nested too deeply.")
    except ValueError as error:
        return Malformed(PARSE_ERROR, f"The body is not JSON: {error}.")
    if isinstance(value, list):
        return Malformed(INVALID_REQUEST, "Batches are not part of the language server protocol.")
    if not is_object(value):
        return Malformed(INVALID_REQUEST, f"A message is an object, not {type(value).__name__}.")
    return _checked(value)


def is_object(value: object) -> TypeGuard[dict[str, object]]:
    """Whether this JSON value is an object."""
    return isinstance(value, dict)


def is_message_id(value: object) -> TypeGuard[MessageId]:
    """Whether a request may carry this as its id."""
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def _checked(message: dict[str, object]) -> Envelope | Malformed:
    """The message, with only the members that it may have, or what is wrong with it."""
    raw_id = message.get("id")
    known_id = raw_id if is_message_id(raw_id) else None
    if message.get("jsonrpc") != "2.0":
        return Malformed(INVALID_REQUEST, 'jsonrpc: expected "2.0".', known_id)
    if "id" in message and known_id is None and ("method" in message or raw_id is not None):
        return Malformed(INVALID_REQUEST, "id: expected an integer or a string.")
    if "method" in message:
        return _checked_call(message, known_id)
    if "id" in message and ("result" in message or is_object(message.get("error"))):
        return {key: message[key] for key in ("jsonrpc", "id", "result", "error") if key in message}
    return Malformed(INVALID_REQUEST, "A message has a method, or an id with a result or an error.", known_id)


def _checked_call(message: dict[str, object], known_id: MessageId | None) -> Envelope | Malformed:
    """A request or a notification."""
    params = message.get("params")
    if not isinstance(message["method"], str):
        return Malformed(INVALID_REQUEST, "method: expected a string.", known_id)
    if params is not None and not isinstance(params, (dict, list)):
        return Malformed(INVALID_PARAMS, "params: expected an object.", known_id)
    call: Envelope = {"jsonrpc": "2.0", "method": message["method"], "params": cast("object", params)}
    return call if known_id is None else {**call, "id": known_id}


def _refuse_constant(name: str) -> NoReturn:
    """NaN and Infinity are Python's, not JSON's."""
    raise ValueError(f"{name} is not a JSON value")


def _without_lone_surrogates(value: object) -> object:
    """The value with U+FFFD for every lone half of a surrogate pair: text with one can't be encoded again."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_without_lone_surrogates(item) for item in cast("list[object]", value)]
    if is_object(value):
        clean = _without_lone_surrogates
        return {str(clean(key)): clean(item) for key, item in value.items()}
    return value
