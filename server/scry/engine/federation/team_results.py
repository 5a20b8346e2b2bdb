"""Rank what a team's repositories matched, and turn the best of all into answers of the repositories that have them."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from scry.core.doc_id import new_query_id
from scry.core.knowledge import BELIEF
from scry.core.notices import Notice
from scry.core.text import query_terms
from scry.core.types import NO_FILE_EVIDENCE, Answer, Candidate, Hit, IndexState, SearchQuery
from scry.engine.explain.detail import DocumentRelations
from scry.engine.federation.team_copies import BestScores, TeamCopies, fold_copies
from scry.engine.federation.team_search import TeamRetrieval
from scry.engine.search.boosts import RANKS_EXPONENT, RRF_K, highest_sum_of_files, max_boost
from scry.engine.search.fusion import fused_score_ceiling
from scry.engine.search.pipeline import OracleMatches, Ranking, Retrieval, rank_candidates
from scry.engine.search.results import filter_confident, find_hidden_repeats, make_hits
from scry.store.lexical import stem_of
from scry.store.team.contents import Copies, ResultFile
from scry.store.team.notes import NoteContent
from scry.store.team.reader import TeamReader
from scry.store.team.repository import RepositoryIndex, RepositoryInfo


class TeamTexts(Struct, frozen=True):
    """The texts of results: of files by path, and what results show of beliefs by doc_id. relations: by doc_id."""

    files: Mapping[str, str]
    beliefs: Mapping[str, NoteContent]
    relations: Mapping[str, DocumentRelations | None] = MappingProxyType({})


class TeamAnswer(Struct, frozen=True):
    """The results of one repository of a team.

    texts: those of the results, where they were asked for. copies: of the results that have any, by doc_key. files: of
    the results, by path.
    """

    repository: RepositoryInfo
    answer: Answer
    texts: TeamTexts | None = None
    copies: Mapping[int, TeamCopies] = MappingProxyType({})
    files: Mapping[str, ResultFile] = MappingProxyType({})


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
    best = BestScores(found[0].retrieval.question.limit if found else 0)
    bounds = [_highest_score(each.retrieval, own) for each, own in zip(found, matches, strict=True)]
    for at in sorted(range(len(found)), key=lambda at: -bounds[at]):
        retrieval = found[at].retrieval
        question, own = retrieval.question, matches[at]
        is_bounded, limit = not math.isinf(bounds[at]), None if question.min_score else question.limit
        least = best.least if is_bounded else 0.0
        if rankings and bounds[at] < least * _BELOW_EQUAL:
            scoring = next(iter(rankings.values())).scoring  # that of all, as words weigh what they do in the team
            rankings[at] = Ranking(
                question, retrieval.reader, OracleMatches({}, own.faults), scoring, (), (), NO_FILE_EVIDENCE
            )
            continue
        rankings[at] = rank_candidates(question, retrieval.reader, own, limit, least)
        best.add(at, rankings[at].ranked, retrieval.content_ids)
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
    rank_sum, highest = max(sums.values(), default=0.0), max_boost(question)
    in_a_file = rank_sum ** (1 - RANKS_EXPONENT) * highest_sum_of_files(question.weights) ** RANKS_EXPONENT
    return max(rank_sum, in_a_file) * highest / fused_score_ceiling(question.weights, highest)


def build_team_answers(
    found: Sequence[TeamRetrieval], rankings: Sequence[Ranking], reader: TeamReader
) -> list[TeamAnswer]:
    """Return the answers of the repositories that have any of the team's best results, each with only those. Of copies
    in several repositories only the best one is a result.
    """
    if not found:
        return []
    question = found[0].retrieval.question
    ranked = [
        filter_confident(each.ranked, question, each.reader, each.scoring) if question.min_score else each.ranked
        for each in rankings
    ]
    folded = fold_copies(ranked, [each.retrieval.content_ids for each in found], question.limit)
    best = [each.best for each in folded]
    hidden = [
        find_hidden_repeats([one for one in each.ranked if one.document.doc_key not in own.replaced], own.best)
        for each, own in zip(rankings, folded, strict=True)
    ]
    wanted = {
        each.repository.repository_id: _shown_keys(own, places)
        for each, own, places in zip(found, best, hidden, strict=True)
        if own
    }
    reader.prefetch_results(wanted)
    copies = reader.read_copies(
        {
            each.repository.repository_id: [one.document.doc_key for one in own]
            for each, own in zip(found, best, strict=True)
        }
    )
    notices = _unmatched_notices(question, reader)
    answers: list[TeamAnswer] = []
    for each, ranking, own, places in zip(found, rankings, best, hidden, strict=True):
        if not own and not ranking.oracle_matches.faults:
            continue
        hits = make_hits(own, question, ranking.reader, ranking.scoring, places)
        hits = _annotate_beliefs(hits, reader.open(each.repository.repository_id))
        state = repository_state(each.repository)
        answer = Answer(question, new_query_id(), ranking.scoring, state, hits, ranking.oracle_matches.faults, notices)
        answers.append(_add_copies(TeamAnswer(each.repository, answer), copies, reader))
    return answers


def _add_copies(answer: TeamAnswer, copies: Mapping[tuple[int, int], Copies], reader: TeamReader) -> TeamAnswer:
    """Return an answer with the copies of its results, and with their files."""
    repository = answer.repository.repository_id
    documents = [hit.document for hit in answer.answer.hits]
    own = {
        each.doc_key: TeamCopies(copies[repository, each.doc_key], reader.repositories)
        for each in documents
        if (repository, each.doc_key) in copies
    }
    files = reader.open(repository).files.read_results({each.path for each in documents})
    return replace(answer, copies=own, files=files)


def _unmatched_notices(question: SearchQuery, reader: TeamReader) -> tuple[Notice, ...]:
    """Return the notice about words that occur in no visible repository, without names that may be meant."""
    every = reader.words, reader.commit_words, reader.note_words
    if all(reader.words.document_frequency(stem_of(term)) for term in query_terms(question)):
        return ()
    from scry.engine.search.unmatched import find_unknown_words

    def occurs(term: str) -> bool:
        return any(words.document_frequency(stem_of(term)) for words in every)

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
