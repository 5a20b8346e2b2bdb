"""Import lsprotocol's types, each of which is finished when it is first used.

attrs writes and compiles the methods of each of their 554 classes at import: 0.1 s of every start, for a session that
uses some thirty of them. So a class stays as it was written until something makes a value of it or asks for its fields.
Then attrs finishes it in place, without the methods for comparing and printing, which the sidecar does not need. The
few classes that are compared (`Position`, `Range`, `Location`) define that themselves, and keep it.
"""

from __future__ import annotations

import threading
import typing
from importlib import import_module
from typing import Any

import attrs


def import_lsprotocol_types() -> None:
    """Import lsprotocol's types unfinished. Must run before anything else imports lsprotocol."""
    define = attrs.define
    attrs.define = _finish_later
    try:
        types: Any = import_module("lsprotocol.types")
    finally:
        attrs.define = define
    all_types = types.ALL_TYPES_MAP
    types.ALL_TYPES_MAP = {}  # the first converter looks at the fields of all types in it
    try:
        import_module("lsprotocol.converters").get_converter()
    finally:
        types.ALL_TYPES_MAP = all_types


_finishing = threading.RLock()


def _finish_later(cls: type[Any]) -> type[Any]:
    """Return a class that is finished by its first value, or by the first look at its fields."""
    unfinished = _Unfinished(cls)

    def make_first(self: object, *values: object, **named: object) -> None:
        unfinished.finish()
        cls.__init__(self, *values, **named)

    cls.__init__ = make_first
    cls.__attrs_attrs__ = unfinished
    return cls


class _Unfinished:
    """Stands where attrs keeps the fields of a class, and has the class finished when these are read."""

    def __init__(self, cls: type[Any]) -> None:
        self._cls = cls
        self._is_finished = False

    def __get__(self, instance: object, owner: type[Any]) -> object:
        self.finish()
        return self._cls.__attrs_attrs__

    def finish(self) -> None:
        """Finish the class, once, whichever thread comes first."""
        with _finishing:
            if not self._is_finished:
                attrs.define(
                    self._cls, eq=False, repr=False, init=True, slots=False, field_transformer=_resolve_field_types
                )
                self._is_finished = True


def _resolve_field_types(cls: type[Any], fields: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    """Return the fields with the classes that their annotations name in quotes."""
    hints = typing.get_type_hints(cls)
    return [field.evolve(type=hints[field.name]) for field in fields]
