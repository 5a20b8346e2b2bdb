"""The tools' schemas, made of the protocol's own: types, limits and defaults are its, the words are the tool's."""

from __future__ import annotations

from typing import Any

from scry.surfaces.mcp.tools import SEVERAL, Tool
from scry.surfaces.wire.calls import CALLS
from scry.surfaces.wire.schema import Node, is_array, is_node, mentioned, struct_schema

BUDGET = "budget_tokens"
LEAST_BUDGET, MOST_BUDGET = 200, 100_000

USUAL_BUDGET = 2000
"""Of a tool that offers none, for a model that passes one all the same: it is honoured everywhere."""

_NOT_FOR_MODELS = frozenset({"description"})
"""Output schemas go to programs, which need no words; they would cost a model's context in clients that show them."""


def input_schema(tool: Tool, *, several: bool = True) -> Node:
    """What a model may pass. several: whether there are other projects to be asked."""
    schema = struct_schema(CALLS[tool.mode].params.__name__)
    offered = {name: words for name, words in tool.parameters.items() if several or name not in SEVERAL}
    properties: Node = {
        name: {**_without_null(schema["properties"][name]), "description": words} for name, words in offered.items()
    }
    if tool.budget:
        properties[BUDGET] = {
            "type": "integer",
            "description": "About how many tokens the answer may have; it says what is left out for that.",
            "minimum": LEAST_BUDGET,
            "maximum": MOST_BUDGET,
            "default": tool.budget,
        }
    required = [name for name in schema["required"] if name in tool.parameters]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _without_null(node: Node) -> Node:
    """A parameter that may be null may as well be left out: a model need not read both. Null is taken all the same."""
    options = [each for each in node.get("anyOf", ()) if each != {"type": "null"}]
    kept = {**node, **options[0]} if len(options) == 1 else node
    dropped = {"anyOf"} if len(options) == 1 else set[str]()
    dropped |= set() if node.get("default", True) else {"default"}  # nothing, and no: they go without saying
    return {key: value for key, value in kept.items() if key not in dropped}


def output_schema(tool: Tool) -> Node:
    """What the structured output is: the protocol's result."""
    root, *others = mentioned([CALLS[tool.mode].result.__name__])
    return {
        **_without_words(struct_schema(root)),
        "$defs": {name: _without_words(struct_schema(name)) for name in others},
    }


def _without_words(node: Node) -> Node:
    """A schema without descriptions; a field that is called description stays."""
    return {
        key: {name: _plain(each) for name, each in value.items()} if key == "properties" else _plain(value)
        for key, value in node.items()
        if key not in _NOT_FOR_MODELS
    }


def _plain(value: Any) -> object:  # noqa: ANN401 (JSON of any shape)
    if is_node(value):
        return _without_words(value)
    return [_plain(item) for item in value] if is_array(value) else value
