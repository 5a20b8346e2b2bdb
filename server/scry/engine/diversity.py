"""What an answer holds back so as to show several places. Pure.

How many results of one file the first ten may hold is no fixed number: the best of a file stands where its votes put
it, and each further one is lowered once more (`repeat`, see engine.adjust), so that it is shown where little else was
found. Here is counted what that held back, so that nobody takes the one result of a file for all that the file has.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from scry.core.types import Candidate, Hit, SearchQuery


def count_hidden_repeats(ranked: Sequence[Candidate], shown: Sequence[Candidate], question: SearchQuery) -> Mapping[int, int]:
    """By the number of each file's best result, how many more of the file would be shown if none were lowered for
    standing behind another one; files without any are left out.

    ranked: adjusted, best first, at least as far as the question's limit reaches. shown: those that are results.
    """
    numbers = {candidate.document.doc_key for candidate in shown}
    alone = sorted((-_score_without_repeat_penalty(candidate), candidate.document.doc_id, candidate) for candidate in ranked)
    held_back = Counter(
        candidate.document.path
        for negated, _, candidate in alone[: question.limit]
        if candidate.document.doc_key not in numbers and -negated >= question.min_score
    )
    best = {candidate.document.path: candidate.document.doc_key for candidate in reversed(shown)}
    return {best[path]: count for path, count in held_back.items() if path}


def _score_without_repeat_penalty(candidate: Candidate) -> float:
    """The score that the candidate would have if it were the only one of its file."""
    return candidate.fused_score / math.prod(a.factor for a in candidate.adjustments if a.name == "repeat")


def add_hidden_counts(hits: Sequence[Hit], counts: Mapping[int, int]) -> tuple[Hit, ...]:
    """The hits, told how many more of their files there are. counts: by the documents' numbers."""
    return tuple(
        replace(hit, more_in_file=counts[hit.document.doc_key]) if hit.document.doc_key in counts else hit for hit in hits
    )
