"""A question of a run that went wrong, and what to ask why for, to see the reason."""

from __future__ import annotations

from scry.core.errors import BadRequest
from scry.lab.cases import ExpectedResult
from scry.lab.metrics import CUTOFF
from scry.lab.record import QueryOutcome, EvaluationRun
from scry.lab.subject import EvaluatedIndex


def is_miss(asked: QueryOutcome) -> bool:
    """Whether a target is not among the first ten."""
    return any(rank is None or rank > CUTOFF for rank in asked.ranks)


def find_outcome(run: EvaluationRun, number: int) -> QueryOutcome:
    """The question of that number. Raises BadRequest."""
    for asked in run.asked:
        if asked.number == number:
            return asked
    raise BadRequest("number", f"the run has the questions 1 to {len(run.asked)}, and no {number}")


def why_targets(subject: EvaluatedIndex, asked: QueryOutcome) -> list[str]:
    """What why is to be asked for, as it names documents: each target, and what came first if that is none of them.

    Targets that are not indexed keep the name that the question set gives them, and why says what became of them.
    """
    names = [_why_target(subject, target) for target in asked.targets]
    if asked.found and 1 not in asked.ranks:
        names.append(asked.found[0].doc_id)
    return list(dict.fromkeys(names))


def _why_target(subject: EvaluatedIndex, target: ExpectedResult) -> str:
    if target.doc_id is not None:
        return target.doc_id
    path = subject.resolve_path(target.path)
    return path if target.start_line is None else f"{path}:{target.start_line}"
