"""Read the protocol's JSON Schema, from which MCP and HTTP describe themselves.

The schema is generated from the protocol and lies in its package. `$defs` has each struct, `methods` the params and the
result of each method.
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
    """Return the whole schema.json. It is shared: copy a part before changing it."""
    schema: JsonSchema = json.loads(files("scry_protocol").joinpath("schema.json").read_bytes())
    return schema


def struct_schema(name: str) -> JsonSchema:
    """Return the schema of one struct of the protocol."""
    schema: JsonSchema = protocol_schema()["$defs"][name]
    return schema


def is_json_object(value: object) -> TypeGuard[JsonSchema]:
    """Return whether this JSON value is an object."""
    return isinstance(value, dict)


def is_json_array(value: object) -> TypeGuard[list[Any]]:
    """Return whether this JSON value is an array."""
    return isinstance(value, list)


def rebase_references(node: Mapping[str, Any], prefix: str) -> JsonSchema:
    """Return the schema with references to structs below `prefix`, such as `#/components/schemas/`."""
    return {key: _rebase_value(key, value, prefix) for key, value in node.items()}


def _rebase_value(key: str, value: object, prefix: str) -> object:
    if key == "$ref":
        return prefix + str(value).removeprefix(_DEFS_PREFIX)
    if is_json_object(value):
        return rebase_references(value, prefix)
    return [_rebase_value("", item, prefix) for item in value] if is_json_array(value) else value


def referenced_structs(names: list[str]) -> list[str]:
    """Return these structs and all that they refer to, each once, breadth first."""
    seen: dict[str, None] = {}
    queue = list(names)
    while queue:
        name = queue.pop(0)
        if name not in seen:
            seen[name] = None
            queue += _find_references(struct_schema(name))
    return list(seen)


def _find_references(node: object) -> list[str]:
    if is_json_object(node):
        here = [str(node["$ref"]).removeprefix(_DEFS_PREFIX)] if "$ref" in node else []
        return here + [name for value in node.values() for name in _find_references(value)]
    return [name for item in node for name in _find_references(item)] if is_json_array(node) else []
