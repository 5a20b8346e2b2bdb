"""The protocol as every emitter sees it: methods, structs and fields, neutral of any language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

NOTICE = "Generated from protocol/scry_protocol by `make protocol`; do not edit."
"""The first words of every generated file."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string, boolean, integer or number. minimum and maximum: inclusive bounds, None where there is none."""

    name: str
    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One of these strings and no other."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of items of one shape."""

    item: Shape


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object with any keys and values of one shape."""

    value: Shape


@dataclass(frozen=True, slots=True)
class Reference:
    """A struct, by its name."""

    struct: str


@dataclass(frozen=True, slots=True)
class Nullable:
    """A shape, or null."""

    shape: Shape


Shape = Scalar | Choice | ListOf | MapOf | Reference | Nullable


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a struct. default: as JSON text; None where there is none, though an optional field may be absent."""

    name: str
    shape: Shape
    required: bool
    default: str | None
    doc: str


@dataclass(frozen=True, slots=True)
class Struct:
    """An object of the wire. closed: unknown fields are refused."""

    name: str
    doc: str
    fields: tuple[Field, ...]
    closed: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A method with its structs' names: a request of the client or, where `result` is None, a notification to it."""

    name: str
    params: str
    result: str | None
    doc: str

    @property
    def short_name(self) -> str:
        """The name without `scry/`."""
        return self.name.removeprefix("scry/")


@dataclass(frozen=True, slots=True)
class Protocol:
    """All of the wire. structs: by name, in the order in which the methods mention them."""

    version: int
    calls: tuple[Call, ...]
    structs: Mapping[str, Struct]


def bounds(scalar: Scalar) -> str:
    """Return the range of a number in words, such as "1 to 1000"; empty where it has none."""
    low, high = scalar.minimum, scalar.maximum
    if low is None and high is None:
        return ""
    if low is None or high is None:
        return f"at least {low:g}" if low is not None else f"at most {high:g}"
    return f"{low:g} to {high:g}"


def explained(field: Field) -> str:
    """Return a field's doc with its range and default, such as "maximum number of results (1 to 1000; default 10).".

    A default of null is left out: it equals an absent field.
    """
    inner = field.shape.shape if isinstance(field.shape, Nullable) else field.shape
    limits = bounds(inner) if isinstance(inner, Scalar) else ""
    default = "" if field.default in (None, "null") else f"default {field.default}"
    notes = "; ".join(filter(None, (limits, default)))
    return f"{field.doc.removesuffix('.')} ({notes})." if notes else field.doc
