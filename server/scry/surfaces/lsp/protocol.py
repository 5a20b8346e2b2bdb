"""Extend the pygls protocol: answer every request, keep raw params, encode results in one step.

- Params of `scry/*` stay what the client sent (a dict), and are decoded by `conversion`. pygls would make namedtuples
  of them, and never answer a request whose typed params are wrong.
- Every request is answered, also before `initialize`, after `shutdown` and when it can't be read.
- Open texts are kept in our own `OpenDocuments`: pygls splits lines where LSP does not (form feed, U+2028 …).
- `exit` ends the loop instead of raising SystemExit inside it.
- Our own results are encoded in one step, in a thirtieth of the time of pygls' three.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

import msgspec
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    default_converter,
    lsp_method,
)

from scry.surfaces.lsp.conversion import INTERNAL_ERROR, negotiate_encoding
from scry.surfaces.lsp.documents import TextPosition
from scry.surfaces.lsp.framing import INVALID_PARAMS, INVALID_REQUEST, JsonRpcMessage, MalformedMessage, RequestId

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from cattrs import Converter
    from pygls.lsp.server import LanguageServer

    from scry.surfaces.lsp.server import ScryServer

NOT_INITIALIZED = -32002

log = logging.getLogger(__name__)


def raw_converter() -> Converter:
    """Return the converter of pygls, but with raw params and results for messages that LSP does not define."""
    converter = default_converter()
    for kind in (JsonRPCRequestMessage, JsonRPCNotification, JsonRPCResponseMessage):
        converter.register_structure_hook(kind, _construct_unchecked)
    return converter


def _construct_unchecked(message: dict[str, object], kind: Callable[..., object]) -> object:
    return kind(**message)


class ScryProtocol(LanguageServerProtocol):
    """One connection with one client."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        """Replace built-in handlers of pygls by our own."""
        super().__init__(server, converter)
        for method, handler in (
            (lsp.EXIT, self._exit),
            (lsp.TEXT_DOCUMENT_DID_OPEN, self._did_open),
            (lsp.TEXT_DOCUMENT_DID_CHANGE, self._did_change),
            (lsp.TEXT_DOCUMENT_DID_CLOSE, self._did_close),
            (lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, self._did_change_folders),
        ):
            self.fm.add_builtin_feature(method, handler)  # pyright: ignore[reportUnknownMemberType]

    @property
    def scry(self) -> ScryServer:
        """The sidecar behind this connection."""
        return cast("ScryServer", self._server)

    @property
    def is_shut_down(self) -> bool:
        """Whether the client asked for `shutdown`."""
        return self._shutdown

    def receive(self, message: JsonRpcMessage | MalformedMessage) -> None:
        """Process one message. Never raises: a connection outlives every message."""
        if isinstance(message, MalformedMessage):
            self._send_error(message.id, message.code, message.message)
            return
        try:
            refusal = self._lifecycle_error(message)
            if refusal is None:
                self.handle_message(cast("Any", self.structure_message(dict(message))))
            elif "id" in message:
                self._send_error(cast("RequestId", message["id"]), *refusal)
        except Exception as error:
            self._report_failure(message, error)

    def _lifecycle_error(self, message: JsonRpcMessage) -> tuple[int, str] | None:
        """Return the error (code, text) of a call that comes too early or too late; None for all others."""
        method = message.get("method")
        if method is None or method == lsp.EXIT:
            return None
        if self._shutdown:
            return INVALID_REQUEST, "The sidecar is shutting down."
        if (method == lsp.INITIALIZE) == (self._workspace is not None):
            is_initialized = self._workspace is not None
            return (
                (INVALID_REQUEST, "Already initialized.") if is_initialized else (NOT_INITIALIZED, "Not initialized.")
            )
        return None

    def _report_failure(self, message: JsonRpcMessage, error: Exception) -> None:
        """Log, and answer with an error, a message that could not be read or processed."""
        method = message.get("method", "an answer")
        if "method" not in message or "id" not in message:
            log.warning("%s could not be handled: %s", method, error)
            return
        if isinstance(error, JsonRpcException):
            self._send_error(cast("RequestId", message["id"]), INVALID_PARAMS, _describe_params_error(error))
            return
        log.error("%s failed", method, exc_info=error)
        self._send_error(cast("RequestId", message["id"]), INTERNAL_ERROR, f"{type(error).__name__}: {error}")

    def _send_error(self, message_id: RequestId | None, code: int, text: str) -> None:
        """Answer with an error. Built by hand: the id may be null, which lsprotocol's classes don't allow."""
        error = {"code": code, "message": text}
        self._send_data({"jsonrpc": "2.0", "id": message_id, "error": error})

    def _send_data(self, data: object) -> None:
        """Send a message: a result of ours encoded at once; others, and text that UTF-8 can't hold, as pygls does."""
        if isinstance(data, JsonRPCResponseMessage) and isinstance(data.result, msgspec.Struct) and self.writer:
            try:
                body = msgspec.json.encode({"jsonrpc": data.jsonrpc, "id": data.id, "result": data.result})
            except UnicodeEncodeError:
                data = JsonRPCResponseMessage(data.id, data.jsonrpc, msgspec.to_builtins(data.result))
            else:
                self.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                return
        super()._send_data(data)

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(self, params: lsp.InitializeParams) -> Generator[Any, Any, lsp.InitializeResult]:
        """Return our capabilities, the position encoding and the protocol's number."""
        general = params.capabilities.general
        encoding = negotiate_encoding(general.position_encodings if general else None)
        result = yield from super().lsp_initialize(params)
        result.capabilities.position_encoding = encoding
        result.capabilities.experimental = self.scry.initialize_session(params, encoding)
        return result

    def _exit(self, _: object) -> None:
        """End the process: with 0 after `shutdown`, with 1 otherwise, as LSP asks."""
        self.scry.end(0 if self._shutdown else 1)

    def _did_open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        self.scry.documents.did_open(params.text_document.uri, params.text_document.text)
        self.scry.inferred_jumps.file_opened(params.text_document.uri)

    def _did_change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        self.scry.documents.did_change(
            params.text_document.uri, [_to_text_change(change) for change in params.content_changes]
        )

    def _did_close(self, params: lsp.DidCloseTextDocumentParams) -> None:
        self.scry.documents.did_close(params.text_document.uri)

    def _did_change_folders(self, params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.removed:
            self.scry.folders.remove(folder.uri)
        for folder in params.event.added:
            self.scry.folders.add(folder.uri, folder.name)


def _describe_params_error(error: JsonRpcException) -> str:
    """Describe why typed params could not be read: paths and reasons, without class names."""
    from cattrs import transform_error

    cause = error.__cause__
    if cause is None:
        return error.message
    return "params: " + "; ".join(transform_error(cause, path="params"))


def _to_text_change(change: lsp.TextDocumentContentChangeEvent) -> tuple[TextPosition, TextPosition, str] | str:
    if isinstance(change, lsp.TextDocumentContentChangeWholeDocument):
        return change.text
    start, end = change.range.start, change.range.end
    return (start.line, start.character), (end.line, end.character), change.text
