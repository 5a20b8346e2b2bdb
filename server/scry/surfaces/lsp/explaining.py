"""Why and detail: asked of the folder that a document or an answer belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from scry.core.doc_id import file_id, split_project
from scry.core.errors import IndexUnavailable
from scry.core.projects import named
from scry.surfaces.lsp.asking import CancelledCheck, in_thread
from scry.surfaces.lsp.landing import land_result, unsaved_inside
from scry.surfaces.lsp.uris import NotAFile, uri_to_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scry.engine.engine import Engine
    from scry.surfaces.lsp.desk import Desk
    from scry.surfaces.lsp.edits import Edits
    from scry.surfaces.lsp.folders import Folder
    from scry_protocol.messages import Detail, DetailParams, Explanation, ResultItem, WhyParams


async def explain(desk: Desk, params: WhyParams) -> Explanation:
    """Why a document has its place, with all of it as Markdown. Raises ScryError."""
    from scry.surfaces.text.explanation import with_text

    return with_text(await _explain(desk, params, is_part=False))


async def explain_briefly(desk: Desk, params: WhyParams) -> str:
    """The same in a few lines of Markdown, for a hover, which nobody asked for: it is not logged. Raises ScryError."""
    from scry.surfaces.text.explanation import brief

    return brief(await _explain(desk, params, is_part=True))


async def _explain(desk: Desk, params: WhyParams, *, is_part: bool) -> Explanation:
    asked = desk.folders.choose(params.folder)
    await desk.folders.settle(asked)
    opened = _opened(asked)
    answering = [engine.recorder.answers for _, engine in _opened(desk.folders.all())]

    def look(cancelled: CancelledCheck) -> Explanation:
        if _is_elsewhere(desk, params.doc_id):
            manner = replace(desk.manner(cancelled), is_part=is_part)
            return desk.elsewhere.projects().why(params, manner, answers=answering)
        (folder, engine), doc_id = _meant(opened, params)
        inside = unsaved_inside(folder, desk.documents.unsaved())
        manner = replace(desk.manner(cancelled, inside), is_part=is_part)
        found = engine.why(msgspec.structs.replace(params, doc_id=doc_id), manner, answers=answering)
        return _landed(found, folder, inside)

    return await in_thread(desk.pool, look)


async def show_in_full(desk: Desk, params: DetailParams) -> Detail:
    """One result of an earlier answer in full, with all of it as Markdown. Raises ScryError."""
    from scry.surfaces.text.detail import with_text

    asked = desk.folders.choose(params.folder)
    await desk.folders.settle(asked)
    opened = _opened(asked)

    def look(cancelled: CancelledCheck) -> Detail:
        first = _first(opened)
        keeper = next((each for each in opened if each[1].recorder.knows(params.query_id)), first)
        kept = keeper[1].recorder.answers.read(params.query_id)
        result = kept.result(params.rank)
        if _is_elsewhere(desk, result.doc_id):
            return with_text(desk.elsewhere.projects().detail(params, desk.manner(cancelled), keeper=keeper[1]))
        # An answer of several folders is kept by the first of them.
        folder, engine = engine_of([keeper, *opened], result)
        inside = unsaved_inside(folder, desk.documents.unsaved())
        found = engine.detail(params, desk.manner(cancelled, inside), recorder=keeper[1].recorder)
        return with_text(msgspec.structs.replace(found, result=land_result(found.result, folder, inside)))

    return await in_thread(desk.pool, look)


def _is_elsewhere(desk: Desk, doc_id: str) -> bool:
    """Whether it is of a registered project that is not open here."""
    name, _ = split_project(doc_id.strip())
    if not name or any(engine.project.name == name for _, engine in _opened(desk.folders.all())):
        return False
    return named(desk.elsewhere.projects().registered(), name) is not None


def engine_of(opened: Sequence[tuple[Folder, Engine]], result: ResultItem) -> tuple[Folder, Engine]:
    """The folder that a result is of, by its project's name; the first where none is called so."""
    return next((each for each in opened if each[1].project.name == result.project), opened[0])


def _first(opened: Sequence[tuple[Folder, Engine]]) -> tuple[Folder, Engine]:
    if not opened:
        raise IndexUnavailable("No folder is open (yet), so that nothing is known of this.")
    return opened[0]


def _opened(folders: Sequence[Folder]) -> list[tuple[Folder, Engine]]:
    return [(folder, folder.engine) for folder in folders if folder.engine is not None]


def _meant(opened: Sequence[tuple[Folder, Engine]], params: WhyParams) -> tuple[tuple[Folder, Engine], str]:
    """The folder that the document is of, and its name there: by its place, its project's name, or who knows it.

    Raises IndexUnavailable when no folder is open.
    """
    first = _first(opened)
    doc_id = params.doc_id.strip()
    for folder, engine in opened:
        if (inside := _inside(folder, doc_id)) is not None:
            return (folder, engine), inside
    for folder, engine in opened:
        if doc_id.startswith(f"{engine.project.name}:"):
            return (folder, engine), doc_id
    knowing = (each for each in opened if _answered(each[1], doc_id, params.query_id))
    holding = (each for each in opened if len(opened) > 1 and each[1].holds(doc_id))
    return next(knowing, None) or next(holding, None) or first, doc_id


def _inside(folder: Folder, doc_id: str) -> str | None:
    """What a URI or an absolute path names within the folder; the rest of a doc_id stays as it is."""
    place, mark, rest = doc_id.partition("::")
    if not mark:
        place, mark, rest = doc_id.partition("#")
    try:
        path = uri_to_path(place) if place[:5].lower() == "file:" else place
    except NotAFile:
        return None
    relative = folder.relative(path)
    return f"{file_id(relative)}{mark}{rest}" if relative else None


def _answered(engine: Engine, doc_id: str, query_id: str | None) -> bool:
    if query_id is not None:
        return engine.recorder.knows(query_id)
    return engine.recorder.answers.last_with(doc_id) is not None


def _landed(explanation: Explanation, folder: Folder, unsaved: Mapping[str, Edits]) -> Explanation:
    if explanation.result is UNSET:
        return explanation
    return msgspec.structs.replace(explanation, result=land_result(explanation.result, folder, unsaved))
