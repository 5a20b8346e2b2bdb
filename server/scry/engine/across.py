"""One question to several projects at once: each in a thread of its own, none of them able to fail the others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from scry.core.doc_id import split_project
from scry.core.errors import BadRequest, Cancelled, IndexUnavailable, ScryError
from scry.core.projects import Registered
from scry.core.types import IndexState
from scry.engine.find import Voted
from scry.engine.manner import Manner
from scry.engine.merge import Part, blank_answer, merge
from scry.engine.present import present_state
from scry.engine.together import rank_together
from scry_protocol import messages

if TYPE_CHECKING:
    from scry.engine.engine import Engine

THREADS = 8
"""So many projects are asked at the same time; more of them would only wait for the processor."""

T = TypeVar("T")

log = logging.getLogger(__name__)


def _as_it_is(answer: messages.Answer) -> messages.Answer:
    return answer


class Asked(msgspec.Struct, frozen=True, eq=False):
    """A project that takes part. name: its own among them. engine: None for one that can't be asked (yet).

    via: how the project that was asked from is tied to it. failure: why it can't be asked, and state: that of its
    index, where there is anything to be said of that. unsaved: files whose editor text is newer. land: makes places
    those of an editor.
    """

    name: str
    engine: Engine | None
    via: str = ""
    failure: str = ""
    state: messages.IndexState | None = None
    unsaved: tuple[str, ...] = ()
    land: Callable[[messages.Answer], messages.Answer] = _as_it_is


class Open(msgspec.Struct, frozen=True):
    """A project that is open in an editor, as it is asked."""

    project: Registered
    asked: Asked


def leave_across(
    keeper: Engine, answer: messages.Answer, projects: Sequence[Asked], params: msgspec.Struct, encoding: str
) -> messages.Answer:
    """Has one project keep and log the answer of several; returns it as it leaves."""
    engines = {asked.name: asked.engine for asked in projects if asked.engine is not None}
    of = [engines.get(result.project, keeper) for result in answer.results]
    numbers: dict[str, int] = {}
    for engine in dict.fromkeys(of):
        doc_ids = [result.doc_id for result, its in zip(answer.results, of, strict=True) if its is engine]
        own = engine.numbers([split_project(doc_id)[1] for doc_id in doc_ids])
        numbers.update(zip(doc_ids, own, strict=True))
    by_rank = [numbers[result.doc_id] for result in answer.results]
    return keeper.recorder.leave(answer, params, encoding, by_rank, [engine.project.root for engine in of])


def find_across(projects: Sequence[Asked], params: messages.FindParams, manner: Manner) -> messages.Answer:
    """Where is X, in any of these? Raises BadRequest, Cancelled, or why none of them could be asked."""

    def vote(asked: Asked) -> Voted:
        return engine_of(asked).vote(params, part_of(manner, asked))

    def tally(asked: Asked) -> messages.Answer:
        voted = settled[ordered.index(asked)]
        if isinstance(voted, ScryError):
            raise voted
        return engine_of(asked).tally(voted, params, part_of(manner, asked))

    def reason(asked: Asked) -> messages.Answer:
        return engine_of(asked).find(params, part_of(manner, asked))

    ordered = in_order(projects)
    if params.reason:  # a name of the question may be known in only some of them
        answers = ask_each(ordered, reason)
    else:
        settled = rank_votes(ask_each(ordered, vote))
        answers = ask_each(ordered, tally)
    blank = blank_answer("find", params.query)
    return as_one(ordered, answers, blank, params.limit, may_refuse=params.reason)


def orient_across(projects: Sequence[Asked], params: messages.OrientParams, manner: Manner) -> messages.Answer:
    """What matters in any of these? The path may be one of only some of them. Raises as `find_across`."""

    def ask(asked: Asked) -> messages.Answer:
        return engine_of(asked).orient(params, part_of(manner, asked))

    ordered = in_order(projects)
    return as_one(ordered, ask_each(ordered, ask), blank_answer("orient", params.path), params.limit, may_refuse=True)


def neighbors_across(projects: Sequence[Asked], params: messages.NeighborsParams, manner: Manner) -> messages.Answer:
    """What belongs to a file of one of these? Raises as `find_across`."""

    def ask(asked: Asked) -> messages.Answer:
        return engine_of(asked).neighbors(params, part_of(manner, asked))

    ordered = in_order(projects)
    return as_one(
        ordered, ask_each(ordered, ask), blank_answer("neighbors", params.file), params.limit, may_refuse=True
    )


def in_order(projects: Sequence[Asked]) -> list[Asked]:
    """By name: however they were named or opened, equal scores stand in one order."""
    return sorted(projects, key=lambda asked: asked.name)


def part_of(manner: Manner, asked: Asked) -> Manner:
    """How a project is asked for its part of the answer."""
    return replace(manner, unsaved=asked.unsaved, is_part=True)


def engine_of(asked: Asked) -> Engine:
    """The project's engine. Raises IndexUnavailable where it can't be asked."""
    if asked.engine is None:
        raise IndexUnavailable(asked.failure)
    return asked.engine


def rank_votes(votes: Sequence[Voted | ScryError]) -> list[Voted | ScryError]:
    """The votes with those of the projects that have an index ranked together."""
    ballots = [voted.ballot for voted in votes if isinstance(voted, Voted) and voted.ballot is not None]
    ranked = iter(rank_together(ballots) if ballots else ())
    return [
        replace(voted, ballot=replace(voted.ballot, evidence=next(ranked)))
        if isinstance(voted, Voted) and voted.ballot is not None
        else voted
        for voted in votes
    ]


def as_one(
    projects: Sequence[Asked],
    answers: Sequence[messages.Answer | ScryError],
    blank: messages.Answer,
    limit: int,
    *,
    may_refuse: bool = False,
    in_turn: bool = False,
) -> messages.Answer:
    """All answers as one. What could not answer is a fault, and its index's state is told where it has one.

    may_refuse: what is wrong with the question in one project may be right in another. in_turn: as of `merge`.
    """
    errors = [answer for answer in answers if isinstance(answer, ScryError)]
    refused = next((error for error in errors if isinstance(error, BadRequest)), None)
    none_answered = len(errors) == len(projects) and all(asked.state is None for asked in projects)
    if refused is not None and not may_refuse:
        raise refused
    if errors and none_answered:
        raise errors[0]
    parts: list[Part] = []
    faults: list[messages.Fault] = []
    for asked, answer in zip(projects, answers, strict=True):
        if not isinstance(answer, ScryError):
            parts.append(Part(asked.name, asked.land(answer), asked.via))
            continue
        if asked.state is None:
            faults.append(messages.Fault("", str(answer), asked.name))
        state = asked.state or (None if isinstance(answer, BadRequest) else _failed(str(answer)))
        if state is not None and (asked.engine is not None or asked.state is not None):
            parts.append(Part(asked.name, msgspec.structs.replace(blank, index=state), asked.via))
    return merge(parts, limit, faults, in_turn=in_turn)


def _failed(message: str) -> messages.IndexState:
    return present_state(IndexState(state="failed", message=message))


def ask_each(projects: Sequence[Asked], ask: Callable[[Asked], T]) -> list[T | ScryError]:
    """Asks each, as many at once as there are threads; in the place of what failed its error. Raises Cancelled."""

    def safely(asked: Asked) -> T | ScryError:
        try:
            return ask(asked)
        except Cancelled:
            raise
        except ScryError as error:
            return error
        except Exception as error:  # whatever it is, it must cost this project's answer only
            log.error("%s failed", asked.name, exc_info=error)
            return IndexUnavailable(f"{type(error).__name__}: {error}")

    with ThreadPoolExecutor(min(THREADS, max(1, len(projects))), thread_name_prefix="scry-across") as threads:
        return list(threads.map(safely, projects))
