"""Reads LuaCATS classes and says where a value does not fit one. Knows the forms that the generator writes, no more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tests.contract.samples import Json

_CLASS = re.compile(r"---@class (\(exact\) )?([\w.]+)")
_FIELD = re.compile(r"---@field (\w+)(\??) (table<string, \S+>|\S+) (\S.*)")


@dataclass(frozen=True, slots=True)
class Field:
    """A field as annotated."""

    type: str
    optional: bool


@dataclass(frozen=True, slots=True)
class Class:
    """A class as annotated. exact: no other fields."""

    exact: bool
    fields: dict[str, Field] = field(default_factory=dict[str, Field])


def read_classes(text: str) -> dict[str, Class]:
    """Return the classes of a Lua file by name. Raises ValueError for an unknown annotation."""
    classes: dict[str, Class] = {}
    current = Class(False)
    for line in text.splitlines():
        if found := _CLASS.fullmatch(line):
            current = classes[found[2]] = Class(found[1] is not None)
        elif found := _FIELD.fullmatch(line):
            current.fields[found[1]] = Field(found[3], found[2] == "?")
        elif line.startswith("---@"):
            raise ValueError(line)
    return classes


def misfits(value: Json, kind: str, classes: Mapping[str, Class], place: str = "$") -> Iterator[str]:
    """Yield the paths where a JSON value is not of a LuaCATS type. An unknown field counts only in an exact class."""
    if kind.endswith("[]"):
        yield from _list_misfits(value, kind[:-2].removeprefix("(").removesuffix(")"), classes, place)
    elif kind.startswith("table<string, "):
        yield from _map_misfits(value, kind[len("table<string, ") : -1], classes, place)
    elif kind in classes:
        yield from _class_misfits(value, classes[kind], classes, place)
    elif not _fits_scalar(value, kind):
        yield f"{place}: {value!r} is not {kind}"


def unknown_fields(value: Json, kind: str, classes: Mapping[str, Class]) -> set[str]:
    """Fields of a JSON value that its LuaCATS type does not know, at any depth."""
    exact = {name: Class(True, known.fields) for name, known in classes.items()}
    found = (re.search(r"\.(\w+): unknown field", misfit) for misfit in misfits(value, kind, exact))
    return {match[1] for match in found if match}


def _list_misfits(value: Json, item: str, classes: Mapping[str, Class], place: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{place}: not a list"
        return
    for index, one in enumerate(value):
        yield from misfits(one, item, classes, f"{place}[{index}]")


def _map_misfits(value: Json, item: str, classes: Mapping[str, Class], place: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{place}: not an object"
        return
    for key, one in value.items():
        yield from misfits(one, item, classes, f"{place}.{key}")


def _class_misfits(value: Json, known: Class, classes: Mapping[str, Class], place: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{place}: not an object"
        return
    for name, annotated in known.fields.items():
        one = value.get(name)
        if one is not None:
            yield from misfits(one, annotated.type, classes, f"{place}.{name}")
        elif not annotated.optional:
            yield f"{place}.{name}: missing"
    for name in value.keys() - known.fields.keys() if known.exact else ():
        yield f"{place}.{name}: unknown field"


def _fits_scalar(value: Json, kind: str) -> bool:
    if kind.startswith('"'):
        return value in [choice.strip('"') for choice in kind.split("|")]
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, {"string": str, "integer": int, "number": (int, float), "boolean": bool}[kind])
