"""Keep what was used for which questions, derived from the event log, for the oracle of use (U1).

`learnt.sqlite` lies beside the log and follows from it alone: it is brought up to date after each act, and made anew
where it is missing, damaged, of another format or not of this log. Its size does not grow with the log: of the last
MAX_QUESTIONS questions with a use, at most MAX_PLACES places each, and of all uses of a place one decayed sum.

A use counts with the inverse of the probability that a person looks at its rank, the examination propensity of the
position-based click model (Joachims, Swaminathan, Schnabel: Unbiased Learning-to-Rank with Biased Feedback, WSDM 2017):

    weight = strength of the act * min(rank ** PROPENSITY_EXPONENT, MAX_RANK_WEIGHT)

so that a place that is shown first and opened, perhaps for no other reason, counts less than one found low. A use that
another place follows for the same question within BOUNCE_MS counts against its place.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from array import array
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.core.doc_id import split_off_project
from scry.core.errors import IndexUnavailable, LogUnavailable
from scry.core.events import USE
from scry.core.platform import user_id
from scry.store.events.log import LEARNT_FILE, EventReader
from scry.store.sqlite.database import (
    CacheSchema,
    create_cache_tables,
    describe_damage_error,
    is_same_file,
    open_database,
    open_shared_database,
    schema_version,
    transaction,
    truncate_wal,
    try_truncate_wal,
)
from scry.store.vectors import FloatRows

ACT_WEIGHTS = {"jump": 1.0, "open": 1.0, "copy": 1.0, "agent": 1.0, "inferred": 0.5, "detail": 0.25}
"""Strength of a use. To look at a result in full says little; that an editor's requests were a jump is a guess."""

RATING_WEIGHTS = {"good": 2.0, "bad": -2.0}
"""Strength of a rating, which needs no correction for its rank: the person has looked."""

PROPENSITY_EXPONENT = 0.5
"""The first rank is looked at three times as often as the ninth. Measured exponents lie between 0.5 and 1 (Joachims et
al. 2017, with 1 as their model); the lower one trusts a single low jump less, which may be a slip."""

MAX_RANK_WEIGHT = 1.5
"""Weights are clipped, as in the paper: one jump to a low rank must not decide alone. With 3, who clicks carelessly
down the list loses 0.006 in one repository."""

BOUNCE_MS = 60_000
BOUNCE_PENALTY = 1.5
"""A place that another one follows within BOUNCE_MS loses what it got and half as much again: it was not the answer.
The n-th place used so in a row counts 1 / n: who opens one after the other is looking, and the last need not be it."""

RETURN_EXPONENT = 5.0
RETURN_MEMORY = 0.99
PRIOR_JUMPS = 10.0
"""Who opens one result after the other says little with each: all uses count (1 - share of returns)^5. A return is a
jump that another follows for the same question within BOUNCE_MS, among about the last hundred. A single jump of a
person who returns from every third is below what matches; several for like questions are above."""

HALF_LIFE_DAYS = 30.0
"""A use of a month ago counts half: people move on to other work."""

MAX_QUESTIONS = 2000
MAX_PLACES = 20
MIN_KEPT_WEIGHT = 0.02
MAX_SHOWN_CHARACTERS = 120

_DAY_MS = 86_400_000
_HORIZON_MS = 180 * _DAY_MS
"""Older events are not read where a long log is learnt from anew: after six half-lives nothing is left of them."""

WINDOW_EVENTS = 20_000
"""Events that are looked through in one transaction; a log of a million is caught up with in steps."""

_SCHEMA = CacheSchema(
    3,
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

    -- Questions of which a result was used. key: their words, folded. words: crc32 of their stems, u32. vector: signed
    -- bytes; empty where it has none. used, place, weight: the last use, to see what follows it. row: how many places
    -- were used in a row, each within BOUNCE_MS of the one before.
    CREATE TABLE questions (
        number      INTEGER PRIMARY KEY,
        key         TEXT NOT NULL UNIQUE,
        shown       TEXT NOT NULL,
        words       BLOB NOT NULL,
        vector      BLOB NOT NULL,
        used        INTEGER NOT NULL,
        place       TEXT NOT NULL,
        weight      REAL NOT NULL,
        row         INTEGER NOT NULL
    );
    CREATE INDEX questions_by_use ON questions (used);

    -- The places used for them. weight: the sum of its uses, decayed to `used`. text: the fingerprint of its text then.
    CREATE TABLE places (
        question    INTEGER NOT NULL REFERENCES questions (number) ON DELETE CASCADE,
        doc_id      TEXT NOT NULL,
        weight      REAL NOT NULL,
        uses        INTEGER NOT NULL,
        used        INTEGER NOT NULL,
        how         TEXT NOT NULL,
        text        TEXT NOT NULL,
        PRIMARY KEY (question, doc_id)
    ) WITHOUT ROWID;
    """,
)


# Reading --------------------------------------------------------------------------------------------------------------


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


class _Profile(Struct, array_like=True):
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

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._open is not None:
                self._open[0].close()
                self._open = None

    def find_places(
        self, words: Sequence[int], vector: tuple[str, FloatRows] | None, rules: LikenessRules, now_ms: int
    ) -> list[UsedPlace]:
        """Return the places used for the questions most like this one. Raises IndexUnavailable.

        words: the crc32 of the question's stems. vector: the question's, with the identity of its embedder. Questions
        are alike by their words, common ones over all of both (Jaccard), or by their vectors where that is more.
        """
        try:
            rows = self._select("SELECT value FROM meta WHERE key = 'profile'")
            profile = msgspec.msgpack.decode(rows[0][0], type=_Profile) if rows else None
            if profile is None or not profile.numbers:
                return []
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
                flat: NDArray[np.int8] = np.frombuffer(profile.vectors, np.int8)
                vectors: NDArray[np.int8] = np.reshape(flat, (len(numbers), len(vector[1])))
                # Not `@`: its threads make a product this small wait for each other on a busy machine.
                cosines = np.einsum("ij,j->i", vectors.astype(np.float32), vector[1] / np.float32(127))
                likeness = np.maximum(likeness, (cosines - rules.cosine_floor) / (1 - rules.cosine_floor))
            likeness = np.round(likeness, 3)
            best = np.lexsort((numbers, -likeness))[: rules.max_questions]
            like = {int(numbers[at]): float(likeness[at]) for at in best.tolist() if likeness[at] >= rules.min_likeness}
            found = self._select(
                "SELECT p.question, p.doc_id, q.shown, p.weight, p.uses, p.used, p.how, p.text FROM places p "
                f"JOIN questions q ON q.number = p.question WHERE p.question IN ({', '.join('?' * len(like))})",
                list(like),
            )
        except IndexUnavailable as error:
            raise IndexUnavailable(str(error)) from None  # its cause would say that the index is damaged
        except (sqlite3.Error, OSError, msgspec.MsgspecError, ValueError) as error:
            raise IndexUnavailable(f"learnt uses can't be read ({error}); the next use makes them anew") from None
        places: list[UsedPlace] = []
        for number, doc_id, shown, weight, *others in found:
            age_days = max(0, now_ms - others[1]) / _DAY_MS
            evidence = like[number] ** 2 * weight * profile.trust * 0.5 ** (age_days / HALF_LIFE_DAYS)
            places.append(UsedPlace(doc_id, shown, evidence, *others))
        return places

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
    """How alike questions have to be. cosine_floor: the cosine that counts as no likeness; 1 counts as the same."""

    min_likeness: float
    cosine_floor: float
    max_questions: int


# Learning -------------------------------------------------------------------------------------------------------------


class AskedQuestion(Struct, frozen=True):
    """A question as it is learnt. key: equal for questions that are the same. shown: for a person, secrets masked.

    words: crc32 of its stems. vector: signed bytes; empty for none.
    """

    key: str
    shown: str
    words: Sequence[int]
    vector: bytes


class QuestionReader(Struct, frozen=True):
    """Reads logged questions. identity: of the embedder of their vectors. read: returns None for one without words."""

    identity: str
    read: Callable[[str], AskedQuestion | None]


def learn_new_acts(folder: Path, reader: QuestionReader, now_ms: int) -> bool:
    """Bring what was learnt in a data folder up to date by one window of events; return whether all are learnt.

    Raises LogUnavailable and OSError.
    """
    log = EventReader.open(folder)
    if log is None:
        return True
    path = folder / LEARNT_FILE
    with closing(log):
        if log.path.stat().st_uid != user_id():
            return True  # nobody learns from the log of another
        try:
            try:
                return _learn_into(path, log, reader, now_ms)
            except sqlite3.DatabaseError as error:
                if not describe_damage_error(error):
                    raise
                for end in ("", "-wal", "-shm"):  # it follows from the log
                    Path(f"{path}{end}").unlink(missing_ok=True)
                return _learn_into(path, log, reader, now_ms)
        except sqlite3.Error as error:
            raise LogUnavailable(f"what was learnt in {path} can't be written: {error}") from error


def _learn_into(path: Path, log: EventReader, reader: QuestionReader, now_ms: int) -> bool:
    with closing(open_shared_database(path, timeout=5.0, synchronous="OFF")) as database:
        create_cache_tables(database, _SCHEMA)
        database.execute("PRAGMA foreign_keys=ON")
        database.execute("PRAGMA secure_delete=ON")
        with transaction(database):
            learner = _Learner(database, reader, now_ms)
            return learner.learn_window(log)


def forget_learnt(folder: Path) -> bool:
    """Overwrite and remove everything that was learnt; return whether no journal holds any of it.

    What follows from the events that are left is learnt again with the next act. Raises LogUnavailable.
    """
    path = folder / LEARNT_FILE
    if not path.exists():
        return True
    try:
        with closing(open_shared_database(path, timeout=5.0, synchronous="FULL")) as database:
            database.execute("PRAGMA secure_delete=ON")
            for table in ("places", "questions", "meta"):
                database.execute(f"DELETE FROM {table}")
            database.execute("VACUUM")
            return truncate_wal(lambda: try_truncate_wal(database))
    except sqlite3.Error:  # damaged, or of another format
        with suppress(OSError):
            for end in ("", "-wal", "-shm"):
                Path(f"{path}{end}").unlink(missing_ok=True)
            return True
        raise LogUnavailable(f"{path} can't be removed") from None


class _LoggedAct(Struct, frozen=True):
    """A use or a rating of one result, with its question. how: the use, or the signal. text: as in UsedPlace."""

    kind: str
    time_ms: int
    doc_id: str
    rank: int
    how: str
    text: str
    query: str
    mode: str


class _Body(Struct):  # of a use, a rating or a question
    rank: int = 0
    result_used: str = ""
    how: str = ""
    text: str = ""
    signal: str = ""
    doc_id: str = ""
    mode: str = ""
    query: str = ""


def _read_act(kind: str, time_ms: object, body: bytes, query: bytes) -> _LoggedAct | None:
    """Return an act; None for one that can't be read: a damaged log costs what is damaged of it."""
    try:
        act, asked = msgspec.json.decode(body, type=_Body), msgspec.json.decode(query, type=_Body)
    except msgspec.MsgspecError:
        return None
    if not isinstance(time_ms, int):
        return None
    doc_id, how = act.result_used or act.doc_id, act.how or act.signal
    return _LoggedAct(kind, time_ms, doc_id, act.rank, how, act.text, asked.query, asked.mode)


class _Learner:
    """Learns from a log, inside a transaction."""

    def __init__(self, database: sqlite3.Connection, reader: QuestionReader, now_ms: int) -> None:
        self._db = database
        self._reader = reader
        self._read: dict[str, AskedQuestion | None] = {}
        self._now = now_ms
        self._jumps, self._returns = 0.0, 0.0

    def learn_window(self, log: EventReader) -> bool:
        """Learn from the next events; return whether they were the last."""
        meta = dict(self._db.execute("SELECT key, value FROM meta WHERE key != 'profile'"))
        if meta.get("identity") != self._reader.identity or log.stamp_of(meta.get("learnt_to", 0)) != meta.get("stamp"):
            for table in ("places", "questions", "meta"):
                self._db.execute(f"DELETE FROM {table}")
            meta = {"learnt_to": log.last_sequence_before(self._now - _HORIZON_MS)}
        self._jumps, self._returns = meta.get("jumps", 0.0), meta.get("returns", 0.0)
        start, last = int(meta["learnt_to"]), log.last_sequence()
        end = min(last, start + WINDOW_EVENTS)
        acts = [act for row in log.acts_between(start, end) if (act := _read_act(*row)) is not None]
        for act in acts:
            self._learn(act)
        if acts:
            self._prune()
        if acts or "profile" not in meta:
            self._write_profile()
        values = {"learnt_to": end, "stamp": log.stamp_of(end), "identity": self._reader.identity}
        values |= {"jumps": self._jumps, "returns": self._returns}
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())
        return end >= last

    def _learn(self, act: _LoggedAct) -> None:
        strength = _strength_of(act)
        doc_id = split_off_project(act.doc_id)[1]
        if not strength or not doc_id or act.mode not in ("find", "recent"):
            return
        if act.query not in self._read:
            self._read[act.query] = self._reader.read(act.query)
        asked = self._read[act.query]
        if asked is None:
            return
        time = max(0, min(act.time_ms, self._now))  # a clock that was ahead makes nothing last for ever
        row = self._db.execute(
            "SELECT number, used, place, weight, row FROM questions WHERE key = ?", (asked.key,)
        ).fetchone()
        if row is None:
            words = array("I", asked.words).tobytes()
            row = self._db.execute(
                "INSERT INTO questions (key, shown, words, vector, used, place, weight, row) "
                "VALUES (?, ?, ?, ?, 0, '', 0, 0) "
                "RETURNING number, used, place, weight, row",
                (asked.key, asked.shown, words, asked.vector),
            ).fetchone()
        number, used, place, weight, in_row = row
        counted, is_next = 1, False
        if act.kind == USE and place and 0 <= time - used <= BOUNCE_MS:
            if place == doc_id:  # the same act told twice
                strength, counted = max(0.0, strength / max(1, in_row) - weight), 0
            else:
                is_next = True
                strength /= in_row + 1
                self._db.execute(
                    "UPDATE places SET weight = weight - ? WHERE question = ? AND doc_id = ?",
                    (BOUNCE_PENALTY * weight, number, place),
                )
        self._add(number, doc_id, strength, counted, time, act)
        if act.kind == USE:
            if counted:
                self._jumps = self._jumps * RETURN_MEMORY + 1
                self._returns = self._returns * RETURN_MEMORY + is_next
            kept = strength if counted else weight + strength
            in_row = in_row + 1 if is_next else in_row if not counted else 1
            self._db.execute(
                "UPDATE questions SET used = ?, place = ?, weight = ?, row = ? WHERE number = ?",
                (time, doc_id, kept, in_row, number),
            )
        elif used < time:
            self._db.execute("UPDATE questions SET used = ? WHERE number = ?", (time, number))

    def _add(self, question: int, doc_id: str, strength: float, counted: int, time: int, act: _LoggedAct) -> None:
        sql = "SELECT weight, uses, used, text FROM places WHERE question = ? AND doc_id = ?"
        weight, uses, used, text = self._db.execute(sql, (question, doc_id)).fetchone() or (0.0, 0, time, "")
        latest = max(time, used)
        total = weight * decay(latest - used) + strength * decay(latest - time)
        self._db.execute(
            "INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?, ?, ?, ?)",
            (question, doc_id, total, uses + counted, latest, act.how, act.text or text),
        )

    def _prune(self) -> None:
        """Remove the oldest questions beyond MAX_QUESTIONS, and the least places of a question."""
        self._db.execute(
            "DELETE FROM questions WHERE number NOT IN (SELECT number FROM questions ORDER BY used DESC, number DESC "
            "LIMIT ?)",
            (MAX_QUESTIONS,),
        )
        self._db.execute(
            "DELETE FROM places WHERE (question, doc_id) IN (SELECT question, doc_id FROM (SELECT question, doc_id, "
            "row_number() OVER (PARTITION BY question ORDER BY abs(weight) DESC, used DESC, doc_id) AS place "
            "FROM places) WHERE place > ?) OR abs(weight) < ?",
            (MAX_PLACES, MIN_KEPT_WEIGHT),
        )

    def _write_profile(self) -> None:
        rows = self._db.execute("SELECT number, words, vector FROM questions ORDER BY number").fetchall()
        width = max((len(row[2]) for row in rows), default=0)
        profile = _Profile(
            self._reader.identity if width else "",
            np.array([row[0] for row in rows], "<i4").tobytes(),
            np.array([len(row[1]) // 4 for row in rows], "<i4").tobytes(),
            b"".join(row[1] for row in rows),
            b"".join(row[2] or bytes(width) for row in rows),
            (1 - self._returns / (self._jumps + PRIOR_JUMPS)) ** RETURN_EXPONENT,
        )
        self._db.execute("INSERT OR REPLACE INTO meta VALUES ('profile', ?)", (msgspec.msgpack.encode(profile),))


def decay(age_ms: float) -> float:
    """Return the share of a use's weight that is left after a time."""
    return 0.5 ** (max(0.0, age_ms) / (HALF_LIFE_DAYS * _DAY_MS))


def _strength_of(act: _LoggedAct) -> float:
    """Return the weight of an act, corrected for its rank; 0 for one that says nothing."""
    if act.kind != USE:
        return RATING_WEIGHTS.get(act.how, 0.0)
    return ACT_WEIGHTS.get(act.how, 0.0) * min(max(1, act.rank) ** PROPENSITY_EXPONENT, MAX_RANK_WEIGHT)
