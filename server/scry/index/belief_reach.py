"""What a belief bears on: what it cites, what the commits nearest to it in meaning changed, and the notes near it (K3).

What is cited counts 1. A commit is near by the cosine of its message and the belief's statement, among the commits
that hold the statement's words best and the newest that changed a cited file. What a belief cites says which work it is
about: any other commit has to be nearer. Each file that a commit changed is reached by that cosine, less the more files
it changed; a changelog is changed with everything, and is about nothing. docs/quality.md has the figures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from scry.core.doc_id import commit_id, file_id
from scry.core.evidence import Evidence, parse_evidence
from scry.core.notes import Note
from scry.core.text import content_terms
from scry.embedding.choose import bundled
from scry.embedding.embedder import Passage, Vectors
from scry.store.history_reader import HistoryReader
from scry.store.history_rows import MOST_TIED_FILES, Commit
from scry.store.knowledge_file import KnowledgeFile, Reached

REACH_VERSION = 2
"""Rises when the same notes and history give another reach."""

LOOKED_AT = 50
OF_A_CITED_FILE = 200
"""So many commits, the best by words and the newest of each cited file, are compared by meaning."""

NEAREST = 5
NEAR = 0.25
NEAR_ELSEWHERE = 0.5
NEAR_UNCITED = 0.4
"""Of these the nearest five count: commits that changed a cited file from the first cosine on, others from the second;
of a belief that cites no file all from the third. Chosen on 20 labelled beliefs (tests/rank/reach)."""

LEAST = 0.15
"""A file that is reached by less is left out: one of three files of a commit that is just near."""

MOST_FILES = 20
NEAR_NOTE = 0.5
MOST_NOTES = 5
_MOST_TERMS = 32

_CHANGELOG = re.compile(r"(?:^|/)(?:changes|changelog|history|news|releases?)(?:\.\w+)?$", re.IGNORECASE)

_Found = dict[str, Reached]


class ReachMaker:
    """Works out reaches, with what was encoded of commits kept for the next belief."""

    def __init__(self, file: KnowledgeFile, history: HistoryReader) -> None:
        self._file = file
        self._history = history
        self._model = bundled()
        self._vectors: dict[int, Vectors] = {}

    def reach(self, note: Note) -> list[Reached]:
        """All that a belief bears on, each once with its best score."""
        found: _Found = {}
        cited = [parse_evidence(written) for written in note.evidence]
        for reached in (*self._cited(cited), *self._near_commits(note, cited), *self._near_notes(note)):
            before = found.get(reached.target)
            if before is None or before.score < reached.score:
                found[reached.target] = reached
        files = sorted(_files(found.values()), key=lambda reached: (-reached.score, reached.target))[:MOST_FILES]
        return [*files, *(reached for reached in found.values() if not reached.target.startswith("./"))]

    # What is cited ------------------------------------------------------------------------------------------------

    def _cited(self, cited: Sequence[Evidence]) -> Iterable[Reached]:
        for evidence in cited:
            if evidence.path:
                yield Reached(file_id(evidence.path), 1.0, f"cited: {evidence.written}")
            elif evidence.kind == "note":
                yield Reached(evidence.name, 1.0, "cited")
            else:
                yield from self._cited_commit(evidence.name)

    def _cited_commit(self, digits: str) -> Iterable[Reached]:
        found = self._history.commits_beginning(digits)
        if len(found) == 1:
            yield Reached(commit_id(found[0].sha), 1.0, "cited")
            yield from self._changed(found[0], 1.0, "the cited commit")

    # What is near -------------------------------------------------------------------------------------------------

    def _near_commits(self, note: Note, cited: Sequence[Evidence]) -> Iterable[Reached]:
        near = sorted(self._compared(note, cited), key=lambda pair: (-pair[1], pair[0].sha))[:NEAREST]
        support: dict[str, float] = {}
        for commit, cosine in near:
            yield Reached(commit_id(commit.sha), round(cosine, 3), f'near in meaning: "{commit.subject}"')
            for reached in self._changed(commit, cosine, "a near commit"):
                support[reached.target] = 1 - (1 - support.get(reached.target, 0.0)) * (1 - reached.score)
                yield Reached(reached.target, round(min(0.99, support[reached.target]), 3), reached.reason)

    def _compared(self, note: Note, cited: Sequence[Evidence]) -> list[tuple[Commit, float]]:
        """The commits that are near, each with its cosine."""
        terms = content_terms(f"{note.title} {note.body}")[:_MOST_TERMS]
        if not terms or self._history.is_empty:
            return []
        paths = {evidence.path for evidence in cited if evidence.path}
        of_cited = {number for path in paths for number in self._history.commits_of_file(path, OF_A_CITED_FILE)}
        by_words = [number for number, _ in self._history.words.search(terms, LOOKED_AT)]
        commits = self._history.commits([*of_cited.union(by_words)])
        looked_at = [commits[number] for number in sorted(commits) if not commits[number].is_merge]
        self._encode(looked_at)
        query = self._model.encode_query(note.title)
        compared = ((commit, float(np.dot(self._vectors[commit.number], query))) for commit in looked_at)
        elsewhere = NEAR_ELSEWHERE if paths else NEAR_UNCITED
        return [
            (commit, cosine)
            for commit, cosine in compared
            if cosine >= (NEAR if commit.number in of_cited else elsewhere)
        ]

    def _encode(self, commits: Sequence[Commit]) -> None:
        missing = [commit for commit in commits if commit.number not in self._vectors]
        passages = [Passage(commit.subject, "", "", f"{commit.subject}\n{commit.body}") for commit in missing]
        rows = self._model.encode_passages(passages)
        self._vectors |= {commit.number: row for commit, row in zip(missing, rows, strict=True)}

    def _changed(self, commit: Commit, weight: float, what: str) -> Iterable[Reached]:
        """The files that a commit changed; what changed many says little of each."""
        changed = self._history.files_of([commit.number]).get(commit.number, [])
        paths = [path for path in changed if not _CHANGELOG.search(path)]
        if not paths or len(paths) > MOST_TIED_FILES:
            return
        score = round(weight / math.sqrt(len(paths)), 3)
        for path in paths:
            yield Reached(file_id(path), score, f'changed by {what}, {commit.sha[:7]} "{commit.subject}"')

    def _near_notes(self, note: Note) -> Iterable[Reached]:
        shelf = self._file.shelf
        found = shelf.by_meaning(self._model.identity, self._model.encode_query(note.title)).at_least(NEAR_NOTE)
        near = sorted(found.best(MOST_NOTES + 1).pairs(), key=lambda pair: (-pair[1], pair[0]))
        outlines = shelf.outlines([number for number, _ in near])
        others = [(outlines[number].doc_id, cosine) for number, cosine in near if number in outlines]
        for doc_id, cosine in [pair for pair in others if pair[0] != note.doc_id][:MOST_NOTES]:
            yield Reached(doc_id, round(cosine, 3), "near in meaning")


def _files(found: Iterable[Reached]) -> list[Reached]:
    return [reached for reached in found if reached.target.startswith("./") and reached.score >= LEAST]
