"""Find the files, commits and notes that a belief bears on (its coverage, K3), and keep them up to date.

A citation counts 1. A commit is near by the cosine of its message and the belief's statement, among the commits that
match the statement's words best and the newest that changed a cited file. Citations say which work a belief is about:
any other commit has to be nearer. Each file that a commit changed scores that cosine, divided by the square root of the
number of files changed; a changelog changes with everything and is left out. docs/quality.md has the figures.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import islice

import numpy as np

from scry.core.doc_id import commit_doc_id, file_doc_id
from scry.core.errors import IndexUnavailable
from scry.core.knowledge import Citation, NoteFile, parse_citation
from scry.core.text import content_terms
from scry.core.types import FileFault, IndexingStage
from scry.embedding.embedder import Passage, Vectors
from scry.embedding.static_model import load_bundled_model
from scry.index.parse.parser_version import reading_version
from scry.projects.project import Project
from scry.store.history.commits import MAX_COCHANGE_FILES, Commit
from scry.store.history.reader import HistoryReader
from scry.store.history.store import HistoryStore
from scry.store.notes.project_notes import BeliefTarget, ProjectNoteDatabase
from scry.store.notes.schema import PROJECT_NOTES_PATH
from scry.store.sqlite.database import STORE_ERRORS

COVERAGE_VERSION = 3
"""Raised when the same notes and history give another coverage."""

MAX_COMMITS_BY_WORDS = 50
MAX_COMMITS_PER_CITED_FILE = 200
"""Numbers of commits that are compared by meaning: the best by words, and the newest of each cited file."""

MAX_NEAR_COMMITS = 5
MIN_COSINE_OF_CITED_FILES = 0.25
MIN_COSINE_OF_OTHER_FILES = 0.5
MIN_COSINE_WITHOUT_CITATION = 0.4
"""The nearest MAX_NEAR_COMMITS commits count: commits that changed a cited file from the first cosine on, others from
the second; for a belief that cites no file, all from the third. Chosen on 20 labelled beliefs (tests/rank/reach).
"""

MIN_FILE_SCORE = 0.15
"""Files with a lower score are left out: less than one of three files of a commit that is barely near."""

MAX_COVERED_FILES = 20
MIN_NOTE_COSINE = 0.5
MAX_NEAR_NOTES = 5
NEAR_NOTE_REASON = "near in meaning"
_MAX_TERMS = 32

log = logging.getLogger(__name__)

_CHANGELOG_PATH = re.compile(r"(?:^|/)(?:changes|changelog|history|news|releases?)(?:\.\w+)?$", re.IGNORECASE)

_BestByTarget = dict[str, BeliefTarget]


_BELIEFS_PER_BATCH = 50


def update_belief_coverage(project: Project, store: HistoryStore, checkpoint: Callable[[], None]) -> int:
    """Recompute the coverage of every belief whose coverage is outdated; return how many there were.

    Any note that is new, changed or gone may be among the nearest of each belief, or have been: these are looked for
    anew.

    store: the history, which records the beliefs for which that fails; they bear on nothing. checkpoint: called between
    batches; it may block, or raise Cancelled: batches written by then stay.
    """
    if not (project.cache / PROJECT_NOTES_PATH).exists():
        return 0
    try:
        with closing(ProjectNoteDatabase.open(project.cache, write=True)) as database:
            history = store.reader
            history.refresh()
            basis = f"{COVERAGE_VERSION} {history.generation}"
            due = iter(database.beliefs_without_coverage(basis))
            builder, done = BeliefCoverageBuilder(database, history), 0
            while batch := list(islice(due, _BELIEFS_PER_BATCH)):
                checkpoint()
                faults: dict[str, str] = {}
                notes = database.notes_by_doc_id(batch).items()
                database.save_coverage(
                    {doc_id: _build_or_record(builder, note, faults) for doc_id, note in notes}, basis
                )
                store.record_faults(faults, batch, reading_version())
                done += len(batch)
            _update_near_notes(database, builder, checkpoint)
            return done
    except IndexUnavailable:  # the notes' own oracle reports it; the next pass rebuilds the database
        return 0


def _update_near_notes(
    database: ProjectNoteDatabase, builder: BeliefCoverageBuilder, checkpoint: Callable[[], None]
) -> None:
    """Look for the notes near each belief anew, where any note or its vector has changed since."""
    generation = database.generation
    if database.related_generation == generation:
        return
    beliefs = iter(database.list_beliefs())
    while batch := list(islice(beliefs, _BELIEFS_PER_BATCH)):
        checkpoint()
        notes = database.notes_by_doc_id(batch)
        near = {doc_id: _near_notes_or_none(builder, note) for doc_id, note in notes.items()}
        database.replace_targets(near, NEAR_NOTE_REASON)
    database.set_related_generation(generation)


def _near_notes_or_none(builder: BeliefCoverageBuilder, note: NoteFile) -> list[BeliefTarget]:
    try:
        return list(builder.near_notes(note))
    except STORE_ERRORS:
        raise
    except Exception:
        log.warning("the notes near %s can't be found", note.doc_id, exc_info=True)
        return []


def _build_or_record(builder: BeliefCoverageBuilder, note: NoteFile, faults: dict[str, str]) -> list[BeliefTarget]:
    try:
        return builder.build(note)
    except STORE_ERRORS:
        raise
    except Exception as error:
        log.warning("the coverage of %s can't be computed", note.doc_id, exc_info=True)
        faults[note.doc_id] = str(FileFault.from_error(IndexingStage.COVERAGE, error))
        return []


class BeliefCoverageBuilder:
    """Computes coverages, and keeps the vectors of encoded commits for the next belief."""

    def __init__(self, database: ProjectNoteDatabase, history: HistoryReader) -> None:
        self._database = database
        self._history = history
        self._model = load_bundled_model()
        self._vectors: dict[int, Vectors] = {}

    def build(self, note: NoteFile, *, with_notes: bool = True) -> list[BeliefTarget]:
        """Return everything that a belief bears on, each once with its best score.

        with_notes: also the notes near in meaning, for which all notes are compared with it.
        """
        targets: _BestByTarget = {}
        citations = [parse_citation(written) for written in note.evidence]
        for target in (
            *self._cited_targets(citations),
            *self._near_commit_targets(note, citations),
            *(self.near_notes(note) if with_notes else ()),
        ):
            best = targets.get(target.target)
            if best is None or best.score < target.score:
                targets[target.target] = target
        files = sorted(_keep_strong_files(targets.values()), key=lambda target: (-target.score, target.target))[
            :MAX_COVERED_FILES
        ]
        return [*files, *(target for target in targets.values() if not target.target.startswith("./"))]

    # Citations ----------------------------------------------------------------------------------------------------

    def _cited_targets(self, citations: Sequence[Citation]) -> Iterable[BeliefTarget]:
        for citation in citations:
            if citation.path:
                yield BeliefTarget(file_doc_id(citation.path), 1.0, f"cited: {citation.raw_text}")
            elif citation.kind == "note":
                yield BeliefTarget(citation.name, 1.0, "cited")
            else:
                yield from self._cited_commit_targets(citation.name)

    def _cited_commit_targets(self, digits: str) -> Iterable[BeliefTarget]:
        commits = self._history.commits_with_prefix(digits)
        if len(commits) == 1:
            yield BeliefTarget(commit_doc_id(commits[0].sha), 1.0, "cited")
            yield from self._changed_files(commits[0], 1.0, "the cited commit")

    # Nearness in meaning ------------------------------------------------------------------------------------------

    def _near_commit_targets(self, note: NoteFile, cited: Sequence[Citation]) -> Iterable[BeliefTarget]:
        near = sorted(self._find_near_commits(note, cited), key=lambda pair: (-pair[1], pair[0].sha))[:MAX_NEAR_COMMITS]
        support: dict[str, float] = {}
        for commit, cosine in near:
            yield BeliefTarget(commit_doc_id(commit.sha), round(cosine, 3), f'near in meaning: "{commit.subject}"')
            for target in self._changed_files(commit, cosine, "a near commit"):
                support[target.target] = 1 - (1 - support.get(target.target, 0.0)) * (1 - target.score)
                yield BeliefTarget(target.target, round(min(0.99, support[target.target]), 3), target.reason)

    def _find_near_commits(self, note: NoteFile, citations: Sequence[Citation]) -> list[tuple[Commit, float]]:
        """Return the commits that are near the note, each with its cosine."""
        terms = content_terms(f"{note.title} {note.body}")[:_MAX_TERMS]
        if not terms or self._history.is_empty:
            return []
        paths = {citation.path for citation in citations if citation.path}
        cited_file_commits = {
            doc_key
            for path in paths
            for doc_key in self._history.cochange_commits_of_file(path, MAX_COMMITS_PER_CITED_FILE)
        }
        by_words = [doc_key for doc_key, _ in self._history.lexical.search(terms, MAX_COMMITS_BY_WORDS)]
        commits = self._history.get_commits([*cited_file_commits.union(by_words)])
        compared = [commits[doc_key] for doc_key in sorted(commits) if not commits[doc_key].is_merge]
        self._encode_commits(compared)
        query = self._model.encode_query(note.title)
        scored = ((commit, float(np.dot(self._vectors[commit.doc_key], query))) for commit in compared)
        min_cosine_elsewhere = MIN_COSINE_OF_OTHER_FILES if paths else MIN_COSINE_WITHOUT_CITATION
        return [
            (commit, cosine)
            for commit, cosine in scored
            if cosine >= (MIN_COSINE_OF_CITED_FILES if commit.doc_key in cited_file_commits else min_cosine_elsewhere)
        ]

    def _encode_commits(self, commits: Sequence[Commit]) -> None:
        missing = [commit for commit in commits if commit.doc_key not in self._vectors]
        passages = [Passage(commit.subject, "", "", f"{commit.subject}\n{commit.body}") for commit in missing]
        rows = self._model.encode_passages(passages)
        self._vectors |= {commit.doc_key: row for commit, row in zip(missing, rows, strict=True)}

    def _changed_files(self, commit: Commit, weight: float, label: str) -> Iterable[BeliefTarget]:
        """Yield the files that a commit changed; a commit that changed many says little about each."""
        changed = self._history.files_by_commit([commit.doc_key]).get(commit.doc_key, [])
        paths = [path for path in changed if not _CHANGELOG_PATH.search(path)]
        if not paths or len(paths) > MAX_COCHANGE_FILES:
            return
        score = round(weight / math.sqrt(len(paths)), 3)
        for path in paths:
            yield BeliefTarget(file_doc_id(path), score, f'changed by {label}, {commit.sha[:7]} "{commit.subject}"')

    def near_notes(self, note: NoteFile) -> Iterable[BeliefTarget]:
        """Yield the notes that are nearest to a belief in meaning, the nearest first."""
        notes = self._database.notes
        scored = notes.search_vectors(self._model.identity, self._model.encode_query(note.title)).with_min_score(
            MIN_NOTE_COSINE
        )
        near = sorted(scored.top(MAX_NEAR_NOTES + 1).as_pairs(), key=lambda pair: (-pair[1], pair[0]))
        headers = notes.headers([doc_key for doc_key, _ in near])
        others = [(headers[doc_key].doc_id, cosine) for doc_key, cosine in near if doc_key in headers]
        for doc_id, cosine in [pair for pair in others if pair[0] != note.doc_id][:MAX_NEAR_NOTES]:
            yield BeliefTarget(doc_id, round(cosine, 3), NEAR_NOTE_REASON)


def _keep_strong_files(targets: Iterable[BeliefTarget]) -> list[BeliefTarget]:
    return [target for target in targets if target.target.startswith("./") and target.score >= MIN_FILE_SCORE]
