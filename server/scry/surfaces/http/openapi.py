"""Describe the HTTP interface as an OpenAPI document (3.1, whose schemas are JSON Schema).

Params, results and texts are those of the protocol's own schema.
"""

from __future__ import annotations

from typing import Any

from scry import __version__
from scry.surfaces.serving.methods import DEFAULT_MODE, PROGRAM_OPERATIONS, Operation
from scry.surfaces.serving.schema import JsonSchema, rebase_references, referenced_structs, struct_schema

_COMPONENTS_PREFIX = "#/components/schemas/"

_API_DESCRIPTION = (
    "Answers questions about code bases, and shows why it answered so. Only this machine is served. Over TCP every "
    "request but that for the health shows the token; a Unix socket needs none."
)

_ERROR_DESCRIPTIONS = {
    "400": "A parameter is wrong; `error.field` names it.",
    "401": "The token is missing or wrong.",
    "403": "Host names another machine, or the request comes from a web page.",
    "404": "There is no such project, or no such path.",
    "405": "This path does not take that method.",
    "408": "The request came too slowly.",
    "413": "The body is too large.",
    "415": "The body is not application/json.",
    "500": "Something went wrong inside of Scry.",
    "503": "Too much is asked at once, or the index, the log or memory can't be used now.",
    "504": "The answer took too long.",
}

_COMMON_ERRORS = ("403", "408", "500", "503")
"""Errors that any request may get."""


def build_openapi_document() -> JsonSchema:
    """Return the document."""
    results = list(dict.fromkeys(call.result.__name__ for call in PROGRAM_OPERATIONS.values()))
    structs = referenced_structs(
        [*(call.params.__name__ for call in PROGRAM_OPERATIONS.values()), *results, "ErrorReport", "Health"]
    )
    result_structs = [name for name in structs if not name.endswith("Params")]
    return {
        "openapi": "3.1.0",
        "info": {"title": "Scry", "version": __version__, "description": _API_DESCRIPTION},
        "paths": {
            "/scry": {"post": _ask_operation(results)},
            "/health": {"get": _health_operation()},
            "/openapi.json": {"get": _document_operation()},
        },
        "components": {
            "schemas": {
                **{_request_schema_name(call): _request_schema(call) for call in PROGRAM_OPERATIONS.values()},
                **{name: rebase_references(struct_schema(name), _COMPONENTS_PREFIX) for name in result_structs},
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _ask_operation(results: list[str]) -> JsonSchema:
    return {
        "operationId": "ask",
        "summary": "Ask a question, or say what was done with an answer; `mode` says which.",
        "requestBody": {
            "required": True,
            "content": _json_content(
                {"oneOf": [_schema_reference(_request_schema_name(call)) for call in PROGRAM_OPERATIONS.values()]}
            ),
        },
        "responses": {
            "200": {
                "description": "; ".join(
                    f"{call.mode}: {call.result.__name__}" for call in PROGRAM_OPERATIONS.values()
                ),
                "content": _json_content({"anyOf": [_schema_reference(name) for name in results]}),
            },
            **_error_responses("400", "401", "404", "413", "415", "504", *_COMMON_ERRORS),
        },
    }


def _health_operation() -> JsonSchema:
    return {
        "operationId": "health",
        "summary": "Whether the server is there. It needs no token.",
        "security": [],
        "responses": {
            "200": {"description": "It is.", "content": _json_content(_schema_reference("Health"))},
            **_error_responses("413", *_COMMON_ERRORS),
        },
    }


def _document_operation() -> JsonSchema:
    return {
        "operationId": "openapi",
        "summary": "This document.",
        "responses": {
            "200": {"description": "This document.", "content": _json_content({"type": "object"})},
            **_error_responses("401", "413", *_COMMON_ERRORS),
        },
    }


def _request_schema_name(call: Operation) -> str:
    return f"{call.params.__name__.removesuffix('Params')}Request"


def _request_schema(call: Operation) -> JsonSchema:
    """Return the schema of the mode's params, with the mode's name among them."""
    schema = rebase_references(struct_schema(call.params.__name__), _COMPONENTS_PREFIX)
    mode: JsonSchema = {"const": call.mode, "description": f"{call.mode}: {call.doc}"}
    is_default = call.mode == DEFAULT_MODE
    required: list[Any] = [*([] if is_default else ["mode"]), *schema["required"]]
    properties = {"mode": {**mode, "default": call.mode} if is_default else mode, **schema["properties"]}
    return {**schema, "properties": properties, "required": required}


def _error_responses(*codes: str) -> JsonSchema:
    return {
        code: {"description": _ERROR_DESCRIPTIONS[code], "content": _json_content(_schema_reference("ErrorReport"))}
        for code in sorted(codes)
    }


def _json_content(schema: JsonSchema) -> JsonSchema:
    return {"application/json": {"schema": schema}}


def _schema_reference(name: str) -> JsonSchema:
    return {"$ref": _COMPONENTS_PREFIX + name}
