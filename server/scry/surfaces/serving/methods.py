"""Bind every method of the protocol to the router: the one table for the language server, HTTP and MCP.

Parameters, result and documentation of a method are the protocol's (scry_protocol.methods). A method cannot exist
without its row, which importing this module checks. Texts for people are added here, for the engine renders none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from scry.core.errors import BadRequest
from scry.core.notices import COMMAND_LINE, CommandNames, NoOtherProject
from scry.core.projects import RegisteredProject
from scry.core.text import escape_unencodable
from scry.engine.context import RequestContext
from scry.surfaces.render.prompt import result_clipboard_text
from scry_protocol import messages
from scry_protocol.methods import METHODS, Method

if TYPE_CHECKING:
    from scry.engine.federation.router import ProjectRouter

Handler = Callable[["ProjectRouter", Any, RequestContext], msgspec.Struct]
"""Asks the router, with the method's params. Raises ScryError."""


class Operation(msgspec.Struct, frozen=True):
    """A method that can be called. mode: its name without `scry/`. doc: its documentation in the protocol."""

    mode: str
    params: type[msgspec.Struct]
    result: type[msgspec.Struct]
    doc: str
    run: Handler


def _explain(router: ProjectRouter, params: messages.WhyParams, context: RequestContext) -> messages.Explanation:
    from scry.surfaces.render.explanation import add_explanation_text

    return add_explanation_text(router.why(params, context), is_brief=params.brief)


def _read_in_full(router: ProjectRouter, params: messages.DetailParams, context: RequestContext) -> messages.Detail:
    from scry.surfaces.render.explanation import add_detail_text

    return add_detail_text(router.detail(params, context))


def _ask_memory(router: ProjectRouter, params: messages.MemoryParams, _: RequestContext) -> messages.Memories:
    from scry.engine.response.knowledge import list_or_forget_memories

    with router.borrow_first("memory", router.workspace.projects(params.folder)[:1]) as engine:
        return list_or_forget_memories(engine.memory, params)


def _ask_sessions(router: ProjectRouter, params: messages.SessionParams, _: RequestContext) -> messages.Sessions:
    from scry.engine.response.knowledge import list_or_change_sessions

    with router.borrow_first("session", router.workspace.projects(params.folder)[:1]) as engine:
        return list_or_change_sessions(engine.memory, params)


def _list_projects(
    router: ProjectRouter, params: messages.ProjectsParams, context: RequestContext
) -> messages.Projects:
    """List the projects, after registering the folder at the path `folder` where the action is `add`."""
    if params.action == "add":
        assert params.folder is not None, "the editor's session puts the path of an open folder there"
        register_project(Path(params.folder), params.name)
    return list_known_projects(router.open_projects(), context.commands)


def list_known_projects(
    opened: Sequence[RegisteredProject] = (), commands: CommandNames = COMMAND_LINE
) -> messages.Projects:
    """Return the registered projects, and those that are open where this is asked. Raises RegistryUnavailable."""
    from scry.projects.registration import open_registry
    from scry.store.team.membership import has_joined

    registered = open_registry().list_projects()
    roots = {each.root for each in opened}
    known = {each.root: each for each in (*opened, *registered)}  # the registered name wins
    listed = [to_known_project(each, is_open=each.root in roots) for each in known.values()]
    note = "" if known.keys() - roots else NoOtherProject().render(commands)
    place = escape_unencodable(str(open_registry().path))
    return messages.Projects(sorted(listed, key=lambda each: each.name), place, note, has_joined())


def register_project(folder: Path, name: str | None = None) -> None:
    """Register the project in a folder, by the folder's name unless another is given.

    Raises as scry.projects.registration.add_project.
    """
    from scry.projects.registration import add_project

    add_project(folder, name, ())


def to_known_project(registered: RegisteredProject, *, is_open: bool = False) -> messages.KnownProject:
    """Return a registered project in its wire form. is_open: whether the asker has it open."""
    links = [messages.ProjectTie(link.kind, link.target) for link in registered.links]
    return messages.KnownProject(
        registered.name, escape_unencodable(str(registered.root)), registered.root.is_dir(), links, is_open
    )


_HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "find": lambda router, params, context: router.find(params, context),
        "orient": lambda router, params, context: router.orient(params, context),
        "recent": lambda router, params, context: router.recent(params, context),
        "neighbors": lambda router, params, context: router.neighbors(params, context),
        "why": _explain,
        "detail": _read_in_full,
        "teamFile": lambda router, params, context: router.team.file(params),
        "use": lambda router, params, context: router.use(params, result_clipboard_text, context),
        "feedback": lambda router, params, context: router.feedback(params, context),
        "observe": lambda router, params, context: router.observe(params, context),
        "memory": _ask_memory,
        "session": _ask_sessions,
        "remember": lambda router, params, context: router.remember(params),
        "persona": lambda router, params, context: router.persona(params),
        "believe": lambda router, params, context: router.believe(params),
        "beliefs": lambda router, params, context: router.beliefs(params),
        "projects": _list_projects,
        "status": lambda router, params, context: router.status(params, context),
        "index": lambda router, params, context: router.control(params, context),
    }
)

_EDITOR_MODES = frozenset({"index"})
"""Modes that programs are not offered: to pause or rebuild the index is left to people."""


def _bind_operations() -> Mapping[str, Operation]:
    requests = [method for method in METHODS if method.result is not None]
    assert {method.name for method in requests} == {f"scry/{mode}" for mode in _HANDLERS}, "a method without its row"
    operations = [_bind_operation(method) for method in requests]
    return MappingProxyType({operation.mode: operation for operation in operations})


def _bind_operation(method: Method) -> Operation:
    assert method.result is not None, f"{method.name} is a notification"
    mode = method.name.removeprefix("scry/")
    return Operation(mode, method.params, method.result, method.doc, _HANDLERS[mode])


OPERATIONS = _bind_operations()
"""Every operation by its mode, in the protocol's order. Editors are offered all of them."""


def _reject_editor_params(run: Handler) -> Handler:
    """Refuse what has a meaning in editors alone instead of ignoring it: registering a project, and `folder`."""

    def checked(router: ProjectRouter, params: Any, context: RequestContext) -> msgspec.Struct:  # noqa: ANN401 (of any mode)
        if isinstance(params, messages.ProjectsParams) and params.action == "add":
            raise BadRequest("action", f"add is for editors; to register a project: {context.commands.add_project}")
        if getattr(params, "folder", None) is not None:
            raise BadRequest("folder", "is one that an editor has open; name a project instead (projects)")
        return run(router, params, context)

    return checked


PROGRAM_OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        mode: msgspec.structs.replace(operation, run=_reject_editor_params(operation.run))
        for mode, operation in OPERATIONS.items()
        if mode not in _EDITOR_MODES
    }
)
"""The operations that programs are offered over HTTP and MCP."""

DEFAULT_MODE = "find"
