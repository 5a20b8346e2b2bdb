"""Bind every operation that a program may call to the projects that answer it.

The projects that a server answers for: the one that it was started for, and those that a question names.

Every mode that a program may ask for: its params, its result, and who answers.

Starting, pausing and rebuilding an index is left to people and their editors.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from scry.core.errors import BadRequest, RegistryUnavailable, ScryError
from scry.core.projects import find_project_at
from scry.engine.context import CancelledCheck, RequestContext, names_projects, requested_projects
from scry.engine.federation.engine_pool import EnginePool, make_engine_opener
from scry.engine.federation.router import ProjectRouter, select_projects
from scry.surfaces.render.prompt import result_clipboard_text
from scry_protocol import messages
from scry_protocol.methods import METHODS


class ServerProjects(ProjectRouter):
    """They, with what a server does before anyone asks."""

    def __init__(self, pool: EnginePool, home: Path | None) -> None:
        """As Projects."""
        super().__init__(pool, home)
        self._wait_deadlines: dict[Path, float] = {}

    def warm_up(self) -> None:
        """Opens the project in the background, so that its index is brought up to date before anyone asks."""
        if self.home is not None:
            threading.Thread(target=self._open_default_project, name="warm up", daemon=True).start()

    def _open_default_project(self) -> None:
        with suppress(ScryError):  # who asks is told
            self.status(messages.StatusParams())

    def use(self, params: messages.UseParams) -> messages.Recorded:
        """A result was used. For a copy, the outcome says what belongs on the clipboard."""
        recorded = super().use(params)
        if params.how != "copy":
            return recorded
        with self._borrow_answering(params.query_id) as keeper:
            kept = keeper.recorder.answers.get(params.query_id)
        text = result_clipboard_text(kept.result(params.rank)) if kept else ""
        return msgspec.structs.replace(recorded, text=text)

    def observe(self, params: messages.ObserveParams) -> messages.Observed:
        """Something happened in the project that the server was started for. As Engine.observe."""
        with self._borrow_home() as engine:
            return engine.observe(params)

    def remember(self, params: messages.RememberParams) -> messages.PersonaNotes:
        """A note of the person, kept across all projects. As Engine.remember."""
        with self._borrow_home() as engine:
            return engine.knowledge.remember(params)

    def other_project_names(self) -> list[str]:
        """The names of the registered projects that a question can name, but for the one that it is asked from."""
        try:
            return [project.name for project in self.registered() if project.name != self.home_name]
        except RegistryUnavailable:  # who names one is told
            return []

    def wait_for_first_index(self, params: msgspec.Struct, timeout: float) -> None:
        """Waits while an index that a question needs is only being made, at most so many seconds for all of them, and
        for each from when it was first needed.

        So a large project costs that time once, and is then answered for from what is there.
        """
        until = time.monotonic() + timeout
        with suppress(ScryError):  # who asks is told
            for root in self._queried_roots(params):
                self._wait_for_root(root, min(until, self._wait_deadlines.setdefault(root, until)) - time.monotonic())

    def _queried_roots(self, params: msgspec.Struct) -> list[Path]:
        """The folders of the projects that a question names, else of the one that is asked from."""
        if not names_projects(params):
            return [self.home] if self.home is not None else []
        known = self.registered()
        here = [found] if self.home is not None and (found := find_project_at(known, self.home)) else []
        return [each.project.root for each in select_projects(requested_projects(params), here, known).projects]

    def _wait_for_root(self, root: Path, timeout: float) -> None:
        if timeout <= 0 or not root.is_dir():
            return
        with self.pool.borrow(root) as engine:
            state = engine.status()
            has_words = 0 < state.files_indexed == state.files_total
            is_new = not has_words or state.vectors * 2 < state.vectors_total
            if state.state in ("starting", "indexing") and is_new:
                engine.wait_until_current(timeout)


def open_server_projects(home: Path | None, surface: str) -> ServerProjects:
    """The projects, each kept up to date from when it is first asked. home: what is asked where none is named.

    surface: as Engine.open takes it.
    """
    return ServerProjects(EnginePool(make_engine_opener(surface)), home)


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


def _neighbors(
    projects: ServerProjects, params: messages.NeighborsParams, cancelled: CancelledCheck
) -> messages.Answer:
    return projects.neighbors(params, RequestContext(cancelled=cancelled))


def _why(projects: ServerProjects, params: messages.WhyParams, cancelled: CancelledCheck) -> messages.Explanation:
    from scry.surfaces.render.explanation import add_explanation_text

    return add_explanation_text(projects.why(params, RequestContext(cancelled=cancelled)))


def _detail(projects: ServerProjects, params: messages.DetailParams, _: CancelledCheck) -> messages.Detail:
    from scry.surfaces.render.explanation import add_detail_text

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

DEFAULT_MODE = "find"
