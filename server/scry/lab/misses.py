"""A question of a run that went wrong, and what to ask why for, to see the reason."""

from __future__ import annotations

from scry.core.errors import BadRequest
from scry.lab.cases import Target
from scry.lab.metrics import K
from scry.lab.record import Asked, Run
from scry.lab.subject import Subject


def is_miss(asked: Asked) -> bool:
    """Whether a target is not among the first ten."""
    return any(rank is None or rank > K for rank in asked.ranks)


def question_of(run: Run, number: int) -> Asked:
    """The question of that number. Raises BadRequest."""
    for asked in run.asked:
        if asked.number == number:
            return asked
    raise BadRequest("number", f"the run has the questions 1 to {len(run.asked)}, and no {number}")


def replayed(subject: Subject, asked: Asked) -> list[str]:
    """What why is to be asked for, as it names documents: each target, and what came first if that is none of them.

    Targets that are not indexed keep the name that the question set gives them, and why says what became of them.
    """
    names = [_name(subject, target) for target in asked.targets]
    if asked.found and 1 not in asked.ranks:
        names.append(asked.found[0].doc_id)
    return list(dict.fromkeys(names))


def _name(subject: Subject, target: Target) -> str:
    if target.doc_id is not None:
        return target.doc_id
    path = subject.path_of(target.path)
    return path if target.start_line is None else f"{path}:{target.start_line}"
