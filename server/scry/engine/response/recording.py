"""Convert answers, uses and ratings to their stored and logged forms, and the outcome back to the wire.

An answer is stored as it was sent, in the wire's own form. docs/events.md describes the bodies of the log's events.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from scry import __version__
from scry.core.doc_id import new_query_id, split_off_project
from scry.core.errors import BadRequest
from scry.core.events import FEEDBACK, QUERY, USE, LogEvent
from scry.core.notices import COMMAND_LINE, CommandNames
from scry.core.text import escape_unencodable
from scry.store.events.log import now_ms
from scry_protocol.messages import (
    Answer,
    Detail,
    DetailParams,
    Explanation,
    FeedbackParams,
    FurtherPlace,
    IndexState,
    Recorded,
    ResultItem,
    UseParams,
)

if TYPE_CHECKING:
    from scry.engine.activity.recorder import RecordedAct, Recorder
    from scry.engine.engine import Engine
    from scry.engine.federation.fan_out import Participant

WireAnswer = TypeVar("WireAnswer", Answer, Explanation)


class AnswerOrigin(msgspec.Struct, frozen=True, rename={"doc_keys": "numbers"}):
    """The origin of an answer. `doc_keys` is stored as `numbers`.

    mode: of the question. time_ms: when, in milliseconds since the epoch. surface: the way in, such as cli or lsp.
    asker: tells terminals and editors apart. options: the parameters beside the query. root: the work tree. encoding:
    of positions. is_private: asked while the log was off, and never to be logged. doc_keys: of the results' documents,
    by rank, then of their further places, in the same order; empty where they have none. roots: the work trees of the
    results, by rank; empty where all are of `root`.
    """

    mode: str
    time_ms: int
    surface: str
    asker: str
    root: str
    encoding: str
    options: Mapping[str, object] = {}
    is_private: bool = False
    doc_keys: Sequence[int] = ()
    roots: Sequence[str] = ()


class StoredAnswer(msgspec.Struct, frozen=True, rename={"origin": "asked"}):
    """An answer or an explanation as it was sent, and its origin, which is stored as `asked`."""

    origin: AnswerOrigin
    answer: Answer | None = None
    explanation: Explanation | None = None

    @property
    def query_id(self) -> str:
        """The answer's id."""
        return self.content.query_id

    @property
    def query(self) -> str:
        """The question; empty where there was none."""
        return self.content.query or ""

    @property
    def results(self) -> Sequence[ResultItem]:
        """The results by rank; of an explanation, the result that it explains."""
        if self.answer is not None:
            return self.answer.results
        explained = self.explanation
        return () if explained is None or explained.result is UNSET else (explained.result,)

    @property
    def doc_ids(self) -> list[str]:
        """The doc_ids of the results, by rank."""
        return [result.doc_id for result in self.results]

    def result(self, rank: int) -> ResultItem:
        """Return the result at a rank. Raises BadRequest where there is none."""
        if 1 <= rank <= len(self.results):
            return self.results[rank - 1]
        raise BadRequest("rank", describe_missing_rank(self.query_id, rank, len(self.results)))

    def place(self, rank: int, doc_id: str | None) -> ResultItem:
        """Return the result at a rank, or its further place with this doc_id. Raises BadRequest where there is none."""
        result = self.result(rank)
        if doc_id is None or doc_id == result.doc_id:
            return result
        for place in result.further:
            if place.doc_id == doc_id:
                return further_result(result, place)
        raise BadRequest("doc_id", describe_missing_place(rank, doc_id, [place.doc_id for place in result.further]))

    def root_of(self, rank: int) -> str:
        """Return the work tree of a result."""
        return self.origin.roots[rank - 1] if self.origin.roots else self.origin.root

    def doc_key_in(self, root: Path, rank: int, doc_id: str) -> int | None:
        """Return the doc_key that a result, or its further place, had in this work tree's index; None for unknown."""
        doc_keys, at = self.origin.doc_keys, rank - 1
        if doc_id != self.result(rank).doc_id:
            at = len(self.results) + _further_doc_ids(self.results).index(doc_id)
        if at >= len(doc_keys):
            return None
        return doc_keys[at] or None if self.root_of(rank) == str(root) else None

    @property
    def further_doc_ids(self) -> list[list[str]]:
        """The doc_ids of the further places of each result, by rank."""
        return [[place.doc_id for place in result.further] for result in self.results]

    @property
    def content(self) -> Answer | Explanation:
        """The answer or the explanation, whichever was sent."""
        content = self.answer or self.explanation
        assert content is not None
        return content


def further_result(result: ResultItem, place: FurtherPlace) -> ResultItem:
    """Return a further place of a result's file in the form of a result, with the result's rank."""
    return ResultItem(
        rank=result.rank,
        doc_id=place.doc_id,
        content_type=result.content_type,
        title=place.title,
        kind=place.kind,
        fused_score=place.fused_score,
        contributions={},
        adjustments=[],
        annotations=result.annotations,
        snippet="",
        sources=[],
        project=result.project,
        location=place.location,
        evidence=f"further place in the file of result {result.rank}",
        via=result.via,
        commit=result.commit,
    )


def describe_missing_place(rank: int, doc_id: str, existing: Sequence[str]) -> str:
    """Return why a result has no further place of this doc_id, in words for a person."""
    names = f"its further places are {', '.join(existing)}" if existing else "it has none"
    return f"{doc_id} is no further place of result {rank}: {names}"


def describe_missing_rank(query_id: str, rank: int, count: int) -> str:
    """Return why there is no result at a rank, in words for a person."""
    existing = f"{query_id} has {count} result{'' if count == 1 else 's'}" if count else "that answer is empty"
    return f"there is no result {rank}: {existing}"


# What the recorder does with it ---------------------------------------------------------------------------------------


def record_answer(
    recorder: Recorder,
    answer: WireAnswer,
    params: msgspec.Struct,
    encoding: str = "utf-16",
    doc_keys: Sequence[int] = (),
    roots: Sequence[Path] = (),
) -> WireAnswer:
    """Store the answer and queue its event; return it, with the reason if recording has just begun to fail. Never
    fails.

    params: of the question; with `record` false its event waits for a use. doc_keys: of the results' documents, then of
    their further places, by rank. roots: the work trees of the results, by rank, where they are not all the recorder's.
    """
    mode = answer.mode if isinstance(answer, Answer) else "why"
    options = logged_options(params)
    if isinstance(answer, Answer) and answer.scoring.prefix:
        options["prefix"] = answer.scoring.prefix
    origin = recorder.make_origin(mode, options, encoding, doc_keys, roots)
    clean = replace(answer, query=escape_unencodable(answer.query)) if answer.query else answer
    stored = StoredAnswer(origin, clean) if isinstance(clean, Answer) else StoredAnswer(origin, explanation=clean)
    recorder.answers.add(stored)
    if getattr(params, "record", True):
        recorder.log(partial(query_event, stored), origin, getattr(params, "picker", None))
    trouble = recorder.new_trouble()
    return _add_trouble(answer, trouble) if trouble else answer


def record_merged_answer(
    holders: Sequence[Engine | None],
    participants: Sequence[Participant],
    answer: Answer,
    params: msgspec.Struct,
    encoding: str,
) -> Answer:
    """Let the first of these engines store and log the answer of several projects; return the answer as sent."""
    holder = next((engine for engine in holders if engine is not None), None)
    if holder is None:
        return answer
    engines = {each.name: each.engine for each in participants if each.engine is not None}
    by_rank = [engines.get(result.project, holder) for result in answer.results]
    # No project's index holds a result of a team's repository: to look there would explain a path that is not there.
    doc_keys: dict[str, int] = {}
    for engine in dict.fromkeys(by_rank):
        own_results = [
            result for result, its in zip(answer.results, by_rank, strict=True) if its is engine and not result.commit
        ]
        doc_ids = [result.doc_id for result in own_results] + _further_doc_ids(own_results)
        own_keys = engine.doc_keys([split_off_project(doc_id)[1] for doc_id in doc_ids])
        doc_keys.update(zip(doc_ids, own_keys, strict=True))
    all_doc_ids = [result.doc_id for result in answer.results] + _further_doc_ids(answer.results)
    all_keys = [doc_keys.get(doc_id, 0) for doc_id in all_doc_ids]
    roots = [engine.project.root for engine in by_rank]
    for each in participants:
        if each.engine is not None and each.engine is not holder:
            each.engine.recorder.discard_typed(getattr(params, "picker", None))
    return record_answer(holder.recorder, answer, params, encoding, all_keys, roots)


def _further_doc_ids(results: Sequence[ResultItem]) -> list[str]:
    return [place.doc_id for result in results for place in result.further]


def _add_trouble(answer: WireAnswer, trouble: str) -> WireAnswer:
    reported = replace(answer, index=add_index_message(answer.index, trouble))
    if isinstance(reported, Answer):
        return replace(reported, notice="; ".join(part for part in (reported.notice, trouble) if part))
    return reported


def add_index_message(state: IndexState, message: str) -> IndexState:
    """Return the state with one more message."""
    return replace(state, message="; ".join(part for part in (state.message, message) if part))


def record_detail(
    recorder: Recorder, detail: Detail, params: DetailParams, answered_by: Recorder | None = None
) -> Detail:
    """Log a result that is shown in full, as a question and, unless the client does so, as a use; return it. Never
    fails.

    recorder: of the result's project. answered_by: as of `record_use`.
    """
    if not params.record:
        return detail
    origin = recorder.make_origin("detail", logged_options(params), "utf-16")
    recorder.log(partial(detail_event, detail, origin, new_query_id()), origin)
    stored = (answered_by or recorder).answers.get(detail.query_id)
    if params.record_use and stored is not None and not stored.origin.is_private:
        rank, doc_id = detail.result.rank, detail.result.doc_id
        use = UseParams(detail.query_id, rank, "detail", f"detail-{secrets.token_hex(8)}")
        is_further = doc_id in _further_doc_ids(stored.results)
        recorder.log(partial(query_event, stored), origin)
        root = stored.root_of(rank)
        place = recorder.describe_origin(doc_id, of_team=bool(detail.result.commit), root=root)
        make = partial(use_event, use, doc_id, recorder, is_further=is_further, origin=place)
        recorder.log(make, origin)
    return detail


def record_use(
    recorder: Recorder,
    params: UseParams,
    commands: CommandNames = COMMAND_LINE,
    answered_by: Recorder | None = None,
    fingerprint: Callable[[str], str] = lambda _: "",
) -> Recorded:
    """Record that a result was used; it is on the disk when the outcome says `recorded`.

    answered_by: the recorder that stored the answer, where that is another one. fingerprint: returns that of the text
    of a document, "" for none, by which it is followed when it is renamed. Raises BadRequest for an answer, a rank
    or a further place that does not exist.
    """
    subject = (answered_by or recorder).find_subject(params.query_id)
    doc_id = subject.doc_id(params.rank, params.doc_id)
    is_further = doc_id != subject.doc_id(params.rank)
    at = params.rank - 1
    origin = recorder.describe_origin(doc_id, of_team=subject.of_team[at], root=subject.roots[at])
    text = "" if origin else fingerprint(doc_id)
    event = use_event(params, doc_id, recorder, is_further=is_further, origin=origin, text=text)
    return _present_act(params.query_id, recorder.record_act(subject, event), commands)


def record_feedback(
    recorder: Recorder,
    params: FeedbackParams,
    commands: CommandNames = COMMAND_LINE,
    answered_by: Recorder | None = None,
) -> Recorded:
    """Record that an answer, or one of its results, was good or bad. As record_use."""
    subject = (answered_by or recorder).find_subject(params.query_id)
    if params.rank is None and params.doc_id is not None:
        raise BadRequest("doc_id", "names a further place of a result; give the rank of the result, too")
    doc_id = None if params.rank is None else subject.doc_id(params.rank, params.doc_id)
    origin = ""
    if params.rank is not None and doc_id is not None:
        at = params.rank - 1
        origin = recorder.describe_origin(doc_id, of_team=subject.of_team[at], root=subject.roots[at])
    event = feedback_event(params, doc_id, recorder, origin)
    return _present_act(params.query_id, recorder.record_act(subject, event), commands)


def _present_act(query_id: str, act: RecordedAct, commands: CommandNames) -> Recorded:
    return Recorded(query_id, act.is_recorded, act.notice.render(commands) if act.notice is not None else "")


# Events ---------------------------------------------------------------------------------------------------------------

_OMITTED_PARAMS = frozenset({"query", "doc_id", "folder", "picker", "record_use", "record", "brief"})
"""Parameters that the event holds elsewhere, or that only this process understands."""


def logged_options(params: msgspec.Struct) -> dict[str, object]:
    """Return the parameters beside the query, as they are logged."""
    return {
        name: escape_unencodable(value) if isinstance(value, str) else value
        for name, value in msgspec.structs.asdict(params).items()
        if name not in _OMITTED_PARAMS
    }


def query_event(stored: StoredAnswer) -> LogEvent:
    """Return the event of a question and its answer."""
    content = stored.content
    body = _common_fields(stored.origin, content.query or "")
    if stored.answer is not None:
        body["intent"] = stored.answer.intent
        if stored.answer.scoring.exponents:
            scoring = stored.answer.scoring
            body["scoring"] = {"weights": scoring.weights, "exponents": scoring.exponents}
    if stored.explanation is not None:
        body |= _explanation_fields(stored.explanation)
    fields = msgspec.structs.asdict(content.index).items()
    index = {name: value for name, value in fields if value is not msgspec.UNSET}
    del index["message"]  # how complete the index was, without words for people
    body["index"] = index | {"unsaved": len(content.index.unsaved)}
    body["faults"] = [fault.oracle for fault in content.faults]
    body["results"] = [_result_fields(result) for result in stored.results]
    return LogEvent(QUERY, stored.origin.time_ms, msgspec.json.encode(body).decode(), content.query_id)


def detail_event(detail: Detail, origin: AnswerOrigin, query_id: str) -> LogEvent:
    """Return the event of a question for one result in full.

    query_id: the event's own; `of` in its body names the answer that the result is of.
    """
    body = _common_fields(origin, detail.query) | {
        "of": {"query_id": detail.query_id, "rank": detail.result.rank},
        "state": detail.state,
        "results": [_result_fields(detail.result)],
    }
    return LogEvent(QUERY, origin.time_ms, msgspec.json.encode(body).decode(), query_id)


def use_event(
    params: UseParams, doc_id: str, recorder: Recorder, *, is_further: bool = False, origin: str = "", text: str = ""
) -> LogEvent:
    """Return the event of a result's use.

    is_further: doc_id is a further place of the file of the result. origin: see Recorder.describe_origin. text: the
    fingerprint of its text.
    """
    body: dict[str, object] = {"rank": params.rank, "result_used": doc_id, "how": params.how}
    body |= {"surface": recorder.surface} | _place_fields(recorder, origin)
    if is_further:
        body["further"] = True
    if text:
        body["text"] = text
    return LogEvent(
        USE, now_ms(), msgspec.json.encode(body).decode(), params.query_id, escape_unencodable(params.act_id)
    )


def feedback_event(params: FeedbackParams, doc_id: str | None, recorder: Recorder, origin: str = "") -> LogEvent:
    """Return the event of a rating: of an answer, or of one result of it. origin: see Recorder.describe_origin."""
    body: dict[str, object] = {
        "signal": params.signal,
        "comment": escape_unencodable(params.comment),
        "surface": recorder.surface,
    }
    if doc_id is not None:
        body |= {"rank": params.rank, "doc_id": doc_id} | _place_fields(recorder, origin)
    return LogEvent(FEEDBACK, now_ms(), msgspec.json.encode(body).decode(), params.query_id)


def _place_fields(recorder: Recorder, origin: str) -> dict[str, object]:
    """Return where a used result is from, and of one of the recorder's project the folder that its doc_id begins at."""
    if origin:
        return {origin: True}
    return {"folder": recorder.folder} if recorder.folder else {}


def _common_fields(origin: AnswerOrigin, query: str) -> dict[str, object]:
    return {
        "mode": origin.mode,
        "query": query,
        "options": origin.options,
        "surface": origin.surface,
        "asker": origin.asker,
        "root": origin.root,
        "version": __version__,
    }


def _explanation_fields(explanation: Explanation) -> dict[str, object]:
    decisive = explanation.decisive
    return {
        "doc_id": explanation.doc_id,
        "status": explanation.status,
        "decisive": None if decisive is UNSET else decisive,
    }


def _result_fields(result: ResultItem) -> dict[str, object]:
    """Return ranks, raw scores and annotations; what the index holds anyway is left out."""
    return {
        "rank": result.rank,
        "doc_id": result.doc_id,
        "content_type": result.content_type,
        "fused_score": result.fused_score,
        "contributions": {
            name: {
                "rank": contribution.rank,
                "raw_score": contribution.raw_score,
                "score_type": contribution.score_type,
            }
            for name, contribution in result.contributions.items()
        },
        "adjustments": {each.name: each.factor for each in result.adjustments},
        "annotations": result.annotations,
        **({"further": [place.doc_id for place in result.further]} if result.further else {}),
        **({"team": True} if result.commit else {}),
    }
