"""Parse and match gitignore patterns for the entries of one folder.

A walk looks up one name at a time and never enters an ignored folder. So a rule set is narrowed on the way down: inside
`docs`, the rule `docs/*.tmp` has become "a name that ends in .tmp", and the rule `/build` is gone.

Git matches bytes. Patterns and names are therefore text in which every character is one byte (`byte_text`), so that `?`
and brackets treat a letter outside ASCII as git does. The grammar is that of git's `wildmatch.c`. The pathspec library
reads it otherwise: version 1.1.1 raises on 137 of 300 generated pattern lists and differs from git on 20 of the others
(docs/decisions/0027-own-gitignore-implementation.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

ANY_DEPTH = "**"


class IgnoreRule(Struct, frozen=True):
    """One line of an ignore file. The last matching rule decides: it ignores, or (negated) re-includes.

    line: 1-based. segments: globs for the path below the ignore file's folder, `**` for any number of folders; a rule
    without a slash begins with `**`.
    """

    line: int
    negated: bool
    folders_only: bool
    segments: tuple[str, ...]


def parse_rules(content: bytes) -> tuple[IgnoreRule, ...]:
    """Return the rules of an ignore file, without comments, blank lines and lines that can't match anything."""
    lines = content.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n")
    return _parse_lines(line.removesuffix("\r") for line in lines)


def parse_patterns(patterns: Sequence[str]) -> tuple[IgnoreRule, ...]:
    """Return the rules of a list of patterns, as the settings hold them; `line` is the 1-based place in the list."""
    return _parse_lines(byte_text(pattern) for pattern in patterns)


def _parse_lines(lines: Iterable[str]) -> tuple[IgnoreRule, ...]:
    return tuple(rule for number, line in enumerate(lines, start=1) for rule in parse_line(line, number))


def parse_line(line: str, number: int) -> Iterator[IgnoreRule]:
    """Yield the rules of one line: two where one can't express it, none for a line that can't match anything."""
    pattern = _strip_trailing_spaces(line.split("\0", 1)[0])
    if pattern.startswith("#"):
        return
    negated = pattern.startswith("!")
    pattern = pattern[negated:]
    folders_only = pattern.endswith("/")
    pattern = pattern[: len(pattern) - folders_only]
    for segments in _path_alternatives(pattern.removeprefix("/")) if "/" in pattern else [[ANY_DEPTH, pattern]]:
        if all(segments):
            yield IgnoreRule(number, negated, folders_only, _normalize_segments(segments))


def byte_text(name: str) -> str:
    """Return the UTF-8 bytes of a name, one character each. A surrogate escape becomes the undecodable byte that it
    stands for.
    """
    return name if name.isascii() else name.encode("utf-8", "surrogateescape").decode("latin-1")


def _strip_trailing_spaces(line: str) -> str:
    """Strip the spaces at the end, except one that a backslash escapes."""
    end = len(line)
    while end and line[end - 1] == " ":
        end -= 1
    backslashes = end - len(line[:end].rstrip("\\"))
    return line[: end + 1] if backslashes % 2 and end < len(line) else line[:end]


def _path_alternatives(pattern: str) -> Iterator[list[str]]:
    """Yield the segments of a path pattern; nothing where a bracket is malformed.

    Git compares the literal start of a pattern by itself and reads `**` behind it as if it stood at the very start. So
    `foo**/bar` is not `foo*/bar`: it matches `foobar`, `foo/bar` and `foox/y/bar`.
    """
    literal = _LITERAL_START.match(pattern)
    start, rest = (literal[1], literal[2] or "") if literal else ("", "")
    if not start:
        alternatives = [pattern]
    elif rest.strip("*"):
        alternatives = [f"{start}{rest}", f"{start}*/{ANY_DEPTH}/{rest}"]
    else:
        alternatives = [f"{start}*", f"{start}*/{ANY_DEPTH}"]
    for alternative in alternatives:
        segments = _split_segments(alternative)
        if segments is not None:
            yield segments


_LITERAL_START = re.compile(r"([^*?\[\\]*[^*?\[\\/])\*\*+(?:/\*\*+(?=/|\Z))*(?:/(.*)|\Z)", re.DOTALL)
"""A literal start that does not end a segment, and the rest behind the `**` (or several, `**/**`) that follows it."""


def _split_segments(pattern: str) -> list[str] | None:
    """Return the segments between slashes, except slashes in brackets; None when a bracket is malformed."""
    segments: list[str] = []
    start, at = 0, 0
    while at < len(pattern):
        char = pattern[at]
        if char == "/":
            segments.append(pattern[start:at])
            start = at + 1
        elif char == "[":
            bracket = parse_bracket(pattern, at + 1)
            if bracket is None:
                return None
            at = bracket[1] - 1
        elif char == "\\" and pattern[at + 1 : at + 2] != "/":
            at += 1
        at += 1
    # An escaped slash is a slash: the backslash left at the end of its segment goes.
    heads = [segment.removesuffix("\\") if _ends_in_escape(segment) else segment for segment in segments]
    return [*heads, pattern[start:]]


def _ends_in_escape(segment: str) -> bool:
    return bool((len(segment) - len(segment.rstrip("\\"))) % 2)


def _normalize_segments(segments: Iterable[str]) -> tuple[str, ...]:
    """Return the segments with `***` as `**`, and one `**` where several follow each other."""
    normal: list[str] = []
    for segment in segments:
        any_depth = len(segment) > 1 and not segment.strip("*")
        if not (any_depth and normal and normal[-1] == ANY_DEPTH):
            normal.append(ANY_DEPTH if any_depth else segment)
    return tuple(normal)


class NamePatterns:
    """Rules that look at the name alone, in whatever folder it is."""

    __slots__ = ("_each", "_literal", "_other", "_suffixes")

    def __init__(self, rules: Sequence[IgnoreRule]) -> None:
        """Compile all name rules of one file, given in its order."""
        globs = {rule.segments[-1] for rule in rules}
        literal = {glob for glob in globs if is_literal(glob)}
        endings = {glob for glob in globs if glob.startswith("*") and is_literal(glob[1:])}
        self._literal = literal
        self._suffixes = tuple(glob[1:] for glob in endings)
        self._other = _join_globs(globs - literal - endings)
        self._each = tuple((rule, compile_glob(rule.segments[-1])) for rule in reversed(rules))

    def last_match(self, name: str, is_folder: bool) -> IgnoreRule | None:
        """Return the last rule that matches; the three cheap tests in front decide nearly every name."""
        if not (name in self._literal or name.endswith(self._suffixes) or (self._other and self._other.match(name))):
            return None
        for rule, pattern in self._each:
            if (is_folder or not rule.folders_only) and pattern.match(name):
                return rule
        return None


def _join_globs(globs: Iterable[str]) -> re.Pattern[str] | None:
    sources = [glob_to_regex(glob, f"g{number}") for number, glob in enumerate(sorted(globs))]
    if not sources:
        return None
    return re.compile(f"(?:{'|'.join(sources)})\\Z", re.DOTALL)


class _PathRule(Struct, frozen=True):
    """A rule with a path, part of which is matched already: `positions` are the segments that may come next."""

    rule: IgnoreRule
    positions: frozenset[int]

    def for_subfolder(self, folder: str) -> _PathRule | None:
        """Return the rest of the rule inside a folder; None when it can match nothing there."""
        segments, last = self.rule.segments, len(self.rule.segments) - 1
        positions: set[int] = set()
        for position in self.positions:
            if segments[position] == ANY_DEPTH:
                positions.add(position)
            elif position < last and compile_glob(segments[position]).match(folder):
                positions.add(position + 1)
        return _PathRule(self.rule, _skip_any_depth(segments, positions)) if positions else None

    def name_glob(self) -> str | None:
        """Return the glob that a name directly in this folder must match, if the last segment may come next."""
        last = len(self.rule.segments) - 1
        return self.rule.segments[last] if last in self.positions else None


def _skip_any_depth(segments: tuple[str, ...], positions: Iterable[int]) -> frozenset[int]:
    """Return the positions, and those behind a `**` that stands for no folder. A last `**` stands for at least one
    name.
    """
    last = len(segments) - 1
    return frozenset(positions) | {
        position + 1 for position in positions if segments[position] == ANY_DEPTH and position < last
    }


def _matches_name_only(rule: IgnoreRule) -> bool:
    return len(rule.segments) == 2 and rule.segments[0] == ANY_DEPTH


class IgnoreRuleSet:
    """The rules of one ignore file, narrowed to the entries of one folder at or below the file's own."""

    __slots__ = ("_folder_patterns", "_names", "_paths")

    def __init__(self, names: NamePatterns, paths: tuple[_PathRule, ...]) -> None:
        """Combine the name rules, which apply in every folder, with the rests of the path rules."""
        self._names = names
        self._paths = paths
        globs = ((path.rule, path.name_glob()) for path in reversed(paths))
        self._folder_patterns = tuple((rule, compile_glob(glob)) for rule, glob in globs if glob is not None)

    @classmethod
    def from_rules(cls, rules: Sequence[IgnoreRule]) -> IgnoreRuleSet:
        """Return the rules as they apply to the folder that their file is in."""
        names = NamePatterns([rule for rule in rules if _matches_name_only(rule)])
        paths = (rule for rule in rules if not _matches_name_only(rule))
        return cls(names, tuple(_PathRule(rule, _skip_any_depth(rule.segments, [0])) for rule in paths))

    def last_match(self, name: str, is_folder: bool) -> IgnoreRule | None:
        """Return the rule that decides on an entry of the folder; None when no rule matches. `name`: a `byte_text`."""
        by_name = self._names.last_match(name, is_folder)
        for rule, pattern in self._folder_patterns:
            if by_name is not None and rule.line < by_name.line:
                break
            if (is_folder or not rule.folders_only) and pattern.match(name):
                return rule
        return by_name

    def for_subfolder(self, folder: str) -> IgnoreRuleSet:
        """Return the rules narrowed to a folder in this one. `folder` is its name as a `byte_text`."""
        if not self._paths:
            return self
        left = (path.for_subfolder(folder) for path in self._paths)
        return IgnoreRuleSet(self._names, tuple(path for path in left if path is not None))


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


def is_literal(glob: str) -> bool:
    """Return whether a glob matches its own text and nothing else."""
    return _SPECIAL_CHARACTERS.isdisjoint(glob)


@lru_cache(maxsize=8192)
def compile_glob(glob: str) -> re.Pattern[str]:
    """Return a pattern whose `match` succeeds on exactly the path segments that the glob matches."""
    return re.compile(glob_to_regex(glob, "g") + r"\Z", re.DOTALL)


def glob_to_regex(glob: str, group_name: str) -> str:
    """Return a glob as the source of a regular expression for a whole segment, its end not anchored.

    group_name: makes the names of groups unique where several sources are joined into one expression. A glob that git
    can't read matches nothing.
    """
    parts = _split_at_stars(glob)
    if parts is None:
        return _MATCH_NOTHING
    if len(parts) == 1:
        return parts[0]
    # A star before another star can stop at the first match for good: the group in the lookahead is atomic. That keeps
    # a hostile pattern such as `*a*a*a*a*a*b` from taking exponential time.
    middle = [
        f"(?=(?P<{group_name}_{number}>.*?{part}))(?P={group_name}_{number})"
        for number, part in enumerate(parts[1:-1])
        if part
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
    """Return the characters that a bracket expression stands for, and the index behind it.

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
    """Return one item of a bracket: its characters, the index behind it, and the start of a range continued by `-`."""
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
