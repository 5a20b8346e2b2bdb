"""Compare two evaluation runs over the same queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from scry.core.errors import BadRequest
from scry.lab.metrics import BOOTSTRAP_SEED, PairedDifference, paired_bootstrap
from scry.lab.run import EvaluationRun, QueryOutcome, RunContext


class QueryChange(msgspec.Struct, frozen=True):
    """A query whose answer got better or worse.

    before, after: NDCG@10.
    ranks: of each target, before and after.
    first: the doc_ids of the first results; None where nothing was found.
    numbers: of the query in either run.
    """

    query: str
    category: str
    before: float
    after: float
    ranks: list[tuple[int | None, int | None]]
    first: tuple[str | None, str | None]
    numbers: tuple[int, int]


class RunComparison(msgspec.Struct, frozen=True):
    """Two runs, on the queries that are in both.

    means: NDCG@10 before and after.
    difference: paired over all queries.
    categories: the paired difference of each category.
    better, worse, same: number of queries.
    moved: the queries whose NDCG@10 changed, the most first.
    only_before, only_after: queries that are not in the other run, or not with these targets.
    """

    before: RunContext
    after: RunContext
    questions: int
    means: tuple[float, float]
    difference: PairedDifference
    categories: dict[str, PairedDifference]
    better: int
    worse: int
    same: int
    moved: list[QueryChange]
    only_before: list[str]
    only_after: list[str]


_QueryKey = tuple[str, str, int]


def compare(before: EvaluationRun, after: EvaluationRun, seed: int = BOOTSTRAP_SEED) -> RunComparison:
    """Compare two runs. Raises BadRequest where the runs have no query in common."""
    before_by_key, after_by_key = _index_by_key(before.asked), _index_by_key(after.asked)
    common = [key for key in before_by_key if key in after_by_key]
    if not common:
        raise BadRequest("runs", "have no question with the same targets in common, so nothing can be compared")
    pairs = [(before_by_key[key], after_by_key[key]) for key in common]
    moved = [_query_change(old, new) for old, new in pairs if old.ndcg != new.ndcg]
    better = sum(new.ndcg > old.ndcg for old, new in pairs)
    old_scores, new_scores = [old.ndcg for old, _ in pairs], [new.ndcg for _, new in pairs]
    return RunComparison(
        before=before.ground,
        after=after.ground,
        questions=len(pairs),
        means=(sum(old_scores) / len(pairs), sum(new_scores) / len(pairs)),
        difference=paired_bootstrap(old_scores, new_scores, seed),
        categories=_compare_categories(pairs, seed),
        better=better,
        worse=len(moved) - better,
        same=len(pairs) - len(moved),
        moved=sorted(moved, key=lambda each: (-abs(each.after - each.before), each.query)),
        only_before=[before_by_key[key].query for key in before_by_key if key not in after_by_key],
        only_after=[after_by_key[key].query for key in after_by_key if key not in before_by_key],
    )


def _index_by_key(outcomes: Sequence[QueryOutcome]) -> dict[_QueryKey, QueryOutcome]:
    """Return the queries by text, targets and, where one was asked several times, the count so far."""
    times: Counter[tuple[str, str]] = Counter()
    by_key: dict[_QueryKey, QueryOutcome] = {}
    for each in outcomes:
        key = (each.query, msgspec.json.encode(each.targets).decode())
        by_key[(*key, times[key])] = each
        times[key] += 1
    return by_key


def _query_change(old: QueryOutcome, new: QueryOutcome) -> QueryChange:
    return QueryChange(
        query=new.query,
        category=new.category,
        before=old.ndcg,
        after=new.ndcg,
        ranks=list(zip(old.ranks, new.ranks, strict=True)),
        first=(_first_doc_id(old), _first_doc_id(new)),
        numbers=(old.number, new.number),
    )


def _first_doc_id(outcome: QueryOutcome) -> str | None:
    return outcome.found[0].doc_id if outcome.found else None


def _compare_categories(pairs: Sequence[tuple[QueryOutcome, QueryOutcome]], seed: int) -> dict[str, PairedDifference]:
    """Return the paired difference of each category of the later run."""
    names = sorted({new.category for _, new in pairs})
    return {
        name: paired_bootstrap(
            [old.ndcg for old, new in pairs if new.category == name],
            [new.ndcg for _, new in pairs if new.category == name],
            seed,
        )
        for name in names
    }
