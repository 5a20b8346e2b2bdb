"""Every mode that a program may ask for: its params, its result, and who answers.

Starting, pausing and rebuilding an index is left to people and their editors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from scry.core.errors import BadRequest
from scry.engine.manner import RequestContext
from scry.surfaces.wire.home import ServerProjects
from scry_protocol import messages
from scry_protocol.methods import METHODS

CancelledCheck = Callable[[], bool]
OperationHandler = Callable[[ServerProjects, Any, CancelledCheck], msgspec.Struct]
"""Asks the projects; with the params, and what says that nobody waits any more. Raises ScryError."""


class Operation(msgspec.Struct, frozen=True):
    """A mode by its name. doc: what it answers, in the protocol's words."""

    mode: str
    params: type[msgspec.Struct]
    result: type[msgspec.Struct]
    doc: str
    run: OperationHandler


def _find(projects: ServerProjects, params: messages.FindParams, cancelled: CancelledCheck) -> messages.Answer:
    return projects.find(params, RequestContext(cancelled=cancelled))


def _orient(projects: ServerProjects, params: messages.OrientParams, cancelled: CancelledCheck) -> messages.Answer:
    return projects.orient(params, RequestContext(cancelled=cancelled))


def _recent(projects: ServerProjects, params: messages.RecentParams, cancelled: CancelledCheck) -> messages.Answer:
    return projects.recent(params, RequestContext(cancelled=cancelled))


def _neighbors(projects: ServerProjects, params: messages.NeighborsParams, cancelled: CancelledCheck) -> messages.Answer:
    return projects.neighbors(params, RequestContext(cancelled=cancelled))


def _why(projects: ServerProjects, params: messages.WhyParams, cancelled: CancelledCheck) -> messages.Explanation:
    from scry.surfaces.text.explanation import add_explanation_text

    return add_explanation_text(projects.why(params, RequestContext(cancelled=cancelled)))


def _detail(projects: ServerProjects, params: messages.DetailParams, _: CancelledCheck) -> messages.Detail:
    from scry.surfaces.text.detail import add_detail_text

    return add_detail_text(projects.detail(params))


def _use(projects: ServerProjects, params: messages.UseParams, _: CancelledCheck) -> messages.Recorded:
    return projects.use(params)


def _feedback(projects: ServerProjects, params: messages.FeedbackParams, _: CancelledCheck) -> messages.Recorded:
    return projects.feedback(params)


def _observe(projects: ServerProjects, params: messages.ObserveParams, _: CancelledCheck) -> messages.Observed:
    return projects.observe(params)


def _remember(projects: ServerProjects, params: messages.RememberParams, _: CancelledCheck) -> messages.PersonaNotes:
    return projects.remember(params)


def _status(projects: ServerProjects, params: messages.StatusParams, _: CancelledCheck) -> messages.IndexState:
    return projects.status(params)


_HANDLERS: Mapping[str, OperationHandler] = MappingProxyType(
    {
        "find": _find,
        "orient": _orient,
        "recent": _recent,
        "neighbors": _neighbors,
        "why": _why,
        "detail": _detail,
        "use": _use,
        "feedback": _feedback,
        "observe": _observe,
        "remember": _remember,
        "status": _status,
    }
)


def _reject_editor_folder(ask: OperationHandler) -> OperationHandler:
    """Refuses what has a meaning in editors alone, instead of leaving it out."""

    def checked(projects: ServerProjects, params: Any, cancelled: CancelledCheck) -> msgspec.Struct:  # noqa: ANN401 (of any mode)
        if getattr(params, "folder", None) is not None:
            raise BadRequest("folder", "is one that an editor has open; name a project instead (projects)")
        return ask(projects, params, cancelled)

    return checked


def _build_operations() -> Mapping[str, Operation]:
    known = {method.name.removeprefix("scry/"): method for method in METHODS}
    calls: dict[str, Operation] = {}
    for mode, ask in _HANDLERS.items():
        method = known[mode]
        assert method.result is not None, f"{mode} is a notification"
        calls[mode] = Operation(mode, method.params, method.result, method.doc, _reject_editor_folder(ask))
    return MappingProxyType(calls)


OPERATIONS = _build_operations()
"""By the mode's name, in the order in which they are told to people."""
