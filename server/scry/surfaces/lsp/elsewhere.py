"""The registered projects that are not open in this editor: opened when a question names them, closed when none did for
a while.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scry.engine.projects import ProjectRouter


class OtherProjects:
    """All projects of this machine, made known when they are first needed. May be used from any thread."""

    def __init__(self) -> None:
        """Imports and opens nothing yet."""
        self._lock = threading.Lock()
        self._projects: ProjectRouter | None = None

    def router(self) -> ProjectRouter:
        """They. No one of them is asked from: the open folders are."""
        from scry.engine.opening import make_engine_opener
        from scry.engine.pool import EnginePool
        from scry.engine.projects import ProjectRouter

        with self._lock:
            if self._projects is None:
                self._projects = ProjectRouter(EnginePool(make_engine_opener("lsp")))
            return self._projects

    def close(self) -> None:
        """Closes those that were opened."""
        with self._lock:
            projects, self._projects = self._projects, None
        if projects is not None:
            projects.close()
