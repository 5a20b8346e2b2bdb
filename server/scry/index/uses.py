"""What a file uses, packed for the index: the names that its imports make known, and its references without repetition.

Packed, and compressed by the store, a reference takes some 6 bytes of the index; as plain objects it took 45.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from scry.core.types import Binding, ParsedFile


class NameUse(NamedTuple):
    """A name used in one way: how, on what, and at which lines, ascending."""

    name: str
    kind: str
    receiver: str
    lines: Sequence[int]


class FileUses(NamedTuple):
    """All that a file uses."""

    bindings: Sequence[Binding]
    uses: Sequence[NameUse]


_PackedUses = tuple[list[tuple[str, str, str]], list[tuple[str, str, str, list[int]]]]

_decode_uses = msgspec.msgpack.Decoder(_PackedUses).decode


def pack_uses(parsed: ParsedFile) -> bytes:
    """The uses of a parsed file; empty for none."""
    lines: dict[tuple[str, str, str], list[int]] = {}
    for reference in parsed.references:
        lines.setdefault((reference.name, reference.kind, reference.receiver), []).append(reference.line)
    if not lines and not parsed.bindings:
        return b""
    bindings = [(binding.name, binding.source, binding.member) for binding in parsed.bindings]
    uses = [(*key, places) for key, places in lines.items()]
    return msgspec.msgpack.encode((bindings, uses))


def unpack_uses(data: bytes) -> FileUses:
    """The uses back."""
    if not data:
        return FileUses((), ())
    bindings, uses = _decode_uses(data)
    return FileUses([Binding(*binding) for binding in bindings], [NameUse(*use) for use in uses])
