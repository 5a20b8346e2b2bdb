"""What an answer holds back so as to show several places. Pure.

How many results of one file the first ten may hold is no fixed number: the best of a file stands where its votes put
it, and each further one is lowered once more (`repeat`, see engine.adjust), so that it is shown where little else was
found. Here is counted what that held back, so that nobody takes the one result of a file for all that the file has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from scry.core.types import Candidate, Hit, Question
from scry.engine.fuse import order, with_adjustments


def count_held_back(
    ranked: Sequence[Candidate], shown: Sequence[Candidate], question: Question, top: float
) -> Mapping[int, int]:
    """By the number of each file's best result, how many more of the file would be shown if none were lowered for
    standing behind another one; files without any are left out.

    ranked: adjusted, best first, at least as far as the question's limit reaches. shown: those that are results.
    top: the ceiling of the fused score.
    """
    numbers = {candidate.document.number for candidate in shown}
    alone = [_by_itself(candidate, top) for candidate in ranked]
    held_back = Counter(
        candidate.document.path
        for candidate in order(alone)[: question.limit]
        if candidate.document.number not in numbers and candidate.fused_score >= question.min_score
    )
    best = {candidate.document.path: candidate.document.number for candidate in reversed(shown)}
    return {best[path]: count for path, count in held_back.items() if path}


def _by_itself(candidate: Candidate, top: float) -> Candidate:
    """The candidate as it would be if it were the only one of its file."""
    if not any(adjustment.name == "repeat" for adjustment in candidate.adjustments):
        return candidate
    kept = [adjustment for adjustment in candidate.adjustments if adjustment.name != "repeat"]
    return with_adjustments(candidate._replace(adjustments=()), kept, top)


def with_held_back(hits: Sequence[Hit], counts: Mapping[int, int]) -> tuple[Hit, ...]:
    """The hits, told how many more of their files there are. counts: by the documents' numbers."""
    return tuple(
        replace(hit, more_in_file=counts[hit.document.number]) if hit.document.number in counts else hit for hit in hits
    )
