"""Register the methods of the language server and bind them to the router.

Every operation of surfaces/serving/methods.py is registered; HANDLERS lists those for which the session does more than
ask the router. Standard LSP requests (`workspace/symbol`, hover) and notifications follow.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import msgspec
from lsprotocol import types as lsp
from msgspec.structs import replace
from pygls.exceptions import FeatureRequestError, JsonRpcException
from pygls.lsp.server import LanguageServer

from scry import __version__
from scry.core.errors import BadRequest
from scry.surfaces.lsp.conversion import (
    REQUEST_FAILED,
    RequestError,
    decode_params,
    describe_protocol_mismatch,
    editor_commands,
    empty_index_state,
    to_request_error,
)
from scry.surfaces.lsp.documents import OpenDocuments
from scry.surfaces.lsp.framing import is_json_object
from scry.surfaces.lsp.inferred_jumps import InferredJumps
from scry.surfaces.lsp.locations import unsaved_in_folder
from scry.surfaces.lsp.progress import FolderStatusNotifier
from scry.surfaces.lsp.protocol import ScryProtocol, raw_converter
from scry.surfaces.lsp.session import REFUSED_WHILE_OPENING, EditorSession, PickerRequests
from scry.surfaces.lsp.standard_features import ShownLocations, to_symbol_information
from scry.surfaces.lsp.uris import NotAFileUri, path_to_uri, uri_to_path
from scry.surfaces.lsp.workspace import OPEN_TIMEOUT, WorkspaceFolder, WorkspaceFolders
from scry.surfaces.serving.methods import OPERATIONS, Operation
from scry_protocol import messages
from scry_protocol.version import PROTOCOL

if TYPE_CHECKING:
    from pygls.progress import Progress

    from scry.engine.context import RequestContext
    from scry.engine.federation.router import ProjectRouter

SYMBOL_LIMIT = 50
"""Results of `workspace/symbol`, which carries no limit of its own."""

ACT_OPEN_TIMEOUT = 30.0
"""Seconds that a request which would be refused waits for a folder that is being opened: nobody asks twice."""

REQUEST_THREADS = 8
"""Requests that are answered at the same time; more of them wait."""

log = logging.getLogger(__name__)

OperationHandler = Callable[["ScryServer", Operation, Any], Awaitable[msgspec.Struct]]


class ScryServer(LanguageServer):
    """The language server of one client. Made and used on the event loop."""

    def __init__(self, end: Callable[[int], None]) -> None:
        """Register all methods. end: called with the exit status when the client wants the process to end."""
        self.end = end
        self.pool = ThreadPoolExecutor(REQUEST_THREADS, thread_name_prefix="scry-ask")
        self.documents = OpenDocuments()
        self.folders = WorkspaceFolders(self.pool, self._add_unsaved_files, self._on_folder_state)
        self.picker_requests = PickerRequests()
        self.shown_locations = ShownLocations()
        self.inferred_jumps = InferredJumps()
        self.editor_session = EditorSession(self.folders, self.documents, self.pool)
        self.protocol_mismatch: str | None = None
        self._status_notifiers: dict[WorkspaceFolder, FolderStatusNotifier] = {}
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "scry", __version__, protocol_cls=ScryProtocol, converter_factory=raw_converter
        )
        for operation in OPERATIONS.values():
            self.feature(f"scry/{operation.mode}")(_bind_operation(operation))
        self.feature(lsp.INITIALIZE)(_register_standard_features)
        self.feature(lsp.INITIALIZED)(_on_initialized)
        self.feature(lsp.TEXT_DOCUMENT_DID_SAVE)(_on_save)
        self.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)(_on_watched_files)

    def initialize_session(self, params: lsp.InitializeParams, encoding: str) -> dict[str, object]:
        """Apply the params of `initialize`; return our `experimental` capabilities. encoding: of positions."""
        self.documents.encoding = encoding
        self.protocol_mismatch = describe_protocol_mismatch(params.initialization_options)
        self.folders.commands = editor_commands(params.initialization_options)
        for uri, name in _initial_folders(params):
            self.folders.add(uri, name)
        return {"scry": {"protocol": PROTOCOL, "version": __version__}}

    @property
    def connection(self) -> ScryProtocol:
        """The connection with the client."""
        return cast("ScryProtocol", self.protocol)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log an error outside of requests; pygls would show it to the person, in a pop-up."""
        if source is not FeatureRequestError:  # a request's error went to the client
            log.warning("%s", error)

    def _add_unsaved_files(self, folder: WorkspaceFolder, state: messages.IndexState) -> messages.IndexState:
        unsaved = sorted(unsaved_in_folder(folder, self.documents.unsaved_edits()))
        return msgspec.structs.replace(state, unsaved=unsaved) if unsaved else state

    def _on_folder_state(self, folder: WorkspaceFolder, state: messages.IndexState) -> None:
        notifier = self._status_notifiers.get(folder)
        if notifier is None:
            notifier = self._status_notifiers[folder] = FolderStatusNotifier(
                folder, self.protocol.notify, self._client_progress()
            )
        notifier.update(state)
        for removed in [other for other in self._status_notifiers if other.is_removed]:
            self._status_notifiers.pop(removed).close()

    def _client_progress(self) -> Progress | None:
        window = self.client_capabilities.window
        return self.work_done_progress if window and window.work_done_progress else None


def _initial_folders(params: lsp.InitializeParams) -> list[tuple[str, str]]:
    """Return (URI, name) of the folders that are open at the start; older clients name a root instead."""
    if params.workspace_folders:
        return [(folder.uri, folder.name) for folder in params.workspace_folders]
    uri = params.root_uri or (path_to_uri(params.root_path) if params.root_path else None)
    if uri is None:
        return []
    return [(uri, uri.rstrip("/").rpartition("/")[2])]


def _bind_operation(operation: Operation) -> Callable[[ScryServer, object], Awaitable[object]]:
    """Return the handler for pygls: it takes raw params and raises JSON-RPC errors. The protocol encodes the result."""
    handler = HANDLERS.get(operation.mode, _answer)

    async def answer(ls: ScryServer, params: object) -> object:
        try:
            if ls.protocol_mismatch:
                raise RequestError(REQUEST_FAILED, ls.protocol_mismatch)
            return await handler(ls, operation, decode_params(operation.params, params))
        except Exception as error:
            raise _to_json_rpc_exception(f"scry/{operation.mode}", error, ls) from None

    return answer


def _to_json_rpc_exception(name: str, error: Exception, ls: ScryServer) -> JsonRpcException:
    refusal = to_request_error(error, ls.folders.commands)
    if refusal.code == JsonRpcException.CODE:
        log.error("%s failed", name, exc_info=error)
    return JsonRpcException(refusal.message, refusal.code)


async def _answer(ls: ScryServer, operation: Operation, params: msgspec.Struct) -> msgspec.Struct:
    """Wait for the folders that are asked to be opened, and have the router answer in a thread."""
    open_timeout = ACT_OPEN_TIMEOUT if operation.mode in REFUSED_WHILE_OPENING else OPEN_TIMEOUT
    await ls.folders.wait_until_open(ls.editor_session.folders_to_open(operation.mode, params), open_timeout)
    return await ls.editor_session.run(lambda router, context: operation.run(router, params, context))


async def _find(ls: ScryServer, operation: Operation, params: messages.FindParams) -> msgspec.Struct:
    with ls.picker_requests.supersede(params.picker):
        answer = await _answer(ls, operation, params)
    assert isinstance(answer, messages.Answer)
    ls.shown_locations.add_answer(answer, params.picker)
    return answer


async def _recent(ls: ScryServer, operation: Operation, params: messages.RecentParams) -> msgspec.Struct:
    with ls.picker_requests.supersede(params.picker):
        return await _answer(ls, operation, params)


async def _status(ls: ScryServer, operation: Operation, params: messages.StatusParams) -> msgspec.Struct:
    """Answer at once, also while folders are being opened, and where there is none."""
    if params.project is None and not ls.folders.select(params.folder):
        return empty_index_state("failed", "No folder is open.")
    return await _answer(ls, operation, params)


async def _index(ls: ScryServer, operation: Operation, params: messages.IndexParams) -> msgspec.Struct:
    if params.action == "start":
        for folder in ls.folders.select(params.folder)[:1]:
            ls.folders.reopen(folder)
    return await _answer(ls, operation, params)


async def _projects(ls: ScryServer, operation: Operation, params: messages.ProjectsParams) -> msgspec.Struct:
    if params.action == "add":
        params = msgspec.structs.replace(params, folder=_path_to_register(ls.folders, params.folder))
    return await _answer(ls, operation, params)


def _path_to_register(folders: WorkspaceFolders, uri_or_path: str | None) -> str:
    """Return the path of the folder that is to be registered, by default the first open one. Raises BadRequest."""
    if uri_or_path is None:
        path = next((folder.path for folder in folders.all() if folder.path), None)
        if path is None:
            raise BadRequest("folder", "no folder is open; name one")
        return path
    try:
        return uri_to_path(uri_or_path)
    except NotAFileUri:
        if not Path(uri_or_path).is_absolute():
            raise BadRequest("folder", f"{uri_or_path} is neither the URI nor the full path of a folder") from None
        return uri_or_path


HANDLERS: Mapping[str, OperationHandler] = MappingProxyType(
    {"find": _find, "recent": _recent, "status": _status, "index": _index, "projects": _projects}
)
"""By its mode every operation for which an editor's session does more than ask the router."""


async def _workspace_symbol(ls: ScryServer, params: lsp.WorkspaceSymbolParams) -> list[lsp.SymbolInformation]:
    """Find for editors without a plugin; empty without words, and without an open folder."""
    if not params.query.strip() or not ls.folders.all():
        return []
    question = messages.FindParams(query=params.query, limit=SYMBOL_LIMIT, picker=lsp.WORKSPACE_SYMBOL)
    try:
        answer = await _answer(ls, OPERATIONS["find"], question)
    except Exception as error:
        raise _to_json_rpc_exception(lsp.WORKSPACE_SYMBOL, error, ls) from None
    assert isinstance(answer, messages.Answer)
    ls.shown_locations.add_answer(answer, lsp.WORKSPACE_SYMBOL)
    ls.inferred_jumps.add_answer(answer)
    return [symbol for result in answer.results if (symbol := to_symbol_information(result))]


async def _hover(ls: ScryServer, params: lsp.HoverParams) -> lsp.Hover | None:
    """Explain the result at a location that one of the last answers showed; nothing elsewhere."""
    await _infer_jump(ls, params.text_document.uri, params.position.line)
    position = messages.Position(params.position.line, params.position.character)
    shown = ls.shown_locations.find(params.text_document.uri, position)
    if shown is None:
        return None
    why = messages.WhyParams(doc_id=shown.doc_id, query_id=shown.query_id)
    kind = _preferred_markup(ls.client_capabilities)
    try:
        await ls.folders.wait_until_open(ls.editor_session.folders_to_open("why", why))
        text = await ls.editor_session.run(lambda router, context: _explain_briefly(router, why, context, kind))
    except Exception as error:
        raise _to_json_rpc_exception(lsp.TEXT_DOCUMENT_HOVER, error, ls) from None
    return lsp.Hover(lsp.MarkupContent(kind, text))


def _preferred_markup(capabilities: lsp.ClientCapabilities) -> lsp.MarkupKind:
    """Return the markup that the client prefers in hovers; Markdown where it says nothing."""
    document = capabilities.text_document
    formats = document.hover.content_format if document is not None and document.hover is not None else None
    return formats[0] if formats else lsp.MarkupKind.Markdown


def _explain_briefly(
    router: ProjectRouter, params: messages.WhyParams, context: RequestContext, kind: lsp.MarkupKind
) -> str:
    """Explain a result in a few lines, neither stored nor logged, since nobody asked for a hover."""
    from scry.surfaces.render.explanation import render_brief_explanation

    explanation = router.why(params, replace(context, is_subrequest=True))
    return render_brief_explanation(explanation, as_markdown=kind == lsp.MarkupKind.Markdown)


async def _infer_jump(ls: ScryServer, uri: str, line: int) -> None:
    """Record a use where a request about a line shows that the person jumped to a result of `workspace/symbol`."""
    use = ls.inferred_jumps.place_visited(uri, line)
    if use is None:
        return
    try:
        await _answer(ls, OPERATIONS["use"], use)
    except Exception:  # nobody asked for it, so nobody is told
        log.warning("an inferred use was not recorded", exc_info=True)


async def _document_highlight(ls: ScryServer, params: lsp.DocumentHighlightParams) -> None:
    """Highlight nothing: the request only shows where the cursor is."""
    await _infer_jump(ls, params.text_document.uri, params.position.line)


async def _selection_range(ls: ScryServer, params: lsp.SelectionRangeParams) -> None:
    """Select nothing: the request only shows where the cursor is."""
    for position in params.positions[:1]:
        await _infer_jump(ls, params.text_document.uri, position.line)


PLUGIN_EDITORS = frozenset({"vscode", "neovim"})
"""Editors whose plugin reports jumps by itself, as they name themselves in the options of `initialize`."""


def _register_standard_features(ls: ScryServer, params: lsp.InitializeParams) -> None:
    """Offer `workspace/symbol` and hover, unless the client refuses them in its options.

    A client without a plugin of ours is also offered highlights and selections, which are empty: see inferred_jumps.
    """
    options = params.initialization_options
    refused = options if is_json_object(options) else {}
    if refused.get("workspace_symbol") is not False:
        ls.feature(lsp.WORKSPACE_SYMBOL)(_workspace_symbol)
    if refused.get("hover") is not False:
        ls.feature(lsp.TEXT_DOCUMENT_HOVER)(_hover)
    own = refused.get("scry")
    if not (is_json_object(own) and own.get("editor") in PLUGIN_EDITORS):
        ls.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)(_document_highlight)
        ls.feature(lsp.TEXT_DOCUMENT_SELECTION_RANGE)(_selection_range)


def _on_initialized(ls: ScryServer, params: object) -> None:
    if ls.protocol_mismatch:
        ls.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, ls.protocol_mismatch))
    ls.folders.open_all()


def _on_save(ls: ScryServer, params: lsp.DidSaveTextDocumentParams) -> None:
    ls.folders.files_saved(_file_paths([params.text_document.uri]))


def _on_watched_files(ls: ScryServer, params: lsp.DidChangeWatchedFilesParams) -> None:
    ls.folders.files_changed(_file_paths([change.uri for change in params.changes]))


def _file_paths(uris: list[str]) -> list[str]:
    """Return the paths of those URIs that name files."""
    paths: list[str] = []
    for uri in uris:
        try:
            paths.append(uri_to_path(uri))
        except NotAFileUri:
            log.debug("%s is no file", uri)
    return paths


async def end_session(server: ScryServer, timeout: float) -> None:
    """Stop answering and close everything, waiting at most `timeout` seconds for engines."""
    current = asyncio.current_task()
    for task in asyncio.all_tasks():
        if task is not current:
            task.cancel()
    await asyncio.gather(server.folders.close(timeout), asyncio.to_thread(server.editor_session.close))
    server.pool.shutdown(wait=False, cancel_futures=True)
