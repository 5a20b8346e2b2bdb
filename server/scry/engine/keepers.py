"""Which project keeps an answer: whoever uses, rates or explains it names the answer alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path

from scry.core.errors import RegistryUnavailable, ScryError
from scry.core.projects import RegisteredProject
from scry.core.settings import Settings
from scry.engine.pool import EnginePool
from scry.engine.recorder import Recorder
from scry.index.project import open_project

_log = logging.getLogger(__name__)


class AnswerLocator:
    """Where answers may be kept. Every method may be called from any thread."""

    def __init__(self, pool: EnginePool, home: Path | None, registered: Callable[[], Sequence[RegisteredProject]]) -> None:
        """home: folder of the project that is asked from. registered: gives all projects; may raise."""
        self._pool = pool
        self._home = home
        self._registered = registered

    def find(self, query_id: str) -> Path | None:
        """The folder of the project that keeps this answer."""
        return next((root for root in self._candidate_roots() if self._has_answer(root, query_id)), None)

    def _candidate_roots(self) -> Iterable[Path]:
        """The likeliest first."""
        home = [] if self._home is None else [self._home]
        try:
            known = [project.root for project in self._registered() if project.root.is_dir()]
        except RegistryUnavailable as error:
            _log.warning("%s", error)
            known = []
        return dict.fromkeys((*home, *self._pool.open_roots(), *known))

    def _has_answer(self, root: Path, query_id: str) -> bool:
        """One that is not open is not opened for that."""
        try:
            if root in self._pool.open_roots():
                with self._pool.borrow(root) as engine:
                    return engine.recorder.has_answer(query_id)
            with closing(Recorder(open_project(root, force=True), Settings(), "")) as recorder:
                return recorder.has_answer(query_id)
        except ScryError as error:
            _log.info("%s can't be looked into: %s", root, error)
            return False
