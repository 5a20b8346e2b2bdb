"""Learn from the event log what was used for which questions: after an act in a thread of its own, or by a command.

Neither a question nor the next event waits for this. A question asks only what is learnt already
(`store.events.learnt`). A long log is learnt from, and weights are fitted, in a process that an idle indexer starts
(`indexer.idle.usage`): `python -m scry.engine.activity.learning --root ROOT`.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from scry.core.decoding import decode_json
from scry.core.errors import ScryError
from scry.core.memory.masking import mask_secrets
from scry.core.platform import lower_priority
from scry.core.settings import load_settings
from scry.core.text import content_terms, search_text
from scry.embedding.static_model import content_words, load_bundled_model
from scry.engine.search.query import MAX_QUERY_CHARACTERS, parse_query
from scry.projects.project import open_project
from scry.store.events.learner import (
    ACT_WINDOW_EVENTS,
    MAX_SHOWN_CHARACTERS,
    WINDOW_EVENTS,
    AskedQuestion,
    QuestionReader,
    learn_new_acts,
)
from scry.store.events.log import now_ms
from scry.store.lexical import stem_of

MAX_SECONDS = 300.0
"""Time after which the process ends; what is left is learnt by the next one."""

MAX_TERMS = 64
MAX_KEY_CHARACTERS = 500
"""Two longer questions are the same from here on."""

_log = logging.getLogger(__name__)


class LearningThread:
    """Learns from the acts in a project's log. Every method may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        """Start nothing yet. folder: the project's data."""
        self._folder = folder
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_due = False

    def wake(self) -> None:
        """Have the acts learnt that were written until now."""
        with self._lock:
            self._is_due = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="scry-learn", daemon=True)
                self._thread.start()

    def close(self, timeout: float) -> None:
        """Wait until they are learnt, at most `timeout` seconds."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(timeout)

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._is_due:
                    self._thread = None
                    return
                self._is_due = False
            learn_from_log(self._folder)


def learn_from_log(
    folder: Path,
    *,
    now: Callable[[], int] = now_ms,
    until_done: bool = False,
    go_on: Callable[[], bool] = lambda: True,
) -> None:
    """Bring what was learnt in a data folder up to date. Never fails: what can't be learnt now is learnt later.

    until_done: go on until everything is learnt; otherwise a long log is left to later calls, and to the process that
    an idle indexer starts. go_on: whether there is time for another step.
    """
    try:
        reader = _question_reader()
        while not learn_new_acts(folder, reader, now(), WINDOW_EVENTS if until_done else ACT_WINDOW_EVENTS):
            if not until_done or not go_on():
                break
    except (ScryError, OSError):
        _log.warning("nothing could be learnt from the log in %s", folder, exc_info=True)


@lru_cache(maxsize=1)
def _question_reader() -> QuestionReader:
    model = load_bundled_model()

    def read(query: str) -> AskedQuestion | None:
        question = parse_query(query[:MAX_QUERY_CHARACTERS], {}, limit=1)
        masked = mask_secrets(" ".join(search_text(question).split())).text
        terms = content_terms(masked)[:MAX_TERMS]
        words = list(dict.fromkeys(stem for term in terms if (stem := stem_of(term))))
        if not words:
            return None
        vector = np.round(model.encode_query(content_words(masked)) * 127).astype(np.int8).tobytes()
        shown = masked if len(masked) <= MAX_SHOWN_CHARACTERS else masked[: MAX_SHOWN_CHARACTERS - 1] + "…"
        key = masked.casefold()[:MAX_KEY_CHARACTERS]
        return AskedQuestion(key, shown, [zlib.crc32(word.encode()) for word in words], vector)

    return QuestionReader(model.identity, read)


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn from all of a project's log, and fit weights where that is due; return the exit status.

    Ends when its parent has ended.
    """
    parser = argparse.ArgumentParser(prog="scry.engine.activity.learning", description="Learns from a project's log.")
    parser.add_argument("--root", required=True, help="the project's folder")
    parser.add_argument("--set", default="{}", help="settings that a surface was told, as a JSON object")
    options = parser.parse_args(arguments)
    lower_priority(19)
    parent, end = os.getppid(), time.monotonic() + MAX_SECONDS
    try:
        project = open_project(Path(options.root), force=True)
        overrides = decode_json(os.fsencode(options.set), dict[str, object])
        settings = load_settings(project.root, os.environ, overrides)
    except (ScryError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    if settings.log and settings.learn:
        learn_from_log(project.data, until_done=True, go_on=lambda: os.getppid() == parent and time.monotonic() < end)
        if settings.learn_weights == "auto":
            from scry.engine.activity.weights import fit_if_due  # most have no use for it

            fit_if_due(project.data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
