"""Read the receiver before a used name from the text: `store` in `store.find()`, `self.a` in `this->a->run()`.

The text is read, not the syntax tree: the same few lines serve every grammar.
"""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_letters, digits

from scry.index.parse.languages.language import NameResolution

UNKNOWN_RECEIVER = "?"
"""Stands for any receiver that is not a chain of plain names: a call, a literal, an index."""

STATIC_SUFFIX = "::"
"""The end of a receiver whose accessor shows that it is a type or a module, in languages that write these otherwise."""

SELF_WORDS = frozenset({"self", "this", "Self", "cls", "static"})
SUPER_WORDS = frozenset({"super", "parent", "base"})

MAX_RECEIVER_BYTES = 100
"""Bytes before a name that are read; a longer chain is no plain name."""

_WHITESPACE = b" \t\r\n"

_CHAIN_BYTES = bytes(range(0x80, 0x100)) + b"@$\\_()?!&.:->" + (ascii_letters + digits).encode()
"""All bytes that a chain can contain: it begins no earlier than the last other byte."""


def read_receiver(data: bytes, start: int, name_resolution: NameResolution) -> str:
    """Return the receiver of the name at a byte offset: words joined by dots, UNKNOWN_RECEIVER, or "" for none.

    It ends in STATIC_SUFFIX where the accessor was written `::`.
    """
    accessors_by_last_byte, chain = chain_patterns(name_resolution.accessors)
    if start == 0 or (data[start - 1] not in accessors_by_last_byte and data[start - 1] not in _WHITESPACE):
        return ""
    head = data[max(0, start - MAX_RECEIVER_BYTES) : start].rstrip()
    accessor = (
        next((each for each in accessors_by_last_byte.get(head[-1], ()) if head.endswith(each)), None) if head else None
    )
    if accessor is None or head.endswith(b".."):  # a range or a spread
        return ""
    before = head[: -len(accessor)].rstrip(b"?!& \t\r\n")
    match = chain.search(before, len(before.rstrip(_CHAIN_BYTES)))
    if match is None:
        return UNKNOWN_RECEIVER
    return _normalize_chain(match[1].decode("utf-8", "replace"), name_resolution.self_field_prefix) + (
        STATIC_SUFFIX if accessor == b"::" else ""
    )


@lru_cache(maxsize=32)
def chain_patterns(accessors: tuple[str, ...]) -> tuple[dict[int, list[bytes]], re.Pattern[bytes]]:
    """Return the accessors by their last byte, and the pattern of a chain at the end of a text."""
    accessors_by_last_byte: dict[int, list[bytes]] = {}
    for accessor in sorted(accessors, key=len, reverse=True):
        accessors_by_last_byte.setdefault(ord(accessor[-1]), []).append(accessor.encode())
    between = "|".join(re.escape(accessor) for accessor in accessors)
    word = r"[@$\\]{0,2}[A-Za-z_\x80-\xff][\w$\\\x80-\xff]*"
    pattern = rf"(?<![\w$@\\.)\]>:\"'`}}?!\x80-\xff])(super\(\)|{word}(?:[?!&]*(?:{between}){word})*)$"
    return accessors_by_last_byte, re.compile(pattern.encode("latin-1"))


def _normalize_chain(chain: str, self_field_prefix: str) -> str:
    r"""Normalise a chain: `$this->a`, Ruby's `@a` and `self::a` give "self.a"; `A\\B::c` gives "A.B.c"."""
    if chain == "super()":
        return "super"
    words = re.findall(r"\w+", chain)
    if not words:
        return UNKNOWN_RECEIVER
    first = words[0]
    if self_field_prefix and chain.startswith(self_field_prefix):
        words.insert(0, "self")
    elif first in SELF_WORDS:
        words[0] = "self"
    elif first in SUPER_WORDS and len(words) == 1:
        words[0] = "super"
    return ".".join(words)
