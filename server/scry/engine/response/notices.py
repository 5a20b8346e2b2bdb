"""Render the notices of an answer: those of its mode, of an incomplete index, and why it is empty (F11).

Text is rendered once, with the client's names for commands.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scry.core.notices import COMMAND_LINE, CommandNames
from scry.core.text import format_count
from scry_protocol.messages import Answer, IndexState

_MAX_NAMED_FILES = 3


def add_status_summary(state: IndexState) -> IndexState:
    """Return the state with its summary for a status line."""
    summary = state.state
    if state.state == "ready":
        summary = f"{format_count(state.files_indexed, 'file')} indexed"
        summary += ", reading the history" if state.history == "pending" else ""
    elif state.state == "paused":
        summary = f"paused at {_describe_progress(state)}"
    elif state.state == "indexing":
        summary = f"indexing {_describe_progress(state)}" if state.files_total else "looking for files"
    return msgspec.structs.replace(state, summary=summary)


def describe_incomplete(state: IndexState, commands: CommandNames = COMMAND_LINE) -> str:
    """Return what an answer from this index may lack; empty for nothing. One short line: editors show it in a title."""
    parts = [
        _describe_incomplete_stage(state, commands),
        _describe_unsaved(state) if state.unsaved else "",
        state.message,
    ]
    return "; ".join(part for part in parts if part)


def _describe_incomplete_stage(state: IndexState, commands: CommandNames) -> str:
    if state.state == "ready":
        return "the history is still being read" if state.history == "pending" else ""
    if state.state == "failed":
        return "indexing failed: results may be partial or old"
    if state.state == "paused":
        return f"indexing is paused at {_describe_progress(state)} ({commands.resume_index})"
    if not state.files_indexed:
        return f"the index is still to be made{commands.index_hint}"
    if state.files_indexed < state.files_total:
        return f"indexing {_describe_progress(state)}: results are partial"
    if state.state == "starting" and state.vectors == state.vectors_total:
        return "looking for changes: what was edited just now may be missing"
    return f"indexing {_describe_progress(state)}: results may be partial"


def _describe_progress(state: IndexState) -> str:
    """Return the progress in files, then in vectors: an editor's title has no room for both."""
    if state.files_indexed >= state.files_total and state.vectors < state.vectors_total:
        return f"{state.vectors} of {state.vectors_total} vectors"
    return f"{state.files_indexed} of {state.files_total} files"


def _describe_unsaved(state: IndexState) -> str:
    named = ", ".join(state.unsaved[:_MAX_NAMED_FILES]) + (", …" if len(state.unsaved) > _MAX_NAMED_FILES else "")
    return f"unsaved text is searched after the save ({named})"


def describe_emptiness(answer: Answer, commands: CommandNames = COMMAND_LINE) -> str:
    """Return why an answer holds no result, and what can be done about it."""
    state = answer.index
    if state.state == "ready" and state.files_total:
        return (
            f"Nothing found in {format_count(state.files_total, 'file')}{_describe_skipped(state)}. {_advise(answer)}"
        )
    if state.state == "ready":
        return f"There is nothing to search: this folder holds no file that can be indexed{_describe_skipped(state)}."
    if state.files_indexed:
        return f"Nothing found so far: {describe_incomplete(state, commands)}."
    return f"Nothing could be searched yet: {describe_incomplete(state, commands)}."


def describe_size(state: IndexState) -> str:
    """Return how much an index holds: `812 files (3 left out: …)`."""
    return f"{format_count(state.files_indexed, 'file')}{_describe_skipped(state)}"


def _advise(answer: Answer) -> str:
    if answer.faults:
        return "A part of Scry could not answer, see above."
    return "Try other words, or fewer filters and a lower minimum score if you set any."


def _describe_skipped(state: IndexState) -> str:
    return f" ({state.skipped} left out: binary, ignored, too large …)" if state.skipped else ""


def add_notice(answer: Answer, mode_notice: str = "", commands: CommandNames = COMMAND_LINE) -> Answer:
    """Return the answer with its notice: that of its mode, or why it is empty, and what may be missing."""
    is_explained = answer.results or mode_notice
    missing = describe_incomplete(answer.index, commands) if is_explained else describe_emptiness(answer, commands)
    return msgspec.structs.replace(answer, notice="; ".join(part for part in (mode_notice, missing) if part))


def add_merged_notice(
    answer: Answer, parts: Sequence[tuple[str, str, IndexState]], commands: CommandNames = COMMAND_LINE
) -> Answer:
    """Return the answer of several projects with their notices, each with the names of the projects that it is of.

    parts: of each project its name, the rendered notice of its mode, and the state of its index.
    """
    names_by_text: dict[str, list[str]] = {}
    for name, mode_notice, state in parts:
        for text in (mode_notice, describe_incomplete(state, commands)):
            names_by_text.setdefault(text, []).append(name)
    texts = [f"{', '.join(names)}: {text}" for text, names in names_by_text.items() if text]
    empty = [] if answer.results or texts else [describe_emptiness(answer, commands)]
    return msgspec.structs.replace(answer, notice="; ".join([*texts, *empty]))
