"""An observation on its way from the wire into memory, and what became of it on its way back."""

from __future__ import annotations

from scry.core.errors import BadRequest, MemoryUnavailable
from scry.core.memory.types import Observation
from scry.engine.memory import MemoryService, now_ms
from scry.store.memory.shelf import memory_doc_id
from scry_protocol.messages import Observed, ObserveParams


def record_observation(memory: MemoryService, params: ObserveParams) -> Observed:
    """Notes something that was told. What can't be kept is said so in the outcome; raises BadRequest."""
    if not params.text.strip():
        raise BadRequest("text", "is empty; say what to remember")
    observation = Observation(
        params.kind,
        params.text,
        now_ms(),
        params.detail,
        params.status,
        params.outcome or "",
        tuple(params.refs),
        params.scope,
        key=f"act {params.act_id}" if params.act_id else "",
    )
    try:
        noted = memory.note(observation, params.agent)
    except MemoryUnavailable as error:
        return Observed("", "", recorded=False, note=str(error))
    return Observed(
        memory_doc_id(noted.memory.id), noted.memory.session, noted.is_new, noted.masked_secrets, _describe_outcome(noted.masked_secrets, noted.is_new)
    )


def _describe_outcome(masked: int, is_new: bool) -> str:
    if not is_new:
        return "this was recorded before"
    return "" if not masked else f"{masked} secret{'' if masked == 1 else 's'} masked"
