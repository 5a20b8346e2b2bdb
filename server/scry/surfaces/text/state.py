"""The state of an index for a person."""

from __future__ import annotations

from scry.surfaces.text.line import Line, Part, line
from scry_protocol.messages import IndexState

_COMMIT_LENGTH = 7

_PARTS: dict[str, Part] = {"ready": "good", "failed": "bad", "paused": "warning"}


def show_state(state: IndexState, root: str) -> list[Line]:
    """The index's state in full, one fact a line. root: the folder that it belongs to."""
    lines = [
        line((root, "place")),
        line("  state    ", (state.state, _PARTS.get(state.state, "strong"))),
        line("  files    ", f"{state.files_indexed} of {state.files_total} indexed, {state.skipped} left out"),
        line("  vectors  ", _vectors(state)),
        line("  history  ", state.history, f", {state.history_extent}" if state.history_extent else ""),
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
