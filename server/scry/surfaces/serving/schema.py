"""Read the protocol's JSON Schema, from which MCP and HTTP describe themselves.

The protocol's own JSON Schema: `$defs` has each struct, `methods` says what each method carries.

It is generated from the protocol and lies in the package, so MCP and HTTP describe themselves in its words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, TypeGuard

JsonSchema = dict[str, Any]
"""A schema, or a part of one, as JSON has it."""

_DEFS_PREFIX = "#/$defs/"


@cache
def protocol_schema() -> JsonSchema:
    """schema.json as a whole. It is shared: who changes a part copies it first."""
    found: JsonSchema = json.loads(files("scry_protocol").joinpath("schema.json").read_bytes())
    return found


def struct_schema(name: str) -> JsonSchema:
    """The schema of one struct of the protocol."""
    found: JsonSchema = protocol_schema()["$defs"][name]
    return found


def is_json_object(value: object) -> TypeGuard[JsonSchema]:
    """Whether this JSON value is an object."""
    return isinstance(value, dict)


def is_json_array(value: object) -> TypeGuard[list[Any]]:
    """Whether this JSON value is an array."""
    return isinstance(value, list)


def rebase_references(node: Mapping[str, Any], prefix: str) -> JsonSchema:
    """The same with what refers to a struct leading to a place of another document, such as `#/components/schemas/`."""
    return {key: _rebase_value(key, value, prefix) for key, value in node.items()}


def _rebase_value(key: str, value: object, prefix: str) -> object:
    if key == "$ref":
        return prefix + str(value).removeprefix(_DEFS_PREFIX)
    if is_json_object(value):
        return rebase_references(value, prefix)
    return [_rebase_value("", item, prefix) for item in value] if is_json_array(value) else value


def referenced_structs(names: list[str]) -> list[str]:
    """These structs and all that they refer to, each once, in the order in which they are met."""
    met: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop(0)
        if name not in met:
            met[name] = None
            waiting += _find_references(struct_schema(name))
    return list(met)


def _find_references(node: object) -> list[str]:
    if is_json_object(node):
        here = [str(node["$ref"]).removeprefix(_DEFS_PREFIX)] if "$ref" in node else []
        return here + [name for value in node.values() for name in _find_references(value)]
    return [name for item in node for name in _find_references(item)] if is_json_array(node) else []
