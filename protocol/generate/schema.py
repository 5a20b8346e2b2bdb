"""Emit JSON Schema 2020-12: `$defs` has each struct, `methods` says which of them each method carries."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

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
)

_DEFS = "#/$defs/"


class Node(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A schema: the keywords of JSON Schema that this protocol needs."""

    description: str | UnsetType = UNSET
    ref: str | UnsetType = msgspec.field(name="$ref", default=UNSET)
    type: str | UnsetType = UNSET
    enum: list[str] | UnsetType = UNSET
    any_of: list[Node] | UnsetType = UNSET
    minimum: float | int | UnsetType = UNSET
    maximum: float | int | UnsetType = UNSET
    items: Node | UnsetType = UNSET
    properties: dict[str, Node] | UnsetType = UNSET
    required: list[str] | UnsetType = UNSET
    additional_properties: Node | bool | UnsetType = UNSET
    default: Any = UNSET

    @property
    def struct(self) -> str | None:
        """The name of the struct that it refers to."""
        return None if self.ref is UNSET else self.ref.removeprefix(_DEFS)


class Method(msgspec.Struct, frozen=True, omit_defaults=True):
    """A method; a notification of the sidecar has no result."""

    description: str
    params: Node
    result: Node | UnsetType = UNSET


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """The whole of schema.json."""

    dialect: str = msgspec.field(name="$schema", default="https://json-schema.org/draft/2020-12/schema")
    comment: str = msgspec.field(name="$comment", default=NOTICE)
    title: str = "Scry's protocol"
    protocol: int
    methods: dict[str, Method]
    defs: dict[str, Node] = msgspec.field(name="$defs")


def emit(protocol: Protocol) -> str:
    """Return the text of schema.json."""
    return _to_text(protocol, indent=2)


def emit_compact(protocol: Protocol) -> str:
    """Return the text of schema.json on one line, a third smaller: every installation has it."""
    return _to_text(protocol, separators=(",", ":"))


def _to_text(protocol: Protocol, *, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    plain = msgspec.to_builtins(build(protocol))
    return json.dumps(plain, indent=indent, separators=separators, ensure_ascii=False) + "\n"


def build(protocol: Protocol) -> Document:
    """Return the protocol as a JSON Schema."""
    return Document(
        protocol=protocol.version,
        methods={call.name: _method(call) for call in protocol.calls},
        defs={name: _object(struct) for name, struct in protocol.structs.items()},
    )


def parse(text: str | bytes) -> Document:
    """Decode a schema.json. Raises msgspec.DecodeError where it is not one."""
    return msgspec.json.decode(text, type=Document)


def _method(call: Call) -> Method:
    result = Node(ref=_DEFS + call.result) if call.result else UNSET
    return Method(call.doc, Node(ref=_DEFS + call.params), result)


def _object(struct: Struct) -> Node:
    return Node(
        description=struct.doc,
        type="object",
        properties={field.name: _property(field) for field in struct.fields},
        required=[field.name for field in struct.fields if field.required],
        additional_properties=False if struct.closed else UNSET,
    )


def _property(field: Field) -> Node:
    default = UNSET if field.default is None else json.loads(field.default)
    return msgspec.structs.replace(_node(field.shape), description=field.doc, default=default)


def _node(shape: Shape) -> Node:
    match shape:
        case Scalar(name, minimum, maximum):
            return Node(type=name, minimum=_bound(minimum), maximum=_bound(maximum))
        case Choice(values):
            return Node(type="string", enum=list(values))
        case ListOf(item):
            return Node(type="array", items=_node(item))
        case MapOf(value):
            return Node(type="object", additional_properties=_node(value))
        case Reference(struct):
            return Node(ref=_DEFS + struct)
        case Nullable(inner):
            return Node(any_of=[_node(inner), Node(type="null")])


def _bound(value: float | None) -> float | UnsetType:
    return UNSET if value is None else value
