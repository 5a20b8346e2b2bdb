"""Emit Lua for Neovim: a module with the version and the methods' names, and LuaCATS classes for the structs.

A null in JSON is nil to Neovim's language client, so nullable and optional fields are the same here: `?`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from protocol.generate.model import (
    NOTICE,
    Call,
    Choice,
    Field,
    ListOf,
    MapOf,
    Nullable,
    Protocol,
    Reference,
    Scalar,
    Shape,
    Struct,
    explained,
)

PREFIX = "scry.protocol."
"""Prefix of each struct's name, so that no class of the plugin's own has the same name."""


def emit(protocol: Protocol) -> str:
    """Return the text of protocol.lua."""
    parts = [
        f"-- {NOTICE}",
        *("\n".join(_class(struct)) for struct in protocol.structs.values()),
        "\n".join(_module(protocol)),
    ]
    return "\n\n".join(parts) + "\n"


def _class(struct: Struct) -> Iterator[str]:
    yield from (f"---{line}" for line in struct.doc.splitlines())
    exact = "(exact) " if struct.closed else ""
    yield f"---@class {exact}{PREFIX}{struct.name}"
    yield from map(_field, struct.fields)


def _field(field: Field) -> str:
    shape = field.shape.shape if isinstance(field.shape, Nullable) else field.shape
    optional = not field.required or isinstance(field.shape, Nullable)
    return f"---@field {field.name}{'?' if optional else ''} {_type(shape)} {explained(field)}"


def _module(protocol: Protocol) -> Iterator[str]:
    yield "return {"
    yield "  ---The protocol's version; client and sidecar must agree on it."
    yield f"  version = {protocol.version},"
    yield "  ---Every method's name."
    yield "  methods = {"
    yield from _methods(protocol.calls)
    yield "  },"
    yield "}"


def _methods(calls: Sequence[Call]) -> Iterator[str]:
    for call in calls:
        answer = f", result: {PREFIX}{call.result}" if call.result else "; from the sidecar"
        yield f"    ---{call.doc}"
        yield f"    ---params: {PREFIX}{call.params}{answer}"
        yield f'    {_snake_case(call.short_name)} = "{call.name}",'


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()


def _type(shape: Shape) -> str:
    match shape:
        case Scalar(name):
            return name
        case Choice(values):
            return "|".join(f'"{value}"' for value in values)
        case ListOf(item):
            inner = _type(item)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case MapOf(value):
            return f"table<string, {_type(value)}>"
        case Reference(struct):
            return PREFIX + struct
        case Nullable(inner):
            return f"{_type(inner)}|nil"
