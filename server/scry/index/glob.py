"""One segment of a gitignore pattern as a regular expression.

Git matches bytes. Patterns and names are therefore handled as text in which every character is one byte (`byte_text`),
so that `?` and brackets treat a letter outside ASCII as git does. The grammar is that of git's `wildmatch.c`.
"""

from __future__ import annotations

import re
from functools import lru_cache

_SPECIAL_CHARACTERS = frozenset("*?[\\")
_EVERY_BYTE = frozenset(map(chr, range(256)))
_MATCH_NOTHING = r"(?!)"

_ASCII = [chr(code) for code in range(128)]
_POSIX_CLASSES = {
    "alnum": frozenset(c for c in _ASCII if c.isalnum()),
    "alpha": frozenset(c for c in _ASCII if c.isalpha()),
    "blank": frozenset(" \t"),
    "cntrl": frozenset(c for c in _ASCII if c < " " or c == "\x7f"),
    "digit": frozenset("0123456789"),
    "graph": frozenset(c for c in _ASCII if "!" <= c <= "~"),
    "lower": frozenset(c for c in _ASCII if c.islower()),
    "print": frozenset(c for c in _ASCII if " " <= c <= "~"),
    "punct": frozenset(c for c in _ASCII if "!" <= c <= "~" and not c.isalnum()),
    # Git's own table of spaces leaves out the vertical tab and the form feed.
    "space": frozenset(" \t\n\r"),
    "upper": frozenset(c for c in _ASCII if c.isupper()),
    "xdigit": frozenset("0123456789abcdefABCDEF"),
}


def byte_text(name: str) -> str:
    """The name's UTF-8 bytes, one character each. An undecodable byte (a surrogate escape) becomes itself again."""
    return name if name.isascii() else name.encode("utf-8", "surrogateescape").decode("latin-1")


def is_literal(glob: str) -> bool:
    """Whether the glob matches its own text and nothing else."""
    return _SPECIAL_CHARACTERS.isdisjoint(glob)


@lru_cache(maxsize=8192)
def compile_glob(glob: str) -> re.Pattern[str]:
    """A pattern whose `match` succeeds on exactly the segments that the glob names."""
    return re.compile(glob_to_regex(glob, "g") + r"\Z", re.DOTALL)


def glob_to_regex(glob: str, group_name: str) -> str:
    """The glob as the source of a regular expression for a whole segment, its end not anchored.

    tag: makes the names of groups unique where several sources are joined into one expression.
    A glob that git can't read matches nothing.
    """
    parts = _split_at_stars(glob)
    if parts is None:
        return _MATCH_NOTHING
    if len(parts) == 1:
        return parts[0]
    # A star before another star can stop at the first place that fits, for good: the group in the lookahead never gives
    # back what it took. That keeps a hostile pattern such as `*a*a*a*a*a*b` from taking exponential time.
    middle = [
        f"(?=(?P<{group_name}_{number}>.*?{part}))(?P={group_name}_{number})" for number, part in enumerate(parts[1:-1]) if part
    ]
    return parts[0] + "".join(middle) + ".*" + parts[-1]


def _split_at_stars(glob: str) -> list[str] | None:
    parts, at = [""], 0
    while at < len(glob):
        char = glob[at]
        at += 1
        if char == "*":
            parts.append("")
        elif char == "?":
            parts[-1] += "."
        elif char == "[":
            bracket = parse_bracket(glob, at)
            if bracket is None:
                return None
            members, at = bracket
            parts[-1] += _character_class(members)
        elif char == "\\":
            if at == len(glob):
                return None
            parts[-1] += re.escape(glob[at])
            at += 1
        else:
            parts[-1] += re.escape(char)
    return parts


def _character_class(members: frozenset[str]) -> str:
    return "[" + "".join(f"\\x{ord(char):02x}" for char in sorted(members)) + "]" if members else _MATCH_NOTHING


def parse_bracket(glob: str, at: int) -> tuple[frozenset[str], int] | None:
    """The characters that a bracket expression stands for and the index behind it.

    at: the index behind its `[`. None when it is never closed or names an unknown class: git then matches nothing.
    """
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    members: set[str] = set()
    previous, first = "", True
    while first or glob[at : at + 1] != "]":
        item = _parse_bracket_item(glob, at, previous)
        if item is None:
            return None
        some, at, previous = item
        members |= some
        first = False
    return (_EVERY_BYTE - members if negated else frozenset(members)) - {"/"}, at + 1


def _parse_bracket_item(glob: str, at: int, previous: str) -> tuple[frozenset[str], int, str] | None:
    """One item of a bracket: its characters, the index behind it, and what a following `-` would start from."""
    char, following = glob[at : at + 1], glob[at + 1 : at + 2]
    if not char:
        return None
    if char == "\\":
        return (frozenset(following), at + 2, following) if following else None
    if char == "-" and previous and following and following != "]":
        return _parse_bracket_range(glob, at + 1, previous)
    if char == "[" and following == ":":
        return _parse_posix_class(glob, at)
    return frozenset(char), at + 1, char


def _parse_bracket_range(glob: str, at: int, low: str) -> tuple[frozenset[str], int, str] | None:
    if glob[at] == "\\":
        at += 1
        if at == len(glob):
            return None
    return frozenset(map(chr, range(ord(low), ord(glob[at]) + 1))), at + 1, ""


def _parse_posix_class(glob: str, at: int) -> tuple[frozenset[str], int, str] | None:
    end = glob.find("]", at + 2)
    if end < 0:
        return None
    if end < at + 3 or glob[end - 1] != ":":
        return frozenset("["), at + 1, "["
    members = _POSIX_CLASSES.get(glob[at + 2 : end - 1])
    return None if members is None else (members, end + 1, "")
