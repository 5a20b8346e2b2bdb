"""Runs made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from scry.lab import (
    RUN_FORMAT,
    EvaluationRun,
    ExpectedResult,
    JudgedLocation,
    QueryOutcome,
    ReturnedResult,
    RunContext,
    score_results,
    summarize_scores,
)

GROUND = RunContext("0", "/project", "questions.jsonl", 1, 2, 3, "c0ffee0123", "a model", "as it is", [])


def outcome(number: int, query: str, path: str, found: Sequence[str], category: str = "symbol") -> QueryOutcome:
    """Return a question for a file, and the files that were found."""
    targets = [ExpectedResult(path)]
    places = [JudgedLocation(f"./{each}", each, 1, 9) for each in found]
    scored = score_results(places, targets)
    items = [
        ReturnedResult(p.doc_id, p.path, 1, 9, 0.5, {"lexical": rank}, {"repeat": 0.3})
        for rank, p in enumerate(places, 1)
    ]
    return QueryOutcome(number, query, category, targets, scored.ranks, scored.ndcg, scored.file_ndcg, items)


def run(*questions: QueryOutcome) -> EvaluationRun:
    """Return a run of these."""
    scores = [
        score_results([JudgedLocation(f.doc_id, f.path, 1, 9) for f in each.found], each.targets) for each in questions
    ]
    figures = summarize_scores(scores)
    return EvaluationRun(RUN_FORMAT, "2026-11-21T10:00:00Z", GROUND, figures, {"symbol": figures}, list(questions))
