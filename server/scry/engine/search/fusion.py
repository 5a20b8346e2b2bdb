"""Fuse ranked lists by weighted reciprocal rank fusion, apply boosts, choose the places of files, and order. Pure.

fused_score = (sum over oracles of weight / (RRF_K + rank)) * (product of the adjustments' factors) / ceiling

Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods (SIGIR
2009), with K = 60 from there. Between files raw scores are never added: they have no common unit.

The order of files is that of their best documents by rank sum and boosts. Which document of a file comes first, second
and so on follows from the evidence within the file:

    evidence = ln(score) / 2 + ln(min(lines, 60)) + 2 * (BM25 / best BM25) + 2.5 * ranks - 4 [200 lines or more]
               + 3.5 [the name is at least half of the query's words, and two or more] + 3 / rank by use
    ranks = sum over oracles of weight / (10 + rank), as a share of that of a document that is first with all three

Among all documents rank 2 says hardly more than rank 50; among the neighbours in a file, which share its path and its
vocabulary, the one that an oracle ranks second of all is likelier the place than one it ranks fiftieth. A field of one
line has a high rank as soon as its name is a word of the query, and a class of a thousand lines holds every word. The
first place of a file scores as its best document did; a further one less, by how much less evidence it has (`place`),
and by half for each place before it (`repeat`). The constants are by cross-validation over repositories, rounded
(docs/decisions/0088 and 0154). The score of a first place is not bounded by its own evidence: that loses files
(docs/decisions/0114).

A query of a single name, as in "where is the class x defined", asks for its definition, however long: documents stay in
the order of their scores.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import nlargest

from msgspec import structs

from scry.core.text import content_terms, name_words, names_one_thing, normalize_name, search_text
from scry.core.types import (
    NO_FILE_EVIDENCE,
    Adjustment,
    Candidate,
    DocumentHeader,
    FileEvidence,
    OracleMatch,
    SearchQuery,
)
from scry.engine.search.boosts import FILE_ORACLES, RRF_K, BoostRules, highest_rank_sum, used_factor
from scry.engine.search.document_boosts import StemFunction

# Fusion ---------------------------------------------------------------------------------------------------------------


def fused_score_ceiling(weights: Mapping[str, float], highest_factor: float) -> float:
    """Return the highest possible sum: first with every oracle, with every favourable adjustment."""
    return highest_rank_sum(weights) * highest_factor


def fuse_matches(
    matches_by_oracle: Mapping[str, Sequence[OracleMatch]],
    documents: Mapping[int, DocumentHeader],
    weights: Mapping[str, float],
) -> list[Candidate]:
    """Return one candidate per document, with each oracle's best match for it.

    Matches for documents that are not in `documents` are dropped.
    """
    matches_by_key: dict[int, dict[str, OracleMatch]] = {}
    sums: dict[int, float] = {}
    for oracle, weight in weights.items():
        for match in matches_by_oracle.get(oracle, ()):
            doc_key = match.doc_key
            matches = matches_by_key.get(doc_key)
            if matches is None:
                if doc_key in documents:
                    matches_by_key[doc_key] = {oracle: match}
                    sums[doc_key] = weight / (RRF_K + match.rank)
            elif oracle not in matches:
                matches[oracle] = match
                sums[doc_key] += weight / (RRF_K + match.rank)
    return [Candidate(documents[doc_key], matches_by_key[doc_key], total) for doc_key, total in sums.items()]


def drop_unreachable(
    matches_by_oracle: Mapping[str, Sequence[OracleMatch]],
    weights: Mapping[str, float],
    limit: int,
    notes: Container[int],
) -> Mapping[str, Sequence[OracleMatch]]:
    """Return the matches without those of notes that can't be among the first `limit` results.

    No boost applies to notes, so they rank by the sum of their matches: the first `limit` of them, and all that equal
    the last one, are all that can be shown. A project may hold ten thousand beliefs that share a word with a query.
    notes: the doc_keys of notes.
    """
    sums: dict[int, float] = {}
    for oracle, weight in weights.items():
        for match in matches_by_oracle.get(oracle, ()):
            if match.doc_key in notes:
                sums[match.doc_key] = sums.get(match.doc_key, 0.0) + weight / (RRF_K + match.rank)
    if len(sums) <= limit:
        return matches_by_oracle
    min_sum = nlargest(limit, sums.values())[-1]
    dropped = {doc_key for doc_key, total in sums.items() if total < min_sum}
    return {
        oracle: [match for match in matches if match.doc_key not in dropped]
        for oracle, matches in matches_by_oracle.items()
    }


# Places in a file -----------------------------------------------------------------------------------------------------

REPEAT_PENALTY = 0.5
"""Factor of each further result of a file, once for every better one: ten results should show several files."""

WORTHY_SHARE = 0.63
"""A further place of a file is worth a look where it scores at least this share of the first one."""

EVIDENCE_EXPONENT = 0.2
"""A place with less evidence than the first one of its file by d scores exp(-0.2 d) of it."""

SCORE_WEIGHT = 0.5
BM25_WEIGHT = 2.0
RANKS_WEIGHT = 2.5
PLACE_RANK_K = 10
"""The constant of reciprocal ranks among the evidence of places (docs/decisions/0154)."""

FULL_LENGTH_LINES = 60
"""Lines up to which a longer document is likelier to be meant: it does more of what the file is about."""

MAX_PLACE_LINES = 200
OVERSIZE_EVIDENCE = -4.0
"""A document of this many lines is no place that anybody can look at; the places in it come first."""


USE_EVIDENCE = 3.0
"""For the document that was used first for like questions, as for a name that is asked for; half for the second."""

WHOLE_NAME_EVIDENCE = 3.5
MIN_WHOLE_NAME_SHARE = 0.5
"""For a name of two words or more that are all in the query, by their stems, and at least this share of its words:
"where is ansi color stripped" asks for `strip_ansi`, which is two lines long. A longer query holds names by the way."""


class PlaceRules:
    """The adjustments `place` and `repeat` for one query."""

    def __init__(self, question: SearchQuery, candidates: Sequence[Candidate], stem: StemFunction) -> None:
        """candidates: all of the query."""
        self._stem = stem
        self._stems = frozenset(map(stem, content_terms(search_text(question))))
        self._starts = tuple([each[:2] for each in self._stems])  # a word begins as its stem does
        strengths, other = question.strengths, question.strengths.get("*", 1.0)
        self._place_strength = 0.0 if names_one_thing(question) else strengths.get("place", other)
        self._repeat_factor = REPEAT_PENALTY ** strengths.get("repeat", other)
        self._used_strength = strengths.get("used", other)
        self._weights = {name: weight for name, weight in question.weights.items() if name in FILE_ORACLES}
        self._highest_ranks = sum(self._weights.values()) / (PLACE_RANK_K + 1)
        scores = [  # of documents in files alone: notes and commits change no order among these
            each.oracle_matches["lexical"].raw_score
            for each in candidates
            if each.document.path and "lexical" in each.oracle_matches
        ]
        self._best_bm25 = max(scores, default=0.0)

    def adjustments_for(self, adjusted: Iterable[Candidate], min_score: float = 0.0) -> Mapping[int, list[Adjustment]]:
        """Return the adjustments of these candidates that depend on the others of their file, by doc_key.

        adjusted: candidates with their other adjustments; of each file all that may rank. min_score: further places of
        a file that score less, and less than WORTHY_SHARE of its first one, are left out.
        """
        by_file: dict[str, list[Candidate]] = defaultdict(list)
        adjustments: dict[int, list[Adjustment]] = {}
        for candidate in adjusted:
            if candidate.document.path:
                by_file[candidate.document.path].append(candidate)
            else:
                adjustments[candidate.document.doc_key] = []
        for candidates in by_file.values():
            adjustments.update(self._adjust_file(candidates, min_score))
        return adjustments

    def ranks_others_as(self, other: PlaceRules) -> bool:
        """Return whether both order alike the files whose candidates are the same for both; the query is the same."""
        return self._best_bm25 == other._best_bm25

    def _adjust_file(self, candidates: Sequence[Candidate], min_score: float) -> Iterable[tuple[int, list[Adjustment]]]:
        if len(candidates) == 1:
            yield candidates[0].document.doc_key, []
            return
        placed: list[tuple[float, str, int, Candidate, float, float]] = []
        best_score, best_evidence, is_used = -math.inf, -math.inf, False
        for index, each in enumerate(candidates):
            matches = each.oracle_matches
            lexical = matches.get("lexical")
            bm25 = lexical.raw_score / self._best_bm25 if lexical is not None and self._best_bm25 else 0.0
            ranks = self._share_of_ranks(matches)
            evidence = self._evidence_of(each, bm25, ranks)
            best_score, best_evidence = max(best_score, each.fused_score), max(best_evidence, evidence)
            if used := matches.get("use"):  # a place that was used comes before the others, which score as
                evidence += USE_EVIDENCE / used.rank  # if it had not been
                is_used = True
            placed.append((-evidence, each.document.doc_id, index, each, bm25, ranks))
        placed.sort()
        of_further = best_score / max([self._used_factor(each) for each in candidates]) if is_used else best_score
        for position, (negated, _, _, candidate, bm25, ranks) in enumerate(placed):
            adjustments = list[Adjustment]()
            if self._place_strength:
                less = math.exp(min(0.0, EVIDENCE_EXPONENT * (-negated - best_evidence)))
                best = of_further if position else best_score
                if less < WORTHY_SHARE and best * less * self._repeat_factor**position < min_score:
                    return  # this place is left out, and all behind it score less
                factor = (best / candidate.fused_score * less) ** self._place_strength
                if factor != 1.0:
                    lines = candidate.document.line_count
                    size = "1 line" if lines == 1 else f"{lines} lines"
                    reason = (
                        f"place {position + 1} of its file by {size}, BM25 {bm25:.2f} of the best, ranks {ranks:.2f}"
                    )
                    adjustments.append(Adjustment("place", factor, reason))
            if position and self._repeat_factor != 1.0:
                reason = f"{position} better in the same file"
                adjustments.append(Adjustment("repeat", self._repeat_factor**position, reason))
            yield candidate.document.doc_key, adjustments

    def _used_factor(self, candidate: Candidate) -> float:
        """Return the factor by which the candidate's file is raised for the use of this document, or of any where its
        adjustments are known.
        """
        if candidate.adjustments:
            return math.prod([each.factor for each in candidate.adjustments if each.name == "used"])
        used = candidate.oracle_matches.get("use")
        return used_factor(used.raw_score) ** self._used_strength if used else 1.0

    def _share_of_ranks(self, matches: Mapping[str, OracleMatch]) -> float:
        """Return the reciprocal ranks of a document as a share of those of one that is first with every oracle."""
        if not self._highest_ranks:
            return 0.0
        found = [(weight, matches[name].rank) for name, weight in self._weights.items() if name in matches]
        return sum([weight / (PLACE_RANK_K + rank) for weight, rank in found]) / self._highest_ranks

    def _evidence_of(self, candidate: Candidate, bm25: float, ranks: float) -> float:
        """Return the evidence that a document is the place in its file, by the formula above.

        bm25: as a share of the query's best one, 0 where it does not match. ranks: see `_share_of_ranks`.
        """
        if not self._place_strength:
            return math.log(candidate.fused_score)
        document = candidate.document
        lines = document.line_count
        words = name_words(document.name)
        is_asked = len(words) > 2 and words[0].startswith(self._starts) and self._holds_name(document.name, words)
        return (
            SCORE_WEIGHT * math.log(candidate.fused_score)
            + math.log(min(lines, FULL_LENGTH_LINES))
            + BM25_WEIGHT * bm25
            + RANKS_WEIGHT * ranks
            + (OVERSIZE_EVIDENCE if lines >= MAX_PLACE_LINES else 0.0)
            + (WHOLE_NAME_EVIDENCE if is_asked else 0.0)
        )

    def _holds_name(self, name: str, words: Sequence[str]) -> bool:
        """Return whether the query holds all parts of a name of several. words: its parts and the whole."""
        *parts, whole = words
        if len(parts) < MIN_WHOLE_NAME_SHARE * len(self._stems) or whole != normalize_name(name):
            return False
        return False not in [part.startswith(self._starts) and self._stem(part) in self._stems for part in parts]


# Boosts and order -----------------------------------------------------------------------------------------------------


def rank_with_boosts(
    candidates: Sequence[Candidate],
    question: SearchQuery,
    ceiling: float,
    stem: StemFunction,
    limit: int | None = None,
    evidence: FileEvidence = NO_FILE_EVIDENCE,
    min_score: float = 0.0,
) -> list[Candidate]:
    """Return the candidates with their adjustments and scores, best first (F5).

    ceiling: of the fused score. stem: maps a word to the form in which the word index compares it. limit: only the
    first so many are needed; candidates that can't be among them may be left out, and the first `limit` are exactly
    those of the whole ranking. min_score: candidates whose files can't reach it may be left out.
    """
    by_rank_sum = order_by_rank_sum(candidates)
    rules = BoostRules(question, stem, by_rank_sum, evidence)
    adjuster = ScoreAdjuster(rules, by_rank_sum, ceiling, question)
    if min_score > 0:
        by_rank_sum = adjuster.filter_reachable(min_score * _BELOW_EQUAL, by_rank_sum)
    if limit is None or len(candidates) <= 2 * limit or not adjuster.is_bounded:
        return adjuster.rank(by_rank_sum)
    # The first place of a file scores as its best document does, so that the first `limit` stand in as many files.
    files, least = adjuster.best_files(limit, by_rank_sum)
    return adjuster.rank([each for each in by_rank_sum if file_of(each) in files], least)


_BELOW_EQUAL = 1 - 1e-9
"""Factor below which two scores differ by more than the last digits of what was computed in another order."""


_LOOKED_UP_AT_ONCE = 80
"""Candidates whose files' words are looked up together, as far as they can be among the first."""


class ScoreAdjuster:
    """Applies the boosts of one query to candidates, to each one once, whatever else is found in its file."""

    def __init__(
        self, rules: BoostRules, by_rank_sum: Sequence[Candidate], ceiling: float, question: SearchQuery
    ) -> None:
        """by_rank_sum: all candidates, best rank sums first. ceiling: of the fused score."""
        place = question.strengths.get("place", question.strengths.get("*", 1.0))
        self.is_bounded = place in (0.0, 1.0)  # otherwise the first place of a file need not score as its best does
        self._rules = rules
        self._places = PlaceRules(question, by_rank_sum, rules.stem)
        self._ceiling = ceiling
        self._question = question
        self._adjusted: dict[int, Candidate] = {}

    def rank(self, candidates: Sequence[Candidate], min_score: float = 0.0) -> list[Candidate]:
        """Return the candidates with all their adjustments, best first.

        candidates: of each file all that may rank. min_score: further places of a file that score less, and less than
        WORTHY_SHARE of its first one, are left out.
        """
        self._rules.look_up([each.document.path for each in candidates])
        scored = [
            Candidate(each.document, each.oracle_matches, each.rank_sum, (), self._score(each)) for each in candidates
        ]
        more = self._places.adjustments_for(scored, min_score)
        return order_by_score(
            [
                apply_adjustments(self.adjust(each), own, self._ceiling)
                for each in candidates
                if (own := more.get(each.document.doc_key)) is not None
            ]
        )

    def best_files(self, limit: int, candidates: Sequence[Candidate]) -> tuple[AbstractSet[str | int], float]:
        """Return the `limit` files with the best scores before places count, and all that equal the last one; and that
        one's score, 0 for fewer files.

        Files are named by `file_of`. Candidates are adjusted in the order of
        the bounds of their scores, as long as one can bring its file among the first.
        """
        bounds = self._rules.bounds(candidates)
        best: dict[str | int, float] = {}
        least = 0.0
        order = sorted(range(len(bounds)), key=bounds.__getitem__, reverse=True)
        for position, at in enumerate(order):
            candidate, bound = candidates[at], bounds[at] / self._ceiling
            if bound < least:
                break
            if position % _LOOKED_UP_AT_ONCE == 0:
                part = order[position : position + _LOOKED_UP_AT_ONCE]
                self._rules.look_up([candidates[each].document.path for each in part])
            bound = self._rules.tighten(candidate.document.path, bound)
            key = file_of(candidate)
            known = best.get(key, 0.0)
            if known < bound >= least and (score := self._score(candidate)) > known:
                best[key] = score
                if score > least and len(best) >= limit:
                    least = nlargest(limit, best.values())[-1] * _BELOW_EQUAL
        return frozenset([key for key, score in best.items() if score >= least]), least

    def _score(self, candidate: Candidate) -> float:
        """Return the score of a candidate with its boosts."""
        if self._question.strengths:
            return self.adjust(candidate).fused_score
        return candidate.rank_sum * self._rules.factor_for(candidate) / self._ceiling

    def adjust(self, candidate: Candidate) -> Candidate:
        """Return the candidate with its boosts applied."""
        doc_key = candidate.document.doc_key
        adjusted = self._adjusted.get(doc_key)
        if adjusted is None:
            adjustments = self._rules.adjustments_for(candidate)
            if powers := self._question.strengths:  # of exponent 0 an adjustment is left out
                other = powers.get("*", 1.0)
                scaled = [(each, powers.get(each.name, other)) for each in adjustments]
                adjustments = [structs.replace(each, factor=each.factor**power) for each, power in scaled if power]
            adjusted = self._adjusted[doc_key] = apply_adjustments(candidate, adjustments, self._ceiling)
        return adjusted

    def reset_adjustments(self, candidate: Candidate, adjustments: Sequence[Adjustment]) -> Candidate:
        """Return the candidate with these adjustments alone, and its score with them."""
        return apply_adjustments(structs.replace(candidate, adjustments=()), adjustments, self._ceiling)

    def adjust_places(self, adjusted: Sequence[Candidate], min_score: float = 0.0) -> list[Candidate]:
        """Return the candidates with the adjustments that depend on the others of their file, in the same order.

        adjusted: with their other adjustments. min_score: see `rank`.
        """
        more = self._places.adjustments_for(adjusted, min_score)
        return [
            apply_adjustments(each, own, self._ceiling) if own else each
            for each in adjusted
            if (own := more.get(each.document.doc_key)) is not None
        ]

    def filter_reachable(self, min_score: float, by_rank_sum: Sequence[Candidate]) -> list[Candidate]:
        """Return all candidates of the files that may have a place with this score, and the others that may reach it.

        by_rank_sum: all, best rank sums first.
        """
        if not self.is_bounded:
            return list(by_rank_sum)
        bounds, least = self._rules.bounds(by_rank_sum), min_score * self._ceiling
        files = frozenset([file_of(each) for each, bound in zip(by_rank_sum, bounds, strict=True) if bound >= least])
        return [each for each in by_rank_sum if file_of(each) in files]

    def bounds_of_files(self, by_rank_sum: Sequence[Candidate]) -> dict[str | int, float]:
        """Return for each file a score that none of its places exceeds, infinite where none is known.

        by_rank_sum: all, best rank sums first. Files are named by `file_of`.
        """
        bounds = self._rules.bounds(by_rank_sum) if self.is_bounded else [math.inf] * len(by_rank_sum)
        highest: dict[str | int, float] = {}
        for each, bound in zip(by_rank_sum, bounds, strict=True):
            file = file_of(each)
            highest[file] = max(highest.get(file, 0.0), bound / self._ceiling)
        return highest

    def ranks_others_as(self, other: ScoreAdjuster) -> bool:
        """Return whether both rank alike the files whose candidates are the same for both."""
        return self._places.ranks_others_as(other._places) and self._rules.ranks_others_as(other._rules)

    def for_order(self, by_rank_sum: Sequence[Candidate]) -> ScoreAdjuster:
        """Return an adjuster for the same documents in another order of rank sums."""
        return ScoreAdjuster(self._rules.for_order(by_rank_sum), by_rank_sum, self._ceiling, self._question)


def file_of(candidate: Candidate) -> str | int:
    """Return what names the file of a candidate: its path; for one that is in no file its doc_key."""
    return candidate.document.path or candidate.document.doc_key


def apply_adjustments(candidate: Candidate, more: Sequence[Adjustment], ceiling: float) -> Candidate:
    """Return the candidate with more adjustments, and its score by the formula above."""
    adjustments, product = (*candidate.adjustments, *more), 1.0
    for adjustment in adjustments:
        product *= adjustment.factor
    score = candidate.rank_sum * product / ceiling
    return Candidate(candidate.document, candidate.oracle_matches, candidate.rank_sum, adjustments, score)


def order_by_score(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates best first; equal scores in the order of doc_id, so that the order is total."""
    keyed = [(-each.fused_score, each.document.doc_id, at, each) for at, each in enumerate(candidates)]
    return [each for _, _, _, each in sorted(keyed)]


def order_by_rank_sum(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates by rank sum, best first, equal ones by doc_id: the order in which hits of a file count."""
    keyed = [(-each.rank_sum, each.document.doc_id, at, each) for at, each in enumerate(candidates)]
    return [each for _, _, _, each in sorted(keyed)]
