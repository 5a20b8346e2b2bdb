"""The record of an evaluation run, and the queries in it that missed their targets.

The record is the same JSON for `--json`, `--out`, compare, why and the report.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from scry.core.decoding import decode_json
from scry.core.errors import BadRequest
from scry.lab.metrics import CUTOFF, MetricSummary, PairedDifference
from scry.lab.questions import ExpectedResult

ProgressCallback = Callable[[str, int, int], None]
"""Called with the name of the current step, the number of queries done in it, and their total."""

RUN_FORMAT = 1
"""Raised when older readers can no longer read a run."""


class ReturnedResult(msgspec.Struct, frozen=True):
    """A result.

    path: from the repository's top.
    start_line, end_line: 1-based.
    found_by: each oracle's rank.
    adjustments: factors by name.
    """

    doc_id: str
    path: str
    start_line: int
    end_line: int
    score: float
    found_by: dict[str, int]
    adjustments: dict[str, float]


class QueryOutcome(msgspec.Struct, frozen=True):
    """A query and its scores, as in metrics.QueryScore.

    number: 1-based, the query's name in commands.
    ranks: of each target; None if not among the first 50.
    found: the first ten results.
    """

    number: int
    query: str
    category: str
    targets: list[ExpectedResult]
    ranks: list[int | None]
    ndcg: float
    file_ndcg: float
    found: list[ReturnedResult]


class VariantResult(msgspec.Struct, frozen=True):
    """The same queries with other weights.

    difference: of NDCG@10 to the run itself.
    ndcgs: NDCG@10 by query, in order.
    """

    name: str
    title: str
    figures: MetricSummary
    categories: dict[str, MetricSummary]
    difference: PairedDifference
    ndcgs: list[float]


class RunContext(msgspec.Struct, frozen=True):
    """The conditions of a run; under equal conditions two runs are equal.

    scry: its version.
    root: of the project.
    queries: the file.
    generation, files, vectors: of the index.
    commit: of the index.
    model: its identity.
    recipe: the weight overrides.
    missing: oracles that could not answer.
    absent: paths of targets that no indexed file has, once each.
    leaves_out_learnt: whether weights learnt from jumps rank in this project; they take no part in a run.
    """

    scry: str
    root: str
    queries: str
    generation: int
    files: int
    vectors: int
    commit: str | None
    model: str | None
    recipe: str
    missing: list[str]
    absent: list[str] = []
    leaves_out_learnt: bool = False


class EvaluationRun(msgspec.Struct, frozen=True):
    """An evaluation. made: its time, in UTC. variants: of an ablation."""

    format: int
    made: str
    ground: RunContext
    figures: MetricSummary
    categories: dict[str, MetricSummary]
    asked: list[QueryOutcome]
    variants: list[VariantResult] = []


def read_run(path: Path, parameter: str = "run") -> EvaluationRun:
    """Return a saved run. parameter: the name of the path's parameter, for errors. Raises BadRequest."""
    try:
        run = decode_json(path.read_bytes(), EvaluationRun)
    except OSError as error:
        raise BadRequest(parameter, f"{path} can't be read: {error.strerror}") from error
    except msgspec.MsgspecError as error:
        raise BadRequest(parameter, f"{path} is no run of `scry lab eval --out`: {error}") from error
    if run.format != RUN_FORMAT:
        raise BadRequest(
            parameter, f"{path} has format {run.format}, not {RUN_FORMAT}; make it again with this version"
        )
    return run


def is_miss(outcome: QueryOutcome) -> bool:
    """Return whether a target is not among the first ten."""
    return any(rank is None or rank > CUTOFF for rank in outcome.ranks)


def find_outcome(run: EvaluationRun, number: int) -> QueryOutcome:
    """Return the query of that number. Raises BadRequest."""
    for outcome in run.asked:
        if outcome.number == number:
            return outcome
    raise BadRequest("number", f"the run has the questions 1 to {len(run.asked)}, and no {number}")
