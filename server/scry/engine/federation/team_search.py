"""Find in a team's index: which repositories can hold a result, the oracles' matches in them, and the best results.

All visible repositories are searched together, by words and by vectors, with the statistics of all of them. Each one
that holds any of the best documents then takes part in the answer as a project does: every oracle is consulted on it,
and `rank_across_projects` ranks its matches among those of the others and of the local projects. The rows that the
oracles and the results need are read for all repositories at once, before they ask.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import zip_longest
from typing import TYPE_CHECKING, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from scry.core.doc_id import new_query_id
from scry.core.knowledge import BELIEF, PROJECT_NOTES
from scry.core.notices import Notice
from scry.core.text import EXACT_NAME_PREFIX, expand_query_terms, query_terms, search_text
from scry.core.types import NO_FILE_EVIDENCE, Answer, Candidate, Hit, IndexState, OracleMatch, SearchQuery
from scry.embedding.embedder import Vectors
from scry.engine.federation.team_links import normalize_remote
from scry.engine.search.boosts import max_boost
from scry.engine.search.fusion import RRF_K, fused_score_ceiling
from scry.engine.search.pipeline import (
    OracleMatches,
    Ranking,
    Retrieval,
    consult_oracles,
    rank_candidates,
)
from scry.engine.search.query import apply_filters
from scry.engine.search.results import filter_confident, find_hidden_repeats, make_hits
from scry.oracles import temporal
from scry.oracles.reader import (
    MIN_TERM_SHARE,
    RETRIEVAL_DEPTH,
    CodeCorpus,
    CommitCorpus,
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
from scry.store.notes.reader import NoteStores
from scry.store.team.lexical import TeamWords
from scry.store.team.notes import NoteContent
from scry.store.team.postings import Integers
from scry.store.team.reader import TeamReader
from scry.store.team.repository import RepositoryIndex, RepositoryInfo
from scry.store.vector_sets import EmbedderInfo

if TYPE_CHECKING:
    from scry.store.history.reader import HistoryReader
    from scry.store.index.store import IndexStore
    from scry.store.lexical import LexicalIndex

MAX_REPOSITORIES = 48
"""Repositories that take part in an answer, at most. The first are those of the best documents by words and by
vectors."""

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


class TeamTexts(Struct, frozen=True):
    """The texts of results: of files by path, and what results show of beliefs by doc_id."""

    files: Mapping[str, str]
    beliefs: Mapping[str, NoteContent]


class TeamAnswer(Struct, frozen=True):
    """The results of one repository of a team. texts: those of the results, where they were asked for."""

    repository: RepositoryInfo
    answer: Answer
    texts: TeamTexts | None = None


# Retrieval ------------------------------------------------------------------------------------------------------------


def retrieve_from_team(
    question: SearchQuery,
    reader: TeamReader,
    encode: Callable[[EmbedderInfo, str], Vectors],
    cancelled: Callable[[], bool] | None = None,
    *,
    excluded: Sequence[str] = (),
    included: Sequence[int] = (),
) -> list[TeamRetrieval]:
    """Return the matches in each repository that holds any of the best documents, by name of the repository.

    reader: of a snapshot that lasts until the results are read. encode: as for OracleReader. excluded: addresses of
    repositories that local projects answer for, as `normalize_remote` gives them. included: ids of
    repositories that take part whatever they hold. Raises Cancelled, IndexUnavailable and ModelUnavailable.
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
    chosen = list(dict.fromkeys((*included, *best)))[:MAX_REPOSITORIES]
    chosen = list(dict.fromkeys((*chosen, *by_notes[:MAX_NOTE_REPOSITORIES])))
    if _has_file_filters(question):
        reader.prefetch_files(chosen)
    reader.prefetch(terms, chosen, lambda index: _keys_by_words(terms, question, index))
    opened = sorted((reader.open(each) for each in chosen), key=lambda index: index.info.name)
    readers = [_open_oracle_reader(question, index, encode_once) for index in opened]
    co_changes = _prefetch_co_changes(question, reader, opened, readers)
    return [
        TeamRetrieval(index.info, Retrieval(question, own, consult_oracles(question, own, cancelled, known)))
        for index, own in zip(opened, readers, strict=True)
        for known in (_known_matches(question, own, co_changes.get(index.info.repository_id)),)
    ]


def _known_matches(
    question: SearchQuery, reader: OracleReader, co_changes: CoChanges | None
) -> dict[str, Callable[[], tuple[OracleMatch, ...]]]:
    """Return what the temporal oracle answers by co-changes that were read in advance."""
    return {} if co_changes is None else {temporal.ORACLE.name: partial(temporal.consult, question, reader, co_changes)}


def _open_oracle_reader(
    question: SearchQuery, index: RepositoryIndex, encode: Callable[[EmbedderInfo, str], Vectors]
) -> OracleReader:
    left = apply_filters(question, index.files.indexed_files)
    # A team's repository has the methods of the local stores that answer questions; tests/team holds it to that.
    code = CodeCorpus(cast("IndexStore", index), left.file_ids)
    history = cast("HistoryReader", index.history) if index.info.commits else None
    notes = NoteStores({PROJECT_NOTES: index.notes}) if index.info.notes else None
    return OracleReader(code, CommitCorpus(history, left.has_commits), NoteCorpus(notes, left.notes), encode)


def _keys_by_words(terms: Sequence[str], question: SearchQuery, index: RepositoryIndex) -> set[int]:
    """Return the documents and commits of a repository that the oracles find by words."""
    left = apply_filters(question, index.files.indexed_files).file_ids
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
    return _prefetch_co_changed(reader, co_changes, {each: own for each, (own, _) in with_history.items()})


def _prefetch_co_changed(
    reader: TeamReader, co_changes: Mapping[int, CoChanges], readers: Mapping[int, OracleReader]
) -> dict[int, CoChanges]:
    """Read the documents of co-changes, of each repository as many as can rank to the usual depth among those of all;
    return the co-changes with only these.

    The temporal oracle's matches of several projects are ranked by their own ranks (engine.federation.rank_merge): of
    forty repositories that each have ten, the sixth ranks below the depth.
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
    left_keys = None
    if _has_file_filters(question):
        is_left, left_keys = _file_test(question), _KeyTests(question, reader).read
    reader.prefetch_words(terms)
    by_words = _best_by_words(terms, reader.words, left_keys)
    by_commits = _best_by_words(terms, reader.commit_words)
    near: list[int] = []
    if embedder is not None:
        near = reader.nearest_repositories(encode(embedder, words), RETRIEVAL_DEPTH + _NEAREST_MARGIN, is_left)
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


def _best_by_words(
    terms: Sequence[str],
    words: TeamWords,
    is_left: Callable[[Sequence[int]], Mapping[int, Callable[[Integers], NDArray[np.bool_]]]] | None = None,
) -> list[int]:
    """Return the repositories of the best documents by BM25 that hold enough of the terms (min_matching_terms)."""
    words.read_statistics(terms)
    known = [term for term in terms if words.document_frequency(words.stem(term))]
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


class _KeyTests:
    """Tests of documents' keys by the files that a query's filters leave, which are read by one statement."""

    def __init__(self, question: SearchQuery, reader: TeamReader) -> None:
        self._question = question
        self._reader = reader

    def read(self, repositories: Sequence[int]) -> dict[int, Callable[[Integers], NDArray[np.bool_]]]:
        """Return the test of each of these repositories."""
        self._reader.prefetch_files(repositories)
        return {each: self._test_of(self._reader.open(each)) for each in repositories}

    def _test_of(self, index: RepositoryIndex) -> Callable[[Integers], NDArray[np.bool_]]:
        file_ids = apply_filters(self._question, index.files.indexed_files).file_ids or ()
        return lambda keys: index.files.contains(keys, file_ids)


# Results --------------------------------------------------------------------------------------------------------------


def rank_in_team(found: Sequence[TeamRetrieval], matches: Sequence[OracleMatches], reader: TeamReader) -> list[Ranking]:
    """Return the ranking of each repository's matches, which were ranked among those of all projects.

    A repository that can't have one of the best `limit` results has none in its ranking, and others may lack those
    below.
    """
    reader.prefetch_file_vectors(
        {
            each.repository.repository_id: _matched_paths(each.retrieval, own)
            for each, own in zip(found, matches, strict=True)
        }
    )
    rankings: dict[int, Ranking] = {}
    best: list[float] = []
    bounds = [_highest_score(each.retrieval, own) for each, own in zip(found, matches, strict=True)]
    for at in sorted(range(len(found)), key=lambda at: -bounds[at]):
        retrieval = found[at].retrieval
        question, own = retrieval.question, matches[at]
        is_bounded, limit = not math.isinf(bounds[at]), None if question.min_score else question.limit
        least = best[0] if len(best) == question.limit and is_bounded else 0.0
        if rankings and bounds[at] < least * _BELOW_EQUAL:
            scoring = next(iter(rankings.values())).scoring  # that of all, as words weigh what they do in the team
            rankings[at] = Ranking(
                question, retrieval.reader, OracleMatches({}, own.faults), scoring, (), (), NO_FILE_EVIDENCE
            )
            continue
        rankings[at] = rank_candidates(question, retrieval.reader, own, limit, least)
        best = sorted([*best, *[each.fused_score for each in rankings[at].ranked]])[-question.limit :]
    return [rankings[at] for at in range(len(found))]


def _matched_paths(retrieval: Retrieval, own: OracleMatches) -> list[str]:
    """Return the paths of the documents that these matches name."""
    doc_keys = {match.doc_key for matches in own.by_oracle.values() for match in matches}
    headers = retrieval.reader.headers(sorted(doc_keys)).values()
    return list(dict.fromkeys([header.path for header in headers if header.path]))


_BELOW_EQUAL = 1 - 1e-9
"""Factor below which two scores differ by more than the last digits of what was computed in another order."""


def _highest_score(retrieval: Retrieval, own: OracleMatches) -> float:
    """Return a score that no document of a repository exceeds, by these matches and with all boosts that are possible.

    It is infinite for a question whose results are not chosen by their scores alone.
    """
    question = retrieval.question
    if question.min_score or question.prefix or question.strengths:
        return math.inf
    sums: dict[int, float] = {}
    for oracle, weight in question.weights.items():
        for match in {match.doc_key: match for match in reversed(own.by_oracle.get(oracle, ()))}.values():
            sums[match.doc_key] = sums.get(match.doc_key, 0.0) + weight / (RRF_K + match.rank)
    highest = max_boost(question)
    return max(sums.values(), default=0.0) * highest / fused_score_ceiling(question.weights, highest)


def build_team_answers(
    found: Sequence[TeamRetrieval], rankings: Sequence[Ranking], reader: TeamReader
) -> list[TeamAnswer]:
    """Return the answers of the repositories that have any of the team's best results, each with only those."""
    if not found:
        return []
    question = found[0].retrieval.question
    ranked = [
        filter_confident(each.ranked, question, each.reader, each.scoring) if question.min_score else each.ranked
        for each in rankings
    ]
    scored = [(-each.fused_score, at, place) for at, own in enumerate(ranked) for place, each in enumerate(own)]
    counts = [0] * len(ranked)
    for _, at, _ in sorted(scored)[: question.limit]:
        counts[at] += 1
    best = [own[:count] for own, count in zip(ranked, counts, strict=True)]
    hidden = [find_hidden_repeats(each.ranked, own) for each, own in zip(rankings, best, strict=True)]
    wanted = {
        each.repository.repository_id: _shown_keys(own, places)
        for each, own, places in zip(found, best, hidden, strict=True)
        if own
    }
    reader.prefetch_results(wanted)
    notices = _unmatched_notices(question, reader)
    answers: list[TeamAnswer] = []
    for each, ranking, own, places in zip(found, rankings, best, hidden, strict=True):
        if not own and not ranking.oracle_matches.faults:
            continue
        hits = make_hits(own, question, ranking.reader, ranking.scoring, places)
        hits = _annotate_beliefs(hits, reader.open(each.repository.repository_id))
        state = repository_state(each.repository)
        answer = Answer(question, new_query_id(), ranking.scoring, state, hits, ranking.oracle_matches.faults, notices)
        answers.append(TeamAnswer(each.repository, answer))
    return answers


def _unmatched_notices(question: SearchQuery, reader: TeamReader) -> tuple[Notice, ...]:
    """Return the notice about words that occur in no visible repository, without names that may be meant."""
    every = reader.words, reader.commit_words, reader.note_words
    if all(reader.words.document_frequency(reader.words.stem(term)) for term in query_terms(question)):
        return ()
    from scry.engine.search.unmatched import find_unknown_words

    def occurs(term: str) -> bool:
        return any(words.document_frequency(words.stem(term)) for words in every)

    unknown = find_unknown_words(question, occurs)
    return (unknown,) if unknown is not None else ()


def _annotate_beliefs(hits: Sequence[Hit], index: RepositoryIndex) -> tuple[Hit, ...]:
    """Return hits; those of beliefs with their targets and warnings in the snippet."""
    keys = [hit.document.doc_key for hit in hits if hit.document.content_type == BELIEF]
    if not keys:
        return tuple(hits)
    from scry.index.notes.belief_evaluation import annotate_hit

    contents = {each.entry.doc_id: each for each in index.notes.contents(keys).values()}
    standings = {doc_id: each.standing for doc_id, each in contents.items()}
    files = {
        doc_id: [target for target in each.reach if target.target.startswith("./")] for doc_id, each in contents.items()
    }
    return tuple([annotate_hit(hit, files, standings, time.time()) for hit in hits])


def _shown_keys(best: Sequence[Candidate], hidden: Mapping[int, Sequence[Candidate]]) -> list[int]:
    shown = [*best, *(place for places in hidden.values() for place in places)]
    return [candidate.document.doc_key for candidate in shown]


def repository_state(repository: RepositoryInfo) -> IndexState:
    """Return the state of a repository's index: complete, at its indexed commit."""
    return IndexState(state="ready", generation=repository.generation, index_commit=repository.commit)
