"""Knowledge told and looked through: of the person in any folder, of a project in the one that is meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from scry.core.errors import BadRequest
from scry.surfaces.lsp.asking import run_in_thread
from scry_protocol.messages import Beliefs, BeliefsParams, BelieveParams, PersonaNotes, PersonaParams, RememberParams

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.surfaces.lsp.desk import EditorSession

Outcome = TypeVar("Outcome", PersonaNotes, Beliefs)


async def remember_note(desk: EditorSession, params: RememberParams) -> PersonaNotes:
    """Keeps a note of the person."""
    return await _run_with_engine(desk, params.folder, lambda engine: engine.knowledge.remember(params))


async def list_persona_notes(desk: EditorSession, params: PersonaParams) -> PersonaNotes:
    """The person's notes."""
    return await _run_with_engine(desk, params.folder, lambda engine: engine.knowledge.persona(params))


async def write_belief(desk: EditorSession, params: BelieveParams) -> Beliefs:
    """Writes a belief of the team."""
    return await _run_with_engine(desk, params.folder, lambda engine: engine.knowledge.believe(params))


async def list_beliefs(desk: EditorSession, params: BeliefsParams) -> Beliefs:
    """The project's beliefs."""
    return await _run_with_engine(desk, params.folder, lambda engine: engine.knowledge.beliefs(params))


async def _run_with_engine(desk: EditorSession, uri: str | None, run: Callable[[Engine], Outcome]) -> Outcome:
    """Does it with the engine of that folder, or of the first that is open. Raises BadRequest when none is."""
    chosen = desk.folders.select(uri)
    await desk.folders.wait_until_open(chosen)
    engine = next((folder.engine for folder in chosen if folder.engine is not None), None)
    if engine is None:
        raise BadRequest("folder", "no folder is open (yet); open one, then try again")
    return await run_in_thread(desk.pool, lambda _: run(engine))
