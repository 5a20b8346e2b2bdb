"""Every method of the wire: name, params, result, doc. A method cannot exist without its documentation."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from scry_protocol import messages


@dataclass(frozen=True, slots=True)
class Method:
    """A request from the client, or, where `result` is None, a notification from the sidecar."""

    name: str
    params: type[msgspec.Struct]
    result: type[msgspec.Struct] | None
    doc: str


METHODS: tuple[Method, ...] = (
    Method(
        "scry/find",
        messages.FindParams,
        messages.Answer,
        "Where is X? Symbols, sections and texts, best first, each with what found it.",
    ),
    Method(
        "scry/status",
        messages.StatusParams,
        messages.IndexState,
        "How fresh and complete the index of a folder is.",
    ),
    Method(
        "scry/index",
        messages.IndexParams,
        messages.IndexState,
        "Starts, pauses, resumes or rebuilds the index of a folder; answers with its state.",
    ),
    Method(
        "scry/statusChanged",
        messages.StatusChanged,
        None,
        "The state of a folder's index changed.",
    ),
)
