"""What is put in order after files have changed, while nobody waits: the structure around them, the words' counts.

Both take a look at the whole project, so a saved file is findable before, and what is saved meanwhile goes first. That
structure is due is noted with the change itself: whoever comes after a crash does it.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scry.core.settings import Settings
from scry.index.compact import compact
from scry.index.contents import Contents
from scry.index.project import Project
from scry.index.structure import MANIFESTS, FileImports, describe, resolve_imports
from scry.store.index_store import IndexStore

DEAD_SHARE = 0.05
"""Share of replaced files whose words may stay in the word index: BM25 counts them, so scores drift until a rewrite."""


def keep_up(project: Project, settings: Settings, store: IndexStore, checkpoint: Callable[[], None]) -> bool:
    """Does what is due; says whether anything was. checkpoint: called every few files; may raise Cancelled."""
    restructured = keep_structure(store, checkpoint)
    if store.replaced_files <= DEAD_SHARE * store.state().files_indexed:
        return restructured
    with Contents(project, settings, "reading") as contents:
        compact(store, contents, checkpoint)
    return True


def keep_structure(store: IndexStore, checkpoint: Callable[[], None]) -> bool:
    """Works out who imports whom, where files have changed since that was done; says whether they have."""
    if not store.structure_due:
        return False
    unpack = msgspec.msgpack.Decoder(FileImports).decode
    files = {path: unpack(packed) for path, packed in store.imports().items() if packed}
    names = [path for path in files if path.rpartition("/")[2] in MANIFESTS]
    manifests = {path: store.text(path) or "" for path in names}
    store.save_structures(describe(files, resolve_imports(files, manifests=manifests, checkpoint=checkpoint)))
    return True
