"""Convert params, errors and texts between the client's JSON and the protocol's messages.

Between JSON and the protocol's messages: params, errors, the position encoding. Pure.

Params arrive as the client sent them and are decoded here, so that a wrong one is answered by name. (Left to pygls, a
request with wrong params gets no answer at all.)

What a person reads names commands of the command line; an editor with commands of its own names those instead.

An editor says which one it is in `initializationOptions.scry.editor`. In any other, whose person has nothing but the
command line, the words stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import msgspec

from scry.core import errors
from scry.surfaces.lsp.framing import INVALID_PARAMS, is_json_object
from scry.surfaces.serving.params import parse_params
from scry_protocol import messages
from scry_protocol.version import PROTOCOL

INTERNAL_ERROR = -32603
REQUEST_CANCELLED = -32800
REQUEST_FAILED = -32803
"""LSP 3.17: the request was right, and could not be answered."""

P = TypeVar("P", bound=msgspec.Struct)


class RequestError(Exception):
    """A request that is answered with an error: its JSON-RPC code, and words for a person."""

    def __init__(self, code: int, message: str) -> None:
        """Take a code of JSON-RPC or LSP, and a message for a person."""
        super().__init__(message)
        self.code = code
        self.message = message


def decode_params(params_type: type[P], raw: object) -> P:
    """Return the params as `params_type`, absent ones as empty. Raises RequestError (-32602) that names the field."""
    if raw is None:
        raw = {}
    if not is_json_object(raw):
        raise RequestError(INVALID_PARAMS, "params: Expected object, got array")
    try:
        return parse_params(params_type, raw)
    except errors.BadRequest as error:
        raise RequestError(INVALID_PARAMS, str(error)) from None


def to_request_error(error: Exception) -> RequestError:
    """Return the JSON-RPC error for an exception."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, errors.BadRequest):
        return RequestError(INVALID_PARAMS, str(error))
    if isinstance(error, errors.Cancelled):
        return RequestError(REQUEST_CANCELLED, str(error) or "The request was cancelled.")
    if isinstance(error, errors.ScryError):
        return RequestError(REQUEST_FAILED, str(error))
    return RequestError(INTERNAL_ERROR, f"{type(error).__name__}: {error}")


def negotiate_encoding(offered: Sequence[str] | None) -> str:
    """Return utf-8 where the client offers it, as files are stored in it; else utf-16, which every client knows."""
    return "utf-8" if "utf-8" in (offered or ()) else "utf-16"


def describe_protocol_mismatch(options: object) -> str | None:
    """Describe a wrong `initializationOptions.scry.protocol`; None when it fits or is absent."""
    ours = options.get("scry") if is_json_object(options) else None
    theirs = ours.get("protocol") if is_json_object(ours) else None
    if theirs is None or theirs == PROTOCOL:
        return None
    older = "plugin" if isinstance(theirs, int) and theirs < PROTOCOL else "sidecar"
    return f"Scry: the plugin speaks protocol {theirs}, the sidecar speaks {PROTOCOL}. Update the {older}."


def empty_index_state(state: str, message: str = "") -> messages.IndexState:
    """Return the state of an index that is not open: `starting` or `failed`."""
    return messages.IndexState(
        state=state,
        history="pending" if state == "starting" else "none",
        generation=0,
        files_indexed=0,
        files_total=0,
        vectors=0,
        vectors_total=0,
        skipped=0,
        unsaved=[],
        index_commit=None,
        head_commit=None,
        model=None,
        message=message,
        summary=state,
    )


T = TypeVar("T", bound=msgspec.Struct)


class EditorCommandNames(NamedTuple):
    """What an editor has for a command of the command line; nothing where it does that by itself."""

    vscode: str
    neovim: str


EDITOR_COMMANDS: Mapping[str, EditorCommandNames] = MappingProxyType(
    {
        " (scry index)": EditorCommandNames("", ""),  # an editor's sidecar makes the index without being told
        "scry index --resume": EditorCommandNames("Resume Indexing", ":Scry index resume"),
        "scry log on": EditorCommandNames("log = true in Scry's config.toml", "log = true in Scry's config.toml"),
        "scry memory on": EditorCommandNames(
            "memory = true in Scry's config.toml", "memory = true in Scry's config.toml"
        ),
        "scry project add FOLDER": EditorCommandNames("Scry: Add Project…", ":Scry projects add FOLDER"),
        "scry project list": EditorCommandNames("Scry: Find in Other Projects…", ":Scry projects"),
        "scry status": EditorCommandNames("Scry: Show Status", ":Scry status"),
    }
)
"""What the sidecar's words name. A test holds that whatever they name is here or is for a terminal alone."""

_CLI_COMMAND = re.compile(
    rf"(?:{'|'.join(re.escape(name) for name in sorted(EDITOR_COMMANDS, key=len, reverse=True))})(?![\w-])"
)


class EditorWording:
    """The words of one session, as its editor's person can act on them. Pure."""

    def __init__(self, options: object = None) -> None:
        """options: what the client sent as `initializationOptions`."""
        ours = options.get("scry") if is_json_object(options) else None
        editor = ours.get("editor") if is_json_object(ours) else None
        self._editor = next((name for name in EditorCommandNames._fields if name == editor), None)

    def adapt_result(self, answer: T) -> T:
        """Return an answer with its words for a person in this editor's terms; what was indexed stays as it is."""
        if self._editor is None:
            return answer
        changed: dict[str, object] = {}
        for name in ("notice", "note", "message"):
            said = getattr(answer, name, None)
            if isinstance(said, str) and (own := self.adapt_text(said)) != said:
                changed[name] = own
        index = getattr(answer, "index", None)
        if isinstance(index, msgspec.Struct) and (own := self.adapt_result(index)) is not index:
            changed["index"] = own
        return msgspec.structs.replace(answer, **changed) if changed else answer

    def adapt_text(self, words: str) -> str:
        """Words with the editor's own commands."""
        return words if self._editor is None or "scry " not in words else _CLI_COMMAND.sub(self._editor_command, words)

    def _editor_command(self, named: re.Match[str]) -> str:
        own = EDITOR_COMMANDS[named.group()]
        return own.vscode if self._editor == "vscode" else own.neovim
