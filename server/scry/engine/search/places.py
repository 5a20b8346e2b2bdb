"""Choose the best places of each file, and let a file take several results without crowding out others. Pure.

The order of files is that of their best documents by rank sum and boosts. Which document of a file comes first, second
and so on follows from the evidence within the file:

    evidence = ln(score) + ln(min(lines, 60)) + 2 * (BM25 / best BM25) + 2 * cosine - 4 [200 lines or more]

Ranks alone say little here: neighbours in a file share its path and its vocabulary, so that their ranks are decided by
length. A field of one line has a high cosine as soon as its name is a word of the query, and a class of a thousand
lines holds every word. The first place of a file scores as its best document did; a further one less, by how much less
evidence it has (`place`), and by half for each place before it (`repeat`). The constants are by
cross-validation over repositories (docs/quality.md).

A query of a single word names a thing: its documents stay in the order of their scores.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from scry.core.text import is_single_term
from scry.core.types import Adjustment, Candidate, SearchQuery

REPEAT_PENALTY = 0.5
"""Factor of each further result of a file, once for every better one: ten results should show several files."""

EVIDENCE_EXPONENT = 0.3
"""A place with less evidence than the first one of its file by d scores exp(-0.3 d) of it."""

BM25_WEIGHT = 2.0
COSINE_WEIGHT = 2.0

FULL_LENGTH_LINES = 60
"""Lines up to which a longer document is likelier to be meant: it does more of what the file is about."""

MAX_PLACE_LINES = 200
OVERSIZE_EVIDENCE = -4.0
"""A document of this many lines is no place that anybody can look at; the places in it come first."""


class PlaceRules:
    """The adjustments `place` and `repeat` for one query."""

    def __init__(self, question: SearchQuery, candidates: Sequence[Candidate]) -> None:
        """candidates: all of the query."""
        self._place_strength = 0.0 if is_single_term(question) else question.strength("place")
        self._repeat_factor = REPEAT_PENALTY ** question.strength("repeat")
        scores = [each.oracle_matches["lexical"].raw_score for each in candidates if "lexical" in each.oracle_matches]
        self._best_bm25 = max(scores, default=0.0)

    def adjustments_for(self, adjusted: Iterable[Candidate]) -> Mapping[int, list[Adjustment]]:
        """Return the adjustments of these candidates that depend on the others of their file, by doc_key.

        adjusted: candidates with their other adjustments; of each file all that may rank.
        """
        by_file: dict[str, list[Candidate]] = defaultdict(list)
        for candidate in adjusted:
            if candidate.document.path:
                by_file[candidate.document.path].append(candidate)
        adjustments: dict[int, list[Adjustment]] = {}
        for candidates in by_file.values():
            if len(candidates) > 1:
                adjustments.update(self._adjust_file(candidates))
        return adjustments

    def _adjust_file(self, candidates: Sequence[Candidate]) -> Iterable[tuple[int, list[Adjustment]]]:
        evidence = {each.document.doc_key: self.evidence_of(each) for each in candidates}
        ordered = sorted(candidates, key=lambda each: (-evidence[each.document.doc_key], each.document.doc_id))
        best_score = max(each.fused_score for each in candidates)
        best_evidence = evidence[ordered[0].document.doc_key]
        for position, candidate in enumerate(ordered):
            doc_key, adjustments = candidate.document.doc_key, list[Adjustment]()
            if self._place_strength:
                less = math.exp(EVIDENCE_EXPONENT * (evidence[doc_key] - best_evidence))
                factor = (best_score / candidate.fused_score * less) ** self._place_strength
                if factor != 1.0:
                    adjustments.append(Adjustment("place", factor, self._place_reason(candidate, position)))
            if position and self._repeat_factor != 1.0:
                reason = f"{position} better in the same file"
                adjustments.append(Adjustment("repeat", self._repeat_factor**position, reason))
            if adjustments:
                yield doc_key, adjustments

    def evidence_of(self, candidate: Candidate) -> float:
        """Return the evidence that a document is the place in its file, by the formula above."""
        if not self._place_strength:
            return math.log(candidate.fused_score)
        bm25, cosine = self._shares(candidate)
        lines = candidate.document.line_count
        return (
            math.log(candidate.fused_score)
            + math.log(min(lines, FULL_LENGTH_LINES))
            + BM25_WEIGHT * bm25
            + COSINE_WEIGHT * cosine
            + (OVERSIZE_EVIDENCE if lines >= MAX_PLACE_LINES else 0.0)
        )

    def _shares(self, candidate: Candidate) -> tuple[float, float]:
        """Return a document's BM25 as a share of the query's best one, and its cosine; 0 where it does not match."""
        lexical, semantic = candidate.oracle_matches.get("lexical"), candidate.oracle_matches.get("semantic")
        bm25 = lexical.raw_score / self._best_bm25 if lexical is not None and self._best_bm25 else 0.0
        return bm25, semantic.raw_score if semantic is not None else 0.0

    def _place_reason(self, candidate: Candidate, position: int) -> str:
        bm25, cosine = self._shares(candidate)
        lines = candidate.document.line_count
        size = "1 line" if lines == 1 else f"{lines} lines"
        return f"place {position + 1} of its file by {size}, BM25 {bm25:.2f} of the best, cosine {cosine:.2f}"
