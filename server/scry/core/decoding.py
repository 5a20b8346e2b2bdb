"""Decode JSON and MessagePack into typed values, in any number of threads.

msgspec builds type information of a class at its first use, and other threads can read it before it is complete: two
threads that use related classes for the first time at once end the process by a segmentation fault (msgspec 0.22.0).
So this module alone has type information built, in one thread at a time. Complete, it is only read.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from types import UnionType
from typing import TypeVar

import msgspec

T = TypeVar("T")

_building = RLock()
_built: set[type] = set()


def decode_json(data: bytes | str, type_: type[T]) -> T:
    """Return the value that a JSON text holds. Raises msgspec.DecodeError; ValidationError for other types."""
    if type_ not in _built:
        _build(type_)
    return msgspec.json.decode(data, type=type_)


def decode_msgpack(data: bytes, type_: type[T]) -> T:
    """Return the value that MessagePack holds. Raises msgspec.DecodeError; ValidationError for other types."""
    if type_ not in _built:
        _build(type_)
    return msgspec.msgpack.decode(data, type=type_)


def convert(value: object, type_: type[T]) -> T:
    """Return a value of built-in types as one of this type. Raises msgspec.ValidationError."""
    if type_ not in _built:
        _build(type_)
    return msgspec.convert(value, type_)


def json_decoder(type_: type[T] | UnionType) -> Callable[[bytes | str], T]:
    """Return a function that decodes JSON texts of one type, for a module that decodes many."""
    with _building:
        return msgspec.json.Decoder(type_).decode


def msgpack_decoder(type_: type[T]) -> Callable[[bytes | memoryview], T]:
    """Return a function that decodes MessagePack texts of one type, for a module that decodes many."""
    with _building:
        return msgspec.msgpack.Decoder(type_).decode


def _build(type_: type) -> None:
    with _building:
        msgspec.json.Decoder(type_)
        _built.add(type_)
