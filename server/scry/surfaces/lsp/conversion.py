"""Convert params, errors and texts between the client's JSON and the protocol's messages. Pure.

Params arrive as the client sent them and are decoded here, so that a wrong one is answered by name. (Left to pygls, a
request with wrong params gets no answer at all.) Texts for a person name the commands of the client: those of the
command line, or an editor's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

import msgspec

from scry.core import errors
from scry.core.notices import COMMAND_LINE, CommandNames
from scry.core.types import IndexState
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
    """A request that is answered with an error: its JSON-RPC code, and a message for a person."""

    def __init__(self, code: int, message: str) -> None:
        """Take a code of JSON-RPC or LSP, and a message for a person."""
        super().__init__(message)
        self.code = code
        self.message = message


def decode_params(params_type: type[P], raw: object) -> P:
    """Return the params, an empty object where they are absent. Raises RequestError (-32602) that names the field."""
    if raw is None:
        raw = {}
    if not is_json_object(raw):
        raise RequestError(INVALID_PARAMS, "params: Expected object, got array")
    try:
        return parse_params(params_type, raw)
    except errors.BadRequest as error:
        raise RequestError(INVALID_PARAMS, str(error)) from None


def to_request_error(error: Exception, commands: CommandNames = COMMAND_LINE) -> RequestError:
    """Return the error that a client gets for an exception, in its own names of commands."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, errors.BadRequest):
        return RequestError(INVALID_PARAMS, error.describe(commands))
    if isinstance(error, errors.Cancelled):
        return RequestError(REQUEST_CANCELLED, str(error) or "The request was cancelled.")
    if isinstance(error, errors.ScryError):
        return RequestError(REQUEST_FAILED, error.describe(commands))
    return RequestError(INTERNAL_ERROR, f"{type(error).__name__}: {error}")


def negotiate_encoding(offered: Sequence[str] | None) -> str:
    """Return utf-8 where the client offers it, for files are stored so; else utf-16, which every client knows."""
    return "utf-8" if "utf-8" in (offered or ()) else "utf-16"


def describe_protocol_mismatch(options: object) -> str | None:
    """Return why `initializationOptions.scry.protocol` does not fit; None when it fits or is absent."""
    ours = options.get("scry") if is_json_object(options) else None
    theirs = ours.get("protocol") if is_json_object(ours) else None
    if theirs is None or theirs == PROTOCOL:
        return None
    older = "plugin" if isinstance(theirs, int) and theirs < PROTOCOL else "sidecar"
    return f"Scry: the plugin speaks protocol {theirs}, the sidecar speaks {PROTOCOL}. Update the {older}."


def unopened_index_state(failure: str = "") -> IndexState:
    """Return the state of an index that is not open: `starting`, or `failed` with why it can't be opened."""
    if failure:
        return IndexState(state="failed", history="none", message=failure)
    return IndexState(state="starting", history="pending")


def empty_index_state(state: str, message: str = "") -> messages.IndexState:
    """Return the same in the wire form, without the import of the engine: it is sent while that is being imported."""
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


_LOG_ON = "log = true in Scry's config.toml"
_MEMORY_ON = "memory = true in Scry's config.toml"

EDITOR_COMMANDS: Mapping[str, CommandNames] = MappingProxyType(
    {
        "vscode": CommandNames(
            index_hint="",  # an editor's sidecar makes the index by itself
            resume_index="Resume Indexing",
            log_on=_LOG_ON,
            memory_on=_MEMORY_ON,
            add_project="Scry: Register Project…",
            list_projects="Scry: Find in Other Projects…",
            show_status="Scry: Show Status",
            min_score="",
            neighbors_by_dependency="",
            ask_graph="Show Detail",
        ),
        "neovim": CommandNames(
            index_hint="",
            resume_index=":Scry index resume",
            log_on=_LOG_ON,
            memory_on=_MEMORY_ON,
            add_project=":Scry projects add FOLDER",
            list_projects=":Scry projects",
            show_status=":Scry status",
            min_score="",
            ask_graph=":Scry related",
        ),
    }
)
"""By editor, its own names for the commands that texts name."""


def editor_commands(options: object = None) -> CommandNames:
    """Return the names of commands for the client that sent these `initializationOptions`.

    An editor names itself in `scry.editor`. A person with any other has nothing but the command line.
    """
    ours = options.get("scry") if is_json_object(options) else None
    editor = ours.get("editor") if is_json_object(ours) else None
    return EDITOR_COMMANDS.get(editor, COMMAND_LINE) if isinstance(editor, str) else COMMAND_LINE
