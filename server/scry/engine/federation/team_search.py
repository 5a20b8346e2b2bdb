"""Find in a team's index which repositories can hold a result, and the oracles' matches in them.

All visible repositories are searched together, by words and by vectors, with the statistics of all of them. Each one
that holds any of the best documents then takes part in the answer as a project does: every oracle is consulted on it,
and `rank_across_projects` ranks its matches among those of the others and of the local projects. The rows that the
oracles and the results need are read for all repositories at once, before they ask.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache, partial
from itertools import zip_longest
from typing import TYPE_CHECKING, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from scry.core.doc_id import possible_names_of_doc_ids, split_off_project
from scry.core.errors import IndexUnavailable
from scry.core.knowledge import PROJECT_NOTES
from scry.core.text import EXACT_NAME_PREFIX, expand_query_terms, query_terms, search_text
from scry.core.types import OracleMatch, SearchQuery
from scry.embedding.embedder import Vectors
from scry.engine.federation.team_copies import shared_content_ids
from scry.engine.federation.team_links import normalize_remote
from scry.engine.search.pipeline import Retrieval, consult_oracles, weigh_use
from scry.engine.search.query import FilteredDocuments, apply_filters
from scry.oracles import temporal
from scry.oracles.reader import (
    MIN_TERM_SHARE,
    RETRIEVAL_DEPTH,
    CodeCorpus,
    CommitCorpus,
    FindUsedPlaces,
    NoteCorpus,
    OracleReader,
    search_with_min_terms,
)
from scry.oracles.temporal import (
    COMMITS_PER_SEED,
    SEED_COMMITS,
    SEED_DOCUMENTS,
    CoChangeCounts,
    CoChanges,
    TiedDocuments,
    best_by_words,
    find_co_changes,
    find_tied_documents,
    scores_above_chance,
)
from scry.store.lexical import stem_of
from scry.store.notes.reader import NoteStores
from scry.store.selection import FileSelection
from scry.store.team.lexical import DocumentTest, TeamWords
from scry.store.team.postings import Integers
from scry.store.team.reader import TeamReader
from scry.store.team.repository import RepositoryIndex, RepositoryInfo
from scry.store.vector_sets import EmbedderInfo

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.store.events.learnt import UsedPlace
    from scry.store.history.reader import HistoryReader
    from scry.store.index.store import IndexStore
    from scry.store.lexical import LexicalIndex

MAX_REPOSITORIES = 16
"""Repositories that take part in an answer, at most: those of the best documents by words and by vectors.
Answers with 48 of them were no better (docs/decisions/0155)."""

MAX_NOTE_REPOSITORIES = 16
"""Further repositories that take part for their notes, at most."""

_NEAREST_MARGIN = 56
"""Documents read beyond RETRIEVAL_DEPTH, as in oracles.semantic: cosines computed here may order them otherwise."""

FileTest = Callable[[str, str, str], bool]
"""Returns whether a query's filters leave a file, by its path, language and content type."""


class TeamRetrieval(Struct, frozen=True):
    """The oracles' matches in one repository of a team."""

    repository: RepositoryInfo
    retrieval: Retrieval


def used_places_of(projects: Sequence[Engine]) -> list[FindUsedPlaces] | None:
    """Return what finds the places used for like questions, of each project that learnt any: its log has also the uses
    of a team's results. None where no project learns.
    """
    learning = [each for each in dict.fromkeys(projects) if each.modes.learns]
    return [learnt for each in learning if (learnt := each.modes.learnt()) is not None] if learning else None


# Retrieval ------------------------------------------------------------------------------------------------------------


def retrieve_from_team(
    question: SearchQuery,
    reader: TeamReader,
    encode: Callable[[EmbedderInfo, str], Vectors],
    cancelled: Callable[[], bool] | None = None,
    *,
    excluded: Sequence[str] = (),
    included: Sequence[int] = (),
    learnt: Sequence[FindUsedPlaces] | None = None,
) -> list[TeamRetrieval]:
    """Return the matches in each repository that holds any of the best documents, by name of the repository.

    reader: of a snapshot that lasts until the results are read. encode: as for OracleReader. excluded: addresses of
    repositories that local projects answer for, as `normalize_remote` gives them. included: ids of
    repositories that take part whatever they hold. learnt: what finds the places that the person used for like
    questions; their repositories take part, too. None where nothing that was used, by members of the team neither,
    shall rank. Raises Cancelled, IndexUnavailable and ModelUnavailable.
    """
    vectors: dict[str, Vectors] = {}

    def encode_once(embedder: EmbedderInfo, text: str) -> Vectors:
        if text not in vectors:
            vectors[text] = encode(embedder, text)
        return vectors[text]

    terms = expand_query_terms(question)
    left_out = {info.repository_id for info in reader.repositories.values() if normalize_remote(info.url) in excluded}
    best = [each for each in _choose_repositories(question, reader, encode_once) if each not in left_out]
    by_notes = [each for each in _choose_by_notes(question, reader, encode_once) if each not in left_out]
    used = [] if learnt is None else _find_used_places(question, reader, encode_once, learnt)
    names = {split_off_project(place.doc_id)[0] for place in used}
    by_use = [each.repository_id for each in reader.repositories.values() if each.name in names]
    by_use = [each for each in by_use if each not in left_out]
    chosen = list(dict.fromkeys((*included, *by_use, *best)))[:MAX_REPOSITORIES]
    chosen = list(dict.fromkeys((*chosen, *by_notes[:MAX_NOTE_REPOSITORIES])))
    if _has_file_filters(question):
        reader.prefetch_files(chosen)
    reader.prefetch(terms, chosen, lambda index: _keys_by_words(terms, question, index))
    opened = sorted((reader.open(each) for each in chosen), key=lambda index: index.info.name)
    readers = [
        _open_oracle_reader(question, index, encode_once, used if index.info.repository_id in by_use else ())
        for index in opened
    ]
    co_changes = _prefetch_co_changes(question, reader, opened, readers)
    matches = {
        index.info.repository_id: consult_oracles(question, own, cancelled, known)
        for index, own in zip(opened, readers, strict=True)
        for known in (_known_matches(question, own, co_changes.get(index.info.repository_id)),)
    }
    if any("use" in each.by_oracle for each in matches.values()):
        question = weigh_use(question)
    content_ids = shared_content_ids(matches, reader)
    return [
        TeamRetrieval(index.info, Retrieval(question, own, matches[each], content_ids[each]))
        for index, own in zip(opened, readers, strict=True)
        for each in (index.info.repository_id,)
    ]


def _known_matches(
    question: SearchQuery, reader: OracleReader, co_changes: CoChanges | None
) -> dict[str, Callable[[], tuple[OracleMatch, ...]]]:
    """Return what the temporal oracle answers by co-changes that were read in advance."""
    return {} if co_changes is None else {temporal.ORACLE.name: partial(temporal.consult, question, reader, co_changes)}


def _find_used_places(
    question: SearchQuery,
    reader: TeamReader,
    encode: Callable[[EmbedderInfo, str], Vectors],
    learnt: Sequence[FindUsedPlaces],
) -> list[UsedPlace]:
    """Return the places of the team that were used for like questions, and those that several members opened for this
    one; of a log that can't be read none, which the answer of its project reports.
    """

    def encode_query(asked: SearchQuery) -> tuple[EmbedderInfo, Vectors] | None:
        words = search_text(asked)
        return (reader.embedder, encode(reader.embedder, words)) if words and reader.embedder is not None else None

    places: list[UsedPlace] = []
    for each in learnt:
        from scry.oracles.use import find_used_places  # a person who used nothing yet needs none of it

        with suppress(IndexUnavailable):
            places += find_used_places(question, stem_of, encode_query, each)
    found = [place for place in places if split_off_project(place.doc_id)[0]]
    if shared := reader.shared_uses(question.text):
        from scry.oracles.use import weigh_shared_uses

        found += weigh_shared_uses(shared, question.text)
    return found


def _open_oracle_reader(
    question: SearchQuery,
    index: RepositoryIndex,
    encode: Callable[[EmbedderInfo, str], Vectors],
    used: Sequence[UsedPlace],
) -> OracleReader:
    """Return what the oracles read of a repository. used: places of the team; empty where none is of the repository."""
    left = apply_filters(question, index.files.indexed_files)
    # A team's repository has the methods of the local stores that answer questions; tests/team holds it to that.
    code = CodeCorpus(cast("IndexStore", index), _select_files(left))
    history = cast("HistoryReader", index.history) if index.info.commits else None
    notes = NoteStores({PROJECT_NOTES: index.notes}) if index.info.notes else None
    commits = CommitCorpus(history, left.has_commits)

    def find_used(*_: object) -> Sequence[UsedPlace]:
        return used

    own_notes, learnt = NoteCorpus(notes, left.notes), find_used if used else None
    return OracleReader(code, commits, own_notes, encode, learnt, index.info.name)


def _select_files(left: FilteredDocuments) -> FileSelection | None:
    return None if left.file_ids is None else FileSelection(left.file_ids)


def _keys_by_words(terms: Sequence[str], question: SearchQuery, index: RepositoryIndex) -> set[int]:
    """Return the documents and commits of a repository that the oracles find by words."""
    left = _select_files(apply_filters(question, index.files.indexed_files))
    searched = {(index.lexical, None), (index.lexical, left), (index.history.lexical, None)}
    # A team's words have the methods of the local index that answer questions; tests/team holds them to that.
    found = [
        search_with_min_terms(terms, cast("LexicalIndex", own), RETRIEVAL_DEPTH, each)[0] for own, each in searched
    ]
    return {key for part in found for key, _ in part}


def _prefetch_co_changes(
    question: SearchQuery, reader: TeamReader, opened: Sequence[RepositoryIndex], readers: Sequence[OracleReader]
) -> dict[int, CoChanges]:
    """Read what the temporal oracle and the votes of past changes ask of all histories, by four statements; return the
    co-changes of each history.
    """
    terms = expand_query_terms(question)
    if not terms:
        return {}
    with_history = {
        index.info.repository_id: (own, own.commits.history)
        for index, own in zip(opened, readers, strict=True)
        if own.commits.history is not None
    }
    seeds = {
        each: best_by_words(terms, own.code.store.lexical, SEED_DOCUMENTS, own)
        for each, (own, _) in with_history.items()
    }
    reader.prefetch_seeds(seeds, COMMITS_PER_SEED)
    commits: dict[int, tuple[Sequence[int], Sequence[int]]] = {}
    for each, (own, history) in with_history.items():
        cache = reader.open(each).history.cache
        matched = best_by_words(terms, history.lexical, SEED_COMMITS, own)
        scored = own.search_words(terms, history.lexical, SEED_COMMITS)
        voting = history.filter_cochange_commits([key for key, _ in scored])
        seeding = (*cache.commits_of_symbol.values(), *cache.commits_of_file.values())
        changing = {key for found in seeding for key in found}
        changing.update(history.filter_cochange_commits([commit.doc_key for commit in matched]))
        commits[each] = sorted(changing), voting
    reader.prefetch_changes(commits)
    tied = {each: find_tied_documents(terms, own, history) for each, (own, history) in with_history.items()}
    tied = {each: _drop_unpromising(own, reader.open(each)) for each, own in tied.items()}
    reader.prefetch_symbols({each: own.counted.documents.tolist() for each, own in tied.items()})
    co_changes = {
        each: find_co_changes(terms, own, history, tied[each]) for each, (own, history) in with_history.items()
    }
    co_changes = {each: _keep_left(own, reader.open(each), with_history[each][0]) for each, own in co_changes.items()}
    return _prefetch_co_changed(reader, co_changes, {each: own for each, (own, _) in with_history.items()})


def _keep_left(co_changes: CoChanges, index: RepositoryIndex, reader: OracleReader) -> CoChanges:
    """Return co-changes without the documents of files that the query's filters leave out, before these are read."""
    if reader.code.left is None:
        return co_changes
    left = frozenset(reader.code.left.ids)
    paths = {path for file, path, *_ in index.files.indexed_files() if file in left}
    documents = [
        scored
        for scored in co_changes.documents
        if any(path in paths for path, *_ in possible_names_of_doc_ids([scored.name]))
    ]
    return CoChanges(documents, co_changes.changes, co_changes.seeds)


def _prefetch_co_changed(
    reader: TeamReader, co_changes: Mapping[int, CoChanges], readers: Mapping[int, OracleReader]
) -> dict[int, CoChanges]:
    """Read the documents of co-changes, of each repository as many as can rank to the usual depth among those of all;
    return the co-changes with only these.

    The temporal oracle's matches of several projects are ranked by their own ranks (engine.federation.rank_merge): of
    sixteen repositories that each have twenty, the fourteenth ranks below the depth.
    """
    counts = {each: len(own.documents) for each, own in co_changes.items()}
    depth = 1
    while depth < RETRIEVAL_DEPTH and sum([min(count, depth) for count in counts.values()]) < RETRIEVAL_DEPTH:
        depth += 1
    read = {each: min(count, depth + depth // 4 + 4) for each, count in counts.items()}  # some are deleted
    while True:
        names = {each: [scored.name for scored in co_changes[each].documents[:count]] for each, count in read.items()}
        reader.prefetch_doc_keys(names)
        found = {each: len(readers[each].code.doc_keys_by_id(own)) for each, own in names.items()}
        reached = {count: sum([min(each, count) for each in found.values()]) for count in frozenset(found.values())}
        short = [
            each for each, count in read.items() if count < counts[each] and reached[found[each]] < RETRIEVAL_DEPTH
        ]
        if not short:
            return {
                each: CoChanges(own.documents[: read[each]], own.changes, own.seeds) for each, own in co_changes.items()
            }
        read.update({each: min(counts[each], 4 * read[each]) for each in short})


def _drop_unpromising(tied: TiedDocuments, index: RepositoryIndex) -> TiedDocuments:
    """Return only the documents that more commits may tie to the seeds than by chance: all others score nothing.

    How many commits changed a document in all is not read yet; at least those did that tie it, and more lower its
    score.
    """
    counted = tied.counted
    least = counted.commit_counts.astype(np.float64)
    may_score = scores_above_chance(counted, least, tied.seeds, index.info.cochange_commits) > 0
    columns = (counted.documents, counted.commit_counts, counted.matched_counts)
    return replace(tied, counted=CoChangeCounts(*[column[may_score] for column in columns]))


# Choosing the repositories --------------------------------------------------------------------------------------------


def _choose_repositories(
    question: SearchQuery, reader: TeamReader, encode: Callable[[EmbedderInfo, str], Vectors]
) -> list[int]:
    """Return the repositories of the best documents and commits by words, and of the nearest, in turns."""
    terms, words = expand_query_terms(question), search_text(question)
    embedder = reader.embedder if words else None
    is_left: FileTest | None = None
    documents_left: _DocumentTests | None = None
    if _has_file_filters(question):
        is_left, documents_left = _file_test(question), _DocumentTests(question, reader)
    reader.prefetch_words(terms)
    with ExitStack() as sent:
        find_nearest: Callable[[], list[int]] | None = None
        if embedder is not None:
            depth = RETRIEVAL_DEPTH + _NEAREST_MARGIN
            find_nearest = sent.enter_context(reader.sending_nearest(encode(embedder, words), depth, is_left))
        by_words = _best_by_words(terms, reader.words, documents_left)
        by_commits = _best_by_words(terms, reader.commit_words)
        near = find_nearest() if find_nearest else []
    in_turns: list[int] = []
    for at in range(max(len(by_words), len(near), len(by_commits))):
        in_turns += [each[at] for each in (by_words, near, by_commits) if at < len(each)]
    return list(dict.fromkeys(in_turns))


def _choose_by_notes(
    question: SearchQuery, reader: TeamReader, encode: Callable[[EmbedderInfo, str], Vectors]
) -> list[int]:
    """Return the repositories of the best notes by words and of the nearest, in turns."""
    if not reader.note_count or apply_filters(question, lambda: ()).notes.types == frozenset():
        return []
    terms, words = query_terms(question), search_text(question)
    by_words = reader.note_words.best_repositories(terms, RETRIEVAL_DEPTH) if terms else []
    near: list[int] = []
    if words and reader.embedder is not None:
        near = reader.nearest_note_repositories(encode(reader.embedder, words))
    in_turns = [each for pair in zip_longest(by_words, near) for each in pair if each is not None]
    return list(dict.fromkeys(in_turns))


def _best_by_words(terms: Sequence[str], words: TeamWords, is_left: DocumentTest | None = None) -> list[int]:
    """Return the repositories of the best documents by BM25 that hold enough of the terms (min_matching_terms)."""
    words.read_statistics(terms)
    known = [term for term in terms if words.document_frequency(stem_of(term))]
    is_exact = any(term.startswith(EXACT_NAME_PREFIX) for term in terms)
    minimum = 1 if is_exact else max(1, math.ceil(MIN_TERM_SHARE * len(known)))
    while known:
        best = words.best_repositories(terms, RETRIEVAL_DEPTH, minimum, is_left)
        if best or minimum == 1:
            return best
        minimum -= 1
    return []


def _has_file_filters(question: SearchQuery) -> bool:
    """Return whether the query's filters may leave out any file."""
    return apply_filters(question, lambda: ()).file_ids is not None


def _file_test(question: SearchQuery) -> FileTest:
    @cache
    def is_left(path: str, language: str, content_type: str) -> bool:
        return bool(apply_filters(question, lambda: [(1, path, language, content_type)]).file_ids)

    return is_left


_MAX_LOOKUPS = 8_000
"""Documents of a question whose files are looked up one by one; for more, all files of their repositories are read."""


class _DocumentTests:
    """Tests whether a query's filters leave documents, by their files."""

    def __init__(self, question: SearchQuery, reader: TeamReader) -> None:
        self._question = question
        self._reader = reader
        self._looked_up = 0

    def __call__(self, repositories: Integers, keys: Integers) -> NDArray[np.bool_]:
        """Return whether each document is left. repositories: its own."""
        self._looked_up += len(keys)
        if self._looked_up > _MAX_LOOKUPS:
            return self._test_by_lists_of_files(repositories, keys)
        files = self._reader.files_of_documents(repositories.tolist(), keys.tolist())
        file_ids = apply_filters(self._question, lambda: files).file_ids or ()
        is_left = np.zeros(len(keys), np.bool_)
        is_left[list(file_ids)] = True
        return is_left

    def _test_by_lists_of_files(self, repositories: Integers, keys: Integers) -> NDArray[np.bool_]:
        asked: list[int] = np.unique(repositories).tolist()
        self._reader.prefetch_files(asked)
        is_left = np.zeros(len(keys), np.bool_)
        for each in asked:
            files, rows = self._reader.open(each).files, np.flatnonzero(repositories == each)
            is_left[rows] = files.contains(
                keys[rows], apply_filters(self._question, files.indexed_files).file_ids or ()
            )
        return is_left
