"""Ask several projects what changed recently, and merge their answers into one.

Recent in several projects: what changed lately in any of them, or what of all that was found did.
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
    """What changed lately in any of these? Raises as `find_across`.

    Scores are made of one clock, and with words of ranks among all projects, so they compare. Where they are equal, as
    of all that is not committed yet, the projects take turns.
    """
    ordered = sort_by_name(projects)
    ask = _rank_recent_matches if params.query.strip() else _list_recent_changes
    blank = unavailable_answer("recent", params.query)
    return merge_project_answers(ordered, ask(ordered, params, context), blank, params.limit, round_robin=True)


def _list_recent_changes(
    projects: Sequence[Participant], params: messages.RecentParams, context: RequestContext
) -> AnswersOrErrors:
    """The newest changes of a project where nothing is new are shown only if nothing is new in the others, too."""
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
    """That nothing changed of late, in words that are the same for all: the first result names the newest change."""
    if isinstance(answer, ScryError) or not answer.results:
        return answer
    before = mode_notice(answer).partition(NOTHING_CHANGED_PREFIX)[0]  # that there is no history, maybe
    return add_notice(
        answer,
        f"{before}{NOTHING_CHANGED_PREFIX} {format_count(DEFAULT_DAYS, 'day')}; the newest changes are shown instead",
    )


def _rank_recent_matches(
    projects: Sequence[Participant], params: messages.RecentParams, context: RequestContext
) -> AnswersOrErrors:
    """What is about the question is told by the best of all projects, as the ranks are."""
    now = time.time()

    def vote(project: Participant) -> RetrievalResult:
        return require_engine(project).retrieve(params, subrequest_context(context, project))

    def rank(project: Participant) -> Ranking | None:
        ballot = _raise_if_error(ranked[projects.index(project)]).retrieval
        return rank_candidates(ballot.question, ballot.reader, ballot.oracle_votes) if ballot is not None else None

    def answer(project: Participant) -> messages.Answer:
        own = _raise_if_error(found[projects.index(project)])
        return require_engine(project).recent(params, subrequest_context(context, project), now=now, matches=own)

    votes = ask_in_parallel(projects, vote)
    ranked = rank_retrievals_together(votes)
    found = _apply_shared_thresholds(ask_in_parallel(projects, rank), votes)
    return ask_in_parallel(projects, answer)


def _raise_if_error(got: T | ScryError) -> T:
    if isinstance(got, ScryError):
        raise got
    return got


def _apply_shared_thresholds(
    rankings: Sequence[Ranking | ScryError | None], votes: Sequence[RetrievalResult | ScryError]
) -> list[RecentMatches | ScryError | None]:
    """What was found in each project, with the bar that all set. votes: as they were before they were ranked together.

    None for a project that has no index yet.
    """
    ballots = [voted.retrieval for voted in votes if isinstance(voted, RetrievalResult) and voted.retrieval is not None]
    units = iter(score_units(ballots))
    measured = [
        next(units) if isinstance(voted, RetrievalResult) and voted.retrieval is not None else {} for voted in votes
    ]
    bars = shared_thresholds(
        [
            ProjectRanking(ranking.ranked if isinstance(ranking, Ranking) else (), own)
            for ranking, own in zip(rankings, measured, strict=True)
        ]
    )
    return [
        RecentMatches(ranking, bar) if isinstance(ranking, Ranking) else ranking
        for ranking, bar in zip(rankings, bars, strict=True)
    ]
