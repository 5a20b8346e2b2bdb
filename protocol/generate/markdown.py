"""Emit Markdown: the reference for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
    bounds,
)

_RULES = """\
Scry's methods beside those of the Language Server Protocol, as JSON-RPC 2.0. Every other surface that answers in JSON
uses the same objects.

- Params are closed: an unknown field, a wrong type or an unlisted value is refused by name (error -32602).
- Results and notifications are open: expect fields, and values of strings, that are not listed here.
- The version is an integer, exchanged in `initialize`; client and sidecar must agree on it. An additive change leaves
  it as it is: a new method, a new field that may be absent, a value or a range that params newly allow.
"""


def emit(protocol: Protocol) -> str:
    """Return the text of protocol.md."""
    shown = {name for call in protocol.calls for name in (call.params, call.result)}
    rest = [struct for name, struct in protocol.structs.items() if name not in shown]
    parts = [
        f"<!-- {NOTICE} -->",
        f"# The protocol, version {protocol.version}\n\n{_RULES}",
        "\n".join(_contents(protocol.calls)),
        *_calls(protocol.calls, protocol.structs),
        "## Structs",
        *(_section(struct.name, struct) for struct in rest),
    ]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _contents(calls: Sequence[Call]) -> Iterator[str]:
    yield "| Method | Params | Result | |"
    yield "|---|---|---|---|"
    for call in calls:
        result = _link(call.result) if call.result else "none: a notification from the sidecar"
        anchor = call.name.replace("/", "").lower()
        yield f"| [{call.name}](#{anchor}) | {_link(call.params)} | {result} | {call.doc} |"


def _calls(calls: Sequence[Call], structs: Mapping[str, Struct]) -> Iterator[str]:
    """Yield each method with its messages in full; a message of two methods stands under the first."""
    shown: set[str] = set()
    for call in calls:
        yield f"## {call.name}\n\n{call.doc}"
        for role, name in (("Params", call.params), ("Result", call.result)):
            if name is None:
                yield "A notification from the sidecar: nothing is answered."
            elif name in shown:
                yield f"*{role}.* {_link(name)}, as above."
            else:
                shown.add(name)
                yield _section(name, structs[name], f"*{role}.* ")


def _section(title: str, struct: Struct, role: str = "") -> str:
    return "\n".join([f"### {title}", "", role + struct.doc, "", *_table(struct.fields)])


def _table(fields: Sequence[Field]) -> Iterator[str]:
    yield "| Field | Type | Default | Meaning |"
    yield "|---|---|---|---|"
    for field in fields:
        yield f"| `{field.name}` | {_type(field.shape)} | {_default(field)} | {field.doc.replace('|', chr(92) + '|')} |"


def _default(field: Field) -> str:
    if field.required:
        return "required"
    return "may be absent" if field.default is None else f"`{field.default}`"


def _type(shape: Shape) -> str:
    match shape:
        case Scalar(name):
            limits = bounds(shape)
            return f"{name}, {limits}" if limits else name
        case Choice(values):
            return "one of " + ", ".join(f"`{value}`" for value in values)
        case ListOf(item):
            return f"list of {_type(item)}"
        case MapOf(value):
            return f"object, each value {_type(value)}"
        case Reference(struct):
            return _link(struct)
        case Nullable(inner):
            return f"{_type(inner)}; or null"


def _link(struct: str) -> str:
    return f"[{struct}](#{struct.lower()})"
