"""The tools' schemas, made of the protocol's own: types, limits and defaults are its, the words are the tool's."""

from __future__ import annotations

from typing import Any

from scry.surfaces.mcp.tools import OTHER_PROJECT_PARAMETERS, ToolDefinition
from scry.surfaces.wire.calls import OPERATIONS
from scry.surfaces.wire.schema import JsonSchema, is_json_array, is_json_object, referenced_structs, struct_schema

BUDGET_PARAMETER = "budget_tokens"
MIN_BUDGET, MAX_BUDGET = 200, 100_000

DEFAULT_BUDGET = 2000
"""Of a tool that offers none, for a model that passes one all the same: it is honoured everywhere."""

_OMITTED_KEYS = frozenset({"description"})
"""Output schemas go to programs, which need no words; they would cost a model's context in clients that show them."""


def input_schema(tool: ToolDefinition, *, with_other_projects: bool = True) -> JsonSchema:
    """What a model may pass. several: whether there are other projects to be asked."""
    schema = struct_schema(OPERATIONS[tool.mode].params.__name__)
    offered = {name: words for name, words in tool.parameters.items() if with_other_projects or name not in OTHER_PROJECT_PARAMETERS}
    properties: JsonSchema = {
        name: {**_drop_null(schema["properties"][name]), "description": words} for name, words in offered.items()
    }
    if tool.budget:
        properties[BUDGET_PARAMETER] = {
            "type": "integer",
            "description": "About how many tokens the answer may have; it says what is left out for that.",
            "minimum": MIN_BUDGET,
            "maximum": MAX_BUDGET,
            "default": tool.budget,
        }
    required = [name for name in schema["required"] if name in tool.parameters]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _drop_null(node: JsonSchema) -> JsonSchema:
    """A parameter that may be null may as well be left out: a model need not read both. Null is taken all the same."""
    options = [each for each in node.get("anyOf", ()) if each != {"type": "null"}]
    kept = {**node, **options[0]} if len(options) == 1 else node
    dropped = {"anyOf"} if len(options) == 1 else set[str]()
    dropped |= set() if node.get("default", True) else {"default"}  # nothing, and no: they go without saying
    return {key: value for key, value in kept.items() if key not in dropped}


def output_schema(tool: ToolDefinition) -> JsonSchema:
    """What the structured output is: the protocol's result."""
    root, *others = referenced_structs([OPERATIONS[tool.mode].result.__name__])
    return {
        **_drop_descriptions(struct_schema(root)),
        "$defs": {name: _drop_descriptions(struct_schema(name)) for name in others},
    }


def _drop_descriptions(node: JsonSchema) -> JsonSchema:
    """A schema without descriptions; a field that is called description stays."""
    return {
        key: {name: _drop_nested_descriptions(each) for name, each in value.items()} if key == "properties" else _drop_nested_descriptions(value)
        for key, value in node.items()
        if key not in _OMITTED_KEYS
    }


def _drop_nested_descriptions(value: Any) -> object:  # noqa: ANN401 (JSON of any shape)
    if is_json_object(value):
        return _drop_descriptions(value)
    return [_drop_nested_descriptions(item) for item in value] if is_json_array(value) else value
