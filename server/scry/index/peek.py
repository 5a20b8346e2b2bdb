"""What the indexer that runs says, without starting one and without staying connected."""

from __future__ import annotations

from msgspec import Struct

from scry.core.types import IndexState
from scry.index.channel import StateMessage
from scry.index.link import IndexerConnection, ConnectionLost
from scry.index.project import Project


class RunningIndexer(Struct, frozen=True):
    """An indexer that runs: its process, its version, its state."""

    pid: int
    version: str
    state: IndexState


def probe_indexer(project: Project) -> RunningIndexer | None:
    """The project's indexer; None when none runs, or it does not answer in time."""
    link = IndexerConnection.open(project.cache)
    if link is None:
        return None
    try:
        while True:
            for reply in link.receive():
                if isinstance(reply, StateMessage):
                    return RunningIndexer(link.welcome.pid, link.welcome.version, reply.state)
    except ConnectionLost:
        return None
    finally:
        link.close()
