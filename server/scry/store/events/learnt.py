"""Read what was learnt from the log, for the questions that rank by it: uses (U1) and weights (U2).

`learnt.sqlite` beside the log holds what was used for which questions; `store.events.learner` learns it, and the oracle
of use asks for it. A question reads one value for all questions that were learnt, and the places of the few that are
like it; the size of neither grows with the log.

`weights.json` beside the log holds the weights that were learnt from jumps; `engine.activity.weights` fits them. A
learnt weight is a factor of an oracle's weight, or an exponent of an adjustment's factor, near 1. The defaults rank
where there is no such file, where it is switched off or can't be read, and

- questions that are an exact name, and those for memory or a commit: what comes first there is promised (F8, M5);
- answers of several projects, whose scores have to compare.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from scry.core.decoding import decode_json, decode_msgpack
from scry.core.doc_id import move_out_of_folder
from scry.core.errors import IndexUnavailable
from scry.core.platform import user_id
from scry.core.text import is_single_term
from scry.core.types import SearchQuery
from scry.store.sqlite.database import is_same_file, open_database, schema_version
from scry.store.vectors import FloatRows

HALF_LIFE_DAYS = 30.0
"""A use of a month ago counts half: people move on to other work."""

DAY_MS = 86_400_000


class UsedPlace(Struct, frozen=True, gc=False):
    """A place that was used for a question like the one asked.

    doc_id: as in the reader's project; with the name of its repository before it for a place of a team. evidence: the
    weight of all its uses, decayed to now, times the squared likeness of the two questions. used_ms: when the last was.
    how: the last act.
    text: the fingerprint of the place's text then; empty for unknown.
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

    trust: by which all weights are multiplied, for the share of the person's returns, and how often later uses agree.
    """

    identity: str
    numbers: bytes
    word_counts: bytes
    words: bytes
    vectors: bytes
    trust: float


class LearntUses:
    """The used places of a project, for reading. Every method may be called from any thread."""

    def __init__(self, path: Path, folder: str = "") -> None:
        """Open nothing yet. folder: of the project in its repository; empty for the whole."""
        self._path = path
        self._folder = folder
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
        are alike by their words, common ones over all of both (Jaccard), or by their vectors where that is more. A word
        in the place of another counts once more, for it asks about another thing; one that is left out does not.
        """
        try:
            opened, known = self._open, self._read
            version = self._select("PRAGMA data_version")  # changes for this connection when another one writes
            if known is None or known[0] is not opened or known[1] != version:
                rows = self._select("SELECT value FROM meta WHERE key = 'profile'")
                profile = decode_msgpack(rows[0][0], Profile) if rows else None
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
            replaced = np.minimum(counts, len(words)) - shared
            likeness = shared / np.maximum(1, counts + len(words) - shared + replaced)
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
            own_id = move_out_of_folder(doc_id, self._folder)
            if own_id is not None:
                places[-abs(evidence), own_id, number] = UsedPlace(own_id, shown, evidence, *others)
        return list(map(places.__getitem__, sorted(places)[: rules.max_places]))

    def count(self) -> tuple[int, int]:
        """Return the number of questions, and of places used for them. Raises IndexUnavailable."""
        try:
            sql = "SELECT (SELECT count(*) FROM questions), (SELECT count(*) FROM places WHERE weight > 0)"
            return next(iter(self._select(sql) if self._path.exists() else []), (0, 0))
        except (sqlite3.Error, OSError) as error:
            raise IndexUnavailable(f"learnt uses can't be read: {error}") from None

    def read_trust(self) -> float:
        """Return by how much the weights of all uses are multiplied; 1 while nothing says less.

        Raises IndexUnavailable.
        """
        try:
            rows = self._select("SELECT value FROM meta WHERE key = 'profile'") if self._path.exists() else []
            return decode_msgpack(rows[0][0], Profile).trust if rows else 1.0
        except (sqlite3.Error, OSError, msgspec.MsgspecError) as error:
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


# Weights --------------------------------------------------------------------------------------------------------------

WEIGHTS_FORMAT = 2

ORACLE_BOUNDS = (0.5, 2.0)
EXPONENT_BOUNDS = (0.5, 1.5)
"""Learnt weights stay within these: a few hundred jumps say which way, and not that an oracle is worthless."""

LEAST_EXPONENTS: Mapping[str, float] = {"definition": 1.0}
"""Where the name of a symbol is asked for, its definition comes first whatever was learnt (F8)."""

WEIGHED_ADJUSTMENTS = (
    *("definition", "path_words", "past_changes", "tested", "test_path", "documentation_path", "vendored_path"),
    *("generated_path", "example_path", "superseded_path", "platform_path", "declaration_path"),
    *("file_words", "file_bm25", "file_meaning", "area", "identifiers", "used", "commit"),
)
"""The adjustments that are weighed. `place` and `repeat` depend on the other documents of the file, which an event does
not hold, `prefix` on what is being typed, and `ranks` on the weights of the oracles."""


class HeldBackGain(Struct, frozen=True):
    """The gain over the defaults on jumps that the weights were not fitted to: of NDCG@10, with its 95 % interval.

    before: with the defaults.
    """

    before: float
    gain: float
    low: float
    high: float


class LearntWeights(Struct, frozen=True):
    """Weights that were fitted to jumps, and on how many.

    is_on: whether answers are ranked by them. fitted_ms: when, since the epoch. oracles: factors of their weights.
    adjustments: exponents of their factors.
    """

    format: int
    is_on: bool
    fitted_ms: int
    jumps: int
    oracles: dict[str, float]
    adjustments: dict[str, float]
    held_back: HeldBackGain

    def apply_to(self, question: SearchQuery) -> SearchQuery:
        """Return the question with these weights; as it is where the defaults rank."""
        memory_weight = question.weights.get("memory", 0.0)
        if is_single_term(question) or question.asks_for_commits or memory_weight > MAX_WEIGHED_MEMORY:
            return question
        weights = dict(question.weights)
        for name in weights:
            weights[name] *= self.oracles.get(name, 1.0)
        return replace(question, weights=weights, strengths=self.adjustments, use_factor=self.oracles.get("use", 1.0))


MAX_WEIGHED_MEMORY = 10.0
"""A query with a higher weight of memory asks for memory alone (search.query.MEMORY_QUESTION_FACTOR)."""


class WeightsFile:
    """The weights of a project, read again where the file has changed. Safe to share between threads.

    trouble: why the file can't be used, in words for a person; empty where it can.
    """

    def __init__(self, path: Path) -> None:
        """Read nothing yet."""
        self._path = path
        self._known: tuple[tuple[int, int, int], LearntWeights | None, str] | None = None
        self.trouble = ""

    def read(self) -> LearntWeights | None:
        """Return the weights, switched on or off; None where there are none, or none that can be used."""
        try:
            status = self._path.stat()
        except OSError:
            self.trouble = ""
            return None
        stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
        known = self._known
        if known is None or known[0] != stamp:
            weights, trouble = None, ""
            try:
                if status.st_uid != user_id():
                    raise ValueError("it belongs to another user")
                read = decode_json(self._path.read_bytes(), LearntWeights)
                if read.format != WEIGHTS_FORMAT:
                    raise ValueError(f"it has format {read.format}, not {WEIGHTS_FORMAT}")
                for values, (least, most) in ((read.oracles, ORACLE_BOUNDS), (read.adjustments, EXPONENT_BOUNDS)):
                    for name, value in values.items():
                        if not max(least, LEAST_EXPONENTS.get(name, least)) <= value <= most:
                            raise ValueError(f"{name} is {value:g}, not from {least:g} to {most:g}")
                if not read.adjustments or not read.adjustments.keys() <= frozenset(WEIGHED_ADJUSTMENTS):
                    raise ValueError("its adjustments are not those that are weighed")
                weights = read
            except (OSError, ValueError) as error:  # what msgspec raises is a ValueError
                trouble = str(error)
            known = self._known = stamp, weights, trouble
        self.trouble = known[2]
        return known[1]

    def write(self, weights: LearntWeights) -> None:
        """Replace the file as a whole. Raises OSError."""
        from scry.core.files import replace_file_text

        replace_file_text(self._path, msgspec.json.format(msgspec.json.encode(weights), indent=1).decode() + "\n")

    def remove(self) -> bool:
        """Remove the file; return whether there was one. Raises OSError."""
        existed = self._path.exists()
        self._path.unlink(missing_ok=True)
        return existed
