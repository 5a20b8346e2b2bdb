"""Read the receiver before a used name from the text: `store` in `store.find()`, `self.a` in `this->a->run()`.

The text is read, not the syntax tree: the same few lines serve every grammar.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from string import ascii_letters, digits

from scry.index.parse.languages.language import NameResolution

UNKNOWN_RECEIVER = "?"
"""Stands for any receiver that is not a chain of plain names: a call, a literal, an index."""

TYPE_MARK = "="
"""Stands between a receiver and its type, where an assignment shows that: `cart=Cart`, `r=http.Request`."""

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
    accessor = b""
    for each in accessors_by_last_byte.get(head[-1], ()) if head else ():
        if head.endswith(each):
            accessor = each
            break
    if not accessor or head.endswith(b".."):  # a range or a spread
        return ""
    before = head[: -len(accessor)].rstrip(b"?!& \t\r\n")
    match = chain.search(before, len(before.rstrip(_CHAIN_BYTES)))
    if match is None:
        return UNKNOWN_RECEIVER
    receiver = _normalize_chain(match[1], name_resolution.self_field_prefix)
    return receiver + STATIC_SUFFIX if accessor == b"::" else receiver


def split_receiver(receiver: str) -> tuple[str, str]:
    """Return the words of a receiver without marks, joined by dots, and the type that an assignment shows, if any."""
    words, _, known_type = receiver.removesuffix(STATIC_SUFFIX).partition(TYPE_MARK)
    return words, known_type


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


@lru_cache(maxsize=10_000)
def _normalize_chain(data: bytes, self_field_prefix: str) -> str:
    r"""Normalise a chain: `$this->a`, Ruby's `@a` and `self::a` give "self.a"; `A\\B::c` gives "A.B.c"."""
    chain = data.decode("utf-8", "replace")
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


_ASSIGNMENT = re.compile(
    rb"(?:(?:export|const|let|var|val|final|auto|mut|private|protected|public|static)[ \t]+){0,3}"
    rb"([A-Za-z_]\w{0,60})(?:,[ \t]*\w{1,60})?"
    rb"(?:[ \t]*:[ \t]*&?([A-Z][\w.]{0,100}))?[ \t]*(:=|=(?![=>]))[ \t]*(.{0,200})"
)
_DECLARATION = re.compile(
    rb"(?:var[ \t]+(?P<go>\w{1,60})[ \t]+\*?(?P<go_type>(?:\w{1,60}\.)?[A-Z]\w{0,60})[ \t]*(?:=|$)"
    rb"|(?:(?:private|protected|public|lateinit)[ \t]+){0,3}(?:let|val|var)[ \t]+(?P<field>[A-Za-z_]\w{0,60})[ \t]*:"
    rb"[ \t]*(?P<field_type>[A-Z][\w.]{0,100})(?:<[^<>\n]{0,60}>)?[?!]?[ \t]*;?$"
    rb"|(?:(?:final|static|private|protected|public)[ \t]+){0,4}(?P<type>[A-Z]\w{0,60})(?:<[^<>\n]{0,60}>)?"
    rb"[ \t]+(?P<name>[a-z_]\w{0,60})[ \t]*[=;])"
)
_CREATION = re.compile(
    rb"(?:await[ \t]+)?(?:&|new[ \t]+|new\()?((?:\w{1,60}(?:\.|::)){0,3}[A-Z]\w{0,60})"
    rb"(?:(?:::|\.)(?:new|default|create))?[ \t]*(?:<[^<>\n]{0,60}>)?[({)]"
)
_TYPE_ASSERTION = re.compile(rb"\.\(\*?((?:\w{1,60}\.)?[A-Z]\w{0,60})\)[ \t]*$")
_DECLARING_WORDS = (b"var ", b"let ", b"val ", b"private ", b"protected ", b"public ", b"lateinit ")
_MAX_ASSIGNMENT_BYTES = 400
_MAX_ASSIGNMENTS_TRIED = 8


class AssignedTypes:
    """The types of variables and fields that their last assignment shows, as far as the block around it reaches."""

    def __init__(self, data: bytes) -> None:
        """Read all lines. A block ends at the next line that is indented less."""
        self._by_name: dict[bytes, list[tuple[int, int, str]]] = {}
        open_blocks: list[tuple[int, bytes, int]] = []
        deepest = 0  # the indent of the last open block
        for number, line in enumerate(data.splitlines()):
            text = line.lstrip(b" \t")
            if not text:
                continue
            indent = len(line) - len(text)
            while indent < deepest:
                _, name, at = open_blocks.pop()
                first, _, known = self._by_name[name][at]
                self._by_name[name][at] = (first, number, known)
                deepest = open_blocks[-1][0] if open_blocks else 0
            if len(text) <= _MAX_ASSIGNMENT_BYTES and (
                b"=" in text or b";" in text or text.startswith(_DECLARING_WORDS)
            ):
                found = _read_assignment(text)
                if found is not None:
                    entries = self._by_name.setdefault(found[0], [])
                    open_blocks.append((indent, found[0], len(entries)))
                    deepest = indent
                    entries.append((number, 1 << 62, found[1]))

    def type_of(self, name: str, line: int) -> str:
        """Return the type that a variable has at a line; empty for an unknown one."""
        entries = self._by_name.get(name.encode(), ())
        at = bisect_right(entries, (line, 0, ""))  # an assignment on the line itself is not over yet
        for first, end, known in reversed(entries[max(0, at - _MAX_ASSIGNMENTS_TRIED) : at]):
            if first < line < end:
                return known
        return ""


def _read_assignment(text: bytes) -> tuple[bytes, str] | None:
    """Return the variable that a line assigns, and its type, "" for an unknown one; None for no assignment."""
    declared = _DECLARATION.match(text)
    if declared:
        for form in ("go", "field", "name"):
            if declared[form]:
                return declared[form], declared["type" if form == "name" else f"{form}_type"].decode("ascii", "replace")
    assigned = _ASSIGNMENT.match(text) if b"=" in text else None
    if assigned is None:
        return None
    if assigned[2]:
        return assigned[1], assigned[2].decode("ascii", "replace")
    value = assigned[4].rstrip(b"; \t")
    asserted, created = _TYPE_ASSERTION.search(value), _CREATION.match(value)
    if asserted or created is None:
        return assigned[1], asserted[1].decode("ascii", "replace") if asserted else ""
    *qualifiers, last = created[1].decode("ascii", "replace").replace("::", ".").split(".")
    if last.startswith("New") and last[3:4].isupper():
        return assigned[1], ".".join([*qualifiers, last[3:]])
    is_any_call = assigned[3] == b":=" and created[0].endswith(b"(") and not value.startswith(b"new(")
    return assigned[1], "" if is_any_call else ".".join([*qualifiers, last])  # in Go every exported name has a capital
