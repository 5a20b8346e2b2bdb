"""Ask several projects what changed recently, and merge their answers into one.

Without a query these are the newest changes of all projects; with one, the matches of all projects by recency.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from scry.core.errors import ScryError
from scry.core.text import format_count
from scry.engine.browse.recent import DEFAULT_DAYS, NOTHING_CHANGED_PREFIX
from scry.engine.browse.recent_search import ProjectRanking, RecentMatches, shared_thresholds
from scry.engine.context import RequestContext
from scry.engine.federation.fan_out import (
    Participant,
    ask_in_parallel,
    merge_project_answers,
    rank_retrievals_together,
    require_engine,
    sort_by_name,
    subrequest_context,
)
from scry.engine.federation.rank_merge import score_units
from scry.engine.response.merged import unavailable_answer
from scry.engine.response.notices import add_notice, mode_notice
from scry.engine.search.pipeline import Ranking, rank_candidates
from scry.engine.search.retrieve import RetrievalResult
from scry_protocol import messages

T = TypeVar("T")

AnswersOrErrors = list["messages.Answer | ScryError"]


def recent_in_projects(
    projects: Sequence[Participant], params: messages.RecentParams, context: RequestContext
) -> messages.Answer:
    """List what changed lately in any of these. Raises as `find_in_projects`.

    Scores follow from one clock and, with a query, from ranks among all projects, so they compare. Where scores are
    equal, as for all uncommitted changes, the projects take turns.
    """
    ordered = sort_by_name(projects)
    ask = _rank_recent_matches if params.query.strip() else _list_recent_changes
    unavailable = unavailable_answer("recent", params.query)
    return merge_project_answers(ordered, ask(ordered, params, context), unavailable, params.limit, round_robin=True)


def _list_recent_changes(
    projects: Sequence[Participant], params: messages.RecentParams, context: RequestContext
) -> AnswersOrErrors:
    """List the changes of the usual days; if no project has any, and no days were given, the newest of all."""
    now = time.time()

    def ask(days: int | None) -> AnswersOrErrors:
        asked = msgspec.structs.replace(params, days=days)
        return ask_in_parallel(
            projects,
            lambda project: require_engine(project).recent(asked, subrequest_context(context, project), now=now),
        )

    answers = ask(params.days or DEFAULT_DAYS)
    has_any = any(not isinstance(answer, ScryError) and answer.results for answer in answers)
    return answers if has_any or params.days is not None else [_shorten_notice(answer) for answer in ask(None)]


def _shorten_notice(answer: messages.Answer | ScryError) -> messages.Answer | ScryError:
    """Shorten the notice that nothing changed lately to words that are the same for every project."""
    if isinstance(answer, ScryError) or not answer.results:
        return answer
    before = mode_notice(answer).partition(NOTHING_CHANGED_PREFIX)[0]  # may say that there is no history
    return add_notice(
        answer,
        f"{before}{NOTHING_CHANGED_PREFIX} {format_count(DEFAULT_DAYS, 'day')}; the newest changes are shown instead",
    )


def _rank_recent_matches(
    projects: Sequence[Participant], params: messages.RecentParams, context: RequestContext
) -> AnswersOrErrors:
    """Rank the matches of a query by recency, with ranks and thresholds that hold among all projects."""
    now = time.time()

    def retrieve(project: Participant) -> RetrievalResult:
        return require_engine(project).retrieve(params, subrequest_context(context, project))

    def rank(project: Participant) -> Ranking | None:
        retrieval = _raise_if_error(ranked[projects.index(project)]).retrieval
        if retrieval is None:
            return None
        return rank_candidates(retrieval.question, retrieval.reader, retrieval.oracle_votes)

    def answer(project: Participant) -> messages.Answer:
        own = _raise_if_error(matches[projects.index(project)])
        return require_engine(project).recent(params, subrequest_context(context, project), now=now, matches=own)

    votes = ask_in_parallel(projects, retrieve)
    ranked = rank_retrievals_together(votes)
    matches = _apply_shared_thresholds(ask_in_parallel(projects, rank), votes)
    return ask_in_parallel(projects, answer)


def _raise_if_error(outcome: T | ScryError) -> T:
    if isinstance(outcome, ScryError):
        raise outcome
    return outcome


def _apply_shared_thresholds(
    rankings: Sequence[Ranking | ScryError | None], votes: Sequence[RetrievalResult | ScryError]
) -> list[RecentMatches | ScryError | None]:
    """Return the matches of each project under thresholds that all projects set; None for one without an index.

    votes: the retrievals before they were ranked together.
    """
    retrievals = [each.retrieval for each in votes if isinstance(each, RetrievalResult) and each.retrieval is not None]
    units = iter(score_units(retrievals))
    units_by_project = [
        next(units) if isinstance(each, RetrievalResult) and each.retrieval is not None else {} for each in votes
    ]
    thresholds = shared_thresholds(
        [
            ProjectRanking(ranking.ranked if isinstance(ranking, Ranking) else (), own)
            for ranking, own in zip(rankings, units_by_project, strict=True)
        ]
    )
    return [
        RecentMatches(ranking, threshold) if isinstance(ranking, Ranking) else ranking
        for ranking, threshold in zip(rankings, thresholds, strict=True)
    ]
