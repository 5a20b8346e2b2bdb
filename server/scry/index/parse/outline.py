"""Build nested definitions from query captures, with their names, wrappers and comments.

One sweep over the captures by position. A name belongs to the innermost definition around it; a wrapper (`export`,
decorators) to the first definition in it, if nothing else follows there; a comment to the definition right below it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

from msgspec import Struct, field
from tree_sitter import Node

from scry.index.parse.captures import NotParsed
from scry.index.parse.chunks import LineIndex
from scry.index.parse.languages.language import Language

_SKIP, _WRAPPER, _DEFINITION, _OTHER = range(4)
_ROLES = {"skip": _SKIP, "wrapper": _WRAPPER}
_PART_LABELS = frozenset({"name", "container", "scope", "body", "doc"})
_VALUE_KINDS = frozenset({"constant", "variable", "field"})
_WHITESPACE = frozenset(b" \t\r\n")
_AFTER_WRAPPED = b" \t\r\n;),"
_MAX_NESTED_DEFINITIONS = 100
"""Levels of definitions; 12 were measured. The qualified names of n levels take n² / 2 names."""


class CapturedDefinition(Struct, eq=False):
    """A definition while it is assembled. All places are byte offsets; start and end grow over wrappers and comments.

    cut: its text is removed from the parent's. names: (start, end) of each. docs: the places of its doc comments.
    """

    node: Node
    kind: str
    cut: bool
    start: int
    end: int
    core_end: int
    parent: CapturedDefinition | None
    names: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    docs: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    children: list[CapturedDefinition] = field(default_factory=list["CapturedDefinition"])
    container: str = ""
    scope: str = ""
    body: int | None = None
    dropped: bool = False
    is_test: bool = False


class Trivia(Struct, frozen=True):
    """Comments and attributes by position: parallel lists sorted by start."""

    starts: list[int]
    ends: list[int]
    comment: list[bool]

    def skip(self, position: int, data: bytes) -> int:
        """Return the first position from this one on that is neither white space nor in a comment or attribute."""
        while True:
            index = bisect_right(self.starts, position) - 1
            if index >= 0 and self.starts[index] == position:
                position = self.ends[index]
            elif data[position] in _WHITESPACE:
                position += 1
            else:
                return position

    def without_comments(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the pieces of a range that are in no comment."""
        index = bisect_right(self.starts, start - 1)
        while index < len(self.starts) and self.starts[index] < end:
            if self.comment[index]:
                yield start, self.starts[index]
                start = self.ends[index]
            index += 1
        if start < end:
            yield start, end


def build_outline(
    captures: Mapping[str, list[Node]],
    lines: LineIndex,
    language: Language,
    blanked: Sequence[tuple[int, int]] = (),
) -> tuple[list[CapturedDefinition], Trivia]:
    """Return the definitions of a file by position, outer ones first, and its comments and attributes.

    blanked: places that the grammar did not see, which count as attributes.
    """
    definitions = _nest_definitions(captures, lines, language)
    if language.joins_clauses:
        definitions = _merge_clauses(definitions, lines)
    trivia = _collect_trivia(captures, lines.data, blanked)
    if trivia.starts:
        for definition in definitions:
            _attach_comments(definition, trivia, lines)
    _attach_following_docs(definitions, captures.get("doc.after", []), lines.data)
    _mark_tests(definitions, captures)
    for definition in definitions:
        _trim_end(definition, lines.data)
        if definition.parent:
            definition.parent.children.append(definition)
    return definitions, trivia


def ranges_of_tests(captures: Mapping[str, list[Node]]) -> list[tuple[int, int]]:
    """Return the ranges of the parts that are tests by position, those inside another one left out."""
    outer: list[tuple[int, int]] = []
    for start, end in sorted((node.start_byte, -node.end_byte) for node in captures.get("test", ())):
        if not outer or outer[-1][1] < -end:
            outer.append((start, -end))
    return outer


def is_in_ranges(position: int, ranges: Sequence[tuple[int, int]]) -> bool:
    """Return whether a position lies in one of these ranges, which are sorted and do not overlap."""
    index = bisect_right(ranges, position, key=itemgetter(0)) - 1
    return index >= 0 and position < ranges[index][1]


def _mark_tests(definitions: Sequence[CapturedDefinition], captures: Mapping[str, list[Node]]) -> None:
    """Mark the definitions in tests, and those below an attribute that makes them one, with all in them."""
    ranges = ranges_of_tests(captures)
    attributes = sorted(node.start_byte for node in captures.get("test.attribute", ()))
    if not ranges and not attributes:
        return
    for definition in definitions:  # outer ones come first
        start = definition.node.start_byte
        above = bisect_right(attributes, start) - 1
        definition.is_test = (
            (definition.parent is not None and definition.parent.is_test)
            or is_in_ranges(start, ranges)
            or (above >= 0 and attributes[above] >= definition.start)
        )


def _merge_clauses(definitions: list[CapturedDefinition], lines: LineIndex) -> list[CapturedDefinition]:
    """Merge neighbours of one name in one parent: a type signature and equations, or clauses by pattern.

    The first gives the head; definitions nested in the others are nested in it.
    """
    merged: list[CapturedDefinition] = []
    last_by_parent: dict[int, CapturedDefinition] = {}
    merged_into: dict[int, CapturedDefinition] = {}
    for definition in definitions:
        if definition.parent:
            definition.parent = merged_into.get(id(definition.parent), definition.parent)
        before = last_by_parent.get(id(definition.parent))
        if (
            before
            and before.kind == definition.kind in ("function", "macro")
            and _have_same_name(before, definition, lines)
        ):
            before.end = definition.end
            merged_into[id(definition)] = before
        else:
            merged.append(definition)
            last_by_parent[id(definition.parent)] = definition
    return merged


def _have_same_name(one: CapturedDefinition, other: CapturedDefinition, lines: LineIndex) -> bool:
    return bool(one.names and other.names) and lines.text(*one.names[0]) == lines.text(*other.names[0])


def _trim_end(definition: CapturedDefinition, data: bytes) -> None:
    """Trim white space off the end: after an error a node may end in a comment, and that in the CR of its line end."""
    while definition.end > definition.node.start_byte + 1 and data[definition.end - 1] in _WHITESPACE:
        definition.end -= 1


def _nest_definitions(
    captures: Mapping[str, list[Node]], lines: LineIndex, language: Language
) -> list[CapturedDefinition]:
    definitions: list[CapturedDefinition] = []
    stack: list[CapturedDefinition] = []
    wrappers: list[tuple[int, int]] = []
    skipped: set[tuple[int, int]] = set()
    for start, end, role, label, node in _sorted_captures(captures):
        while stack and stack[-1].core_end <= start:
            stack.pop()
        if role == _SKIP:
            skipped.add((start, end))
        elif role == _WRAPPER:
            wrappers.append((start, end))
        elif role == _DEFINITION:
            same = stack[-1] if stack and (stack[-1].node.start_byte, stack[-1].core_end) == (start, end) else None
            if same:
                _merge_kind(same, label)
            else:
                definition = _start_definition(node, label, start, end, stack)
                definition.dropped = (start, end) in skipped
                if wrappers:
                    _attach_wrappers(definition, wrappers, lines.data)
                    wrappers.clear()
                stack.append(definition)
                definitions.append(definition)
        elif stack:
            inner = label == "body" and stack[-1].node.start_byte == start  # a body never starts with its definition
            _add_part(stack[-2 if inner and len(stack) > 1 else -1], label, start, end, lines, language)
    return _drop_nameless(definitions)


def _drop_nameless(definitions: Sequence[CapturedDefinition]) -> list[CapturedDefinition]:
    """Return the definitions with a name; what stands in one without a name stands in the next one around it."""
    kept: list[CapturedDefinition] = []
    levels: dict[int, int] = {}
    for definition in definitions:  # outer ones come first, so that the parent of each is final
        parent = definition.parent
        if parent is not None and not _has_name(parent):
            definition.parent = parent.parent
        if definition.dropped:
            continue
        levels[id(definition)] = level = levels.get(id(definition.parent), 0) + 1
        if level > _MAX_NESTED_DEFINITIONS:
            raise NotParsed(f"over {_MAX_NESTED_DEFINITIONS} definitions in each other")
        if _has_name(definition):
            kept.append(definition)
    return kept


def _has_name(definition: CapturedDefinition) -> bool:
    return bool(definition.names or definition.scope)


def _sorted_captures(captures: Mapping[str, list[Node]]) -> Iterator[tuple[int, int, int, str, Node]]:
    """Yield (start, end, role, label, node) of all captures that build definitions: by start, longer ones first, then
    by role.
    """
    items: list[tuple[int, int, int, str, Node]] = []
    for label, nodes in captures.items():
        if label.startswith(("definition.", "declaration.")):
            role = _DEFINITION
        elif label in _ROLES or label in _PART_LABELS:
            role = _ROLES.get(label, _OTHER)
        else:
            continue
        items += ((node.start_byte, -node.end_byte, role, label, node) for node in nodes)
    items.sort(key=lambda item: item[:4])  # captures are in no order
    for start, negative_end, role, label, node in items:
        yield start, -negative_end, role, label, node


def _start_definition(
    node: Node, label: str, start: int, end: int, stack: list[CapturedDefinition]
) -> CapturedDefinition:
    category, _, kind = label.partition(".")
    parent = next((outer for outer in reversed(stack) if not outer.dropped), None)
    return CapturedDefinition(node, kind, category == "definition", start, end, end, parent)


def _merge_kind(definition: CapturedDefinition, label: str) -> None:
    """Merge two patterns that captured one node.

    A function or class overrides a constant, a struct overrides a type, an enum overrides a class.
    """
    category, _, kind = label.partition(".")
    weaker = (*sorted(_VALUE_KINDS), "type")
    if (definition.kind in weaker and kind not in weaker) or (definition.kind == "class" and kind == "enum"):
        definition.kind, definition.cut = kind, category == "definition"


def _attach_wrappers(definition: CapturedDefinition, wrappers: list[tuple[int, int]], data: bytes) -> None:
    for start, end in reversed(wrappers):
        if end < definition.end or data[definition.end : end].strip(_AFTER_WRAPPED):
            continue
        definition.start, definition.end = start, end


def _add_part(
    definition: CapturedDefinition, label: str, start: int, end: int, lines: LineIndex, language: Language
) -> None:
    if label == "name":
        if (start, end) not in definition.names:
            definition.names.append((start, end))
    elif label == "doc":
        definition.docs.append((start, end))
    elif label == "body":
        definition.body = start
    elif label == "container":
        definition.container = language.read_container(lines.text(start, end))
    elif not definition.scope:
        definition.scope = language.read_container(lines.text(start, end)) or "?"


def _collect_trivia(captures: Mapping[str, list[Node]], data: bytes, blanked: Sequence[tuple[int, int]]) -> Trivia:
    items = {(node.start_byte, node.end_byte, True) for node in captures.get("comment", ())}
    items |= {(node.start_byte, node.end_byte, False) for node in captures.get("attribute", ())}
    items |= {(start, end, False) for start, end in blanked}
    ordered = sorted(items)
    ends = [start + len(data[start:end].rstrip(b"\r\n")) for start, end, _ in ordered]
    return Trivia([start for start, _, _ in ordered], ends, [comment for _, _, comment in ordered])


def _attach_comments(definition: CapturedDefinition, trivia: Trivia, lines: LineIndex) -> None:
    _attach_comments_above(definition, trivia, lines)
    _attach_comments_inside(definition, trivia)
    _attach_trailing_comment(definition, trivia, lines)


def _attach_comments_above(definition: CapturedDefinition, trivia: Trivia, lines: LineIndex) -> None:
    """Grow a definition up over the comments and attributes above it, to the first blank line or code."""
    index = bisect_right(trivia.starts, definition.start - 1) - 1
    lowest = definition.parent.node.start_byte if definition.parent else 0
    docs: list[tuple[int, int]] = []
    while index >= 0 and trivia.starts[index] >= lowest:
        start, end = trivia.starts[index], trivia.ends[index]
        far = definition.start - end > 400 or lines.line(definition.start) - lines.line(end) > 1
        if far or lines.data[end : definition.start].strip():
            break
        if trivia.comment[index]:
            if lines.data[lines.starts[lines.line(start)] : start].strip():
                break  # the comment follows other code
            docs.append((start, end))
        definition.start = start
        index -= 1
    definition.docs[:0] = reversed(docs)


def _attach_comments_inside(definition: CapturedDefinition, trivia: Trivia) -> None:
    """Add comments between attributes and the definition proper (`#[a]` `/// doc` `#[b]` in a wrapper) to its doc
    comments.
    """
    index = bisect_right(trivia.starts, definition.start - 1)
    core = definition.node.start_byte
    known = set(definition.docs)
    while index < len(trivia.starts) and trivia.starts[index] < core:
        span = (trivia.starts[index], trivia.ends[index])
        if trivia.comment[index] and span not in known:
            definition.docs.append(span)
        index += 1


def _attach_trailing_comment(definition: CapturedDefinition, trivia: Trivia, lines: LineIndex) -> None:
    """Grow a definition over a comment that follows it on its last line."""
    index = bisect_right(trivia.starts, definition.end - 1)
    if index < len(trivia.starts) and trivia.comment[index]:
        between = lines.data[definition.end : trivia.starts[index]]
        if len(between) < 200 and not between.strip(b" \t;,") and b"\n" not in between and b"\r" not in between:
            last = lines.line(definition.end)
            if lines.line(trivia.ends[index]) == last:
                definition.end = trivia.ends[index]


def _attach_following_docs(definitions: list[CapturedDefinition], docs: list[Node], data: bytes) -> None:
    """Attach each doc string that follows a definition (Python: an attribute's) to the definition that ends there."""
    if not docs:
        return
    ending = {definition.end: definition for definition in definitions}
    for node in docs:
        start = node.start_byte
        before = start - len(data[max(0, start - 400) : start]) + len(data[max(0, start - 400) : start].rstrip())
        definition = ending.get(before)
        if definition:
            definition.docs.append((start, node.end_byte))
            definition.end = node.end_byte
