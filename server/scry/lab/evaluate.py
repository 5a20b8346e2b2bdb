"""Run a set of evaluation queries and score the answers, with ablations if wanted.

The oracles are asked once for each query, however many variants are scored.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence

from scry import __version__
from scry.core.types import Candidate
from scry.engine.response.answer import replace_surrogates
from scry.engine.search.pipeline import BASE_ORACLE_WEIGHTS, Ranking
from scry.engine.search.query import parse_query
from scry.lab.ablation import NO_OVERRIDES, WeightOverrides, check_override_names, list_ablations
from scry.lab.evaluated_index import EvaluatedIndex, list_faults, reweigh
from scry.lab.metrics import (
    CUTOFF,
    RECALL_CUTOFFS,
    JudgedLocation,
    MetricSummary,
    QueryScore,
    paired_bootstrap,
    score_results,
    summarize_scores,
)
from scry.lab.questions import EvaluationCase
from scry.lab.run import (
    RUN_FORMAT,
    EvaluationRun,
    ProgressCallback,
    QueryOutcome,
    ReturnedResult,
    RunContext,
    VariantResult,
)

RESULT_DEPTH = RECALL_CUTOFFS[-1]
"""Number of results scored, more than CUTOFF for the recall of targets that were nearly found."""


def evaluate(
    subject: EvaluatedIndex,
    cases: Sequence[EvaluationCase],
    queries: str,
    *,
    overrides: WeightOverrides = NO_OVERRIDES,
    ablate: bool = False,
    progress: ProgressCallback | None = None,
) -> EvaluationRun:
    """Return a run over the cases.

    queries: the name of their file. overrides: weight overrides of the whole run. ablate: also score every variant of
    lab.ablation. Raises BadRequest for overrides of unknown names.
    """
    report = progress or _ignore_progress
    rankings: list[Ranking] = []
    for done, case in enumerate(cases):
        report("asking", done, len(cases))
        rankings.append(subject.rank(parse_query(case.query, BASE_ORACLE_WEIGHTS, limit=CUTOFF), overrides))
    check_override_names(overrides, subject.adjustments)
    scores, outcomes = _score_rankings(subject, cases, rankings)
    variants = _score_variants(subject, cases, rankings, overrides, scores, report) if ablate else []
    made_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    absent = subject.absent_paths(target.path for case in cases for target in case.targets)
    context = _run_context(subject, queries, overrides, rankings, absent)
    return EvaluationRun(
        RUN_FORMAT, made_at, context, summarize_scores(scores), summarize_by_category(cases, scores), outcomes, variants
    )


def summarize_by_category(cases: Sequence[EvaluationCase], scores: Sequence[QueryScore]) -> dict[str, MetricSummary]:
    """Return the mean metrics of each category, by its name."""
    by_category: dict[str, list[QueryScore]] = defaultdict(list)
    for case, each in zip(cases, scores, strict=True):
        by_category[case.category].append(each)
    return {name: summarize_scores(by_category[name]) for name in sorted(by_category)}


def _score_rankings(
    subject: EvaluatedIndex, cases: Sequence[EvaluationCase], rankings: Sequence[Ranking]
) -> tuple[list[QueryScore], list[QueryOutcome]]:
    scores: list[QueryScore] = []
    outcomes: list[QueryOutcome] = []
    for number, (case, ranking) in enumerate(zip(cases, rankings, strict=True), 1):
        locations = subject.locate_results(ranking.ranked[:RESULT_DEPTH], ranking.reader)
        scores.append(score_results(locations, case.targets))
        outcomes.append(_query_outcome(number, case, scores[-1], locations, ranking.ranked))
    return scores, outcomes


def _query_outcome(
    number: int,
    case: EvaluationCase,
    score: QueryScore,
    locations: Sequence[JudgedLocation],
    ranked: Sequence[Candidate],
) -> QueryOutcome:
    returned = [
        _returned_result(location, candidate) for location, candidate in zip(locations[:CUTOFF], ranked, strict=False)
    ]
    targets = list(case.targets)
    return QueryOutcome(number, case.query, case.category, targets, score.ranks, score.ndcg, score.file_ndcg, returned)


def _returned_result(location: JudgedLocation, candidate: Candidate) -> ReturnedResult:
    return ReturnedResult(
        doc_id=replace_surrogates(location.doc_id),
        path=replace_surrogates(location.path),
        start_line=location.start_line,
        end_line=location.end_line,
        score=candidate.fused_score,
        found_by={name: match.rank for name, match in candidate.oracle_matches.items()},
        adjustments={adjustment.name: adjustment.factor for adjustment in candidate.adjustments},
    )


def _score_variants(
    subject: EvaluatedIndex,
    cases: Sequence[EvaluationCase],
    rankings: Sequence[Ranking],
    overrides: WeightOverrides,
    usual: Sequence[QueryScore],
    progress: ProgressCallback,
) -> list[VariantResult]:
    variants = [overrides.merge(each) for each in list_ablations(subject.oracles, subject.adjustments)]
    scores: dict[str, list[QueryScore]] = {each.name: [] for each in variants}
    for done, (case, ranking) in enumerate(zip(cases, rankings, strict=True)):
        progress("weighing", done, len(cases))
        for each in variants:
            ranked = reweigh(ranking, each).ranked if each.keeps_any_oracle(ranking.question) else ()
            locations = subject.locate_results(ranked[:RESULT_DEPTH], ranking.reader)
            scores[each.name].append(score_results(locations, case.targets))
    return [_variant_result(each, cases, usual, scores[each.name]) for each in variants]


def _variant_result(
    overrides: WeightOverrides,
    cases: Sequence[EvaluationCase],
    usual: Sequence[QueryScore],
    scores: Sequence[QueryScore],
) -> VariantResult:
    before, after = [each.ndcg for each in usual], [each.ndcg for each in scores]
    return VariantResult(
        overrides.name,
        overrides.title,
        summarize_scores(scores),
        summarize_by_category(cases, scores),
        paired_bootstrap(before, after),
        after,
    )


def _run_context(
    subject: EvaluatedIndex,
    queries: str,
    overrides: WeightOverrides,
    rankings: Sequence[Ranking],
    absent: Sequence[str],
) -> RunContext:
    state = subject.state()
    return RunContext(
        scry=__version__,
        root=replace_surrogates(str(subject.project.root)),
        queries=replace_surrogates(queries),
        generation=state.generation,
        files=state.files_indexed,
        vectors=state.vectors,
        commit=state.index_commit,
        model=state.model,
        recipe=overrides.title,
        missing=list_faults(rankings),
        absent=[replace_surrogates(path) for path in absent],
        leaves_out_learnt=subject.learnt_weights() is not None,
    )


def _ignore_progress(_what: str, _done: int, _total: int) -> None:
    """Do nothing: no progress is shown."""
