"""Keep one branch of the conditionals of a preprocessor that cut a statement or a block in two.

A grammar reads a text without a preprocessor. It knows `#if` around whole statements and declarations. Of a conditional
whose branches leave brackets open, or that stands inside an expression, only one branch is kept, as a preprocessor
would. Text is lost with the other branches, so these functions serve where the grammar then reads more; see
`captures.run_query`. A text keeps its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

_TOKEN = re.compile(
    rb"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"
    rb"|(?P<directive>^[ \t]*#[ \t]*(?P<word>[a-z]+)(?P<never>[ \t]+0\b)?(?:[^\n\\/]|\\\r?\n|\\|/(?![*/]))*)"
    rb"|(?P<text>R\"(?P<delimiter>[^\s()\\\"]{0,16})\(.*?(?:\)(?P=delimiter)\"|\Z)"
    rb"|\"(?:[^\"\\\n]|\\.)*\"?|[0-9]'(?=[0-9A-Fa-f])|'(?:[^'\\\n]|\\.)*'?)"
    rb"|(?P<bracket>[(){}])",
    re.MULTILINE | re.DOTALL,
)
_INSIDE_BEFORE = re.compile(rb"(?:[,=+*/&|<?(!^%-]|\b[a-z]\w*|^[ \t]*:|\)[ \t]*:)\Z", re.MULTILINE)
_INSIDE_AFTER = re.compile(rb"\s*(?:[,.?)=]|&&|\|\||:(?!:))")
"""The text before and behind the first line of a conditional that begins inside a statement."""

_NOT_LINE_END = re.compile(rb"[^\r\n]")
_MAX_WORD = 64
_OPENING = b"({"


class _Branch(Struct):
    """A branch of a conditional: where its text begins and ends, and whether it closes what it did not open.

    depth: open brackets, round and curly, at its end.
    """

    start: int
    end: int = 0
    depth: tuple[int, int] = (0, 0)
    closes: bool = False


class _Conditional(Struct):
    """An `#if` with its branches. depth: open brackets before it. lines: the ranges of its directives."""

    depth: tuple[int, int]
    is_inside: bool
    is_never: bool
    lines: list[tuple[int, int]]
    branches: list[_Branch]

    def is_cut(self) -> bool:
        """Return whether its branches leave other brackets open than there were before it."""
        return any(each.closes or each.depth != self.depth for each in self.branches)

    def kept_branch(self) -> int:
        """Return the number of the branch that is kept: the first one that can be read."""
        return 1 if self.is_never else 0

    def has_kept_branch(self) -> bool:
        """Return whether there is such a branch; `#if 0` without `#else` has none."""
        return self.kept_branch() < len(self.branches)

    def dropped(self) -> Iterator[tuple[int, int]]:
        """Yield the ranges that are left out: the directives and the other branches."""
        yield from self.lines
        yield from ((each.start, each.end) for n, each in enumerate(self.branches) if n != self.kept_branch())


def join_cut_blocks(data: bytes) -> bytes:
    """Return the text with only one branch of each conditional that leaves brackets open or closes others."""
    return _keep_one_branch(data, _Conditional.is_cut)


def join_cut_statements(data: bytes) -> bytes:
    """Return the text with only one branch of each conditional inside a statement, or that cuts a block."""
    return _keep_one_branch(data, lambda each: each.is_inside or each.is_cut())


def join_blocks(data: bytes) -> bytes:
    """Return the text with only one branch of each conditional inside a block."""
    return _keep_one_branch(data, lambda each: each.depth[1] > 0 or each.is_inside or each.is_cut())


CONDITIONAL_MENDS = (join_cut_blocks, join_cut_statements, join_blocks)
"""The mends of a language with a preprocessor, the ones that lose least first."""


def _keep_one_branch(data: bytes, is_unreadable: Callable[[_Conditional], bool]) -> bytes:
    dropped = [
        each for conditional in _read_conditionals(data) if is_unreadable(conditional) for each in conditional.dropped()
    ]
    mended = bytearray(data)
    for start, end in dropped:
        mended[start:end] = _NOT_LINE_END.sub(b" ", mended[start:end])
    return bytes(mended)


@lru_cache(maxsize=1)
def _read_conditionals(data: bytes) -> Sequence[_Conditional]:
    """Return the closed conditionals of a text. Behind one, brackets count as its kept branch leaves them."""
    read, open_ones = list[_Conditional](), list[_Conditional]()
    depth, edges = (0, 0), dict[int, int]()
    for token in _TOKEN.finditer(data):
        kind = token.lastgroup
        start, end = token.span()
        if kind == "bracket":
            depth = _count_bracket(depth, token["bracket"])
            if open_ones and (depth[0] < open_ones[-1].depth[0] or depth[1] < open_ones[-1].depth[1]):
                open_ones[-1].branches[-1].closes = True
        elif kind == "comment":
            edges[end] = start
        elif kind == "directive":
            edges[skip_spaces_back(data, end)] = end
            word = token["word"]
            if word in (b"if", b"ifdef", b"ifndef"):
                is_inside = depth[0] > 0 or _is_inside_statement(data, start, end, edges)
                is_never = token["never"] is not None
                open_ones.append(_Conditional(depth, is_inside, is_never, [(start, end)], [_Branch(end)]))
            elif word in (b"else", b"elif", b"elseif", b"endif") and open_ones:
                inner = open_ones[-1]
                inner.branches[-1].end, inner.branches[-1].depth = start, depth
                inner.lines.append((start, end))
                inner.is_inside |= _is_unfinished(data, inner.branches[-1], edges)
                depth = inner.depth
                if word == b"endif":
                    read.append(open_ones.pop())
                    depth = inner.branches[inner.kept_branch()].depth if inner.has_kept_branch() else depth
                else:
                    inner.branches.append(_Branch(end))
    return read


def _count_bracket(depth: tuple[int, int], bracket: bytes) -> tuple[int, int]:
    step = 1 if bracket in _OPENING else -1
    return (depth[0] + step, depth[1]) if bracket in b"()" else (depth[0], depth[1] + step)


def _is_inside_statement(data: bytes, start: int, end: int, edges: dict[int, int]) -> bool:
    """Return whether a directive stands inside a statement.

    edges: the start of each comment by its end, and the end of each directive by itself.
    """
    before = _skip_back(data, start, edges)
    if before not in edges and _INSIDE_BEFORE.search(data, max(0, before - _MAX_WORD), before):
        return True
    return _INSIDE_AFTER.match(data, end) is not None


def _is_unfinished(data: bytes, branch: _Branch, edges: dict[int, int]) -> bool:
    """Return whether a branch ends inside a statement."""
    end = _skip_back(data, branch.end, edges)
    return end > branch.start and end not in edges and data[end - 1] not in b";{}:"


def _skip_back(data: bytes, end: int, edges: dict[int, int]) -> int:
    """Return the end of the text before spaces and comments."""
    end = skip_spaces_back(data, end)
    while edges.get(end, end) < end:
        end = skip_spaces_back(data, edges[end])
    return end


def skip_spaces_back(data: bytes, end: int) -> int:
    """Return the end of the text before the spaces that end at an offset."""
    while end and data[end - 1] in b" \t\r\n":
        end -= 1
    return end
