"""Render the state of an index as terminal lines."""

from __future__ import annotations

from scry.surfaces.render.styled_text import StyledLine, TextStyle, styled_line
from scry_protocol.messages import IndexState

_SHORT_COMMIT_LENGTH = 7

_STATE_STYLES: dict[str, TextStyle] = {"ready": "good", "failed": "bad", "paused": "warning"}


def render_index_state(state: IndexState, root: str) -> list[StyledLine]:
    """Render all facts of an index's state, one a line. root: the folder of the project."""
    lines = [
        styled_line((root, "place")),
        styled_line("  state    ", (state.state, _STATE_STYLES.get(state.state, "strong"))),
        styled_line("  files    ", f"{state.files_indexed} of {state.files_total} indexed, {state.skipped} left out"),
        styled_line("  vectors  ", _describe_vectors(state)),
        styled_line("  history  ", state.history, f", {state.history_extent}" if state.history_extent else ""),
        styled_line("  commit   ", _describe_commits(state)),
    ]
    if state.unsaved:
        lines.append(styled_line("  unsaved  ", ", ".join(state.unsaved)))
    if state.message:
        lines.append(styled_line("  ", (state.message, "warning")))
    return lines


def _describe_vectors(state: IndexState) -> str:
    if state.model is None:
        return "none"
    return f"{state.vectors} of {state.vectors_total}, made by {state.model}"


def _describe_commits(state: IndexState) -> str:
    if state.head_commit is None and state.index_commit is None:
        return "none"
    index, head = _short_commit(state.index_commit), _short_commit(state.head_commit)
    return index if index == head else f"{index}, while HEAD is {head}"


def _short_commit(commit: str | None) -> str:
    return commit[:_SHORT_COMMIT_LENGTH] if commit else "none"
