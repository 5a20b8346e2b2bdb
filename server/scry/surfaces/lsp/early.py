"""Starts the indexers of the folders that a client opens while the language server itself is still being imported.

Both take about as long, and run side by side. Nothing depends on it: where it can't be done, `folders` does it later
and says what is wrong.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import cast

from scry.surfaces.lsp.envelope import JsonRpcMessage, MalformedMessage, is_json_object
from scry.surfaces.lsp.guard import FrameReader
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
    from scry.index.launch import prestart_indexer
    from scry.index.project import open_project

    prestart_indexer(open_project(root), load_settings(root, os.environ))
