"""The interface as an OpenAPI document (3.1, whose schemas are JSON Schema), made of the protocol's own schema."""

from __future__ import annotations

from typing import Any

from scry import __version__
from scry.surfaces.http.body import DEFAULT_MODE
from scry.surfaces.wire.calls import CALLS, Call
from scry.surfaces.wire.schema import Node, mentioned, struct_schema, with_references

_COMPONENTS = "#/components/schemas/"

_INTRODUCTION = (
    "Answers questions about code bases, and shows why it answered so. Only this machine is served. Over TCP every "
    "request but that for the health shows the token; a Unix socket needs none."
)

_ERRORS = {
    "400": "A parameter is wrong; `error.field` names it.",
    "401": "The token is missing or wrong.",
    "403": "Host names another machine, or the request comes from a web page.",
    "404": "There is no such project, or no such path.",
    "405": "This path does not take that method.",
    "408": "The request came too slowly.",
    "413": "The body is too large.",
    "415": "The body is not application/json.",
    "500": "Something went wrong inside of Scry.",
    "503": "Too much is asked at once, or the index or the log can't be used now.",
    "504": "The answer took too long.",
}

_OF_ALL = ("403", "408", "500", "503")
"""What any request may be answered."""


def openapi() -> Node:
    """The document."""
    results = list(dict.fromkeys(call.result.__name__ for call in CALLS.values()))
    structs = mentioned([*(call.params.__name__ for call in CALLS.values()), *results, "ErrorReport", "Health"])
    carried = [name for name in structs if not name.endswith("Params")]
    return {
        "openapi": "3.1.0",
        "info": {"title": "Scry", "version": __version__, "description": _INTRODUCTION},
        "paths": {
            "/scry": {"post": _ask(results)},
            "/health": {"get": _health()},
            "/openapi.json": {"get": _document()},
        },
        "components": {
            "schemas": {
                **{_request_name(call): _request(call) for call in CALLS.values()},
                **{name: with_references(struct_schema(name), _COMPONENTS) for name in carried},
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _ask(results: list[str]) -> Node:
    return {
        "operationId": "ask",
        "summary": "Ask a question, or say what was done with an answer; `mode` says which.",
        "requestBody": {
            "required": True,
            "content": _json({"oneOf": [_reference(_request_name(call)) for call in CALLS.values()]}),
        },
        "responses": {
            "200": {
                "description": "; ".join(f"{call.mode}: {call.result.__name__}" for call in CALLS.values()),
                "content": _json({"anyOf": [_reference(name) for name in results]}),
            },
            **_failures("400", "401", "404", "413", "415", "504", *_OF_ALL),
        },
    }


def _health() -> Node:
    return {
        "operationId": "health",
        "summary": "Whether the server is there. It needs no token.",
        "security": [],
        "responses": {
            "200": {"description": "It is.", "content": _json(_reference("Health"))},
            **_failures("413", *_OF_ALL),
        },
    }


def _document() -> Node:
    return {
        "operationId": "openapi",
        "summary": "This document.",
        "responses": {
            "200": {"description": "This document.", "content": _json({"type": "object"})},
            **_failures("401", "413", *_OF_ALL),
        },
    }


def _request_name(call: Call) -> str:
    return f"{call.params.__name__.removesuffix('Params')}Request"


def _request(call: Call) -> Node:
    """The mode's params, with the mode's name among them."""
    schema = with_references(struct_schema(call.params.__name__), _COMPONENTS)
    mode: Node = {"const": call.mode, "description": f"{call.mode}: {call.doc}"}
    is_default = call.mode == DEFAULT_MODE
    required: list[Any] = [*([] if is_default else ["mode"]), *schema["required"]]
    properties = {"mode": {**mode, "default": call.mode} if is_default else mode, **schema["properties"]}
    return {**schema, "properties": properties, "required": required}


def _failures(*codes: str) -> Node:
    return {code: {"description": _ERRORS[code], "content": _json(_reference("ErrorReport"))} for code in sorted(codes)}


def _json(schema: Node) -> Node:
    return {"application/json": {"schema": schema}}


def _reference(name: str) -> Node:
    return {"$ref": _COMPONENTS + name}
