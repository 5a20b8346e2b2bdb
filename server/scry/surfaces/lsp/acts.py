"""What is done with an answer: it goes to the folder that answered, found by the answer's name."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING

import msgspec

from scry.core.errors import BadRequest
from scry.surfaces.lsp.asking import in_thread
from scry.surfaces.text.clipboard import clipboard_text
from scry_protocol.messages import FeedbackParams, Observed, ObserveParams, Recorded, UseParams

if TYPE_CHECKING:
    from scry.engine.engine import Engine
    from scry.surfaces.lsp.folders import Folders


async def use(folders: Folders, pool: Executor, params: UseParams) -> Recorded:
    """A result was used. For a copy, the outcome says what belongs on the clipboard."""

    def act(engine: Engine) -> Recorded:
        recorded = engine.use(params)
        kept = engine.recorder.answers.find(params.query_id) if params.how == "copy" else None
        text = clipboard_text(kept.result(params.rank)) if kept else ""
        return msgspec.structs.replace(recorded, text=text)

    return await _where_it_was_answered(folders, pool, params.query_id, params.folder, act)


async def feedback(folders: Folders, pool: Executor, params: FeedbackParams) -> Recorded:
    """An answer was good or bad."""
    return await _where_it_was_answered(
        folders, pool, params.query_id, params.folder, lambda engine: engine.recorder.feedback(params)
    )


async def observe(folders: Folders, pool: Executor, params: ObserveParams) -> Observed:
    """Something is to be remembered, in the folder that is named or the first."""
    chosen = folders.choose(params.folder)[:1]
    await folders.settle(chosen)
    engines = [folder.engine for folder in chosen if folder.engine is not None]
    if not engines:
        raise BadRequest("folder", "no folder is open (yet), so that nothing can be remembered")
    return await in_thread(pool, lambda _: engines[0].observe(params))


async def _where_it_was_answered(
    folders: Folders, pool: Executor, query_id: str, uri: str | None, act: Callable[[Engine], Recorded]
) -> Recorded:
    """Does it with the engine that knows the answer. Raises BadRequest when none does."""
    chosen = folders.choose(uri)
    await folders.settle(chosen)
    engines = [folder.engine for folder in chosen if folder.engine is not None]
    if not engines:
        raise BadRequest("folder", "no folder is open (yet), so that no answer is known")

    def look_and_act(_: Callable[[], bool]) -> Recorded:
        knowing = [engine for engine in engines if engine.recorder.knows(query_id)]
        return act((knowing or engines)[0])

    return await in_thread(pool, look_and_act)
