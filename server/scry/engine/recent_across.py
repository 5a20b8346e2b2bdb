"""Recent in several projects: what changed lately in any of them, or what of all that was found did."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from scry.core.errors import ScryError
from scry.engine.across import Asked, as_one, ask_each, engine_of, in_order, part_of, rank_votes
from scry.engine.find import Ranking, Voted, weigh
from scry.engine.manner import Manner
from scry.engine.merge import blank_answer
from scry.engine.notice import own_words, with_notice
from scry.engine.recent import DAYS, NOTHING_CHANGED
from scry.engine.recent_found import Found
from scry.engine.relevance import Ranked, shared_bars
from scry.engine.together import units_of
from scry.engine.words import count
from scry_protocol import messages

T = TypeVar("T")

Answers = list["messages.Answer | ScryError"]


def recent_across(projects: Sequence[Asked], params: messages.RecentParams, manner: Manner) -> messages.Answer:
    """What changed lately in any of these? Raises as `find_across`.

    Scores are made of one clock, and with words of ranks among all projects, so they compare. Where they are equal, as
    of all that is not committed yet, the projects take turns.
    """
    ordered = in_order(projects)
    ask = _found_lately if params.query.strip() else _changed_lately
    blank = blank_answer("recent", params.query)
    return as_one(ordered, ask(ordered, params, manner), blank, params.limit, in_turn=True)


def _changed_lately(projects: Sequence[Asked], params: messages.RecentParams, manner: Manner) -> Answers:
    """The newest changes of a project where nothing is new are shown only if nothing is new in the others, too."""
    now = time.time()

    def ask(days: int | None) -> Answers:
        asked = msgspec.structs.replace(params, days=days)
        return ask_each(projects, lambda project: engine_of(project).recent(asked, part_of(manner, project), now=now))

    answers = ask(params.days or DAYS)
    has_any = any(not isinstance(answer, ScryError) and answer.results for answer in answers)
    return answers if has_any or params.days is not None else [_in_short(answer) for answer in ask(None)]


def _in_short(answer: messages.Answer | ScryError) -> messages.Answer | ScryError:
    """That nothing changed of late, in words that are the same for all: the first result names the newest change."""
    if isinstance(answer, ScryError) or not answer.results:
        return answer
    before = own_words(answer).partition(NOTHING_CHANGED)[0]  # that there is no history, maybe
    return with_notice(answer, f"{before}{NOTHING_CHANGED} {count(DAYS, 'day')}; the newest changes are shown instead")


def _found_lately(projects: Sequence[Asked], params: messages.RecentParams, manner: Manner) -> Answers:
    """What is about the question is told by the best of all projects, as the ranks are."""
    now = time.time()

    def vote(project: Asked) -> Voted:
        return engine_of(project).vote(params, part_of(manner, project))

    def rank(project: Asked) -> Ranking | None:
        ballot = _settled(ranked[projects.index(project)]).ballot
        return weigh(ballot.question, ballot.reader, ballot.evidence) if ballot is not None else None

    def answer(project: Asked) -> messages.Answer:
        own = _settled(found[projects.index(project)])
        return engine_of(project).recent(params, part_of(manner, project), now=now, found=own)

    votes = ask_each(projects, vote)
    ranked = rank_votes(votes)
    found = _judged_together(ask_each(projects, rank), votes)
    return ask_each(projects, answer)


def _settled(got: T | ScryError) -> T:
    if isinstance(got, ScryError):
        raise got
    return got


def _judged_together(
    rankings: Sequence[Ranking | ScryError | None], votes: Sequence[Voted | ScryError]
) -> list[Found | ScryError | None]:
    """What was found in each project, with the bar that all set. votes: as they were before they were ranked together.

    None for a project that has no index yet.
    """
    ballots = [voted.ballot for voted in votes if isinstance(voted, Voted) and voted.ballot is not None]
    units = iter(units_of(ballots))
    measured = [next(units) if isinstance(voted, Voted) and voted.ballot is not None else {} for voted in votes]
    bars = shared_bars(
        [
            Ranked(ranking.ranked if isinstance(ranking, Ranking) else (), own)
            for ranking, own in zip(rankings, measured, strict=True)
        ]
    )
    return [
        Found(ranking, bar) if isinstance(ranking, Ranking) else ranking
        for ranking, bar in zip(rankings, bars, strict=True)
    ]
