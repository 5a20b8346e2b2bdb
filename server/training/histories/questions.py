"""Write evaluation files of held-out repositories: a commit's subject must find the functions that it changed.

A file has one JSON object a line: passages (`name`, `path`, `container`, `text`), numbered from 0 in their order, then
questions. A question has its text, the numbers of the passages sought (`targets`), those of the files that the commit
changed (`file`), and those of the whole repository (`tree`), all as they were before the commit. `other_words` tells
that no stemmed word of it is in the path, container or name of what it seeks.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scry.core.types import Symbol
from training.archives import mined_path
from training.evaluate import shares_no_word
from training.histories.changes import (
    SHORTEST_CODE,
    FileVersion,
    Message,
    SymbolCache,
    changed_files,
    changed_symbols,
    is_source,
    language_at,
    passage_text,
    read_symbols,
    useful_commits,
)
from training.histories.clones import Clone
from training.records import Record

QUESTIONS = 40
_CONSIDERED = 800
_WINDOW = 300
"""Newest useful commits from which questions are drawn: the nearer two commits, the more files they share."""

_MOST_FILES = 1500
_MOST_TARGETS = 3
_FEWEST_NEIGHBOURS = 4


class Snapshots:
    """The passages of a repository's files at several commits; a file that stays the same is read once."""

    def __init__(self, clone: Clone) -> None:
        self._clone = clone
        self._numbers: dict[tuple[str, str], list[int]] = {}
        self.passages: list[dict[str, str]] = []
        self.records: list[Record] = []

    def tree(self, commit: str) -> dict[str, list[int]]:
        """Return the numbers of the passages of every source file of a commit, by path."""
        files = [file for file in self._clone.files(commit) if is_source(file.path)][:_MOST_FILES]
        new = [file for file in files if (file.path, file.blob) not in self._numbers]
        for file, text in zip(new, self._clone.read([file.blob for file in new]), strict=True):
            symbols = read_symbols(file.path, text) if text and mined_path(file.path, text) else []
            self._numbers[file.path, file.blob] = [number for one in symbols for number in self._add(file.path, one)]
        return {file.path: self._numbers[file.path, file.blob] for file in files}

    def _add(self, path: str, symbol: Symbol) -> list[int]:
        text = passage_text(symbol)
        if len(text) < SHORTEST_CODE:
            return []
        self.passages.append({"name": symbol.name, "path": path, "container": symbol.container, "text": text})
        self.records.append(Record("", language_at(path), path, "", symbol.name, symbol.container, "", text))
        return [len(self.passages) - 1]


def write_questions(clone: Clone, commit: str, name: str, target: Path) -> int:
    """Write a held-out repository's evaluation file; return the number of questions."""
    snapshots = Snapshots(clone)
    cache = SymbolCache()
    questions: list[dict[str, Any]] = []
    chosen = useful_commits(clone, commit, _CONSIDERED)[:_WINDOW]
    for message, files in changed_files(clone, chosen):
        question = _question(message, files, cache, snapshots)
        if question:
            questions.append({"repository": name, **question})
        if len(questions) == QUESTIONS:
            break
    partial = target.with_suffix(".partial")
    with partial.open("w", encoding="utf-8") as file:
        for line in (*snapshots.passages, *questions):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    partial.replace(target)
    return len(questions)


def _question(
    message: Message, files: Sequence[FileVersion], cache: SymbolCache, snapshots: Snapshots
) -> dict[str, Any] | None:
    changed: list[tuple[str, Symbol]] = []
    for file in files:
        symbols = cache.symbols(file.path, file.before) if file.before else []
        found, outside = changed_symbols(symbols, file.hunks)
        if outside or not file.before:
            return None  # what was added can't be found in the state before
        changed += ((file.path, symbol) for symbol in found)
    if not 0 < len(changed) <= _MOST_TARGETS:
        return None
    tree = snapshots.tree(message.parent)
    beside = [number for file in files for number in tree.get(file.path, [])]
    sought = {(path, symbol.name, symbol.container, passage_text(symbol)) for path, symbol in changed}
    targets = [
        number
        for number in beside
        if tuple(snapshots.passages[number][key] for key in ("path", "name", "container", "text")) in sought
    ]
    subject = message.text.partition("\n")[0]
    if not targets or len(beside) < len(targets) + _FEWEST_NEIGHBOURS:
        return None
    return {
        "question": subject,
        "language": language_at(changed[0][0]),
        "commit": message.sha,
        "parent": message.parent,
        "targets": targets,
        "file": beside,
        "tree": [number for numbers in tree.values() for number in numbers],
        "other_words": all(shares_no_word(subject, snapshots.records[number]) for number in targets),
    }
