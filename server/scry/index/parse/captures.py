"""Run a language's tree-sitter query over a text, with a time limit and recovery after syntax errors.

A grammar that does not know some syntax can take all the rest of a file for one error, and every definition in it would
be lost. Top-level definitions stand in paragraphs that begin in the first column, so parsing restarts at the next
paragraph. Before that, the language's mends are tried (`Language.load_mends`).

No function here or downstream recurses into nested nodes. Parsing ends at a budget of processor time and memory; a
query cannot be ended, so a tree that would keep one busy gets a process of its own (`scry.index.parse.shape`).
"""

from __future__ import annotations

import ctypes
import functools
import re
import sys
import time
from collections.abc import Callable, Mapping
from itertools import pairwise

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor, Tree

from scry.core.platform import used_memory
from scry.index.parse.languages.language import Language
from scry.index.parse.shape import MAX_NODES, UnusualShape, check_text, check_tree, is_repetitive

_PARSE_READ_BYTES = 1024
"""Bytes that tree-sitter reads at a time while it parses; it often goes back, so that more would be read again."""

_QUERY_READ_BYTES = 256
"""Bytes that it reads for each node whose text a predicate compares: with 65,536 the query over 100 KB of Elixir took
5 s, with 256 it takes 0.2 s.
"""

_LOOK_INTERVAL_S = 0.005
"""Time between two looks at the processor time and memory of a parse. A progress callback comes every 10 to 20 µs of
parsing, and each look took a fifth of that; no thread takes more processor time than passes.
"""

_MAX_PARSE_MEMORY_BYTES = 200_000_000
"""Growth of this process's memory while a text is parsed; a megabyte of source takes 11 to 19 MB."""

_MAX_ERROR_CHILDREN = 10_000
"""Children of an error node above which a text is not queried. A query over an error of 10,000 children takes 0.2 s,
over one of 100,000 some 15 s (a megabyte of `[`).
"""
Captures = Mapping[str, list[Node]]

_drop_reference = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_DecRef", ctypes.pythonapi))

_loaded_parsers: dict[tuple[Callable[[], object], str], tuple[Parser, Query]] = {}


class NotParsed(Exception):
    """A text is to be read as plain text; the message says why."""


def run_query(language: Language, data: bytes, max_seconds: float, *, any_shape: bool = False) -> Captures:
    """Return the nodes that the query of `language` captures, by capture name, in no order.

    max_seconds: processor time for all parsing of this text. any_shape: this process serves this text alone. Raises
    NotParsed when parsing takes longer, or when the text is too repetitive or too broken to be a program, and
    UnusualShape, unless `any_shape`, for a text that has to be parsed in a process of its own.
    """
    if is_repetitive(data):
        raise NotParsed("the text repeats itself as no program does")
    if not any_shape:
        check_text(data)
    parser, query = _load_parser(language)
    if not any_shape:
        _check_samples(parser, data)
    budget = _Budget(max_seconds)

    def parse(text: bytes) -> Tree | None:
        reader = _Reader(_terminate_last_line(language, text))
        try:
            tree = parser.parse(reader, progress_callback=budget.is_over)
        except ValueError:  # the progress callback stopped it
            parser.reset()
            if not budget.is_memory_over:
                return None
            reason = f"parsing takes over {_MAX_PARSE_MEMORY_BYTES // 1_000_000} MB of memory"
            raise (NotParsed(reason) if any_shape else UnusualShape(reason)) from None
        reader.read_bytes = _QUERY_READ_BYTES
        _check_size(tree.root_node)
        if not any_shape:
            check_tree(tree.root_node)
        return tree

    tree = parse(data)
    if tree is None:
        raise NotParsed(f"parsing takes over {max_seconds:g} s")
    tree, data = _mend_errors(language, tree, data, parse)
    # The cursor's own progress callback crashes in py-tree-sitter 0.26.1.
    return recover_captures(tree, data, parse, lambda root: QueryCursor(query).captures(root))


def _mend_errors(language: Language, tree: Tree, data: bytes, parse: ParseFunction) -> tuple[Tree, bytes]:
    """Return the tree and the text after those of the language's mends that leave fewer errors."""
    if not tree.root_node.has_error or len(data) > _MAX_MENDED_BYTES:
        return tree, data
    errors = _count_error_bytes(tree.root_node)
    for mend in language.load_mends() if errors >= language.min_mended_errors else ():
        mended = mend(data)
        try:
            candidate = parse(mended) if mended != data else None
        except (NotParsed, UnusualShape):  # it is worse than the text itself
            candidate = None
        if candidate and (left := _count_error_bytes(candidate.root_node)) < errors:
            tree, data, errors = candidate, mended, left
            if errors < language.min_mended_errors:
                break
    return tree, data


def _count_error_bytes(root: Node) -> int:
    """Return the length of all errors in bytes; something that is missing counts as one byte."""
    waiting, length = [root], 0
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            length += max(1, node.end_byte - node.start_byte)
        else:
            waiting += [child for child in node.children if child.has_error]
    return length


class _Reader:
    """Give tree-sitter a text in chunks: to the parser, and for each node that a predicate of a query compares.

    read_bytes: the length of a chunk.

    py-tree-sitter up to 0.26.1 never gives up its reference to a chunk, so that each parse would leave twice the text
    in this process, and one of a text that is read again and again a thousand times. Where `_keeps_chunks` says so, the
    reference is taken back at the next read, when nothing needs the chunk any more.
    """

    def __init__(self, text: bytes) -> None:
        """Read nothing yet."""
        self._text = text
        self._chunk = b""
        self.read_bytes = _PARSE_READ_BYTES

    def __call__(self, offset: int, _: object) -> bytes:
        """Return the text from an offset on, in an object of its own."""
        self._take_back_chunk()
        chunk = self._text[offset : offset + self.read_bytes]
        self._chunk = chunk = bytes(bytearray(chunk)) if chunk is self._text else chunk
        return chunk

    def __del__(self) -> None:
        """Take back the reference to the last chunk."""
        self._take_back_chunk()

    def _take_back_chunk(self) -> None:
        # Beside the kept reference there are that of this object and that of the call; a chunk of one byte is the
        # interpreter's own.
        if _keeps_chunks() and len(self._chunk) > 1 and sys.getrefcount(self._chunk) > 2:
            _drop_reference(self._chunk)


@functools.cache
def _keeps_chunks() -> bool:
    """Return whether the installed py-tree-sitter keeps what it read beyond the parse. A parser has to be loaded."""
    chunk = bytes(bytearray(b"# read once\n"))
    before = sys.getrefcount(chunk)
    loaded, _ = next(iter(_loaded_parsers.values()))
    parser = Parser(loaded.language)
    parser.parse(lambda offset, _: b"" if offset else chunk)
    return sys.getrefcount(chunk) > before


class _Budget:
    """The processor time and the memory that parsing one text may take."""

    def __init__(self, max_seconds: float) -> None:
        """Begin now; most texts are parsed before the first look, which counts the memory."""
        self._deadline = time.thread_time() + max_seconds
        self._next_look = time.monotonic() + min(_LOOK_INTERVAL_S, max_seconds)
        self._max_memory = 0
        self.is_memory_over = False

    def is_over(self, *_: object) -> bool:
        """Return whether parsing has to end; a progress callback of tree-sitter."""
        now = time.monotonic()
        if now < self._next_look:
            return False
        self._next_look, used = now + _LOOK_INTERVAL_S, used_memory()
        self._max_memory = self._max_memory or used + _MAX_PARSE_MEMORY_BYTES
        self.is_memory_over = used > self._max_memory
        return self.is_memory_over or time.thread_time() > self._deadline


def _terminate_last_line(language: Language, text: bytes) -> bytes:
    return text + b"\n" if language.needs_final_newline and not text.endswith(b"\n") else text


_SAMPLE_BYTES = 4_096
_SAMPLE_DISTANCE = 32_768
_MAX_SAMPLE_SECONDS = 0.03
"""Samples of a text, an eighth of it, are parsed first: each takes 0.5 ms in the median of 421 real files, at most 14.
One of `a => b => …` takes 110 ms in the grammars of Java and C, and the time rises with the square of the length: 14 KB
take 1.3 s, 180 KB minutes, in a single step that the progress callback does not see.
"""

MIN_SAMPLED_BYTES = 12_288
"""Length from which a text is sampled. The worst shorter one, `a => b => …` in Java, takes 1 s. Half of the texts
that a sample fits in are shorter, and a sample is a large part of them.
"""


def _check_samples(parser: Parser, data: bytes) -> None:
    """Raise UnusualShape for a text that the grammar takes far longer for than for a program."""
    if len(data) < MIN_SAMPLED_BYTES:
        return
    for start in range(0, len(data) - _SAMPLE_BYTES, _SAMPLE_DISTANCE):
        sample = data[start : start + _SAMPLE_BYTES] + b"\n"  # see Language.needs_final_newline
        times = (_parse_seconds(parser, sample) for _ in range(2))  # the second only where the first took long
        if all(seconds > _MAX_SAMPLE_SECONDS for seconds in times):
            raise UnusualShape(f"a part of it takes over {1000 * _MAX_SAMPLE_SECONDS:g} ms")


def _parse_seconds(parser: Parser, data: bytes) -> float:
    """Return the processor time for a sample, or somewhat over _MAX_SAMPLE_SECONDS for one that takes longer: recovery
    from errors in 4 KB of the grammar of Kotlin took over five minutes.
    """
    start, may_end = time.thread_time(), time.monotonic() + _MAX_SAMPLE_SECONDS

    def takes_long(*_: object) -> bool:
        return time.monotonic() > may_end and time.thread_time() - start > _MAX_SAMPLE_SECONDS

    try:
        parser.parse(_Reader(data), progress_callback=takes_long)
    except ValueError:  # the progress callback stopped it
        parser.reset()
    return time.thread_time() - start


def _check_size(root: Node) -> None:
    """Raise NotParsed for a tree that a query would not come back from."""
    if root.descendant_count > MAX_NODES:
        raise NotParsed(f"over {MAX_NODES:,} parts of syntax")
    if root.has_error and _has_oversized_error(root):
        raise NotParsed(f"a syntax error of over {_MAX_ERROR_CHILDREN:,} parts")


def _load_parser(language: Language) -> tuple[Parser, Query]:
    """Return the parser and compiled query of a language, made once in a process (3 to 400 ms)."""
    if language.grammar is None:
        raise ValueError(f"{language.name} has no grammar")
    key = (language.grammar, language.query)
    loaded = _loaded_parsers.get(key)
    if loaded is None:
        grammar = Grammar(language.grammar())
        loaded = _loaded_parsers[key] = (Parser(grammar), Query(grammar, language.query))
    return loaded


def _has_oversized_error(root: Node) -> bool:
    """Return whether an error has so many children that a query, quadratic in them, would not come back."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error and node.child_count > _MAX_ERROR_CHILDREN:
            return True
        waiting += [child for child in node.children if child.has_error and child.child_count]
    return False


_MIN_ERROR_LINES = 15
"""Lines of an error that is recovered from; a smaller one has lost little, and the rest is mostly parsed right."""

_MAX_RESTARTS = 8
_MAX_RECOVERABLE_BYTES = 1 << 19
"""Size of a file that is recovered: each restart parses the whole rest, so that a larger one would take seconds."""

_PARAGRAPH_START = re.compile(rb"\n[ \t]*\r?\n(?=[^\s)\]}])")
_NOT_LINE_END = re.compile(rb"[^\n]")

_MAX_MENDED_BYTES = 1 << 18
"""Size of a file that is mended, which may parse it four times more: 256 KB of C++ take some 0.2 s each time."""

ParseFunction = Callable[[bytes], "Tree | None"]


def recover_captures(
    first_tree: Tree, data: bytes, parse: ParseFunction, query: Callable[[Node], Captures]
) -> Captures:
    """Return the captures of the query, including those behind wide errors; byte offsets are those in `data`.

    parse: returns None when it took too long.
    """
    captures = query(first_tree.root_node)
    if not first_tree.root_node.has_error or len(data) > _MAX_RECOVERABLE_BYTES:
        return captures
    starts, trees = [0], [first_tree]
    while len(trees) <= _MAX_RESTARTS:
        restart = _find_restart(trees[-1].root_node, data, starts[-1])
        try:
            tree = parse(_NOT_LINE_END.sub(b" ", data[:restart]) + data[restart:]) if restart else None
        except NotParsed:  # the rest is more broken than the whole
            tree = None
        if tree is None:
            break
        starts.append(restart)
        trees.append(tree)
    if len(trees) == 1:
        return captures
    recovered: dict[str, list[Node]] = {}
    for (start, end), tree in zip(pairwise([*starts, len(data) + 1]), trees, strict=True):
        for label, nodes in query(tree.root_node).items():
            recovered.setdefault(label, []).extend(n for n in nodes if start <= n.start_byte and n.end_byte <= end)
    return recovered if _count_definitions(recovered) > _count_definitions(captures) else captures


def _find_restart(root: Node, data: bytes, after: int) -> int:
    """Return the first paragraph in the first wide error behind the offset `after`; 0 where there is none."""
    for node in [root] if root.is_error else root.children:
        if node.is_error and node.end_byte > after and node.end_point[0] - node.start_point[0] >= _MIN_ERROR_LINES:
            paragraph = _PARAGRAPH_START.search(data, max(node.start_byte, after + 1), node.end_byte)
            if paragraph:
                return paragraph.end()
    return 0


def _count_definitions(captures: Captures) -> int:
    return sum(len(nodes) for label, nodes in captures.items() if label.startswith("definition."))
