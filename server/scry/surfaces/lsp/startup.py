"""Start the language server: read what the client already sent and start its indexers before slow imports.

Importing the server and starting an indexer take about as long, and run side by side. Nothing depends on the early
start: where it fails, `workspace` starts the indexer later and reports what is wrong. This module and those that it
imports at its top import neither asyncio, pygls, lsprotocol, attrs nor scry_protocol.
"""

from __future__ import annotations

import gc
import logging
import os
from pathlib import Path
from typing import cast

from scry.core.platform import read_pending_bytes
from scry.surfaces.lsp.framing import FrameReader, JsonRpcMessage, MalformedMessage, claim_stdio, is_json_object
from scry.surfaces.lsp.uris import NotAFileUri, uri_to_path

log = logging.getLogger(__name__)


def start_indexers_early(first_bytes: bytes) -> None:
    """Start the indexers of the folders in the client's `initialize`, if its first bytes hold the whole request."""
    for message in FrameReader().feed(first_bytes):
        for path in _initialize_folders(message):
            try:
                _start_indexer(Path(path))
            except Exception as error:
                log.debug("%s: the indexer was not started early: %s", path, error)
        return


def _initialize_folders(message: JsonRpcMessage | MalformedMessage) -> list[str]:
    params = message.get("params") if isinstance(message, dict) and message.get("method") == "initialize" else None
    if not is_json_object(params):
        return []
    folders = params.get("workspaceFolders")
    entries = cast("list[object]", folders) if isinstance(folders, list) else []
    named = [entry.get("uri") for entry in entries if is_json_object(entry)]
    paths: list[str] = []
    for uri in named or [params.get("rootUri")]:
        try:
            paths += [os.path.normpath(uri_to_path(uri))] if isinstance(uri, str) else []
        except NotAFileUri:
            continue
    return paths


def _start_indexer(root: Path) -> None:
    from scry.core.settings import load_settings
    from scry.indexer.client.launch import prestart_indexer
    from scry.projects.project import open_project

    prestart_indexer(open_project(root), load_settings(root, os.environ))


_FIRST_READ_BYTES = 64 * 1024
"""More than any editor's `initialize`, and as much as a pipe holds."""


def serve_stdio() -> int:
    """Speak LSP on standard input and output until the session ends; return the exit status."""
    gc.disable()  # collecting garbage during the imports costs a tenth of the start
    source, sink = claim_stdio()
    first_bytes = read_pending_bytes(source, _FIRST_READ_BYTES)
    if first_bytes:
        start_indexers_early(first_bytes)
    from scry.surfaces.lsp.process import run_until_exit

    return run_until_exit(source, sink, first_bytes)
