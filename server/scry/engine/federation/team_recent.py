"""Ask a joined team what changed lately, beside the local projects.

The team is asked in one step, in a thread of its own: its relevant documents have ranks among those of the team, and
the local ones among those of the local projects. Results are merged by their scores, of which recency is a part.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import partial
from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from scry.core.errors import IndexUnavailable, ScryError
from scry.core.text import search_text
from scry.core.types import IndexState, SearchQuery
from scry.engine.browse.changes import DAY_S, ChangeDates
from scry.engine.browse.recent import DEFAULT_DAYS, list_changes
from scry.engine.browse.recent_search import RecentMatches, filter_relevant, rank_by_recency
from scry.engine.context import DEFAULT_CONTEXT, RecentRequest, RequestContext
from scry.engine.federation.fan_out import Participant, arrange_participants, engines_of, rank_retrievals_together
from scry.engine.federation.recent import apply_shared_thresholds, has_changes, recent_in_projects, shorten_notices
from scry.engine.federation.team_answer import (
    LATE,
    RETRIED,
    TEAM,
    TeamAccess,
    encode_question,
    present_part,
    remotes_of_projects,
)
from scry.engine.federation.team_documents import read_texts
from scry.engine.federation.team_links import normalize_remote
from scry.engine.federation.team_results import TeamAnswer, repository_state
from scry.engine.federation.team_search import TeamRetrieval, retrieve_from_team, used_places_of
from scry.engine.index_view import IndexView
from scry.engine.modes import question_of
from scry.engine.response.merged import FederatedAnswer, ProjectFault
from scry.engine.search.pipeline import Ranking, RetrievalResult, rank_candidates
from scry.engine.search.query import allows_commits
from scry.oracles.reader import FindUsedPlaces
from scry.store.team.reader import TeamReader
from scry.store.team.repository import RepositoryIndex

if TYPE_CHECKING:
    from scry.store.history.reader import HistoryReader
    from scry.store.index.store import IndexStore

MAX_COMMITS = 1_000
"""Newest commits that are read where a question leaves commits out, so that some may have no file that it asks for."""

_log = logging.getLogger(__name__)

ReadAnswers = Callable[[TeamReader], Sequence[TeamAnswer]]


def recent_with_team(
    access: TeamAccess,
    projects: Sequence[Participant],
    request: RecentRequest,
    context: RequestContext,
    on_late: Callable[[], None] | None = None,
) -> FederatedAnswer:
    """Return the answers of these projects and of the team's repositories to a recent; as `find_with_team`."""
    ordered = arrange_participants(projects)
    excluded = remotes_of_projects(ordered)
    if search_text(question_of(request)):
        list_or_rank = partial(_rank_team_by_recency, request, excluded, used_places_of(engines_of(ordered)))
    else:
        list_or_rank = partial(_list_team_changes, request, excluded)

    def read(reader: TeamReader) -> Sequence[TeamAnswer]:
        answers = list_or_rank(reader)
        with_graph = request.with_full_results
        return read_texts(answers, reader, with_graph=with_graph) if with_graph or request.excerpt_lines else answers

    asked = TeamTask(access, ("recent", repr(request), *excluded), read, on_late)
    of_team: list[tuple[Sequence[TeamAnswer], str | None]] = []

    def ask_team() -> bool:
        of_team.append(asked.wait(context.team_timeout_s))
        return any(has_changes(each.answer.hits, each.answer.notices) for each in of_team[0][0])

    local = recent_in_projects(ordered, request, context, ask_team)
    answers, fault = of_team[0]
    if any(has_changes(part.answer.results, part.notices) for part in local.parts):
        answers = [each for each in answers if has_changes(each.answer.hits, each.answer.notices)]
    names = [each.name for each in ordered]
    parts = [present_part(each, request, context, names) for each in answers]
    faults = [] if fault is None else [ProjectFault(TEAM, fault, is_late=fault in RETRIED)]
    return replace(local, parts=[*local.parts, *parts], faults=[*local.faults, *faults])


class TeamTask:
    """A question that the team answers in one step, in a thread of its own. key: what it is kept by if it comes late.

    on_late: called when the answers have come too late.
    """

    def __init__(
        self, access: TeamAccess, key: tuple[object, ...], read: ReadAnswers, on_late: Callable[[], None] | None
    ) -> None:
        self._access = access
        self._key = key
        self._read = read
        self._on_late = on_late
        self._answered: Future[Sequence[TeamAnswer]] = Future()
        self._is_given_up = threading.Event()
        if late := access.take_late(key):  # the server is not asked again for what it has answered
            self._answered.set_result(late)
        else:
            threading.Thread(target=self._run, name="scry-team", daemon=True).start()

    def wait(self, seconds: float) -> tuple[Sequence[TeamAnswer], str | None]:
        """Return the answers, those that came too late the last time where there are any, and the fault."""
        try:
            return self._answered.result(max(0.0, seconds)), None
        except FutureTimeout:
            self._is_given_up.set()  # from here on the thread keeps what it finds
            if self._answered.done():  # just before: the thread may have kept nothing
                return self.wait(0)
        except ScryError as error:
            return (), str(error)
        return (), LATE

    def _run(self) -> None:
        try:
            answers = self._access.read(self._read)
        except ScryError as error:
            self._answered.set_exception(error)
        except Exception as error:  # any failure must cost the team's part only
            _log.error("the team can't be asked", exc_info=error)
            self._answered.set_exception(IndexUnavailable(f"{type(error).__name__}: {error}"))
        else:
            self._answered.set_result(answers)
            if self._is_given_up.is_set():
                self._access.keep_late(self._key, answers)
                if self._on_late is not None:
                    self._on_late()


# Without a query ------------------------------------------------------------------------------------------------------


def _list_team_changes(request: RecentRequest, excluded: Sequence[str], reader: TeamReader) -> list[TeamAnswer]:
    """Return the newest changes of each repository that has any of the newest of all.

    Without any in the days asked for, older ones, or where days were named a notice about the newest.
    """
    question, now = question_of(request), time.time()
    left_out = [each.repository_id for each in reader.repositories.values() if normalize_remote(each.url) in excluded]
    count = request.limit if allows_commits(question) and not question.filters else MAX_COMMITS
    since = now - (request.days or DEFAULT_DAYS) * DAY_S
    opened = reader.newest_changes(since, count, left_out)
    answers = _answer_changes(opened, question, request.days or DEFAULT_DAYS, now)
    if any(each.answer.hits for each in answers):
        return answers
    if request.days is None:
        older = _answer_changes(reader.newest_changes(0.0, count, left_out), question, None, now)
        return [replace(each, answer=shorten_notices(each.answer)) for each in older]
    return _answer_changes(reader.newest_changes(0.0, 1, left_out), question, request.days, now)


def _answer_changes(
    opened: Iterable[RepositoryIndex], question: SearchQuery, days: int | None, now: float
) -> list[TeamAnswer]:
    answers: list[TeamAnswer] = []
    for index in opened:
        dates = _dates_of(index, now)
        view = IndexView(dates.store, repository_state(index.info), dates.history)
        answers.append(TeamAnswer(index.info, list_changes(question, dates, days, view, DEFAULT_CONTEXT)))
    return answers


def _dates_of(index: RepositoryIndex, now: float) -> ChangeDates:
    # A team's repository has the methods of the local stores that answer questions; tests/team holds it to that.
    return ChangeDates(now, cast("IndexStore", index), cast("HistoryReader", index.history), frozenset())


# With a query ---------------------------------------------------------------------------------------------------------


def _rank_team_by_recency(
    request: RecentRequest, excluded: Sequence[str], learnt: Sequence[FindUsedPlaces] | None, reader: TeamReader
) -> list[TeamAnswer]:
    """Return the relevant documents by recency; relevance is judged by the best of the team, as the ranks are."""
    question, now = question_of(request), time.time()
    found = retrieve_from_team(question, reader, encode_question, excluded=excluded, learnt=learnt)
    results = [RetrievalResult(each.retrieval.question, IndexState(), each.retrieval) for each in found]
    rankings = [_rank(each) for each in rank_retrievals_together(results)]
    matches = [each for each in apply_shared_thresholds(rankings, results) if isinstance(each, RecentMatches)]
    relevant = [(each, own) for each, own in zip(found, matches, strict=True) if _relevant_keys(own)]
    _prefetch_relevant(relevant, reader)
    return [
        TeamAnswer(
            each.repository,
            rank_by_recency(
                own,
                _dates_of(reader.open(each.repository.repository_id), now),
                request.days,
                request.limit,
                repository_state(each.repository),
            ),
        )
        for each, own in relevant
    ]


def _rank(result: RetrievalResult | ScryError) -> Ranking | ScryError | None:
    if isinstance(result, ScryError) or result.retrieval is None:
        return result if isinstance(result, ScryError) else None
    return rank_candidates(result.retrieval.question, result.retrieval.reader, result.retrieval.oracle_matches)


def _relevant_keys(matches: RecentMatches) -> list[int]:
    return [each.document.doc_key for each in filter_relevant(matches.ranking.ranked, matches.threshold)]


def _prefetch_relevant(relevant: Sequence[tuple[TeamRetrieval, RecentMatches]], reader: TeamReader) -> None:
    """Read what results show of the relevant documents, and when they changed, by a few statements for all."""
    keys = {each.repository.repository_id: _relevant_keys(own) for each, own in relevant}
    reader.prefetch_results(keys)
    documents = {
        each.repository.repository_id: own.ranking.reader.get_documents(
            keys[each.repository.repository_id], with_descriptions=False
        ).values()
        for each, own in relevant
    }
    in_files = {repository: [each for each in found if each.path] for repository, found in documents.items()}
    reader.prefetch_last_commits(
        {
            repository: ([each.doc_id for each in found], sorted({each.path for each in found}))
            for repository, found in in_files.items()
        }
    )
