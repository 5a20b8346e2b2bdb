"""Replay logged queries against the index of today, with its model and weights.

The oracle of use takes no part: it has learnt from the very uses that are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from scry.engine.questions import question_from_options
from scry.engine.search.results import filter_confident
from scry.lab.ablation import WeightOverrides, check_override_names
from scry.lab.evaluated_index import EvaluatedIndex
from scry.lab.logged_queries import INFERRED_USE, LoggedQuery
from scry.lab.metrics import BOOTSTRAP_SEED, CUTOFF, PairedDifference, paired_bootstrap
from scry.lab.run import ProgressCallback
from scry.store.events.learnt import LearntWeights


class UsedResult(msgspec.Struct, frozen=True):
    """A used result, with its rank in the logged answer and in the new one; None where it is not in it.

    is_inferred: whether every use of it was only inferred from an editor's requests.
    """

    doc_id: str
    before: int | None
    after: int | None
    is_inferred: bool = False


class ReplayedQuery(msgspec.Struct, frozen=True):
    """A query then and now. before, after: the doc_ids of the answers. overlap: the share of all these that is in
    both.
    """

    query_id: str
    query: str
    before: list[str]
    after: list[str]
    overlap: float
    used: list[UsedResult]


class ReplayReport(msgspec.Struct, frozen=True):
    """The comparison of all replayed queries.

    recipe: the weight overrides, in words.
    same: number of queries with the same results in the same order.
    same_first: number of queries with the same first result.
    overlap: the mean.
    moved: the queries whose results differ, the most first.
    used: difference of the mean of 1 / the rank of used results, over the queries with a use; absent where there is
        none. Uses that were only inferred do not count, nor do answers in which the oracle of use took part then.
    merged: number of queries that are left out, because several projects or a team answered them.
    with_use: number of queries with a use in whose answer the oracle of use took part then.
    """

    recipe: str
    questions: int
    same: int
    same_first: int
    overlap: float
    moved: list[ReplayedQuery]
    used: PairedDifference | None = None
    merged: int = 0
    with_use: int = 0


def latest_distinct(questions: Iterable[LoggedQuery], count: int) -> list[LoggedQuery]:
    """Return the last `count` different queries whose results are still in the log, in the order of asking.

    A query asked several times stands where it was last asked, with all its uses.
    """
    latest: dict[str, LoggedQuery] = {}
    for question in questions:
        if question.found:
            key = msgspec.json.encode((question.query, question.options)).decode()
            earlier = latest.pop(key, None)
            if earlier is not None:
                question.used[:0] = earlier.used
            latest[key] = question
    return list(latest.values())[-count:]


def replay(
    subject: EvaluatedIndex,
    questions: Sequence[LoggedQuery],
    overrides: WeightOverrides,
    progress: ProgressCallback,
    seed: int = BOOTSTRAP_SEED,
    weights: LearntWeights | None = None,
    merged: int = 0,
) -> ReplayReport:
    """Ask the queries again and compare the answers. questions: at least one, each with its results, of this project
    alone. weights: the learnt ones that rank now. merged: as of the report.

    Raises BadRequest for overrides of unknown names.
    """
    replayed: list[ReplayedQuery] = []
    for done, question in enumerate(questions):
        progress("replaying", done, len(questions))
        replayed.append(_compare_answers(question, _answer_now(subject, question, overrides, weights)))
    check_override_names(overrides, subject.adjustments)
    moved = [each for each in replayed if each.before != each.after]
    return ReplayReport(
        recipe=overrides.title,
        questions=len(replayed),
        same=len(replayed) - len(moved),
        same_first=sum(each.before[:1] == each.after[:1] for each in replayed),
        overlap=sum(each.overlap for each in replayed) / len(replayed),
        moved=sorted(moved, key=lambda each: (each.overlap, each.query)),
        used=_used_rank_difference(
            [each for each, question in zip(replayed, questions, strict=True) if not question.had_use], seed
        ),
        merged=merged,
        with_use=sum(
            question.had_use and bool(_chosen(each)) for each, question in zip(replayed, questions, strict=True)
        ),
    )


def _answer_now(
    subject: EvaluatedIndex, question: LoggedQuery, overrides: WeightOverrides, weights: LearntWeights | None
) -> list[str]:
    """Return the doc_ids of the answer of today, under the logged options."""
    query = question_from_options(question.query, question.options, CUTOFF)
    query = query if weights is None else weights.apply_to(query)
    ranking = subject.rank(query, overrides)
    best = filter_confident(ranking.ranked, query, ranking.reader, ranking.scoring)
    return [location.doc_id for location in subject.locate_results(best[: query.limit], ranking.reader)]


def _compare_answers(question: LoggedQuery, after: list[str]) -> ReplayedQuery:
    before = question.found
    union = set(before) | set(after)
    overlap = len(set(before) & set(after)) / len(union) if union else 1.0
    chosen = {doc_id for doc_id, how in question.used if how != INFERRED_USE}
    used = [
        UsedResult(doc_id, _rank(before, doc_id), _rank(after, doc_id), doc_id not in chosen)
        for doc_id in dict.fromkeys(doc_id for doc_id, _ in question.used)
    ]
    return ReplayedQuery(question.query_id, question.query, before, after, overlap, used)


def _rank(doc_ids: Sequence[str], doc_id: str) -> int | None:
    return doc_ids.index(doc_id) + 1 if doc_id in doc_ids else None


def _chosen(replayed: ReplayedQuery) -> list[UsedResult]:
    return [use for use in replayed.used if not use.is_inferred]


def _used_rank_difference(replayed: Iterable[ReplayedQuery], seed: int) -> PairedDifference | None:
    used = [uses for each in replayed if (uses := _chosen(each))]
    if not used:
        return None
    before = [max(1 / each.before if each.before else 0.0 for each in of) for of in used]
    after = [max(1 / each.after if each.after else 0.0 for each in of) for of in used]
    return paired_bootstrap(before, after, seed)
