"""Fit the weights of oracles and adjustments to the jumps in a project's log (U2).

Counterfactual learning to rank: the logged results of each question are ranked anew by other weights, and the results
that were jumped to shall stand higher. Each jump counts with the inverse of the probability that a person looks at its
rank (as in `store.events.learner`), so that what was only shown first teaches little. The model is the listwise softmax
over the scores (Cao, Qin, Liu, Tsai, Li: Learning to Rank: From Pairwise Approach to Listwise Approach, ICML 2007),

    loss = - Σ over jumps: weight * log(score^SHARPNESS / Σ over the results: score^SHARPNESS)
           + PRIOR_JUMPS * Σ over weights: (distance from the default / distance of its bound)²

minimised by projected gradient descent within the bounds of `store.events.learnt`. An event holds what was shown, not
what else was found; and the order within a file is kept: all results of a file move with its first one.

Every question is judged by weights that were fitted without it and its like (FOLDS parts), against the defaults; the
interval is the paired bootstrap over questions, as in scry.lab. Questions are alike, and count as one, where they share
half of their words: a question that comes back in other words would otherwise judge weights that were fitted to it.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.decoding import decode_json
from scry.core.errors import LogUnavailable
from scry.core.text import content_terms
from scry.core.types import QueryIntent
from scry.engine.search.boosts import RANKS_EXPONENT, RRF_K
from scry.engine.search.pipeline import BASE_ORACLE_WEIGHTS
from scry.engine.search.query import MAX_QUERY_CHARACTERS, parse_query
from scry.oracles import use
from scry.store.events.learner import (
    ACT_WEIGHTS,
    BOUNCE_MS,
    EVENTS_BETWEEN_FITS,
    note_fit,
    read_progress,
    weigh_rank,
)
from scry.store.events.learnt import (
    EXPONENT_BOUNDS,
    LEAST_EXPONENTS,
    ORACLE_BOUNDS,
    WEIGHED_ADJUSTMENTS,
    WEIGHTS_FORMAT,
    HeldBackGain,
    LearntWeights,
    WeightsFile,
)
from scry.store.events.log import WEIGHTS_FILE, EventReader, now_ms

MIN_JUMPS = 300
"""Fewer jumps do not tell twenty weights from chance."""

MAX_JUMPS = 4000
HORIZON_DAYS = 180
"""Only the last jumps are read: work moves on, and so many are fitted in a second or two."""

JUMP_WEIGHTS = {how: weight for how, weight in ACT_WEIGHTS.items() if how != "detail"}

MIN_QUESTIONS = 20
"""Jumps of fewer different questions say what the person was busy with, not how to rank: in a simulation such weights
gained on the person's own questions, and lost 0.011 on all questions of a repository."""

MIN_SHARED_WORDS = 0.5
"""Share of common words, among all of both, from which on two questions are the same."""

FOLDS = 5
SHARPNESS = 2.0
PRIOR_JUMPS = 30.0
"""The defaults are worth so many jumps, at the bound of a weight. Fewer fit chance, more move nothing at 300 jumps."""

CUTOFF = 10
_MAX_RESULTS = 20
_STEPS = 120
_SAMPLES = 2000
_SEED = 20061
_NAMES = (*BASE_ORACLE_WEIGHTS, "use")
_DEFAULT_WEIGHTS = {**BASE_ORACLE_WEIGHTS, "use": use.WEIGHT}

Floats: TypeAlias = NDArray[np.float64]

_log = logging.getLogger(__name__)


class WeightsFit(Struct, frozen=True):
    """The outcome of a fit. questions: how many different ones the jumps are of. weights: None for too few jumps."""

    jumps: int
    questions: int
    weights: LearntWeights | None

    @property
    def excludes_a_loss(self) -> bool:
        """Whether held-back jumps gain surely, and are of questions enough to say so."""
        return self.weights is not None and self.weights.held_back.low > 0 and self.questions >= MIN_QUESTIONS


def fit_weights(data: Path, *, now: Callable[[], int] = now_ms) -> WeightsFit:
    """Fit weights to the jumps that were logged in a data folder. Writes nothing. Raises LogUnavailable."""
    answers = _read_answers(data, now())
    jumps, groups = sum(len(each.jumps) for each in answers), _group_by_words([each.question.query for each in answers])
    questions = len(set(groups.tolist()))
    if jumps < MIN_JUMPS:
        return WeightsFit(jumps, questions, None)
    shown = _Shown(answers)
    weights = shown.fit(np.ones(len(answers), bool))
    folds = groups % FOLDS
    after = np.zeros(len(answers))
    for fold in range(FOLDS):
        held_back = folds == fold
        if held_back.any() and not held_back.all():
            after[held_back] = shown.gains(shown.fit(~held_back))[held_back]
    before = shown.gains(shown.default)
    gain = _bootstrap(groups, before, after, shown.wanted.sum(axis=1))
    oracles = {name: round(float(weights[at]), 3) for at, name in enumerate(_NAMES)}
    exponents = {name: round(float(weights[len(_NAMES) + at]), 3) for at, name in enumerate(WEIGHED_ADJUSTMENTS)}
    learnt = LearntWeights(WEIGHTS_FORMAT, True, now(), jumps, oracles, exponents, gain)
    return WeightsFit(jumps, questions, learnt)


def _group_by_words(queries: Sequence[str]) -> NDArray[np.int64]:
    """Return for each question the number of the first one that is like it, counted without gaps."""
    groups: list[frozenset[str]] = []
    found: list[int] = []
    known: dict[str, int] = {}
    for query in queries:
        if query not in known:
            words = frozenset(content_terms(query)) or frozenset({query.casefold()})
            like = (
                at for at, group in enumerate(groups) if len(words & group) >= MIN_SHARED_WORDS * len(words | group)
            )
            known[query] = next(like, len(groups))
            if known[query] == len(groups):
                groups.append(words)
        found.append(known[query])
    return np.array(found, np.int64)


def fit_if_due(data: Path) -> None:
    """Fit weights anew every EVENTS_BETWEEN_FITS, and let them rank where held-back jumps exclude a loss. Never fails.

    Weights that the person switched off stay off. It takes seconds, and belongs into a process of its own.
    """
    file = WeightsFile(data / WEIGHTS_FILE)
    try:
        progress = read_progress(data)
        if progress.last - progress.fitted < EVENTS_BETWEEN_FITS:
            return
        known = file.read()
        if known is None or known.is_on:
            fit = fit_weights(data)
            if fit.weights is not None and fit.excludes_a_loss:
                file.write(fit.weights)
        note_fit(data, progress.last)
    except (LogUnavailable, OSError):
        _log.warning("no weights could be fitted in %s", data, exc_info=True)


# Shown results --------------------------------------------------------------------------------------------------------


class _LoggedMatch(Struct):
    rank: int


class _LoggedResult(Struct):
    doc_id: str
    fused_score: float = 0.0
    contributions: dict[str, _LoggedMatch] = {}
    adjustments: dict[str, float] = {}


class _LoggedScoring(Struct, frozen=True):
    weights: dict[str, float] = {}
    exponents: dict[str, float] = {}


class _LoggedQuestion(Struct):
    mode: str
    query: str
    options: dict[str, object] = {}
    results: list[_LoggedResult] = []
    scoring: _LoggedScoring = _LoggedScoring()


class _LoggedUse(Struct):
    rank: int
    result_used: str
    how: str


class _Answer(Struct):
    """An answer with jumps. weights: of the oracles. jumps: places in the results, with their weights."""

    weights: Mapping[str, float]
    question: _LoggedQuestion
    jumps: list[tuple[int, float]]


def _read_answers(data: Path, now: int) -> list[_Answer]:
    """Return the logged answers of find with a jump that no other follows within BOUNCE_MS; damaged events are not
    read.
    """
    log = EventReader.open(data)
    if log is None:
        return []
    with closing(log):
        rows = log.latest_uses(MAX_JUMPS, now - HORIZON_DAYS * 86_400_000)
    uses: dict[str, list[tuple[int, _LoggedUse]]] = defaultdict(list)
    bodies: dict[str, bytes] = {}
    for query_id, time_ms, body, question in rows:
        try:
            act = decode_json(body, _LoggedUse)
        except msgspec.MsgspecError:
            continue
        if act.how in JUMP_WEIGHTS and isinstance(time_ms, int):
            uses[query_id].append((time_ms, act))
            bodies[query_id] = question
    return [answer for query_id, own in uses.items() if (answer := _read_answer(bodies[query_id], own)) is not None]


def _read_answer(body: bytes, uses: Sequence[tuple[int, _LoggedUse]]) -> _Answer | None:
    try:
        question = decode_json(body, _LoggedQuestion)
        intent = question.options.get("intent")
        asked = parse_query(
            question.query[:MAX_QUERY_CHARACTERS],
            _DEFAULT_WEIGHTS,
            limit=1,
            intent=QueryIntent(intent) if isinstance(intent, str) else None,
        )
    except (msgspec.MsgspecError, ValueError):
        return None
    # The oracle of use takes part only where it has matches, which changes the scale of the scores alone.
    question.results = [each for each in question.results[:_MAX_RESULTS] if each.contributions and each.fused_score > 0]
    ranks = {each.doc_id: at for at, each in enumerate(question.results)}
    if question.mode != "find" or len(ranks) < 2:
        return None
    jumps: list[tuple[int, float]] = []
    for (time_ms, act), following in zip(uses, [*uses[1:], None], strict=True):
        bounced = following is not None and following[1].result_used != act.result_used
        if bounced and following is not None and 0 <= following[0] - time_ms <= BOUNCE_MS:
            continue
        if act.result_used in ranks and act.rank >= 1:
            jumps.append((ranks[act.result_used], JUMP_WEIGHTS[act.how] * weigh_rank(act.rank)))
    return _Answer(asked.weights, question, jumps) if jumps else None


class _Shown:
    """The results of all answers as arrays, by answer and rank.

    terms: by oracle, the default weight / (k + rank). exponents: of their sum. factors: by adjustment, the logarithm of
    its factor. kept: the logarithm of a result's score by that of the first one of its file. wanted: the weight of the
    jumps to a result. The three former are those of the first result of the file.
    """

    def __init__(self, answers: Sequence[_Answer]) -> None:
        size = max(len(each.question.results) for each in answers)
        shape = (len(answers), size)
        self.default = np.ones(len(_NAMES) + len(WEIGHED_ADJUSTMENTS))
        self.low = np.array(
            [ORACLE_BOUNDS[0]] * len(_NAMES)
            + [max(EXPONENT_BOUNDS[0], LEAST_EXPONENTS.get(name, 0.0)) for name in WEIGHED_ADJUSTMENTS]
        )
        self.high = np.array([ORACLE_BOUNDS[1]] * len(_NAMES) + [EXPONENT_BOUNDS[1]] * len(WEIGHED_ADJUSTMENTS))
        self.terms = np.zeros((*shape, len(_NAMES)))
        self.factors = np.zeros((*shape, len(WEIGHED_ADJUSTMENTS)))
        self.exponents = np.ones(shape)
        self.kept = np.full(shape, -np.inf)
        self.wanted = np.zeros(shape)
        for at, answer in enumerate(answers):
            self._fill(at, answer)

    def _fill(self, at: int, answer: _Answer) -> None:
        first: dict[str, int] = {}
        scoring = answer.question.scoring
        logged: list[float] = []
        results = answer.question.results
        for place, result in enumerate(results):
            of_file = result.doc_id.partition("::")[0]
            leader = first.setdefault(of_file, place)
            own = results[leader]
            score = 0.0
            for number, name in enumerate(_NAMES):
                match = own.contributions.get(name)
                if match is not None and match.rank >= 1:
                    weight = answer.weights.get(name, 0.0)
                    self.terms[at, place, number] = weight / (RRF_K + match.rank)
                    score += scoring.weights.get(name, weight) / (RRF_K + match.rank)
            if "ranks" in own.adjustments:  # it follows from the rank sum, which the weights change
                self.exponents[at, place] = 1 - RANKS_EXPONENT
            total = self.exponents[at, place] * np.log(max(score, 1e-9))
            for number, name in enumerate(WEIGHED_ADJUSTMENTS):
                factor = own.adjustments.get(name, 1.0)
                if name == "used" and leader != place:  # it raises the first place of a file alone
                    continue
                if factor > 0 and factor != 1.0:
                    total += np.log(factor)
                    self.factors[at, place, number] = np.log(factor) / scoring.exponents.get(name, 1.0)
            logged.append(np.log(result.fused_score) - total)
        self.kept[at, : len(logged)] = logged
        for place, weight in answer.jumps:
            self.wanted[at, place] += weight

    def scores(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return the logarithms of all scores by these weights, and the rank sums."""
        sums = np.maximum(self.terms @ weights[: len(_NAMES)], 1e-9)
        return self.exponents * np.log(sums) + self.factors @ weights[len(_NAMES) :] + self.kept, sums

    def gains(self, weights: Floats) -> Floats:
        """Return the discounted gain at 10 of each answer's jumps by these weights."""
        scores = np.round(self.scores(weights)[0], 9)
        ranks = 1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
        ties = (scores[:, None, :] == scores[:, :, None]) & np.tri(scores.shape[1], k=-1, dtype=bool)[None]
        ranks = ranks + ties.sum(axis=2)
        return (self.wanted * np.where(ranks <= CUTOFF, 1 / np.log2(ranks + 1), 0.0)).sum(axis=1)

    def fit(self, chosen: NDArray[np.bool_]) -> Floats:
        """Return the weights that these answers are best ranked by."""
        weights, step = self.default, 0.02
        loss, slope = self._loss(weights, chosen)
        for _ in range(_STEPS):
            moved = np.minimum(np.maximum(weights - step * slope, self.low), self.high)
            new_loss, new_slope = self._loss(moved, chosen)
            if new_loss < loss:
                weights, loss, slope, step = moved, new_loss, new_slope, step * 1.5
            else:
                step /= 3
        return weights

    def _loss(self, weights: Floats, chosen: NDArray[np.bool_]) -> tuple[float, Floats]:
        """Return the loss by these weights, and its gradient, each by the number of jumps."""
        scores, sums = self.scores(weights)
        scores, sums, wanted = SHARPNESS * scores[chosen], sums[chosen], self.wanted[chosen]
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares = powers / powers.sum(axis=1, keepdims=True)
        total = wanted.sum()
        excess = SHARPNESS * (shares * wanted.sum(axis=1, keepdims=True) - wanted)
        by_oracle = np.einsum("nk,nko->o", self.exponents[chosen] * excess / sums, self.terms[chosen])
        by_adjustment = np.einsum("nk,nka->a", excess, self.factors[chosen])
        prior = PRIOR_JUMPS / (self.high - 1.0) ** 2
        loss = -(wanted * np.log(np.maximum(shares, 1e-12))).sum() + (prior * (weights - 1.0) ** 2).sum()
        slope = np.concatenate([by_oracle, by_adjustment]) + 2 * prior * (weights - 1.0)
        return float(loss / total), slope / total


def _bootstrap(groups: NDArray[np.int64], before: Floats, after: Floats, jumps: Floats) -> HeldBackGain:
    """Return the gain by jump, with the interval over samples of the groups of like questions."""
    total, gain = np.bincount(groups, jumps), np.bincount(groups, after - before)
    samples = np.random.default_rng(_SEED).integers(0, len(total), (_SAMPLES, len(total)))
    low, high = np.percentile(gain[samples].sum(axis=1) / total[samples].sum(axis=1), (2.5, 97.5))
    values = (before.sum() / total.sum(), gain.sum() / total.sum(), low, high)
    return HeldBackGain(*[round(float(value), 4) for value in values])
