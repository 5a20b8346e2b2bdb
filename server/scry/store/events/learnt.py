"""Read what was used for which questions, for the oracle of use (U1); `store.events.learner` learns it from the log.

`learnt.sqlite` lies beside the log. A question reads one value for all questions that were learnt, and the places of
the few that are like it; the size of neither grows with the log.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.errors import IndexUnavailable
from scry.core.platform import user_id
from scry.store.sqlite.database import is_same_file, open_database, schema_version
from scry.store.vectors import FloatRows

HALF_LIFE_DAYS = 30.0
"""A use of a month ago counts half: people move on to other work."""

DAY_MS = 86_400_000


class UsedPlace(Struct, frozen=True, gc=False):
    """A place that was used for a question like the one asked.

    evidence: the weight of all its uses, decayed to now, times the squared likeness of the two questions. used_ms: when
    the last was. how: the last act. text: the fingerprint of the place's text then; empty for unknown.
    """

    doc_id: str
    question: str
    evidence: float
    uses: int
    used_ms: int
    how: str
    text: str


class Profile(Struct, array_like=True):
    """All questions in one value, so that one read gives them. vectors: rows of signed bytes; of zeros for none.

    trust: by which all weights are multiplied, for the share of the person's returns.
    """

    identity: str
    numbers: bytes
    word_counts: bytes
    words: bytes
    vectors: bytes
    trust: float


class LearntUses:
    """The used places of a project, for reading. Every method may be called from any thread."""

    def __init__(self, path: Path) -> None:
        """Open nothing yet."""
        self._path = path
        self._lock = threading.Lock()
        self._open: tuple[sqlite3.Connection, os.stat_result] | None = None
        self._read: tuple[object, object, Profile, NDArray[np.float32]] | None = None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._open is not None:
                self._open[0].close()
                self._open = None

    def find_places(
        self, words: Sequence[int], vector: tuple[str, FloatRows] | None, rules: LikenessRules, now_ms: int
    ) -> list[UsedPlace]:
        """Return the places used for the questions most like this one, by evidence. Raises IndexUnavailable.

        words: the crc32 of the question's stems. vector: the question's, with the identity of its embedder. Questions
        are alike by their words, common ones over all of both (Jaccard), or by their vectors where that is more.
        """
        try:
            opened, known = self._open, self._read
            version = self._select("PRAGMA data_version")  # changes for this connection when another one writes
            if known is None or known[0] is not opened or known[1] != version:
                rows = self._select("SELECT value FROM meta WHERE key = 'profile'")
                profile = msgspec.msgpack.decode(rows[0][0], type=Profile) if rows else None
                if profile is None or not profile.numbers:
                    return []
                flat: NDArray[np.int8] = np.frombuffer(profile.vectors, np.int8)
                vectors: NDArray[np.float32] = np.reshape(flat, (len(profile.numbers) // 4, -1)).astype(np.float32)
                known = self._read = opened, version, profile, vectors
            _, _, profile, vectors = known
            numbers, counts = np.frombuffer(profile.numbers, "<i4"), np.frombuffer(profile.word_counts, "<i4")
            every = np.frombuffer(profile.words, "<u4")
            common, totals = np.zeros(len(every), np.int64), np.zeros(len(every) + 1, np.int64)
            for word in words:
                common += every == word
            np.cumsum(common, out=totals[1:])
            ends = np.cumsum(counts)
            shared = totals[ends] - totals[ends - counts]
            likeness = shared / np.maximum(1, counts + len(words) - shared)
            if vector is not None and vector[0] == profile.identity:
                # Not `@`: its threads make a product this small wait for each other on a busy machine.
                cosines = np.einsum("ij,j->i", vectors, vector[1] / np.float32(127))
                likeness = np.maximum(likeness, (cosines - rules.cosine_floor) / (1 - rules.cosine_floor))
            likeness = np.round(likeness, 3)
            best = np.lexsort((numbers, -likeness))[: rules.max_questions]
            best = best[likeness[best] >= rules.min_likeness]
            like = dict(zip(numbers[best].tolist(), likeness[best].tolist(), strict=True))
            found = self._select(
                "SELECT p.question, p.doc_id, q.shown, p.weight, p.uses, p.used, p.how, p.text FROM places p "
                f"JOIN questions q ON q.number = p.question WHERE p.question IN ({', '.join('?' * len(like))})",
                list(like),
            )
        except IndexUnavailable as error:
            raise IndexUnavailable(str(error)) from None  # its cause would say that the index is damaged
        except (sqlite3.Error, OSError, msgspec.MsgspecError, ValueError) as error:
            raise IndexUnavailable(f"learnt uses can't be read ({error}); the next use makes them anew") from None
        places: dict[tuple[float, str, int], UsedPlace] = {}
        for number, doc_id, shown, weight, *others in found:
            age_days = max(0, now_ms - others[1]) / DAY_MS
            evidence = like[number] ** 2 * weight * profile.trust * 0.5 ** (age_days / HALF_LIFE_DAYS)
            places[-abs(evidence), doc_id, number] = UsedPlace(doc_id, shown, evidence, *others)
        return list(map(places.__getitem__, sorted(places)[: rules.max_places]))

    def count(self) -> tuple[int, int]:
        """Return the number of questions, and of places used for them. Raises IndexUnavailable."""
        try:
            sql = "SELECT (SELECT count(*) FROM questions), (SELECT count(*) FROM places WHERE weight > 0)"
            return next(iter(self._select(sql) if self._path.exists() else []), (0, 0))
        except (sqlite3.Error, OSError) as error:
            raise IndexUnavailable(f"learnt uses can't be read: {error}") from None

    def _select(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        with self._lock:
            if self._open is not None and not is_same_file(self._path, self._open[1]):
                self._open[0].close()
                self._open = None
            if self._open is None:
                status = self._path.stat()
                if status.st_uid != user_id():
                    raise IndexUnavailable(f"{self._path} belongs to another user, and nothing is learnt from it")
                connection = open_database(self._path, write=False)
                if not schema_version(connection):  # another process is just making it
                    connection.close()
                    return []
                self._open = connection, status
            return self._open[0].execute(sql, values).fetchall()


class LikenessRules(Struct, frozen=True):
    """How alike questions have to be, and how many places one may have.

    cosine_floor: the cosine that counts as no likeness; 1 counts as the same.
    """

    min_likeness: float
    cosine_floor: float
    max_questions: int
    max_places: int


def decay(age_ms: float) -> float:
    """Return the share of a use's weight that is left after a time."""
    return 0.5 ** (max(0.0, age_ms) / (HALF_LIFE_DAYS * DAY_MS))
