"""Write the notices of an answer: what it may lack, and why it is empty.

What a person is told of an answer: what it may lack, and why it is empty (F11).
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from scry_protocol.messages import Answer, IndexState

_MAX_NAMED_FILES = 3


def add_status_summary(state: IndexState) -> IndexState:
    """The state with its few words for a status line."""
    return msgspec.structs.replace(state, summary=_status_summary(state))


def _status_summary(state: IndexState) -> str:
    if state.state == "ready":
        size = _count_noun(state.files_indexed, "file")
        return f"{size} indexed, reading the history" if state.history == "pending" else f"{size} indexed"
    if state.state == "paused":
        return f"paused at {_describe_progress(state)}"
    if state.state == "indexing":
        return f"indexing {_describe_progress(state)}" if state.files_total else "looking for files"
    return state.state


def describe_incomplete(state: IndexState) -> str:
    """What an answer from this index may lack, in one short line, for editors have it in a title; empty for nothing."""
    parts = [_describe_incomplete_stage(state), _describe_unsaved(state), state.message]
    return "; ".join(part for part in parts if part)


def _describe_incomplete_stage(state: IndexState) -> str:
    if state.state == "ready":
        return "the history is still being read" if state.history == "pending" else ""
    if state.state == "failed":
        return "indexing failed: results may be partial or old"
    if state.state == "paused":
        return f"indexing is paused at {_describe_progress(state)} (scry index --resume)"
    if not state.files_indexed:
        return "the index is still to be made (scry index)"
    if state.files_indexed < state.files_total:
        return f"indexing {_describe_progress(state)}: results are partial"
    if state.state == "starting" and state.vectors == state.vectors_total:
        return "looking for changes: what was edited just now may be missing"
    return f"indexing {_describe_progress(state)}: results may be partial"


def _describe_progress(state: IndexState) -> str:
    """The files, then the vectors: an editor's title has no room for both."""
    if state.files_indexed >= state.files_total and state.vectors < state.vectors_total:
        return f"{state.vectors} of {state.vectors_total} vectors"
    return f"{state.files_indexed} of {state.files_total} files"


def _describe_unsaved(state: IndexState) -> str:
    if not state.unsaved:
        return ""
    named = ", ".join(state.unsaved[:_MAX_NAMED_FILES]) + (", …" if len(state.unsaved) > _MAX_NAMED_FILES else "")
    return f"unsaved text is searched after the save ({named})"


def describe_emptiness(answer: Answer) -> str:
    """Why an answer holds nothing and what can be done about it."""
    state = answer.index
    if state.state == "ready" and state.files_total:
        return f"Nothing found in {_count_noun(state.files_total, 'file')}{_describe_skipped(state)}. {_advise(answer)}"
    if state.state == "ready":
        return f"There is nothing to search: this folder holds no file that can be indexed{_describe_skipped(state)}."
    if state.files_indexed:
        return f"Nothing found so far: {describe_incomplete(state)}."
    return f"Nothing could be searched yet: {describe_incomplete(state)}."


def describe_size(state: IndexState) -> str:
    """How much an index holds: `812 files (3 left out: …)`."""
    return f"{_count_noun(state.files_indexed, 'file')}{_describe_skipped(state)}"


def _advise(answer: Answer) -> str:
    if answer.faults:
        return "A part of Scry could not answer, see above."
    return "Try other words, or fewer filters and a lower minimum score if you set any."


def _describe_skipped(state: IndexState) -> str:
    return f" ({state.skipped} left out: binary, ignored, too large …)" if state.skipped else ""


def _count_noun(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def add_notice(answer: Answer, mode_notice_text: str = "") -> Answer:
    """The answer with what a person should know of it. said: what its mode has to say, why it is empty included."""
    lacks = describe_incomplete(answer.index) if answer.results or mode_notice_text else describe_emptiness(answer)
    return msgspec.structs.replace(answer, notice="; ".join(words for words in (mode_notice_text, lacks) if words))


def add_merged_notice(answer: Answer, parts: Mapping[str, Answer]) -> Answer:
    """The answer of several projects, by their names, with what each had to say of its own and what its index lacks."""
    by_words: dict[str, list[str]] = {}
    for name, part in parts.items():
        for words in (mode_notice(part), describe_incomplete(part.index)):
            by_words.setdefault(words, []).append(name)
    said = [f"{', '.join(names)}: {words}" for words, names in by_words.items() if words]
    empty = [] if answer.results or said else [describe_emptiness(answer)]
    return msgspec.structs.replace(answer, notice="; ".join([*said, *empty]))


def mode_notice(answer: Answer) -> str:
    """What an answer's mode said of it, of all that its notice says."""
    if answer.notice == add_notice(answer).notice:
        return ""
    return answer.notice.removesuffix(describe_incomplete(answer.index)).removesuffix("; ")
