"""Learn from the event log what was used for which questions; in the thread that writes the log, or by a command.

A question never waits for this, and asks only what is learnt already (`store.events.learnt`).
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np

from scry.core.errors import ScryError
from scry.core.memory.masking import mask_secrets
from scry.core.text import content_terms, search_text
from scry.embedding.static_model import content_words, load_bundled_model
from scry.engine.search.query import MAX_QUERY_CHARACTERS, parse_query
from scry.store.events.learnt import MAX_SHOWN_CHARACTERS, AskedQuestion, QuestionReader, learn_new_acts
from scry.store.events.log import now_ms
from scry.store.lexical import Stemmer

_MAX_STEPS = 1000

MAX_TERMS = 64
MAX_KEY_CHARACTERS = 500
"""Two longer questions are the same from here on."""

_log = logging.getLogger(__name__)


def learn_from_log(folder: Path, *, now: Callable[[], int] = now_ms, until_done: bool = False) -> None:
    """Bring what was learnt in a data folder up to date. Never fails: what can't be learnt now is learnt later.

    until_done: go on until everything is learnt; otherwise a long log is caught up with by later calls.
    """
    try:
        reader = _question_reader()
        for _ in range(_MAX_STEPS if until_done else 1):
            if learn_new_acts(folder, reader, now()):
                break
    except (ScryError, OSError):
        _log.warning("nothing could be learnt from the log in %s", folder, exc_info=True)


@lru_cache(maxsize=1)
def _question_reader() -> QuestionReader:
    model, stemmer = load_bundled_model(), Stemmer()

    def read(query: str) -> AskedQuestion | None:
        question = parse_query(query[:MAX_QUERY_CHARACTERS], {}, limit=1)
        masked = mask_secrets(" ".join(search_text(question).split())).text
        terms = content_terms(masked)[:MAX_TERMS]
        words = list(dict.fromkeys(stem for term in terms if (stem := stemmer.stem(term))))
        if not words:
            return None
        vector = np.round(model.encode_query(content_words(masked)) * 127).astype(np.int8).tobytes()
        shown = masked if len(masked) <= MAX_SHOWN_CHARACTERS else masked[: MAX_SHOWN_CHARACTERS - 1] + "…"
        key = masked.casefold()[:MAX_KEY_CHARACTERS]
        return AskedQuestion(key, shown, [zlib.crc32(word.encode()) for word in words], vector)

    return QuestionReader(model.identity, read)
