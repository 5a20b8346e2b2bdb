"""Rank the matches of several projects together, by comparable scores or else by rank. Pure.

A rank compares a document with the others of its project only: in a project without anything on the query, the best
document still has rank 1. So the matches of an oracle in all projects become one list before they are fused, ordered by
raw score where scores compare (oracles.oracle.ScoreScale), else by rank. The order within a project stays. Copies of a
content in several repositories of a team have one rank together, so that they push nothing else down.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, structs

from scry.core.types import OracleMatch
from scry.engine.search.pipeline import OracleMatches, Retrieval
from scry.oracles import ORACLES
from scry.oracles.oracle import Oracle, ScoreScale
from scry.oracles.reader import RETRIEVAL_DEPTH, CodeCorpus


class KeyedMatches(Struct, frozen=True):
    """The matches of one oracle in one project, with ascending keys that compare with those of the other projects."""

    matches: Sequence[OracleMatch]
    keys: Sequence[float]

    @property
    def ranking_keys(self) -> list[float]:
        """The keys of the matches that other matches are ranked after: commits and notes have a rank, but take none."""
        return sorted(key for match, key in zip(self.matches, self.keys, strict=True) if CodeCorpus.owns(match.doc_key))


def rank_across_projects(retrievals: Sequence[Retrieval]) -> list[OracleMatches]:
    """Return each project's matches, in the same order, with ranks among those of all projects, to the usual depth.

    Of equal matches of two projects, that of the earlier project comes first.
    """
    if len(retrievals) == 1:
        return [retrievals[0].oracle_matches]
    matches_by_project: list[dict[str, tuple[OracleMatch, ...]]] = [{} for _ in retrievals]
    oracles = ORACLES
    if any("use" in each.oracle_matches.by_oracle for each in retrievals):
        from scry.oracles import use

        oracles = (*ORACLES, use.ORACLE)
    for oracle in oracles:
        together = rank_among_all(_keyed_matches(oracle, retrievals), [each.content_ids for each in retrievals])
        for own, ranked in zip(matches_by_project, together, strict=True):
            own[oracle.name] = ranked
    return [
        OracleMatches(own, each.oracle_matches.faults) for own, each in zip(matches_by_project, retrievals, strict=True)
    ]


def _keyed_matches(oracle: Oracle, retrievals: Sequence[Retrieval]) -> list[KeyedMatches]:
    matches_by_project = [_matches_of(oracle, retrieval) for retrieval in retrievals]
    units = _oracle_score_units(oracle, retrievals)
    if units is None:
        return [KeyedMatches(own, [float(match.rank) for match in own]) for own in matches_by_project]
    return [
        KeyedMatches(own, [-match.raw_score / unit for match in own])
        for own, unit in zip(matches_by_project, units, strict=True)
    ]


def score_units(retrievals: Sequence[Retrieval]) -> list[dict[str, float]]:
    """Return for each project the unit of raw scores by oracle, without oracles whose scores don't compare."""
    units = {
        oracle.name: measured for oracle in ORACLES if (measured := _oracle_score_units(oracle, retrievals)) is not None
    }
    return [{name: measured[at] for name, measured in units.items()} for at in range(len(retrievals))]


def _oracle_score_units(oracle: Oracle, retrievals: Sequence[Retrieval]) -> list[float] | None:
    """Return the unit of each project's raw scores; None unless the scores of all projects with matches compare."""
    scales = [
        oracle.score_scale(each.question, each.reader) if _matches_of(oracle, each) else ScoreScale("no matches")
        for each in retrievals
    ]
    kinds = {scale and scale.kind for scale, each in zip(scales, retrievals, strict=True) if _matches_of(oracle, each)}
    return [scale.unit for scale in scales if scale] if len(kinds) == 1 and None not in kinds else None


def _matches_of(oracle: Oracle, retrieval: Retrieval) -> Sequence[OracleMatch]:
    return retrieval.oracle_matches.by_oracle.get(oracle.name, ())


def rank_among_all(
    lists: Sequence[KeyedMatches], content_ids: Sequence[Mapping[int, Hashable]] = ()
) -> list[tuple[OracleMatch, ...]]:
    """Return each project's matches of one oracle with their ranks among those of all, to the usual depth.

    content_ids: of each project, as of Retrieval. Copies have the rank of the first of them, and only that is counted.
    """
    ranking_keys = [each.ranking_keys for each in lists]
    every = sorted([(key, at) for at, keys in enumerate(ranking_keys) for key in keys])
    ranked: list[list[OracleMatch]] = []
    for at, (own, own_keys) in enumerate(zip(lists, ranking_keys, strict=True)):
        # Before a match stand the better ones of all, and the equal ones of earlier projects; its rank counts its own.
        ranks = [
            match.rank + bisect_left(every, (key, at)) - bisect_left(own_keys, key)
            for match, key in zip(own.matches, own.keys, strict=True)
        ]
        ranked.append([structs.replace(match, rank=rank) for match, rank in zip(own.matches, ranks, strict=True)])
    if any(content_ids):
        ranked = _rank_copies_once(ranked, content_ids)
    return [tuple([match for match in own if match.rank <= RETRIEVAL_DEPTH]) for own in ranked]


def number_copies(doc_keys: Iterable[int], content_ids: Mapping[int, Hashable]) -> Iterator[Hashable]:
    """Yield for each document what it is a copy of, None for one without copies: its content, and the how manieth of
    this content it is, so that copies within one project are told apart.
    """
    counts = Counter[Hashable]()
    for doc_key in doc_keys:
        content = content_ids.get(doc_key)
        yield None if content is None else (content, counts[content])
        if content is not None:
            counts[content] += 1


def _rank_copies_once(
    ranked: Sequence[Sequence[OracleMatch]], content_ids: Sequence[Mapping[int, Hashable]]
) -> list[list[OracleMatch]]:
    """Return the matches with the ranks that they have if all copies of one content are one match."""
    numbered = [
        list(number_copies([match.doc_key for match in own], ids)) for own, ids in zip(ranked, content_ids, strict=True)
    ]
    first: dict[Hashable, int] = {}
    repeated: list[int] = []
    placed = [
        (match.rank, copied)
        for own, copies in zip(ranked, numbered, strict=True)
        for match, copied in zip(own, copies, strict=True)
        if copied is not None
    ]
    for rank, copied in sorted(placed, key=lambda each: each[0]):
        if first.setdefault(copied, rank) != rank:
            repeated.append(rank)
    return [
        [
            structs.replace(match, rank=rank - bisect_left(repeated, rank))
            for match, copied in zip(own, copies, strict=True)
            for rank in (first.get(copied, match.rank),)
        ]
        for own, copies in zip(ranked, numbered, strict=True)
    ]
