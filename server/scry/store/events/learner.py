"""Learn from the event log what was used for which questions (U1); `store.events.learnt` reads it.

`learnt.sqlite` lies beside the log and follows from it alone: it is brought up to date after each act, and made anew
where it is missing, damaged, of another format or not of this log. Its size does not grow with the log: of the last
MAX_QUESTIONS questions with a use, at most MAX_PLACES places each, and of all uses of a place one decayed sum.

A use counts with the inverse of the probability that a person looks at its rank, the examination propensity of the
position-based click model (Joachims, Swaminathan, Schnabel: Unbiased Learning-to-Rank with Biased Feedback, WSDM 2017):

    weight = strength of the act * min(rank ** PROPENSITY_EXPONENT, MAX_RANK_WEIGHT)

so that a place that is shown first and opened, perhaps for no other reason, counts less than one found low. A use that
another place follows for the same question within BOUNCE_MS counts against its place.

How much all uses of a person count is measured on the log itself, by predicting before observing: each answer in which
the oracle of use took part predicted what would be opened, and its event says so. *Agreement* is the share of these
predictions that came true beyond what the ranks alone explain (Cohen's kappa: A coefficient of agreement for nominal
scales, Educational and Psychological Measurement 20, 1960).
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct

from scry.core.decoding import decode_json
from scry.core.doc_id import add_project, move_into_folder, split_off_project, split_off_repository
from scry.core.errors import IndexUnavailable, LogUnavailable
from scry.core.events import USE
from scry.core.platform import user_id
from scry.store.events.learnt import DAY_MS, Profile, decay
from scry.store.events.log import LEARNT_FILE, EventReader
from scry.store.sqlite.database import (
    CacheSchema,
    create_cache_tables,
    describe_damage_error,
    open_database,
    open_shared_database,
    transaction,
    truncate_wal,
    try_truncate_wal,
)

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

RETURN_EXPONENT = 3.0
RETURN_MEMORY = 0.99
PRIOR_JUMPS = 10.0
"""Who opens one result after the other says little with each: all uses count (1 - share of returns)^3. A return is a
jump that another follows for the same question within BOUNCE_MS, among about the last hundred. A single jump to the
first result of a person who returns from two of five is below what matches; several for like questions are above."""

CHANCE_EXPONENT = 1.0
"""Of the ranks, in the chance that a use agrees with the oracle: the largest exponent measured, so that nothing that
the ranks may explain is taken for agreement. Where the first of ten results matched, it is 0.34."""

PRIOR_AGREEMENT = 2.0
"""Agreement is 1 until uses say otherwise: so many predictions that came true are counted in before the first. With 5,
who clicks carelessly loses 0.006 in one repository."""

MAX_QUESTIONS = 2000
MAX_PLACES = 20
MIN_KEPT_WEIGHT = 0.02
MAX_SHOWN_CHARACTERS = 120

HORIZON_DAYS = 180
"""Older events are not read where a long log is learnt from anew: after six half-lives nothing is left of them."""

WINDOW_EVENTS = 20_000
"""Events that are looked through in one transaction; a log of a million is caught up with in steps."""

ACT_WINDOW_EVENTS = 500
"""Events that are looked through after an act, in a few ms; with more to learn, an idle indexer has them learnt."""

EVENTS_BETWEEN_FITS = 500
"""With the setting `learn_weights = auto` weights are fitted anew whenever the log has so many more events."""

_SCHEMA = CacheSchema(
    6,
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

    -- The places used for them. doc_id: of a file from the top of the repository on, whose projects share one log; with
    -- its repository before it for a place of a team. weight: the sum of its
    -- uses, decayed to `used`. text: the fingerprint of its text then.
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


def learn_new_acts(folder: Path, reader: QuestionReader, now_ms: int, window: int = WINDOW_EVENTS) -> bool:
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
                return _learn_into(path, log, reader, now_ms, window)
            except sqlite3.DatabaseError as error:
                if not describe_damage_error(error):
                    raise
                for end in ("", "-wal", "-shm"):  # it follows from the log
                    Path(f"{path}{end}").unlink(missing_ok=True)
                return _learn_into(path, log, reader, now_ms, window)
        except sqlite3.Error as error:
            raise LogUnavailable(f"what was learnt in {path} can't be written: {error}") from error


def _learn_into(path: Path, log: EventReader, reader: QuestionReader, now_ms: int, window: int) -> bool:
    with closing(open_shared_database(path, timeout=5.0, synchronous="OFF")) as database:
        create_cache_tables(database, _SCHEMA)
        database.execute("PRAGMA foreign_keys=ON")
        database.execute("PRAGMA secure_delete=ON")
        with transaction(database):
            learner = _Learner(database, reader, now_ms)
            return learner.learn_window(log, window)


class LearningProgress(Struct, frozen=True):
    """How far a log was learnt from. last, learnt, fitted: numbers of its last event, and of those of either kind."""

    last: int
    learnt: int
    fitted: int

    def has_work(self, *, fits_weights: bool) -> bool:
        """Return whether there is more to do than follows an act. fits_weights: whether weights are fitted unasked."""
        is_fit_due = fits_weights and self.last - self.fitted >= EVENTS_BETWEEN_FITS
        return is_fit_due or self.last - self.learnt > ACT_WINDOW_EVENTS


def read_progress(folder: Path) -> LearningProgress:
    """Return how far the log of a data folder was learnt from; 0 where that can't be read. Raises LogUnavailable."""
    log = EventReader.open(folder)
    if log is None:
        return LearningProgress(0, 0, 0)
    with closing(log):
        last = log.last_sequence()
    path, values = folder / LEARNT_FILE, dict[str, int]()
    if not path.exists():
        return LearningProgress(last, 0, 0)
    with suppress(sqlite3.Error, IndexUnavailable), closing(open_database(path, write=False)) as database:
        values = dict(database.execute("SELECT key, value FROM meta WHERE key IN ('learnt_to', 'fitted_to')"))
    return LearningProgress(last, values.get("learnt_to", 0), values.get("fitted_to", 0))


def note_fit(folder: Path, sequence: int) -> None:
    """Note that weights were fitted to the events up to this one. Raises LogUnavailable."""
    try:
        with closing(open_shared_database(folder / LEARNT_FILE, timeout=5.0, synchronous="OFF")) as database:
            create_cache_tables(database, _SCHEMA)
            database.execute("INSERT OR REPLACE INTO meta VALUES ('fitted_to', ?)", (sequence,))
    except sqlite3.Error as error:
        raise LogUnavailable(f"a fit can't be noted in {folder / LEARNT_FILE}: {error}") from error


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
    """A use or a rating of one result, with its question. how: the use, or the signal. doc_id, text: as in UsedPlace.

    agreed, possible: by how much it agrees with the oracle of use beyond chance, and the most by which it could.
    """

    kind: str
    time_ms: int
    doc_id: str
    rank: int
    how: str
    text: str
    query: str
    mode: str
    agreed: float
    possible: float


class _Contributions(Struct, frozen=True):
    use: object = None


class _Result(Struct, frozen=True):
    doc_id: str = ""
    contributions: _Contributions = _Contributions()


class _Body(Struct):  # of a use, a rating or a question
    rank: int = 0
    result_used: str = ""
    how: str = ""
    text: str = ""
    team: bool = False
    elsewhere: bool = False
    folder: str = ""
    signal: str = ""
    doc_id: str = ""
    mode: str = ""
    query: str = ""
    results: list[_Result] = []


def _read_act(kind: str, time_ms: object, body: bytes, query: bytes) -> _LoggedAct | None:
    """Return an act; None for one that can't be read: a damaged log costs what is damaged of it."""
    try:
        act, asked = decode_json(body, _Body), decode_json(query, _Body)
    except msgspec.MsgspecError:
        return None
    if not isinstance(time_ms, int):
        return None
    doc_id, how = act.result_used or act.doc_id, act.how or act.signal
    agreed, possible = _agreement_of(doc_id, asked.results) if ACT_WEIGHTS.get(how) == 1.0 else (0.0, 0.0)
    if act.elsewhere:
        return None  # of another project, whose document of this doc_id is another one
    own_id = split_off_project(doc_id)[1]
    place = add_project(*split_off_repository(doc_id)) if act.team else move_into_folder(own_id, act.folder)
    return _LoggedAct(kind, time_ms, place, act.rank, how, act.text, asked.query, asked.mode, agreed, possible)


def _agreement_of(doc_id: str, results: Sequence[_Result]) -> tuple[float, float]:
    """Return by how much a use agrees with the oracle of use beyond chance, and the most by which it could.

    Chance is the share that the matches of the oracle have of all results, each weighed by the probability that a
    person looks at its rank.
    """
    looked_at = [(each, rank**-CHANCE_EXPONENT) for rank, each in enumerate(results, 1)]
    matched = {each.doc_id: looks for each, looks in looked_at if each.contributions.use is not None}
    if not matched:
        return 0.0, 0.0
    chance = sum(matched.values()) / sum([looks for _, looks in looked_at])
    return (doc_id in matched) - chance, 1.0 - chance


class _Learner:
    """Learns from a log, inside a transaction."""

    def __init__(self, database: sqlite3.Connection, reader: QuestionReader, now_ms: int) -> None:
        self._db = database
        self._reader = reader
        self._read: dict[str, AskedQuestion | None] = {}
        self._now = now_ms
        self._jumps, self._returns = 0.0, 0.0
        self._agreed, self._possible = 0.0, 0.0

    def learn_window(self, log: EventReader, size: int) -> bool:
        """Learn from the next events; return whether they were the last."""
        meta = dict(self._db.execute("SELECT key, value FROM meta WHERE key != 'profile'"))
        if meta.get("identity") != self._reader.identity or log.stamp_of(meta.get("learnt_to", 0)) != meta.get("stamp"):
            for table in ("places", "questions", "meta"):
                self._db.execute(f"DELETE FROM {table}")
            meta = {"learnt_to": log.last_sequence_before(self._now - HORIZON_DAYS * DAY_MS)}
        self._jumps, self._returns = meta.get("jumps", 0.0), meta.get("returns", 0.0)
        self._agreed, self._possible = meta.get("agreed", 0.0), meta.get("possible", 0.0)
        start, last = int(meta["learnt_to"]), log.last_sequence()
        end = min(last, start + size)
        acts = [act for row in log.acts_between(start, end) if (act := _read_act(*row)) is not None]
        for act in acts:
            self._learn(act)
        if acts:
            self._prune()
        if acts or "profile" not in meta:
            self._write_profile()
        values = {"learnt_to": end, "stamp": log.stamp_of(end), "identity": self._reader.identity}
        values |= {"jumps": self._jumps, "returns": self._returns}
        values |= {"agreed": self._agreed, "possible": self._possible}
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())
        return end >= last

    def _learn(self, act: _LoggedAct) -> None:
        strength = _strength_of(act)
        doc_id = act.doc_id
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
                memory = RETURN_MEMORY ** (act.possible > 0)
                self._agreed, self._possible = (
                    self._agreed * memory + act.agreed,
                    self._possible * memory + act.possible,
                )
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
        agreement = max(0.0, (self._agreed + PRIOR_AGREEMENT) / (self._possible + PRIOR_AGREEMENT))
        profile = Profile(
            self._reader.identity if width else "",
            np.array([row[0] for row in rows], "<i4").tobytes(),
            np.array([len(row[1]) // 4 for row in rows], "<i4").tobytes(),
            b"".join(row[1] for row in rows),
            b"".join(row[2] or bytes(width) for row in rows),
            trust_in_jumps(self._jumps, self._returns) * agreement,
        )
        self._db.execute("INSERT OR REPLACE INTO meta VALUES ('profile', ?)", (msgspec.msgpack.encode(profile),))


def _strength_of(act: _LoggedAct) -> float:
    """Return the weight of an act, corrected for its rank; 0 for one that says nothing."""
    if act.kind != USE:
        return RATING_WEIGHTS.get(act.how, 0.0)
    return ACT_WEIGHTS.get(act.how, 0.0) * weigh_rank(act.rank)


def weigh_rank(rank: int) -> float:
    """Return the weight of a use at a rank: the inverse of the probability that a person looks at it, clipped."""
    return min(max(1, rank) ** PROPENSITY_EXPONENT, MAX_RANK_WEIGHT)


def trust_in_jumps(jumps: float, returns: float) -> float:
    """Return how much each jump of a person counts, of whose jumps so many were returns."""
    return (1 - returns / (jumps + PRIOR_JUMPS)) ** RETURN_EXPONENT
