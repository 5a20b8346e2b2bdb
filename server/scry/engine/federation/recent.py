"""Answer a recent in several projects: their changes, or with a query their relevant documents by recency."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from scry.core.errors import ScryError
from scry.core.notices import Notice
from scry.core.text import search_text
from scry.core.types import Answer
from scry.engine.browse.recent import DEFAULT_DAYS
from scry.engine.browse.recent_search import ProjectRanking, RecentMatches, raise_without_words, shared_thresholds
from scry.engine.context import RecentRequest, RequestContext
from scry.engine.federation.fan_out import (
    BlankAnswer,
    Participant,
    arrange_participants,
    ask_in_parallel,
    collect_answers,
    rank_retrievals_together,
    require_engine,
    subrequest_context,
)
from scry.engine.federation.rank_merge import score_units
from scry.engine.modes import question_of
from scry.engine.notices import NothingChanged
from scry.engine.response.merged import FederatedAnswer, PresentedAnswer
from scry.engine.search.pipeline import Ranking, RetrievalResult, rank_candidates

T = TypeVar("T")

AnswersOrErrors = list[PresentedAnswer | ScryError]


def recent_in_projects(
    projects: Sequence[Participant],
    request: RecentRequest,
    context: RequestContext,
    ask_others: Callable[[], bool] | None = None,
) -> FederatedAnswer:
    """Return the answers of these projects to a recent. Raises as find_in_projects.

    ask_others: called once the projects have been asked; whether others have any changes of the last days.

    Scores compare across projects: times are of one clock and, with a query, ranks are among all projects. Results with
    equal scores, such as all uncommitted files, alternate between the projects.
    """
    ordered = arrange_participants(projects)
    if search_text(question_of(request)):
        answers = _rank_recent_matches(ordered, request, context)
        if ask_others is not None:
            ask_others()
    else:
        answers = _list_recent_changes(ordered, request, context, ask_others)
    blank = BlankAnswer("recent", request.query, context)
    return collect_answers(ordered, answers, blank, request.limit, round_robin=True)


def has_changes(results: Sequence[object], notices: Sequence[Notice]) -> bool:
    """Return whether an answer has changes of the days that were asked for; older ones come with a notice."""
    return bool(results) and not any(isinstance(notice, NothingChanged) for notice in notices)


def _list_recent_changes(
    projects: Sequence[Participant],
    request: RecentRequest,
    context: RequestContext,
    ask_others: Callable[[], bool] | None,
) -> AnswersOrErrors:
    """Return the recent changes; older ones are shown only where no project, and no other, has any of the last days."""
    now = time.time()

    def ask(days: int | None) -> AnswersOrErrors:
        of_days = replace(request, days=days)
        return ask_in_parallel(projects, lambda project: _ask_recent(project, of_days, context, now))

    answers = ask(request.days or DEFAULT_DAYS)
    has_any = any(not isinstance(answer, ScryError) and answer.answer.results for answer in answers)
    if ask_others is not None and ask_others():
        has_any = True
    if has_any or request.days is not None:
        return answers
    return [each if isinstance(each, ScryError) else _shorten_presented(each) for each in ask(None)]


def _ask_recent(
    project: Participant, request: RecentRequest, context: RequestContext, now: float, own: RecentMatches | None = None
) -> PresentedAnswer:
    own_context, engine = subrequest_context(context, project), require_engine(project)
    answer = engine.modes.recent(request, own_context, now=now, matches=own)
    return engine.present(answer, "recent", own_context, request)


def _shorten_presented(answer: PresentedAnswer) -> PresentedAnswer:
    return replace(answer, notices=_shortened(answer.notices)) if answer.answer.results else answer


def shorten_notices(answer: Answer) -> Answer:
    """Return an answer of older changes without the name of the newest one, so that projects share one notice.

    The first result of the merged answer names the newest change of all.
    """
    return replace(answer, notices=_shortened(answer.notices)) if answer.hits else answer


def _shortened(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    others = tuple(notice for notice in notices if not isinstance(notice, NothingChanged))
    return (*others, NothingChanged(DEFAULT_DAYS, are_older_shown=True))


def _rank_recent_matches(
    projects: Sequence[Participant], request: RecentRequest, context: RequestContext
) -> AnswersOrErrors:
    """Return the relevant documents by recency; relevance is judged by the best of all projects, as the ranks are."""
    now = time.time()

    def retrieve(project: Participant) -> RetrievalResult:
        return require_engine(project).modes.retrieve(request, subrequest_context(context, project))

    def rank(project: Participant) -> Ranking | None:
        retrieval = _raise_if_error(ranked[projects.index(project)]).retrieval
        if retrieval is None:
            return None
        return rank_candidates(retrieval.question, retrieval.reader, retrieval.oracle_matches)

    def answer(project: Participant) -> PresentedAnswer:
        own = _raise_if_error(matches[projects.index(project)])
        return _ask_recent(project, request, context, now, own)

    results = ask_in_parallel(projects, retrieve)
    ranked = rank_retrievals_together(results)
    matches = apply_shared_thresholds(ask_in_parallel(projects, rank), results)
    return ask_in_parallel(projects, answer)


def _raise_if_error(result: T | ScryError) -> T:
    if isinstance(result, ScryError):
        raise result
    return result


def apply_shared_thresholds(
    rankings: Sequence[Ranking | ScryError | None], results: Sequence[RetrievalResult | ScryError]
) -> list[RecentMatches | ScryError | None]:
    """Return the matches of each project under thresholds that all projects set; None for one without an index.

    results: the retrievals before they were ranked together.
    """
    retrievals = [
        each.retrieval for each in results if isinstance(each, RetrievalResult) and each.retrieval is not None
    ]
    units = iter(score_units(retrievals))
    units_by_project = [
        next(units) if isinstance(each, RetrievalResult) and each.retrieval is not None else {} for each in results
    ]
    ranked = [
        ProjectRanking(ranking.ranked if isinstance(ranking, Ranking) else (), own)
        for ranking, own in zip(rankings, units_by_project, strict=True)
    ]
    thresholds = raise_without_words(shared_thresholds(ranked), ranked)
    return [
        RecentMatches(ranking, threshold) if isinstance(ranking, Ranking) else ranking
        for ranking, threshold in zip(rankings, thresholds, strict=True)
    ]
