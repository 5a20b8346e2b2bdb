"""What the oracles of several projects said to one question, ranked together. Pure.

A rank says how good a document is among those that it was compared with: the best of a project that knows nothing of
the question is first there. So an oracle's votes of all projects become one list, before they are fused: by their raw
scores where those compare (oracles.oracle.Yardstick), else by their ranks. Nobody passes another of the same project.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from msgspec import Struct, structs

from scry.core.knowledge import is_knowledge
from scry.core.types import Vote
from scry.engine.consult import Evidence
from scry.engine.find import Ballot
from scry.oracles import ORACLES
from scry.oracles.oracle import DEPTH, Oracle, Yardstick
from scry.store.history_reader import is_commit


class Keyed(Struct, frozen=True):
    """One project's votes of one oracle: keys, rising, that compare with those of the other projects."""

    votes: Sequence[Vote]
    keys: Sequence[float]

    @property
    def passable(self) -> list[float]:
        """The keys of what takes places: commits and knowledge stand where they would, and push nobody down."""
        return sorted(key for vote, key in zip(self.votes, self.keys, strict=True) if _takes_a_place(vote.number))


def _takes_a_place(number: int) -> bool:
    return not is_commit(number) and not is_knowledge(number)


def rank_together(ballots: Sequence[Ballot]) -> list[Evidence]:
    """For each project, in this order, its evidence with ranks among all projects' votes, to the usual depth.

    Where votes of two projects are equal, that of the earlier project comes first.
    """
    if len(ballots) == 1:
        return [ballots[0].evidence]
    votes: list[dict[str, tuple[Vote, ...]]] = [{} for _ in ballots]
    for oracle in ORACLES:
        for own, placed in zip(votes, placed_among_all(_lists(oracle, ballots)), strict=True):
            own[oracle.name] = placed
    return [Evidence(own, ballot.evidence.faults) for own, ballot in zip(votes, ballots, strict=True)]


def _lists(oracle: Oracle, ballots: Sequence[Ballot]) -> list[Keyed]:
    votes = [_votes(oracle, ballot) for ballot in ballots]
    units = _units(oracle, ballots)
    if units is None:
        return [Keyed(own, [float(vote.rank) for vote in own]) for own in votes]
    return [Keyed(own, [-vote.raw_score / unit for vote in own]) for own, unit in zip(votes, units, strict=True)]


def units_of(ballots: Sequence[Ballot]) -> list[dict[str, float]]:
    """For each project, by oracle what its raw scores are measured by; without oracles whose scores don't compare."""
    units = {oracle.name: measured for oracle in ORACLES if (measured := _units(oracle, ballots)) is not None}
    return [{name: measured[at] for name, measured in units.items()} for at in range(len(ballots))]


def _units(oracle: Oracle, ballots: Sequence[Ballot]) -> list[float] | None:
    """The unit of each project's raw scores; None unless those of all projects that have any compare."""
    sticks = [
        oracle.yardstick(ballot.question, ballot.reader) if _votes(oracle, ballot) else Yardstick("no votes")
        for ballot in ballots
    ]
    kinds = {stick and stick.kind for stick, ballot in zip(sticks, ballots, strict=True) if _votes(oracle, ballot)}
    return [stick.unit for stick in sticks if stick] if len(kinds) == 1 and None not in kinds else None


def _votes(oracle: Oracle, ballot: Ballot) -> Sequence[Vote]:
    return ballot.evidence.votes.get(oracle.name, ())


def placed_among_all(lists: Sequence[Keyed]) -> list[tuple[Vote, ...]]:
    """Each project's votes of one oracle with their ranks among those of all, down to the depth."""
    passable = [each.passable for each in lists]
    placed: list[tuple[Vote, ...]] = []
    for at, own in enumerate(lists):
        ranks = [
            vote.rank
            + sum(bisect_right(others, key) for others in passable[:at])
            + sum(bisect_left(others, key) for others in passable[at + 1 :])
            for vote, key in zip(own.votes, own.keys, strict=True)
        ]
        moved = (structs.replace(vote, rank=rank) for vote, rank in zip(own.votes, ranks, strict=True))
        placed.append(tuple(vote for vote in moved if vote.rank <= DEPTH))
    return placed
