"""Every mode that a program may ask for: its params, its result, and who answers.

Starting, pausing and rebuilding an index is left to people and their editors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from scry.core.errors import BadRequest
from scry.engine.manner import Manner
from scry.surfaces.wire.home import Home
from scry_protocol import messages
from scry_protocol.methods import METHODS

CancelledCheck = Callable[[], bool]
Ask = Callable[[Home, Any, CancelledCheck], msgspec.Struct]
"""Asks the projects; with the params, and what says that nobody waits any more. Raises ScryError."""


class Call(msgspec.Struct, frozen=True):
    """A mode by its name. doc: what it answers, in the protocol's words."""

    mode: str
    params: type[msgspec.Struct]
    result: type[msgspec.Struct]
    doc: str
    ask: Ask


def _find(projects: Home, params: messages.FindParams, cancelled: CancelledCheck) -> messages.Answer:
    return projects.find(params, Manner(cancelled=cancelled))


def _orient(projects: Home, params: messages.OrientParams, cancelled: CancelledCheck) -> messages.Answer:
    return projects.orient(params, Manner(cancelled=cancelled))


def _recent(projects: Home, params: messages.RecentParams, cancelled: CancelledCheck) -> messages.Answer:
    return projects.recent(params, Manner(cancelled=cancelled))


def _neighbors(projects: Home, params: messages.NeighborsParams, cancelled: CancelledCheck) -> messages.Answer:
    return projects.neighbors(params, Manner(cancelled=cancelled))


def _why(projects: Home, params: messages.WhyParams, cancelled: CancelledCheck) -> messages.Explanation:
    from scry.surfaces.text.explanation import with_text

    return with_text(projects.why(params, Manner(cancelled=cancelled)))


def _detail(projects: Home, params: messages.DetailParams, _: CancelledCheck) -> messages.Detail:
    from scry.surfaces.text.detail import with_text

    return with_text(projects.detail(params))


def _use(projects: Home, params: messages.UseParams, _: CancelledCheck) -> messages.Recorded:
    return projects.use(params)


def _feedback(projects: Home, params: messages.FeedbackParams, _: CancelledCheck) -> messages.Recorded:
    return projects.feedback(params)


def _observe(projects: Home, params: messages.ObserveParams, _: CancelledCheck) -> messages.Observed:
    return projects.observe(params)


def _remember(projects: Home, params: messages.RememberParams, _: CancelledCheck) -> messages.PersonaNotes:
    return projects.remember(params)


def _status(projects: Home, params: messages.StatusParams, _: CancelledCheck) -> messages.IndexState:
    return projects.status(params)


_ASK: Mapping[str, Ask] = MappingProxyType(
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


def _without_editor(ask: Ask) -> Ask:
    """Refuses what has a meaning in editors alone, instead of leaving it out."""

    def checked(projects: Home, params: Any, cancelled: CancelledCheck) -> msgspec.Struct:  # noqa: ANN401 (of any mode)
        if getattr(params, "folder", None) is not None:
            raise BadRequest("folder", "is one that an editor has open; name a project instead (projects)")
        return ask(projects, params, cancelled)

    return checked


def _calls() -> Mapping[str, Call]:
    known = {method.name.removeprefix("scry/"): method for method in METHODS}
    calls: dict[str, Call] = {}
    for mode, ask in _ASK.items():
        method = known[mode]
        assert method.result is not None, f"{mode} is a notification"
        calls[mode] = Call(mode, method.params, method.result, method.doc, _without_editor(ask))
    return MappingProxyType(calls)


CALLS = _calls()
"""By the mode's name, in the order in which they are told to people."""
