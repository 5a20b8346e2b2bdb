"""Detail: one result of an earlier answer in full. Nothing is searched again (D1)."""

from __future__ import annotations

from msgspec import Struct

from scry.core.doc_id import file_id
from scry.core.knowledge import is_knowledge
from scry.core.types import Document
from scry.engine.files import file_document
from scry.engine.full import BODY_CHARACTERS, Full, make_full
from scry.engine.locate import Target
from scry.engine.scene import Scene
from scry.store.history_reader import is_commit

CURRENT, CHANGED, GONE = "current", "changed", "gone"


class Detailed(Struct, frozen=True):
    """state: current, changed or gone; note: what a person should know of it. full: None for what is gone."""

    state: str
    note: str
    full: Full | None


def read_detail(scene: Scene, doc_id: str, number: int | None) -> Detailed:
    """A result in full as it is now. number: the store's number that it had; None where that is not known."""
    target = scene.locate(doc_id)
    document = _document(scene, target)
    if document is None:
        return Detailed(GONE, _gone(scene, target), None)
    full = make_full(document, scene.project, scene.store, scene.history, BODY_CHARACTERS)
    # A whole file, as orient answers with it, has no number of its own, and showed nothing that could differ.
    is_whole_file = number is None and target.doc_id == file_id(target.path)
    if document.number == number or is_commit(document.number) or is_whole_file:
        return Detailed(CURRENT, "", full)
    note = "its file was changed since the answer, or indexed anew: this is its text now"
    return Detailed(CHANGED, note, full)


def _document(scene: Scene, target: Target) -> Document | None:
    if target.status != "indexed" or not target.numbers:
        return None
    file = scene.store.file_named(target.path) if scene.store and target.doc_id == file_id(target.path) else None
    if file is not None:
        return file_document(file)
    number = target.numbers[0]
    if is_knowledge(number):
        return scene.knowledge.documents([number]).get(number) if scene.knowledge else None
    if is_commit(number):
        return scene.history.documents([number]).get(number) if scene.history else None
    return scene.store.documents([number]).get(number) if scene.store else None


def _gone(scene: Scene, target: Target) -> str:
    if scene.store is None:
        return "there is no index to look in: this is what was kept of it (scry index)"
    reason = target.reason or "it is no longer indexed"
    near = f" (similar: {', '.join(target.near)})" if target.near else ""
    return f"it is gone: {reason}{near}. This is what was kept of it."
