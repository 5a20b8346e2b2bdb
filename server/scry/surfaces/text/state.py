"""What a person is told of an index, and of an answer that holds nothing (F11)."""

from __future__ import annotations

from scry.surfaces.text.line import Line, Part, line
from scry_protocol.messages import Answer, IndexState

_COMMIT_LENGTH = 7
_NAMED_FILES = 3


def describe_incomplete(state: IndexState) -> str:
    """What an answer from this index may lack, in one line; empty when it lacks nothing."""
    parts = [_incomplete_stage(state), _unsaved(state), state.message]
    return "; ".join(part for part in parts if part)


def _incomplete_stage(state: IndexState) -> str:
    if state.state == "ready":
        return "the history is still being read" if state.history == "pending" else ""
    if state.state == "failed":
        return "indexing failed: results may be partial or old"
    if state.state == "paused":
        return f"indexing is paused at {_progress(state)}: results may be partial or old (scry index --resume goes on)"
    if not state.files_indexed:
        return "the index is still to be made: there is little or nothing to search so far (scry index makes it)"
    if state.files_indexed < state.files_total:
        return f"indexing {_progress(state)}: results are partial"
    return f"indexing has not ended ({_progress(state)}): results may be partial"


def _progress(state: IndexState) -> str:
    files = f"{state.files_indexed} of {state.files_total} files"
    if state.vectors < state.vectors_total:
        files += f" and {state.vectors} of {state.vectors_total} vectors"
    return files


def _unsaved(state: IndexState) -> str:
    if not state.unsaved:
        return ""
    named = ", ".join(state.unsaved[:_NAMED_FILES]) + (", …" if len(state.unsaved) > _NAMED_FILES else "")
    return f"unsaved text is searched after the save ({named})"


def describe_emptiness(answer: Answer) -> str:
    """Why an answer holds nothing and what can be done about it."""
    state = answer.index
    if state.state == "ready" and state.files_total:
        return f"Nothing found in {_count(state.files_total, 'file')}{_left_out(state)}. {_advice(answer)}"
    if state.state == "ready":
        return f"There is nothing to search: this folder holds no file that can be indexed{_left_out(state)}."
    if state.files_indexed:
        return f"Nothing found so far: {describe_incomplete(state)}."
    return "Nothing could be searched yet."


def describe_size(state: IndexState) -> str:
    """How much an index holds: `812 files (3 left out: …)`."""
    return f"{_count(state.files_indexed, 'file')}{_left_out(state)}"


def _advice(answer: Answer) -> str:
    if answer.faults:
        return "A part of Scry could not answer, see above."
    return "Try other words, or fewer filters and a lower minimum score if you set any."


def _left_out(state: IndexState) -> str:
    return f" ({state.skipped} left out: binary, ignored, too large …)" if state.skipped else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


_PARTS: dict[str, Part] = {"ready": "good", "failed": "bad", "paused": "warning"}


def show_state(state: IndexState, root: str) -> list[Line]:
    """The index's state in full, one fact a line. root: the folder that it belongs to."""
    lines = [
        line((root, "place")),
        line("  state    ", (state.state, _PARTS.get(state.state, "strong"))),
        line("  files    ", f"{state.files_indexed} of {state.files_total} indexed, {state.skipped} left out"),
        line("  vectors  ", _vectors(state)),
        line("  history  ", state.history),
        line("  commit   ", _commits(state)),
    ]
    if state.unsaved:
        lines.append(line("  unsaved  ", ", ".join(state.unsaved)))
    if state.message:
        lines.append(line("  ", (state.message, "warning")))
    return lines


def _vectors(state: IndexState) -> str:
    if state.model is None:
        return "none"
    return f"{state.vectors} of {state.vectors_total}, made by {state.model}"


def _commits(state: IndexState) -> str:
    if state.head_commit is None and state.index_commit is None:
        return "none"
    index, head = _short(state.index_commit), _short(state.head_commit)
    return index if index == head else f"{index}, while HEAD is {head}"


def _short(commit: str | None) -> str:
    return commit[:_COMMIT_LENGTH] if commit else "none"
