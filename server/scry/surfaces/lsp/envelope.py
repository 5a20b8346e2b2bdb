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

JsonRpcMessage = dict[str, object]
RequestId = int | str

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


class MalformedMessage(Struct, frozen=True):
    """What is answered to bytes that are no message: a JSON-RPC error code, words, and the id if one could be read."""

    code: int
    message: str
    id: RequestId | None = None


def parse_message(body: bytes) -> JsonRpcMessage | MalformedMessage:
    """One frame's body as a message."""
    try:
        text = body.decode("utf-8-sig")
        value: object = json.loads(text, parse_constant=_reject_constant)
        if _SURROGATE_ESCAPE.search(text):
            value = _replace_lone_surrogates(value)
    except UnicodeDecodeError as error:
        return MalformedMessage(PARSE_ERROR, f"The body is not UTF-8: byte {error.start} can't be read.")
    except RecursionError:
        return MalformedMessage(PARSE_ERROR, "The body is nested too deeply.")
    except ValueError as error:
        return MalformedMessage(PARSE_ERROR, f"The body is not JSON: {error}.")
    if isinstance(value, list):
        return MalformedMessage(INVALID_REQUEST, "Batches are not part of the language server protocol.")
    if not is_json_object(value):
        return MalformedMessage(INVALID_REQUEST, f"A message is an object, not {type(value).__name__}.")
    return _validate_message(value)


def is_json_object(value: object) -> TypeGuard[dict[str, object]]:
    """Whether this JSON value is an object."""
    return isinstance(value, dict)


def is_request_id(value: object) -> TypeGuard[RequestId]:
    """Whether a request may carry this as its id."""
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def _validate_message(message_object: dict[str, object]) -> JsonRpcMessage | MalformedMessage:
    """The message, with only the members that it may have, or what is wrong with it."""
    raw_id = message_object.get("id")
    known_id = raw_id if is_request_id(raw_id) else None
    if message_object.get("jsonrpc") != "2.0":
        return MalformedMessage(INVALID_REQUEST, 'jsonrpc: expected "2.0".', known_id)
    if "id" in message_object and known_id is None and ("method" in message_object or raw_id is not None):
        return MalformedMessage(INVALID_REQUEST, "id: expected an integer or a string.")
    if "method" in message_object:
        return _validate_call(message_object, known_id)
    if "id" in message_object and ("result" in message_object or is_json_object(message_object.get("error"))):
        return {key: message_object[key] for key in ("jsonrpc", "id", "result", "error") if key in message_object}
    return MalformedMessage(INVALID_REQUEST, "A message has a method, or an id with a result or an error.", known_id)


def _validate_call(message: dict[str, object], known_id: RequestId | None) -> JsonRpcMessage | MalformedMessage:
    """A request or a notification."""
    params = message.get("params")
    if not isinstance(message["method"], str):
        return MalformedMessage(INVALID_REQUEST, "method: expected a string.", known_id)
    if params is not None and not isinstance(params, (dict, list)):
        return MalformedMessage(INVALID_PARAMS, "params: expected an object.", known_id)
    call: JsonRpcMessage = {"jsonrpc": "2.0", "method": message["method"], "params": cast("object", params)}
    return call if known_id is None else {**call, "id": known_id}


def _reject_constant(name: str) -> NoReturn:
    """NaN and Infinity are Python's, not JSON's."""
    raise ValueError(f"{name} is not a JSON value")


def _replace_lone_surrogates(value: object) -> object:
    """The value with U+FFFD for every lone half of a surrogate pair: text with one can't be encoded again."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_replace_lone_surrogates(item) for item in cast("list[object]", value)]
    if is_json_object(value):
        clean = _replace_lone_surrogates
        return {str(clean(key)): clean(item) for key, item in value.items()}
    return value
