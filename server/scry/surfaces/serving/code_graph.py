"""Wait for the code graph, which is made after the index: questions about calls and imports have no answer before."""

from __future__ import annotations

from threading import Event

from scry.engine.engine import Engine
from scry_protocol.messages import IndexState


def wait_for_code_graph(engine: Engine, timeout: float) -> None:
    """Wait while the code graph of an index that can be searched is still being made, starting an indexer if need be.

    timeout: in seconds. A graph that is not made, because indexing failed or is paused, is not waited for.
    """
    if not _is_pending(engine.status()):
        return
    done = Event()

    def note_state(state: IndexState) -> None:
        if not _is_pending(state):
            done.set()

    engine.subscribe(note_state)
    if _is_pending(engine.status()):  # the graph may have been made before the subscription
        done.wait(max(timeout, 0.0))


def _is_pending(state: IndexState) -> bool:
    is_made = state.graph == "ready" or state.state in ("failed", "paused")
    return not is_made and state.files_indexed > 0
