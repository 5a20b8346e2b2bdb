"""Pair the subject of a commit with the functions that it changed, as they were before, and with their neighbours.

Symbols are those of the product's parser, so that a passage is what the index would hold. Only small changes are used:
a subject speaks of few functions, and in a sweeping change it says little of any one.
"""

from __future__ import annotations

import hashlib
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from scry.core.types import Symbol
from scry.index.git.log import CommitFileChange, LoggedCommit, list_commits, read_commits
from scry.index.git.stream import GitFailed
from scry.index.parse.parse import parse_here
from scry.index.parse.shape import UnusualShape
from scry.store.history.commits import Hunk
from training.archives import is_wanted, mined_path
from training.histories.clones import Clone
from training.histories.messages import clean_body, clean_subject, is_bot
from training.languages import GRAMMARS, grammar_for
from training.records import Record

SUFFIXES = frozenset(suffix for grammar in GRAMMARS for suffix in grammar.suffixes)
SHORTEST_CODE = 40
LONGEST_CODE = 4000

_NEWEST = 30_000
_BATCH = 200
_MOST_FILES = 3
_MOST_FUNCTIONS = 5
_MOST_ADDED = 3
_MOST_SIBLINGS = 24
_MOST_TIMES = 8
"""Commits kept of one function: a subject a line would otherwise teach one hot function of each project."""

_MOST_SECONDS = 1.0
_DEFINITIONS = frozenset(
    "function method class interface struct enum trait module type macro implementation constant variable field".split()
)
_ADDED = frozenset("function method class struct enum trait interface macro".split())
_PARSED = 400


@dataclass(frozen=True, slots=True)
class Message:
    """A commit that is worth reading: its name, its parent's, and what it says."""

    sha: str
    parent: str
    text: str


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A file that a commit changed: its path before and after, its text before and after, and the changed lines."""

    path: str
    new_path: str
    before: str | None
    after: str | None
    hunks: tuple[Hunk, ...]


class SymbolCache:
    """The symbols of the texts parsed last: a commit's file is the one before the next newer commit."""

    def __init__(self) -> None:
        self._parsed: OrderedDict[tuple[str, str], list[Symbol]] = OrderedDict()

    def symbols(self, path: str, text: str) -> list[Symbol]:
        """Return the named symbols of a text; none for one that has an unusual shape."""
        key = (path, text)
        if key not in self._parsed:
            self._parsed[key] = read_symbols(path, text)
            if len(self._parsed) > _PARSED:
                self._parsed.popitem(last=False)
        self._parsed.move_to_end(key)
        return self._parsed[key]


def read_symbols(path: str, text: str) -> list[Symbol]:
    """Return the definitions in a text as the index would hold them; none for a text of unusual shape."""
    try:
        parsed = parse_here(path, text, _MOST_SECONDS)
    except UnusualShape:
        return []
    return [symbol for symbol in parsed.symbols if symbol.name and symbol.kind in _DEFINITIONS]


def passage_text(symbol: Symbol) -> str:
    """Return the text that the index would embed for a symbol."""
    return (f"{symbol.doc}\n{symbol.own_text}" if symbol.doc else symbol.own_text)[:LONGEST_CODE]


def language_at(path: str) -> str:
    """Return the name of a path's language; a file without a suffix is a shell script."""
    grammar = grammar_for(path)
    return grammar.name if grammar else "bash"


def useful_commits(clone: Clone, commit: str, most: int) -> list[Message]:
    """Return at most so many commits with a useful subject, spread evenly over the history, newest first."""
    listed = [one.sha for one in list_commits(clone.folder, [commit], _NEWEST, in_subfolder=False) if not one.is_merge]
    found: list[Message] = []
    for logged in read_commits(clone.folder, listed, in_subfolder=False, with_files=False):
        message = _message(logged)
        if message:
            found.append(message)
    times = Counter(message.text for message in found)
    found = [message for message in found if times[message.text] == 1]
    return [found[number * len(found) // most] for number in range(most)] if len(found) > most else found


def changed_files(clone: Clone, messages: Sequence[Message]) -> Iterator[tuple[Message, list[FileVersion]]]:
    """Yield the commits that changed few source files, with the files' texts before and after."""
    remaining = iter(messages)
    while batch := list(islice(remaining, _BATCH)):
        yield from _read_batch(clone, batch)


def _read_batch(clone: Clone, batch: Sequence[Message]) -> Iterator[tuple[Message, list[FileVersion]]]:
    by_sha = {message.sha: message for message in batch}
    few = [
        one.sha
        for one in read_commits(clone.folder, list(by_sha), in_subfolder=False)
        if one.files and len(one.files) <= 12 and 0 < len(_sources(one.files)) <= _MOST_FILES
    ]
    small: list[tuple[Message, list[CommitFileChange]]] = []
    for logged in _read_lines(clone, few):
        small.append((by_sha[logged.sha], _sources(logged.files or ())))
    names = [
        f"{sha}:{path}"
        for message, files in small
        for file in files
        for sha, path in ((message.parent, file.source or file.path), (message.sha, file.path))
    ]
    texts = clone.read([name for name in names if "\n" not in name])
    for message, files in small:
        yield message, [_version(file, texts) for file in files if "\n" not in file.path]


def _read_lines(clone: Clone, shas: Sequence[str]) -> list[LoggedCommit]:
    """Return commits with their changed lines, without those for which a partial clone lacks a file."""
    try:
        return list(read_commits(clone.folder, shas, in_subfolder=False, with_lines=True))
    except GitFailed:
        half = len(shas) // 2
        return [*_read_lines(clone, shas[:half]), *_read_lines(clone, shas[half:])] if half else []


def _version(file: CommitFileChange, texts: Iterator[str | None]) -> FileVersion:
    before, after = next(texts), next(texts)
    return FileVersion(
        file.source or file.path, file.path, _readable(file.path, before), _readable(file.path, after), file.hunks or ()
    )


def _readable(path: str, text: str | None) -> str | None:
    return text if text and mined_path(path, text) else None


def _sources(files: Sequence[CommitFileChange]) -> list[CommitFileChange]:
    return [file for file in files if "\n" not in f"{file.path}{file.source}" and is_source(file.path)]


def is_source(path: str) -> bool:
    """Tell whether a path is of a source file, not of a test, a vendored or a generated one."""
    return path.isprintable() and is_wanted(path, 0, SUFFIXES)


def _message(logged: LoggedCommit) -> Message | None:
    if len(logged.parents) != 1 or is_bot(logged.author):
        return None
    subject = clean_subject(logged.subject)
    if not subject:
        return None
    body = clean_body(logged.body)
    return Message(logged.sha, logged.parents[0], f"{subject}\n\n{body}" if body else subject)


class ChangeMiner:
    """Turns the commits of one repository into records, each function's text at most once for each commit."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._cache = SymbolCache()
        self._times: Counter[tuple[str, str, str]] = Counter()
        self._seen: set[bytes] = set()

    def mine(self, message: Message, files: Sequence[FileVersion]) -> Iterator[Record]:
        """Yield a commit's records: `commit` for functions changed, `added` for new ones, then each file's others."""
        found = [(file, *self._changes(file)) for file in files]
        if not 0 < sum(len(changed) + len(added) for _, changed, _, added in found) <= _MOST_FUNCTIONS:
            return
        for file, changed, symbols, added in found:
            for symbol in changed:
                yield from self._record(file.path, symbol, "commit", message.text)
            for symbol in added:
                yield from self._record(file.new_path, symbol, "added", message.text)
            for symbol in _siblings(symbols, changed):
                yield from self._record(file.path, symbol, "sibling", "")

    def _changes(self, file: FileVersion) -> tuple[list[Symbol], list[Symbol], list[Symbol]]:
        before = self._cache.symbols(file.path, file.before) if file.before else []
        changed, outside = changed_symbols(before, file.hunks)
        added: list[Symbol] = []
        if outside and file.after:
            known = {(symbol.name, symbol.container) for symbol in before}
            after = self._cache.symbols(file.new_path, file.after)
            added = [symbol for symbol in added_symbols(after, outside) if (symbol.name, symbol.container) not in known]
        return changed, before, added if len(added) <= _MOST_ADDED else []

    def _record(self, path: str, symbol: Symbol, kind: str, text: str) -> Iterator[Record]:
        code = passage_text(symbol)
        if len(code) < SHORTEST_CODE:
            return
        place = (path, symbol.container, symbol.name)
        digest = hashlib.blake2b(
            "\0".join((*place, text, "".join(code.split()))).encode("utf-8", "surrogatepass"), digest_size=12
        )
        if digest.digest() in self._seen or (text and self._times[place] >= _MOST_TIMES):
            return
        self._seen.add(digest.digest())
        self._times[place] += bool(text)
        yield Record(self._package, language_at(path), path, kind, symbol.name, symbol.container, text, code)


def changed_symbols(symbols: Sequence[Symbol], hunks: Sequence[Hunk]) -> tuple[list[Symbol], list[Hunk]]:
    """Return the innermost symbols with changed lines, in their order, and the hunks that added lines outside of all.

    Lines inserted into a class, but into no function of it, are outside.
    """
    chosen: dict[int, None] = {}
    outside: list[Hunk] = []
    for hunk in hunks:
        old, count, _, new_count = hunk
        if count:
            inner = {_innermost(symbols, line, line) for line in range(old - 1, old - 1 + min(count, 300))}
            chosen.update(dict.fromkeys(sorted(number for number in inner if number >= 0)))
        else:
            number = _innermost(symbols, old - 1, old)
            if number >= 0 and symbols[number].kind in ("function", "method", "macro"):
                chosen[number] = None
            elif new_count >= 2:
                outside.append(hunk)
    return [symbols[number] for number in sorted(chosen) if _lines(symbols[number]) >= 2], outside


def added_symbols(symbols: Sequence[Symbol], hunks: Sequence[Hunk]) -> list[Symbol]:
    """Return the symbols that lie wholly within added lines, without those nested in another one of them."""
    found: list[Symbol] = []
    for symbol in symbols:
        first, last = symbol.name_span.start.line, last_line(symbol)
        inside = any(new - 1 <= first and last <= new - 1 + count for _, _, new, count in hunks)
        nested = found and last <= last_line(found[-1])
        if inside and not nested and symbol.kind in _ADDED and _lines(symbol) >= 3:
            found.append(symbol)
    return found


def last_line(symbol: Symbol) -> int:
    """Return the last line of a symbol, 0-based."""
    end = symbol.span.end
    return end.line - 1 if end.utf8 == 0 and end.line > symbol.span.start.line else end.line


def _lines(symbol: Symbol) -> int:
    return last_line(symbol) - symbol.span.start.line + 1


def _innermost(symbols: Sequence[Symbol], first: int, last: int) -> int:
    """Return the number of the smallest symbol that contains both lines; -1 for none."""
    best, size = -1, 1 << 30
    for number, symbol in enumerate(symbols):
        if symbol.span.start.line <= first and last <= last_line(symbol) and _lines(symbol) <= size:
            best, size = number, _lines(symbol)
    return best


def _siblings(symbols: Sequence[Symbol], changed: Sequence[Symbol]) -> list[Symbol]:
    """Return the symbols nearest to the changed ones, in their order."""
    if not changed:
        return []
    lines = [symbol.span.start.line for symbol in changed]
    others = [symbol for symbol in symbols if symbol not in changed and _lines(symbol) >= 2]
    others.sort(key=lambda symbol: min(abs(symbol.span.start.line - line) for line in lines))
    return sorted(others[:_MOST_SIBLINGS], key=lambda symbol: symbol.span.start.line)
