"""What a change moved: two runs over the same questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from scry.core.errors import BadRequest
from scry.lab.bootstrap import SEED, Difference, compare_paired
from scry.lab.record import Asked, Ground, Run


class Moved(msgspec.Struct, frozen=True):
    """A question whose answer got better or worse. before, after: NDCG@10. ranks: of each target, then and now.

    first: the doc_ids that came first; None where nothing was found. numbers: the question's in either run.
    """

    query: str
    category: str
    before: float
    after: float
    ranks: list[tuple[int | None, int | None]]
    first: tuple[str | None, str | None]
    numbers: tuple[int, int]


class Compared(msgspec.Struct, frozen=True):
    """Two runs, on the questions that both asked. means: NDCG@10 before and after. difference: paired, and by category.

    better, worse, same: how many questions. moved: what moved most comes first. only_before, only_after: questions that
    the other run did not ask, or not with these targets.
    """

    before: Ground
    after: Ground
    questions: int
    means: tuple[float, float]
    difference: Difference
    categories: dict[str, Difference]
    better: int
    worse: int
    same: int
    moved: list[Moved]
    only_before: list[str]
    only_after: list[str]


_Key = tuple[str, str, int]


def compare(before: Run, after: Run, seed: int = SEED) -> Compared:
    """Raises BadRequest where the runs have no question in common."""
    ours, theirs = _by_key(before.asked), _by_key(after.asked)
    common = [key for key in ours if key in theirs]
    if not common:
        raise BadRequest("runs", "have no question with the same targets in common, so nothing can be compared")
    pairs = [(ours[key], theirs[key]) for key in common]
    moved = [_moved(old, new) for old, new in pairs if old.ndcg != new.ndcg]
    better = sum(new.ndcg > old.ndcg for old, new in pairs)
    old_scores, new_scores = [old.ndcg for old, _ in pairs], [new.ndcg for _, new in pairs]
    return Compared(
        before=before.ground,
        after=after.ground,
        questions=len(pairs),
        means=(sum(old_scores) / len(pairs), sum(new_scores) / len(pairs)),
        difference=compare_paired(old_scores, new_scores, seed),
        categories=_categories(pairs, seed),
        better=better,
        worse=len(moved) - better,
        same=len(pairs) - len(moved),
        moved=sorted(moved, key=lambda each: (-abs(each.after - each.before), each.query)),
        only_before=[ours[key].query for key in ours if key not in theirs],
        only_after=[theirs[key].query for key in theirs if key not in ours],
    )


def _by_key(asked: Sequence[Asked]) -> dict[_Key, Asked]:
    """A question by its words and targets; one that was asked several times by which time it is."""
    times: Counter[tuple[str, str]] = Counter()
    found: dict[_Key, Asked] = {}
    for each in asked:
        key = (each.query, msgspec.json.encode(each.targets).decode())
        found[(*key, times[key])] = each
        times[key] += 1
    return found


def _moved(old: Asked, new: Asked) -> Moved:
    return Moved(
        query=new.query,
        category=new.category,
        before=old.ndcg,
        after=new.ndcg,
        ranks=list(zip(old.ranks, new.ranks, strict=True)),
        first=(_first(old), _first(new)),
        numbers=(old.number, new.number),
    )


def _first(asked: Asked) -> str | None:
    return asked.found[0].doc_id if asked.found else None


def _categories(pairs: Sequence[tuple[Asked, Asked]], seed: int) -> dict[str, Difference]:
    """By the categories of the later run."""
    names = sorted({new.category for _, new in pairs})
    return {
        name: compare_paired(
            [old.ndcg for old, new in pairs if new.category == name],
            [new.ndcg for _, new in pairs if new.category == name],
            seed,
        )
        for name in names
    }
