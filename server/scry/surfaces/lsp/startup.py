"""Start the language server: read what the client already sent and start its indexers before slow imports.

Starts the indexers of the folders that a client opens while the language server itself is still being imported.

Both take about as long, and run side by side. Nothing depends on it: where it can't be done, `folders` does it later
and says what is wrong.

The language server's first steps: what the client has said already is read, and the indexers of its folders start,
before anything is imported that takes long. The sidecar and its indexers then come up side by side.
"""

from __future__ import annotations

import gc
import logging
import os
import select
import sys
from pathlib import Path
from typing import cast

from scry.surfaces.lsp.framing import FrameReader, JsonRpcMessage, MalformedMessage, claim_stdio, is_json_object
from scry.surfaces.lsp.uris import NotAFileUri, uri_to_path

log = logging.getLogger(__name__)


def start_indexers_early(first_bytes: bytes) -> None:
    """data: the first bytes of a client. Unless they hold a whole `initialize` with folders, nothing is done."""
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
    """Speak LSP on standard input and output until the client is done. Returns the exit status."""
    gc.disable()  # to look for garbage among what is being imported costs a tenth of the start
    source, sink = claim_stdio()
    heard = _read_pending_input(source)
    if heard:
        start_indexers_early(heard)
    from scry.surfaces.lsp.process import run_until_exit

    return run_until_exit(source, sink, heard)


def _read_pending_input(source: int) -> bytes:
    """What waits to be read; nothing where that can't be told, or where the input is at its end."""
    if sys.platform == "win32":  # select takes sockets only
        return b""
    try:
        return os.read(source, _FIRST_READ_BYTES) if select.select([source], [], [], 0)[0] else b""
    except (OSError, ValueError):
        return b""
