"""Answer why and detail from the folder that a document or an answer belongs to.

Why and detail: asked of the folder that a document or an answer belongs to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from scry.core.doc_id import file_doc_id, split_off_project
from scry.core.errors import IndexUnavailable
from scry.core.projects import find_project
from scry.engine.context import CancelledCheck
from scry.surfaces.lsp.locations import map_result_to_editor, unsaved_in_folder
from scry.surfaces.lsp.session import run_in_thread
from scry.surfaces.lsp.uris import NotAFileUri, uri_to_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scry.engine.engine import Engine
    from scry.surfaces.lsp.documents import EditMapping
    from scry.surfaces.lsp.session import EditorSession
    from scry.surfaces.lsp.workspace import WorkspaceFolder
    from scry_protocol.messages import Detail, DetailParams, Explanation, ResultItem, WhyParams


async def answer_why(desk: EditorSession, params: WhyParams) -> Explanation:
    """Why a document has its place, with all of it as Markdown. Raises ScryError."""
    from scry.surfaces.render.explanation import add_explanation_text

    return add_explanation_text(await _explain_document(desk, params, is_part=False))


async def explain_for_hover(desk: EditorSession, params: WhyParams) -> str:
    """The same in a few lines of Markdown, for a hover, which nobody asked for: it is not logged. Raises ScryError."""
    from scry.surfaces.render.explanation import render_brief_explanation

    return render_brief_explanation(await _explain_document(desk, params, is_part=True))


async def _explain_document(desk: EditorSession, params: WhyParams, *, is_part: bool) -> Explanation:
    asked = desk.folders.select(params.folder)
    await desk.folders.wait_until_open(asked)
    opened = _open_engines(asked)
    answering = [engine.recorder.answers for _, engine in _open_engines(desk.folders.all())]

    def look(cancelled: CancelledCheck) -> Explanation:
        if _is_in_other_project(desk, params.doc_id):
            manner = replace(desk.request_context(cancelled), is_subrequest=is_part)
            return desk.other_projects.router().why(params, manner, answers=answering)
        (folder, engine), doc_id = _resolve_document(opened, params)
        inside = unsaved_in_folder(folder, desk.documents.unsaved_edits())
        manner = replace(desk.request_context(cancelled, inside), is_subrequest=is_part)
        found = engine.why(msgspec.structs.replace(params, doc_id=doc_id), manner, answers=answering)
        return _map_explanation_to_editor(found, folder, inside)

    return await run_in_thread(desk.pool, look)


async def answer_detail(desk: EditorSession, params: DetailParams) -> Detail:
    """One result of an earlier answer in full, with all of it as Markdown. Raises ScryError."""
    from scry.surfaces.render.explanation import add_detail_text

    asked = desk.folders.select(params.folder)
    await desk.folders.wait_until_open(asked)
    opened = _open_engines(asked)

    def look(cancelled: CancelledCheck) -> Detail:
        first = _require_first(opened)
        keeper = next((each for each in opened if each[1].recorder.has_answer(params.query_id)), first)
        kept = keeper[1].recorder.answers.require(params.query_id)
        result = kept.result(params.rank)
        if _is_in_other_project(desk, result.doc_id):
            return add_detail_text(
                desk.other_projects.router().detail(params, desk.request_context(cancelled), answered_by=keeper[1])
            )
        # An answer of several folders is kept by the first of them.
        folder, engine = owning_folder([keeper, *opened], result)
        inside = unsaved_in_folder(folder, desk.documents.unsaved_edits())
        found = engine.detail(params, desk.request_context(cancelled, inside), answered_by=keeper[1].recorder)
        return add_detail_text(
            msgspec.structs.replace(found, result=map_result_to_editor(found.result, folder, inside))
        )

    return await run_in_thread(desk.pool, look)


def _is_in_other_project(desk: EditorSession, doc_id: str) -> bool:
    """Whether it is of a registered project that is not open here."""
    name, _ = split_off_project(doc_id.strip())
    if not name or any(engine.project.name == name for _, engine in _open_engines(desk.folders.all())):
        return False
    return find_project(desk.other_projects.router().registered(), name) is not None


def owning_folder(
    opened: Sequence[tuple[WorkspaceFolder, Engine]], result: ResultItem
) -> tuple[WorkspaceFolder, Engine]:
    """The folder that a result is of, by its project's name; the first where none is called so."""
    return next((each for each in opened if each[1].project.name == result.project), opened[0])


def _require_first(opened: Sequence[tuple[WorkspaceFolder, Engine]]) -> tuple[WorkspaceFolder, Engine]:
    if not opened:
        raise IndexUnavailable("No folder is open (yet), so that nothing is known of this.")
    return opened[0]


def _open_engines(folders: Sequence[WorkspaceFolder]) -> list[tuple[WorkspaceFolder, Engine]]:
    return [(folder, folder.engine) for folder in folders if folder.engine is not None]


def _resolve_document(
    opened: Sequence[tuple[WorkspaceFolder, Engine]], params: WhyParams
) -> tuple[tuple[WorkspaceFolder, Engine], str]:
    """The folder that the document is of, and its name there: by its place, its project's name, or who knows it.

    Raises IndexUnavailable when no folder is open.
    """
    first = _require_first(opened)
    doc_id = params.doc_id.strip()
    for folder, engine in opened:
        if (inside := _doc_id_in_folder(folder, doc_id)) is not None:
            return (folder, engine), inside
    for folder, engine in opened:
        if doc_id.startswith(f"{engine.project.name}:"):
            return (folder, engine), doc_id
    knowing = (each for each in opened if _has_answered(each[1], doc_id, params.query_id))
    holding = (each for each in opened if len(opened) > 1 and each[1].is_indexed(doc_id))
    return next(knowing, None) or next(holding, None) or first, doc_id


def _doc_id_in_folder(folder: WorkspaceFolder, doc_id: str) -> str | None:
    """What a URI or an absolute path names within the folder; the rest of a doc_id stays as it is."""
    place, mark, rest = doc_id.partition("::")
    if not mark:
        place, mark, rest = doc_id.partition("#")
    try:
        path = uri_to_path(place) if place[:5].lower() == "file:" else place
    except NotAFileUri:
        return None
    relative = folder.relative_path(path)
    return f"{file_doc_id(relative)}{mark}{rest}" if relative else None


def _has_answered(engine: Engine, doc_id: str, query_id: str | None) -> bool:
    if query_id is not None:
        return engine.recorder.has_answer(query_id)
    return engine.recorder.answers.latest_with(doc_id) is not None


def _map_explanation_to_editor(
    explanation: Explanation, folder: WorkspaceFolder, unsaved: Mapping[str, EditMapping]
) -> Explanation:
    if explanation.result is UNSET:
        return explanation
    return msgspec.structs.replace(explanation, result=map_result_to_editor(explanation.result, folder, unsaved))
