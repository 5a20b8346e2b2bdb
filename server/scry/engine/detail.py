"""Detail: one result of an earlier answer in full. Nothing is searched again (D1)."""

from __future__ import annotations

from msgspec import Struct

from scry.core.doc_id import file_doc_id
from scry.core.knowledge import is_knowledge
from scry.core.types import Document
from scry.engine.files import file_document
from scry.engine.full import MAX_BODY_CHARACTERS, FullDocument, read_full_document
from scry.engine.locate import ResolvedDocument
from scry.engine.scene import ProjectSnapshot
from scry.store.history_reader import is_commit_key

CURRENT, CHANGED, GONE = "current", "changed", "gone"


class DocumentDetail(Struct, frozen=True):
    """state: current, changed or gone; note: what a person should know of it. full: None for what is gone."""

    state: str
    note: str
    full: FullDocument | None


def read_detail(scene: ProjectSnapshot, doc_id: str, doc_key: int | None) -> DocumentDetail:
    """A result in full as it is now. number: the store's number that it had; None where that is not known."""
    target = scene.resolve(doc_id)
    document = _read_target(scene, target)
    if document is None:
        return DocumentDetail(GONE, _describe_gone(scene, target), None)
    full = read_full_document(document, scene.project, scene.store, scene.history, MAX_BODY_CHARACTERS)
    # A whole file, as orient answers with it, has no number of its own, and showed nothing that could differ.
    is_whole_file = doc_key is None and target.doc_id == file_doc_id(target.path)
    if document.doc_key == doc_key or is_commit_key(document.doc_key) or is_whole_file:
        return DocumentDetail(CURRENT, "", full)
    note = "its file was changed since the answer, or indexed anew: this is its text now"
    return DocumentDetail(CHANGED, note, full)


def _read_target(scene: ProjectSnapshot, target: ResolvedDocument) -> Document | None:
    if target.status != "indexed" or not target.doc_keys:
        return None
    file = scene.store.get_file(target.path) if scene.store and target.doc_id == file_doc_id(target.path) else None
    if file is not None:
        return file_document(file)
    number = target.doc_keys[0]
    if is_knowledge(number):
        return scene.knowledge.get_documents([number]).get(number) if scene.knowledge else None
    if is_commit_key(number):
        return scene.history.get_documents([number]).get(number) if scene.history else None
    return scene.store.get_documents([number]).get(number) if scene.store else None


def _describe_gone(scene: ProjectSnapshot, target: ResolvedDocument) -> str:
    if scene.store is None:
        return "there is no index to look in: this is what was kept of it (scry index)"
    reason = target.reason or "it is no longer indexed"
    near = f" (similar: {', '.join(target.similar)})" if target.similar else ""
    return f"it is gone: {reason}{near}. This is what was kept of it."
