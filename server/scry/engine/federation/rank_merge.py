"""Rank the votes of several projects together, by comparable scores or else by rank. Pure.

What the oracles of several projects said to one question, ranked together. Pure.

A rank says how good a document is among those that it was compared with: the best of a project that knows nothing of
the question is first there. So an oracle's votes of all projects become one list, before they are fused: by their raw
scores where those compare (oracles.oracle.Yardstick), else by their ranks. Nobody passes another of the same project.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from msgspec import Struct, structs

from scry.core.knowledge import is_knowledge
from scry.core.types import OracleMatch
from scry.engine.search.retrieve import OracleVotes, Retrieval
from scry.oracles import ORACLES
from scry.oracles.oracle import RETRIEVAL_DEPTH, Oracle, ScoreScale
from scry.store.history.commits import is_commit_key


class KeyedVotes(Struct, frozen=True):
    """One project's votes of one oracle: keys, rising, that compare with those of the other projects."""

    votes: Sequence[OracleMatch]
    keys: Sequence[float]

    @property
    def ranking_keys(self) -> list[float]:
        """The keys of what takes places: commits and knowledge stand where they would, and push nobody down."""
        return sorted(key for vote, key in zip(self.votes, self.keys, strict=True) if _occupies_rank(vote.doc_key))


def _occupies_rank(number: int) -> bool:
    return not is_commit_key(number) and not is_knowledge(number)


def rank_across_projects(retrievals: Sequence[Retrieval]) -> list[OracleVotes]:
    """For each project, in this order, its evidence with ranks among all projects' votes, to the usual depth.

    Where votes of two projects are equal, that of the earlier project comes first.
    """
    if len(retrievals) == 1:
        return [retrievals[0].oracle_votes]
    votes: list[dict[str, tuple[OracleMatch, ...]]] = [{} for _ in retrievals]
    for oracle in ORACLES:
        for own, placed in zip(votes, rank_among_all(_keyed_votes(oracle, retrievals)), strict=True):
            own[oracle.name] = placed
    return [OracleVotes(own, ballot.oracle_votes.faults) for own, ballot in zip(votes, retrievals, strict=True)]


def _keyed_votes(oracle: Oracle, ballots: Sequence[Retrieval]) -> list[KeyedVotes]:
    votes = [_votes_of(oracle, ballot) for ballot in ballots]
    units = _oracle_score_units(oracle, ballots)
    if units is None:
        return [KeyedVotes(own, [float(vote.rank) for vote in own]) for own in votes]
    return [KeyedVotes(own, [-vote.raw_score / unit for vote in own]) for own, unit in zip(votes, units, strict=True)]


def score_units(retrievals: Sequence[Retrieval]) -> list[dict[str, float]]:
    """For each project, by oracle what its raw scores are measured by; without oracles whose scores don't compare."""
    units = {
        oracle.name: measured for oracle in ORACLES if (measured := _oracle_score_units(oracle, retrievals)) is not None
    }
    return [{name: measured[at] for name, measured in units.items()} for at in range(len(retrievals))]


def _oracle_score_units(oracle: Oracle, ballots: Sequence[Retrieval]) -> list[float] | None:
    """The unit of each project's raw scores; None unless those of all projects that have any compare."""
    sticks = [
        oracle.score_scale(ballot.question, ballot.reader) if _votes_of(oracle, ballot) else ScoreScale("no votes")
        for ballot in ballots
    ]
    kinds = {stick and stick.kind for stick, ballot in zip(sticks, ballots, strict=True) if _votes_of(oracle, ballot)}
    return [stick.unit for stick in sticks if stick] if len(kinds) == 1 and None not in kinds else None


def _votes_of(oracle: Oracle, ballot: Retrieval) -> Sequence[OracleMatch]:
    return ballot.oracle_votes.votes.get(oracle.name, ())


def rank_among_all(lists: Sequence[KeyedVotes]) -> list[tuple[OracleMatch, ...]]:
    """Each project's votes of one oracle with their ranks among those of all, down to the depth."""
    passable = [each.ranking_keys for each in lists]
    placed: list[tuple[OracleMatch, ...]] = []
    for at, own in enumerate(lists):
        ranks = [
            vote.rank
            + sum(bisect_right(others, key) for others in passable[:at])
            + sum(bisect_left(others, key) for others in passable[at + 1 :])
            for vote, key in zip(own.votes, own.keys, strict=True)
        ]
        moved = (structs.replace(vote, rank=rank) for vote, rank in zip(own.votes, ranks, strict=True))
        placed.append(tuple(vote for vote in moved if vote.rank <= RETRIEVAL_DEPTH))
    return placed
