"""The record of an evaluation run, and the queries in it that missed their targets.

A run as it is kept: the same JSON for `--json`, `--out`, compare, why and the report.

A question of a run that went wrong, and what to ask why for, to see the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from scry.core.errors import BadRequest
from scry.lab.metrics import CUTOFF, MetricSummary, PairedDifference
from scry.lab.questions import ExpectedResult

ProgressCallback = Callable[[str, int, int], None]
"""Called with the name of the current step, the number of queries done in it, and their total."""

RUN_FORMAT = 1
"""Goes up when older readers can't read it any more."""


class ReturnedResult(msgspec.Struct, frozen=True):
    """A result. path: from the repository's top. start_line, end_line: 1-based. found_by: each oracle's rank.

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
    """A question and how it went. number: 1-based, by which it is named. ranks: of each target, None if not among the
    first 50. found: the first ten. Scores as in metrics.Score.
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
    """The same questions weighed otherwise. difference: of NDCG@10 to the run itself. ndcgs: by question, in order."""

    name: str
    title: str
    figures: MetricSummary
    categories: dict[str, MetricSummary]
    difference: PairedDifference
    ndcgs: list[float]


class RunContext(msgspec.Struct, frozen=True):
    """What was judged: on equal ground, two runs are equal. scry: its version. recipe: what was weighed otherwise.

    root: of the project. generation, files, vectors: of the index. commit: which the index is of. model: its identity.
    queries: the file. missing: what could not answer.
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


class EvaluationRun(msgspec.Struct, frozen=True):
    """An evaluation. made: when, in UTC. variants: of an ablation."""

    format: int
    made: str
    ground: RunContext
    figures: MetricSummary
    categories: dict[str, MetricSummary]
    asked: list[QueryOutcome]
    variants: list[VariantResult] = []


def read_run(path: Path, parameter: str = "run") -> EvaluationRun:
    """A run that was kept. parameter: its name, for errors. Raises BadRequest."""
    try:
        run = msgspec.json.decode(path.read_bytes(), type=EvaluationRun)
    except OSError as error:
        raise BadRequest(parameter, f"{path} can't be read: {error.strerror}") from error
    except msgspec.MsgspecError as error:
        raise BadRequest(parameter, f"{path} is no run of `scry lab eval --out`: {error}") from error
    if run.format != RUN_FORMAT:
        raise BadRequest(
            parameter, f"{path} has format {run.format}, not {RUN_FORMAT}; make it again with this version"
        )
    return run


def is_miss(asked: QueryOutcome) -> bool:
    """Whether a target is not among the first ten."""
    return any(rank is None or rank > CUTOFF for rank in asked.ranks)


def find_outcome(run: EvaluationRun, number: int) -> QueryOutcome:
    """The question of that number. Raises BadRequest."""
    for asked in run.asked:
        if asked.number == number:
            return asked
    raise BadRequest("number", f"the run has the questions 1 to {len(run.asked)}, and no {number}")
