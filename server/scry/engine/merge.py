"""Answers of several folders to one question, as one answer. Pure.

Fused scores compare across folders because they are made of ranks under the same weights. Documents keep their folder's
name, in `project` and before their doc_id.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scry.core.errors import BadRequest
from scry.engine.notice import own_words, summarize, with_notice
from scry.engine.query_id import new_query_id
from scry_protocol import messages


def merge(answers: Sequence[messages.Answer], limit: int) -> messages.Answer:
    """The best `limit` results of all; one answer alone stays as it is. Raises BadRequest when there is none."""
    if not answers:
        raise BadRequest("folder", "no folder is open; open one, then ask again")
    if len(answers) == 1:
        return answers[0]
    tagged = [
        msgspec.structs.replace(result, doc_id=f"{result.project}:{result.doc_id}")
        for answer in answers
        for result in answer.results
    ]
    best = sorted(tagged, key=lambda result: (-result.fused_score, result.doc_id))[:limit]
    merged = msgspec.structs.replace(
        answers[0],
        results=[msgspec.structs.replace(result, rank=rank) for rank, result in enumerate(best, 1)],
        faults=list({(fault.oracle, fault.message): fault for a in answers for fault in a.faults}.values()),
        index=merge_states([answer.index for answer in answers]),
    )
    return with_notice(merged)


def merge_changes(answers: Sequence[messages.Answer], names: Sequence[str], limit: int) -> messages.Answer:
    """The answers of several folders to `recent`, as one with a name of its own. names: of the folders, in order.

    Each is in the order of its time, which equal scores must not undo; what each says of itself is kept.
    """
    merged = merge(answers, limit)
    if len(answers) == 1:
        return merged
    tagged = (
        msgspec.structs.replace(result, doc_id=f"{result.project}:{result.doc_id}")
        for answer in answers
        for result in answer.results
    )
    best = sorted(tagged, key=lambda result: -result.fused_score)[:limit]
    said = [f"{name}: {words}" for name, answer in zip(names, answers, strict=True) if (words := own_words(answer))]
    searched = max(answers, key=lambda answer: len(answer.scoring.weights))
    named = msgspec.structs.replace(
        merged,
        query_id=new_query_id(),
        scoring=searched.scoring,
        intent=searched.intent,
        results=[msgspec.structs.replace(result, rank=rank) for rank, result in enumerate(best, 1)],
    )
    return with_notice(named, "; ".join(said))


def blank_answer(mode: str, query: str, state: messages.IndexState) -> messages.Answer:
    """What can be said of a folder that can't be asked (yet): nothing but how its index stands."""
    scoring = messages.Scoring(k=0, depth=0, weights={}, ceiling=1.0)
    return with_notice(
        messages.Answer(
            query=query,
            mode=mode,
            query_id=new_query_id(),
            intent="general",
            scoring=scoring,
            index=state,
            results=[],
            faults=[],
        )
    )


_WORST_FIRST = ("failed", "starting", "indexing", "paused", "ready")


def merge_states(states: Sequence[messages.IndexState]) -> messages.IndexState:
    """One state for several indexes: the least complete one's, with the sums of all counts."""
    worst = min(states, key=lambda state: _WORST_FIRST.index(state.state) if state.state in _WORST_FIRST else 0)
    merged = msgspec.structs.replace(
        worst,
        history="pending" if any(state.history == "pending" for state in states) else worst.history,
        generation=sum(state.generation for state in states),
        files_indexed=sum(state.files_indexed for state in states),
        files_total=sum(state.files_total for state in states),
        vectors=sum(state.vectors for state in states),
        vectors_total=sum(state.vectors_total for state in states),
        skipped=sum(state.skipped for state in states),
        unsaved=[path for state in states for path in state.unsaved],
        message="; ".join(dict.fromkeys(state.message for state in states if state.message)),
    )
    return summarize(merged)
