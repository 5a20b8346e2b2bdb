"""Emit TypeScript: an interface for each struct, and types that tie each method's name to its messages."""

from __future__ import annotations

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

_SCALARS = {"string": "string", "boolean": "boolean", "integer": "number", "number": "number"}


def emit(protocol: Protocol) -> str:
    """Return the text of protocol.ts."""
    parts = [
        f"// {NOTICE}",
        _comment("The protocol's version; client and sidecar must agree on it.")
        + f"\nexport const PROTOCOL = {protocol.version};",
        _methods(protocol.calls),
        _requests([call for call in protocol.calls if call.result]),
        _notifications([call for call in protocol.calls if not call.result]),
        *(_interface(struct) for struct in protocol.structs.values()),
    ]
    return "\n\n".join(parts) + "\n"


def _methods(calls: Sequence[Call]) -> str:
    rows = (f'{_comment(call.doc, "  ")}\n  {call.short_name}: "{call.name}",' for call in calls)
    return _block("Every method's name.", "export const methods = {", rows, "} as const;")


def _requests(calls: Sequence[Call]) -> str:
    rows = (f'  "{call.name}": {{ params: {call.params}; result: {call.result} }};' for call in calls)
    return _block("The params and the result of each request.", "export interface Requests {", rows, "}")


def _notifications(calls: Sequence[Call]) -> str:
    rows = (f'  "{call.name}": {call.params};' for call in calls)
    return _block("The params of each notification from the sidecar.", "export interface Notifications {", rows, "}")


def _interface(struct: Struct) -> str:
    rows = (_member(field) for field in struct.fields)
    return _block(struct.doc, f"export interface {struct.name} {{", rows, "}")


def _member(field: Field) -> str:
    mark = "" if field.required else "?"
    return f"{_comment(explained(field), '  ')}\n  {field.name}{mark}: {_type(field.shape)};"


def _block(doc: str, begin: str, rows: Iterator[str], end: str) -> str:
    return "\n".join([_comment(doc), begin, *rows, end])


def _comment(text: str, indent: str = "") -> str:
    lines = text.replace("*/", "* /").splitlines()
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */"
    return "\n".join([f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"])


def _type(shape: Shape) -> str:
    match shape:
        case Scalar(name):
            return _SCALARS[name]
        case Choice(values):
            return " | ".join(f'"{value}"' for value in values)
        case ListOf(item):
            inner = _type(item)
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case MapOf(value):
            return f"Record<string, {_type(value)}>"
        case Reference(struct):
            return struct
        case Nullable(inner):
            return f"{_type(inner)} | null"
