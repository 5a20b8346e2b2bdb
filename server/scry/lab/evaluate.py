"""Asks a set of questions and scores the answers; each question is put to the oracles once, however many variants."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence

from scry import __version__
from scry.core.types import Candidate
from scry.engine.find import BASE_WEIGHTS, Ranking
from scry.engine.plan import plan
from scry.lab.ablation import ablations
from scry.lab.bootstrap import compare_paired
from scry.lab.cases import Case
from scry.lab.metrics import RECALL_AT, Figures, K, Place, Score, score, summarize
from scry.lab.recipe import USUAL, Recipe, check_names
from scry.lab.record import FORMAT, Asked, Found, Ground, Run, Variant
from scry.lab.subject import Subject, missing_oracles, weighed

LOOKED_AT = RECALL_AT[-1]
"""So many results are looked at for what was nearly found."""

Progress = Callable[[str, int, int], None]
"""Called with what is done, how many of them are, and of how many."""


def evaluate(
    subject: Subject,
    cases: Sequence[Case],
    queries: str,
    *,
    recipe: Recipe = USUAL,
    ablate: bool = False,
    progress: Progress | None = None,
) -> Run:
    """A run over the cases. queries: the name of their file. recipe: what is weighed otherwise in all of it.

    ablate: also every variant of lab.ablation. Raises BadRequest for a recipe that names what is not there.
    """
    tell = progress or _silent
    rankings: list[Ranking] = []
    for done, case in enumerate(cases):
        tell("asking", done, len(cases))
        rankings.append(subject.rank(plan(case.query, BASE_WEIGHTS, limit=K), recipe))
    check_names(recipe, subject.adjustments)
    scores, asked = _judged(subject, cases, rankings)
    variants = _variants(subject, cases, rankings, recipe, scores, tell) if ablate else []
    made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    ground = _ground(subject, queries, recipe, rankings)
    return Run(FORMAT, made, ground, summarize(scores), by_category(cases, scores), asked, variants)


def by_category(cases: Sequence[Case], scores: Sequence[Score]) -> dict[str, Figures]:
    """The figures of each category, by its name."""
    sorted_in: dict[str, list[Score]] = defaultdict(list)
    for case, each in zip(cases, scores, strict=True):
        sorted_in[case.category].append(each)
    return {name: summarize(sorted_in[name]) for name in sorted(sorted_in)}


def _judged(subject: Subject, cases: Sequence[Case], rankings: Sequence[Ranking]) -> tuple[list[Score], list[Asked]]:
    scores: list[Score] = []
    asked: list[Asked] = []
    for number, (case, ranking) in enumerate(zip(cases, rankings, strict=True), 1):
        places = subject.places(ranking.ranked[:LOOKED_AT], ranking.reader)
        scores.append(score(places, case.targets))
        asked.append(_asked(number, case, scores[-1], places, ranking.ranked))
    return scores, asked


def _asked(number: int, case: Case, scored: Score, places: Sequence[Place], ranked: Sequence[Candidate]) -> Asked:
    found = [_found(place, candidate) for place, candidate in zip(places[:K], ranked, strict=False)]
    targets = list(case.targets)
    return Asked(number, case.query, case.category, targets, scored.ranks, scored.ndcg, scored.file_ndcg, found)


def _found(place: Place, candidate: Candidate) -> Found:
    return Found(
        doc_id=_text(place.doc_id),
        path=_text(place.path),
        start_line=place.start_line,
        end_line=place.end_line,
        score=candidate.fused_score,
        found_by={name: vote.rank for name, vote in candidate.votes.items()},
        adjustments={adjustment.name: adjustment.factor for adjustment in candidate.adjustments},
    )


def _variants(
    subject: Subject,
    cases: Sequence[Case],
    rankings: Sequence[Ranking],
    recipe: Recipe,
    usual: Sequence[Score],
    progress: Progress,
) -> list[Variant]:
    recipes = [recipe.and_also(each) for each in ablations(subject.oracles, subject.adjustments)]
    found: dict[str, list[Score]] = {each.name: [] for each in recipes}
    for done, (case, ranking) in enumerate(zip(cases, rankings, strict=True)):
        progress("weighing", done, len(cases))
        for each in recipes:
            ranked = weighed(ranking, each).ranked if each.leaves_any(ranking.question) else ()
            places = subject.places(ranked[:LOOKED_AT], ranking.reader)
            found[each.name].append(score(places, case.targets))
    return [_variant(each, cases, usual, found[each.name]) for each in recipes]


def _variant(recipe: Recipe, cases: Sequence[Case], usual: Sequence[Score], scores: Sequence[Score]) -> Variant:
    before, after = [each.ndcg for each in usual], [each.ndcg for each in scores]
    return Variant(
        recipe.name,
        recipe.title,
        summarize(scores),
        by_category(cases, scores),
        compare_paired(before, after),
        after,
    )


def _ground(subject: Subject, queries: str, recipe: Recipe, rankings: Sequence[Ranking]) -> Ground:
    state = subject.state()
    return Ground(
        scry=__version__,
        root=_text(str(subject.project.root)),
        queries=_text(queries),
        generation=state.generation,
        files=state.files_indexed,
        vectors=state.vectors,
        commit=state.index_commit,
        model=state.model,
        recipe=recipe.title,
        missing=missing_oracles(rankings),
    )


def _text(written: str) -> str:
    """JSON can't hold a lone surrogate, as undecodable bytes of a name become."""
    return written.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _silent(_what: str, _done: int, _total: int) -> None:
    """Nobody watches."""
