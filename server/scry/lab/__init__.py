"""Evaluation of the engine: metrics over a set of queries, ablations, and comparisons of runs.

Nothing here ranks, stores an answer or writes to the log.
"""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.lab.ablation import ALL_ADJUSTMENTS as ALL_ADJUSTMENTS
    from scry.lab.ablation import NO_OVERRIDES as NO_OVERRIDES
    from scry.lab.ablation import WeightOverrides as WeightOverrides
    from scry.lab.ablation import check_override_names as check_override_names
    from scry.lab.ablation import list_ablations as list_ablations
    from scry.lab.ablation import parse_weight_overrides as parse_weight_overrides
    from scry.lab.compare import RunComparison as RunComparison
    from scry.lab.evaluated_index import EvaluatedIndex as EvaluatedIndex
    from scry.lab.evaluated_index import reweigh as reweigh
    from scry.lab.logged_queries import build_gold_cases as build_gold_cases
    from scry.lab.logged_queries import read_logged_queries as read_logged_queries
    from scry.lab.metrics import CUTOFF as CUTOFF
    from scry.lab.metrics import JudgedLocation as JudgedLocation
    from scry.lab.metrics import MetricSummary as MetricSummary
    from scry.lab.metrics import first_result_per_file as first_result_per_file
    from scry.lab.metrics import matches_target as matches_target
    from scry.lab.metrics import ndcg as ndcg
    from scry.lab.metrics import paired_bootstrap as paired_bootstrap
    from scry.lab.metrics import recall as recall
    from scry.lab.metrics import reciprocal_rank as reciprocal_rank
    from scry.lab.metrics import score_results as score_results
    from scry.lab.metrics import summarize_scores as summarize_scores
    from scry.lab.questions import UNCATEGORIZED as UNCATEGORIZED
    from scry.lab.questions import EvaluationCase as EvaluationCase
    from scry.lab.questions import ExpectedResult as ExpectedResult
    from scry.lab.questions import read_cases as read_cases
    from scry.lab.questions import write_cases as write_cases
    from scry.lab.replay import ReplayReport as ReplayReport
    from scry.lab.replay import latest_distinct as latest_distinct
    from scry.lab.run import RUN_FORMAT as RUN_FORMAT
    from scry.lab.run import EvaluationRun as EvaluationRun
    from scry.lab.run import QueryOutcome as QueryOutcome
    from scry.lab.run import ReturnedResult as ReturnedResult
    from scry.lab.run import RunContext as RunContext
    from scry.lab.run import VariantResult as VariantResult
    from scry.lab.run import find_outcome as find_outcome
    from scry.lab.run import is_miss as is_miss
    from scry.lab.run import read_run as read_run
else:
    _MODULES = {
        "ALL_ADJUSTMENTS": "ablation",
        "CUTOFF": "metrics",
        "EvaluatedIndex": "evaluated_index",
        "EvaluationCase": "questions",
        "EvaluationRun": "run",
        "ExpectedResult": "questions",
        "JudgedLocation": "metrics",
        "MetricSummary": "metrics",
        "NO_OVERRIDES": "ablation",
        "QueryOutcome": "run",
        "RUN_FORMAT": "run",
        "ReplayReport": "replay",
        "ReturnedResult": "run",
        "RunComparison": "compare",
        "RunContext": "run",
        "UNCATEGORIZED": "questions",
        "VariantResult": "run",
        "WeightOverrides": "ablation",
        "build_gold_cases": "logged_queries",
        "check_override_names": "ablation",
        "find_outcome": "run",
        "first_result_per_file": "metrics",
        "is_miss": "run",
        "latest_distinct": "replay",
        "list_ablations": "ablation",
        "matches_target": "metrics",
        "ndcg": "metrics",
        "paired_bootstrap": "metrics",
        "parse_weight_overrides": "ablation",
        "read_cases": "questions",
        "read_logged_queries": "logged_queries",
        "read_run": "run",
        "recall": "metrics",
        "reciprocal_rank": "metrics",
        "reweigh": "evaluated_index",
        "score_results": "metrics",
        "summarize_scores": "metrics",
        "write_cases": "questions",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
