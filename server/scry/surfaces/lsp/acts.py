"""What is done with an answer: it goes to the folder that answered, found by the answer's name."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING

import msgspec

from scry.core.errors import BadRequest
from scry.surfaces.lsp.asking import run_in_thread
from scry.surfaces.text.clipboard import result_clipboard_text
from scry_protocol.messages import FeedbackParams, Observed, ObserveParams, Recorded, UseParams

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.surfaces.lsp.folders import WorkspaceFolders


async def record_use(folders: WorkspaceFolders, pool: Executor, params: UseParams) -> Recorded:
    """A result was used. For a copy, the outcome says what belongs on the clipboard."""

    def act(engine: Engine) -> Recorded:
        recorded = engine.use(params)
        kept = engine.recorder.answers.get(params.query_id) if params.how == "copy" else None
        text = result_clipboard_text(kept.result(params.rank)) if kept else ""
        return msgspec.structs.replace(recorded, text=text)

    return await _run_in_answering_folder(folders, pool, params.query_id, params.folder, act)


async def record_feedback(folders: WorkspaceFolders, pool: Executor, params: FeedbackParams) -> Recorded:
    """An answer was good or bad."""
    return await _run_in_answering_folder(
        folders, pool, params.query_id, params.folder, lambda engine: engine.recorder.feedback(params)
    )


async def record_observation(folders: WorkspaceFolders, pool: Executor, params: ObserveParams) -> Observed:
    """Something is to be remembered, in the folder that is named or the first."""
    chosen = folders.select(params.folder)[:1]
    await folders.wait_until_open(chosen)
    engines = [folder.engine for folder in chosen if folder.engine is not None]
    if not engines:
        raise BadRequest("folder", "no folder is open (yet), so that nothing can be remembered")
    return await run_in_thread(pool, lambda _: engines[0].observe(params))


async def _run_in_answering_folder(
    folders: WorkspaceFolders, pool: Executor, query_id: str, uri: str | None, run: Callable[[Engine], Recorded]
) -> Recorded:
    """Does it with the engine that knows the answer. Raises BadRequest when none does."""
    chosen = folders.select(uri)
    await folders.wait_until_open(chosen)
    engines = [folder.engine for folder in chosen if folder.engine is not None]
    if not engines:
        raise BadRequest("folder", "no folder is open (yet), so that no answer is known")

    def look_and_act(_: Callable[[], bool]) -> Recorded:
        knowing = [engine for engine in engines if engine.recorder.has_answer(query_id)]
        return run((knowing or engines)[0])

    return await run_in_thread(pool, look_and_act)
