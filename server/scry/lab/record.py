"""A run as it is kept: the same JSON for `--json`, `--out`, compare, why and the report."""

from __future__ import annotations

from pathlib import Path

import msgspec

from scry.core.errors import BadRequest
from scry.lab.bootstrap import Difference
from scry.lab.cases import Target
from scry.lab.metrics import Figures

FORMAT = 1
"""Goes up when older readers can't read it any more."""


class Found(msgspec.Struct, frozen=True):
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


class Asked(msgspec.Struct, frozen=True):
    """A question and how it went. number: 1-based, by which it is named. ranks: of each target, None if not among the
    first 50. found: the first ten. Scores as in metrics.Score.
    """

    number: int
    query: str
    category: str
    targets: list[Target]
    ranks: list[int | None]
    ndcg: float
    file_ndcg: float
    found: list[Found]


class Variant(msgspec.Struct, frozen=True):
    """The same questions weighed otherwise. difference: of NDCG@10 to the run itself. ndcgs: by question, in order."""

    name: str
    title: str
    figures: Figures
    categories: dict[str, Figures]
    difference: Difference
    ndcgs: list[float]


class Ground(msgspec.Struct, frozen=True):
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


class Run(msgspec.Struct, frozen=True):
    """An evaluation. made: when, in UTC. variants: of an ablation."""

    format: int
    made: str
    ground: Ground
    figures: Figures
    categories: dict[str, Figures]
    asked: list[Asked]
    variants: list[Variant] = []


def read_run(path: Path, parameter: str = "run") -> Run:
    """A run that was kept. parameter: its name, for errors. Raises BadRequest."""
    try:
        run = msgspec.json.decode(path.read_bytes(), type=Run)
    except OSError as error:
        raise BadRequest(parameter, f"{path} can't be read: {error.strerror}") from error
    except msgspec.MsgspecError as error:
        raise BadRequest(parameter, f"{path} is no run of `scry lab eval --out`: {error}") from error
    if run.format != FORMAT:
        raise BadRequest(parameter, f"{path} has format {run.format}, not {FORMAT}; make it again with this version")
    return run
