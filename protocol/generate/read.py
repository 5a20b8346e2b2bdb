"""Read the protocol from `scry_protocol`.

A struct or a field without a description in its docstring is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc

import msgspec
from msgspec import NODEFAULT, UNSET
from msgspec import inspect as types

from protocol.generate.model import (
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
from scry_protocol.methods import METHODS, OTHERS, Method
from scry_protocol.version import PROTOCOL


def read_protocol(
    methods: tuple[Method, ...] = METHODS,
    version: int = PROTOCOL,
    others: tuple[type[msgspec.Struct], ...] = OTHERS,
) -> Protocol:
    """Return the protocol as `scry_protocol` defines it. others: structs that no method carries.

    Raises ValueError where a docstring lacks a field or describes one that does not exist, and TypeError for a type
    that has no form in the clients' languages.
    """
    structs: dict[str, Struct] = {}
    for method in methods:
        for root in (method.params, method.result):
            if root is not None:
                _collect(_struct_type(root), structs)
    for root in others:
        _collect(_struct_type(root), structs)
    return Protocol(version, tuple(map(_call, methods)), structs)


def _struct_type(root: type[msgspec.Struct]) -> types.StructType:
    found = types.type_info(root)
    if not isinstance(found, types.StructType):
        raise TypeError(f"{root.__name__} is not a struct")
    return found


def _call(method: Method) -> Call:
    result = method.result.__name__ if method.result else None
    return Call(method.name, method.params.__name__, result, method.doc)


def _collect(kind: types.StructType, structs: dict[str, Struct]) -> None:
    """Add a struct and all structs that it mentions."""
    if kind.cls.__name__ in structs:
        return
    structs[kind.cls.__name__] = _struct(kind)
    for field in kind.fields:
        for mentioned in _mentioned(field.type):
            _collect(mentioned, structs)


def _mentioned(kind: types.Type) -> Iterator[types.StructType]:
    if isinstance(kind, types.StructType):
        yield kind
    elif isinstance(kind, types.ListType):
        yield from _mentioned(kind.item_type)
    elif isinstance(kind, types.DictType):
        yield from _mentioned(kind.value_type)
    elif isinstance(kind, types.UnionType):
        for member in kind.types:
            yield from _mentioned(member)


def _struct(kind: types.StructType) -> Struct:
    name = kind.cls.__name__
    names = [field.encode_name for field in kind.fields]
    doc, meanings = split_docstring(kind.cls.__doc__ or "", names)
    if not doc or list(meanings) != names:
        raise ValueError(f"{name}: its docstring explains {list(meanings)}, but its fields are {names}")
    fields = tuple(_field(name, field, meanings[field.encode_name]) for field in kind.fields)
    return Struct(name, doc, fields, kind.forbid_unknown_fields)


def split_docstring(docstring: str, names: list[str]) -> tuple[str, dict[str, str]]:
    """Return a docstring's description of the struct, and of each of the fields `names`, written as `field: meaning`.

    Indented lines continue the meaning above them. Paragraphs of the description are separated by an empty line.
    """
    begins = re.compile(rf"({'|'.join(map(re.escape, names))}): (.*)")
    whole: list[str] = []
    meanings: dict[str, str] = {}
    last = None
    for line in cleandoc(docstring).splitlines():
        if names and (found := begins.fullmatch(line)):
            last, meaning = found.groups()
            meanings[last] = meaning.strip()
        elif last is not None and line.startswith(" "):
            meanings[last] += " " + line.strip()
        else:
            last = None
            whole.append(line)
    return "\n".join(whole).strip(), meanings


def _field(struct: str, field: types.Field, doc: str) -> Field:
    try:
        shape = _shape(field.type)
    except TypeError as error:
        raise TypeError(f"{struct}.{field.name}: {error}") from None
    return Field(field.encode_name, shape, field.required, _default(field), doc)


def _default(field: types.Field) -> str | None:
    if field.default_factory is not NODEFAULT:
        return msgspec.json.encode(field.default_factory()).decode()
    if field.default is NODEFAULT or field.default is UNSET:
        return None
    return msgspec.json.encode(field.default).decode()


def _shape(kind: types.Type) -> Shape:
    if isinstance(kind, types.UnionType):
        return _nullable(kind)
    if isinstance(kind, types.LiteralType):
        return _choice(kind)
    if isinstance(kind, types.ListType):
        return ListOf(_shape(kind.item_type))
    if isinstance(kind, types.DictType):
        return MapOf(_shape(kind.value_type))
    if isinstance(kind, types.StructType):
        return Reference(kind.cls.__name__)
    return _scalar(kind)


def _choice(kind: types.LiteralType) -> Choice:
    values = tuple(value for value in kind.values if isinstance(value, str))
    if values != kind.values:
        raise TypeError(f"a choice of anything but strings has no form: {kind.values}")
    return Choice(values)


def _nullable(kind: types.UnionType) -> Shape:
    rest = [member for member in kind.types if not isinstance(member, types.NoneType)]
    if len(rest) != 1 or len(kind.types) != 2:
        raise TypeError(f"a union other than of a type and null has no form: {kind}")
    return Nullable(_shape(rest[0]))


def _scalar(kind: types.Type) -> Scalar:
    if kind == types.StrType():
        return Scalar("string")
    if kind == types.BoolType():
        return Scalar("boolean")
    if isinstance(kind, types.IntType | types.FloatType) and (kind.gt, kind.lt, kind.multiple_of) == (None,) * 3:
        return Scalar("integer" if isinstance(kind, types.IntType) else "number", kind.ge, kind.le)
    raise TypeError(f"this type has no form: {kind}")
