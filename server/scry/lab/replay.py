"""Replay logged queries against the index of today.

Questions from the log, asked anew: what the index, the model or the weights of today would answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from scry.engine.response.requests import question_from_options
from scry.lab.ablation import WeightOverrides, check_override_names
from scry.lab.evaluated_index import EvaluatedIndex
from scry.lab.logged_queries import LoggedQuery
from scry.lab.metrics import BOOTSTRAP_SEED, CUTOFF, PairedDifference, paired_bootstrap
from scry.lab.run import ProgressCallback


class UsedResult(msgspec.Struct, frozen=True):
    """What was used of an answer, and where it stood then and stands now; None where it is not found any more."""

    doc_id: str
    before: int | None
    after: int | None


class ReplayedQuery(msgspec.Struct, frozen=True):
    """A question then and now. before, after: the doc_ids of the answers. overlap: what share of both is in both."""

    query_id: str
    query: str
    before: list[str]
    after: list[str]
    overlap: float
    used: list[UsedResult]


class ReplayReport(msgspec.Struct, frozen=True):
    """All of them. recipe: what is weighed otherwise now. same: how many have the same answers in the same order.

    same_first: the same first one. overlap: the mean. used: how the mean of 1 / the rank of what was used moved, over
    the questions of which something was; absent where nothing was. moved: those that differ, the most first.
    """

    recipe: str
    questions: int
    same: int
    same_first: int
    overlap: float
    moved: list[ReplayedQuery]
    used: PairedDifference | None = None


def latest_distinct(questions: Iterable[LoggedQuery], count: int) -> list[LoggedQuery]:
    """The last `count` different questions of which the log still knows what they found, in the order of asking.

    One that was asked several times stands as it was asked last, with all that was ever used of it.
    """
    different: dict[str, LoggedQuery] = {}
    for question in questions:
        if question.found:
            key = msgspec.json.encode((question.query, question.options)).decode()
            before = different.pop(key, None)
            if before is not None:
                question.used[:0] = before.used
            different[key] = question
    return list(different.values())[-count:]


def replay(
    subject: EvaluatedIndex,
    questions: Sequence[LoggedQuery],
    recipe: WeightOverrides,
    progress: ProgressCallback,
    seed: int = BOOTSTRAP_SEED,
) -> ReplayReport:
    """questions: at least one, each with what it found. progress: see lab.evaluate.

    Raises BadRequest for a recipe that names what is not there.
    """
    replayed: list[ReplayedQuery] = []
    for done, question in enumerate(questions):
        progress("replaying", done, len(questions))
        replayed.append(_compare_answers(question, _answer_now(subject, question, recipe)))
    check_override_names(recipe, subject.adjustments)
    moved = [each for each in replayed if each.before != each.after]
    return ReplayReport(
        recipe=recipe.title,
        questions=len(replayed),
        same=len(replayed) - len(moved),
        same_first=sum(each.before[:1] == each.after[:1] for each in replayed),
        overlap=sum(each.overlap for each in replayed) / len(replayed),
        moved=sorted(moved, key=lambda each: (each.overlap, each.query)),
        used=_used_rank_difference(replayed, seed),
    )


def _answer_now(subject: EvaluatedIndex, question: LoggedQuery, recipe: WeightOverrides) -> list[str]:
    """The doc_ids of the answer, under the options of then."""
    planned = question_from_options(question.query, question.options, CUTOFF)
    ranking = subject.rank(planned, recipe)
    best = [each for each in ranking.ranked if each.fused_score >= planned.min_score]
    return [place.doc_id for place in subject.locate_results(best[: planned.limit], ranking.reader)]


def _compare_answers(question: LoggedQuery, after: list[str]) -> ReplayedQuery:
    before = question.found
    either = set(before) | set(after)
    overlap = len(set(before) & set(after)) / len(either) if either else 1.0
    used = [UsedResult(doc_id, _rank(before, doc_id), _rank(after, doc_id)) for doc_id in _used_doc_ids(question)]
    return ReplayedQuery(question.query_id, question.query, before, after, overlap, used)


def _used_doc_ids(question: LoggedQuery) -> list[str]:
    return list(dict.fromkeys(doc_id for doc_id, _ in question.used))


def _rank(doc_ids: Sequence[str], doc_id: str) -> int | None:
    return doc_ids.index(doc_id) + 1 if doc_id in doc_ids else None


def _used_rank_difference(replayed: Iterable[ReplayedQuery], seed: int) -> PairedDifference | None:
    used = [each.used for each in replayed if each.used]
    if not used:
        return None
    before = [max(1 / each.before if each.before else 0.0 for each in of) for of in used]
    after = [max(1 / each.after if each.after else 0.0 for each in of) for of in used]
    return paired_bootstrap(before, after, seed)
