"""Summarize the event log: questions and uses a day, ranks of chosen results, shares of oracles, files (U3).

SQLite counts; only what is shown leaves it. One pass reads the questions of the period into a temporary table of
numbers in memory, some 60 bytes each and at most MAX_QUESTIONS, so that time and memory are bounded however large the
log is. Rows that are damaged or were written by something else are passed over.

A *chosen* result is one that a person or an agent went to: a jump, an opening, a copy, an agent's use. To look at a
result in full is not a choice, nor is a use that was only inferred from an editor's requests.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from scry.core.doc_id import parse_doc_id, split_off_project
from scry.core.errors import LogUnavailable
from scry.core.events import RELEVANT_USES
from scry.core.memory.masking import mask_secrets
from scry.store.events.log import EventReader, explain_log_error

MAX_QUESTIONS = 1_000_000
"""Questions that are counted, the newest of the period."""

MAX_JUDGED = 20_000
"""Chosen results whose oracles are compared, the newest: the votes of each are read from the log."""

MAX_LISTED = 12
"""Questions and files in a list."""

AGAIN_MS = 60_000
"""A question within this time after another one of the same asker is the first one in other words."""

MAX_QUERY_CHARACTERS = 200
"""Characters of a question in a list."""

FIRST_TEN = 10

_DAY_MS = 86_400_000


class DayCount(Struct, frozen=True):
    """A day. day: in the local zone, YYYY-MM-DD."""

    day: str
    questions: int
    chosen: int


class ModeRanks(Struct, frozen=True):
    """Ranks of chosen results in the answers of a mode.

    first, first_three, first_ten: how many stood there. mean_reciprocal: the mean of 1 / rank.
    """

    mode: str
    questions: int
    chosen: int
    first: int
    first_three: int
    first_ten: int
    mean_reciprocal: float


class OracleShare(Struct, frozen=True):
    """An oracle's part in the answers of which a result was chosen.

    found: chosen results that it found. first_ten: those that it ranked among its first ten. alone: those that no other
    oracle found. shown: results of these answers, chosen or not, that it ranked among its first ten.
    """

    oracle: str
    found: int
    first_ten: int
    alone: int
    shown: int


class ListedQuestion(Struct, frozen=True):
    """A question of a list. times: how often. then: the next question, where the list is about one."""

    query: str
    times: int
    then: str = ""


class FileAnswers(Struct, frozen=True):
    """A file, how many results of it were chosen, and for how many different questions."""

    path: str
    chosen: int
    questions: int


class UseEffect(Struct, frozen=True):
    """The part of the oracle of use, of the chosen results that were judged.

    voted: those that it voted for. mean_rank, mean_rank_others: the mean ranks of these and of the others; None for
    none.
    """

    judged: int
    voted: int
    mean_rank: float | None
    mean_rank_others: float | None


class Insights(Struct, frozen=True):
    """A summary of a period of the log.

    since_ms: its start. events: number of all events in the log. questions: those of the period. chosen: results
    chosen. used: questions of which a result was. empty: those that found nothing. again: those that were asked again
    within a minute without a choice between. good, bad: ratings. is_cut: whether older questions of the period were
    left out, for there are more than MAX_QUESTIONS. days: those with a question or a choice. ranks: by rank from 1 to
    10, how many chosen results stood there; the last number is of all later ranks. modes: most questions first.
    in_vain: questions that found nothing. asked_again: pairs. returning: questions of more than one day.
    """

    since_ms: int
    events: int
    questions: int
    chosen: int
    used: int
    empty: int
    again: int
    good: int
    bad: int
    is_cut: bool
    days: Sequence[DayCount]
    ranks: Sequence[int]
    modes: Sequence[ModeRanks]
    oracles: Sequence[OracleShare]
    in_vain: Sequence[ListedQuestion]
    asked_again: Sequence[ListedQuestion]
    returning: Sequence[ListedQuestion]
    files: Sequence[FileAnswers]
    learning: UseEffect


def read_insights(folder: Path, since_ms: int) -> Insights | None:
    """Summarize the log in a data folder from a time on; None where nothing was logged yet. Raises LogUnavailable."""
    reader = EventReader.open(folder)
    if reader is None:
        return None
    with closing(reader):
        database = reader.make_scratch()
        try:
            for name, arity, function in _FUNCTIONS:
                database.create_function(name, arity, function, deterministic=True)
            database.executescript(_TABLES)
            values = {"since": since_ms, "most": MAX_QUESTIONS, "judged": MAX_JUDGED}
            for statement in (_FILL_ASKED, _FILL_CHOSEN, _FILL_AGAIN, _FILL_VOTES):
                database.execute(statement, values)
            return _Summary(database, since_ms).read()
        except (sqlite3.Error, OverflowError) as error:
            raise LogUnavailable(explain_log_error(error, reader.path)) from error


def _digest(query: bytes | None) -> int:
    """Return a number that tells questions apart, whatever their blanks are. SQLite gives bytes: not all are text."""
    return zlib.crc32(b" ".join((query or b"").split()))


def _path_of(doc_id: bytes | None) -> str | None:
    """Return the file of a document, with its project's name before it; None for a document that is no file."""
    project, plain = split_off_project((doc_id or b"").decode("utf-8", "replace"))
    if not plain.startswith("./"):
        return None
    with suppress(ValueError):
        path = parse_doc_id(plain).path
        return f"{project}:{path}" if project else path
    return None


_FUNCTIONS = (("digest", 1, _digest), ("path_of", 1, _path_of))

_TABLES = """
    CREATE TEMP TABLE asked (
        sequence INTEGER PRIMARY KEY, time INTEGER, mode TEXT, words INTEGER, asker INTEGER, results INTEGER
    );
    CREATE TEMP TABLE chosen (
        sequence INTEGER PRIMARY KEY, time INTEGER, question INTEGER, rank INTEGER, doc_id TEXT
    );
    CREATE INDEX temp.chosen_by_question ON chosen (question, rank);
    CREATE TEMP TABLE again (sequence INTEGER PRIMARY KEY, next INTEGER);
    CREATE TEMP TABLE votes (question INTEGER, rank INTEGER, oracle TEXT, oracle_rank INTEGER, is_chosen INTEGER);
"""

_FILL_ASKED = """
    INSERT INTO asked
    SELECT sequence, time, CAST(json_extract(body, '$.mode') AS TEXT),
        digest(CAST(json_extract(body, '$.query') AS BLOB)),
        digest(CAST(json_extract(body, '$.asker') AS BLOB)),
        coalesce(json_extract(body, '$.compacted'), json_array_length(body, '$.results'), 0)
    FROM events
    WHERE kind = 'scry.query' AND time >= :since AND typeof(time) = 'integer' AND CASE WHEN json_valid(body) THEN
        json_type(body, '$.query') = 'text' AND json_type(body, '$.mode') = 'text' END
    ORDER BY sequence DESC LIMIT :most
"""

_CHOSEN_HOW = ", ".join(f"'{how}'" for how in RELEVANT_USES)

_FILL_CHOSEN = f"""
    INSERT INTO chosen
    SELECT u.sequence, u.time, q.sequence, json_extract(u.body, '$.rank'),
        CAST(json_extract(u.body, '$.result_used') AS TEXT)
    FROM events u
    JOIN events q ON q.query_id = u.query_id AND q.kind = 'scry.query'
    JOIN asked ON asked.sequence = q.sequence
    WHERE u.kind = 'scry.use' AND typeof(u.time) = 'integer' AND CASE WHEN json_valid(u.body) THEN
        json_extract(u.body, '$.how') IN ({_CHOSEN_HOW}) AND json_type(u.body, '$.rank') = 'integer'
        AND json_extract(u.body, '$.rank') > 0 END
"""

_FILL_AGAIN = f"""
    INSERT INTO again
    SELECT sequence, next FROM (
        SELECT sequence, words, time,
            lead(sequence) OVER later AS next, lead(words) OVER later AS next_words, lead(time) OVER later AS next_time
        FROM asked WHERE mode IN ('find', 'recent') AND words <> {_digest(b"")}
        WINDOW later AS (PARTITION BY asker ORDER BY sequence)
    )
    WHERE next_time - time BETWEEN 0 AND {AGAIN_MS} AND words <> next_words
        AND sequence NOT IN (SELECT question FROM chosen)
"""

_FILL_VOTES = """
    INSERT INTO votes
    SELECT q.sequence, r.key + 1, v.key, json_extract(v.value, '$.rank'),
        EXISTS (SELECT 1 FROM chosen c WHERE c.question = q.sequence AND c.rank = r.key + 1)
    FROM (SELECT DISTINCT question FROM chosen ORDER BY question DESC LIMIT :judged) used
    JOIN events q ON q.sequence = used.question,
        json_each(q.body, '$.results') r,
        json_each(CASE WHEN r.type = 'object' THEN r.value ELSE '{}' END, '$.contributions') v
    WHERE v.type = 'object' AND typeof(json_extract(v.value, '$.rank')) = 'integer'
"""


class _Summary:
    """Reads the summary from the temporary tables."""

    def __init__(self, database: sqlite3.Connection, since_ms: int) -> None:
        self._database = database
        self._since_ms = since_ms

    def read(self) -> Insights:
        """Return the summary."""
        [(questions, empty)] = self._rows("SELECT count(*), coalesce(sum(results = 0), 0) FROM asked")
        [(chosen, used)] = self._rows("SELECT count(*), count(DISTINCT question) FROM chosen")
        good, bad = self._ratings()
        return Insights(
            since_ms=self._since_ms,
            events=self._one("SELECT count(*) FROM events"),
            questions=questions,
            chosen=chosen,
            used=used,
            empty=empty,
            again=self._one("SELECT count(*) FROM again"),
            good=good,
            bad=bad,
            is_cut=questions >= MAX_QUESTIONS,
            days=[DayCount(*row) for row in self._rows(_DAYS)],
            ranks=self._rank_counts(),
            modes=[ModeRanks(*row) for row in self._rows(_MODES)],
            oracles=[OracleShare(*row) for row in self._rows(_ORACLES)],
            in_vain=self._questions("WHERE results = 0", "1"),
            asked_again=self._pairs(),
            returning=self._questions("", "days > 1 AND times > 2"),
            files=[FileAnswers(*row) for row in self._rows(_FILES)],
            learning=self._use_effect(),
        )

    def _rank_counts(self) -> list[int]:
        counts = [0] * (FIRST_TEN + 1)
        for rank, count in self._rows(
            f"SELECT min(rank, {FIRST_TEN + 1}) AS shown, count(*) FROM chosen GROUP BY shown"
        ):
            counts[rank - 1] = count
        return counts

    def _ratings(self) -> tuple[int, int]:
        sql = (
            "SELECT sum(signal = 'good'), sum(signal = 'bad') FROM (SELECT CASE WHEN json_valid(body) THEN "
            "json_extract(body, '$.signal') END AS signal FROM events WHERE kind = 'scry.feedback' AND time >= ?)"
        )
        good, bad = self._database.execute(sql, (self._since_ms,)).fetchone()
        return good or 0, bad or 0

    def _questions(self, condition: str, wanted: str) -> list[ListedQuestion]:
        """Return the most frequent questions that fulfil a condition. wanted: another one, on their days and times."""
        sql = f"""
            SELECT last, times FROM (
                SELECT max(sequence) AS last, count(*) AS times, count(DISTINCT time / {_DAY_MS}) AS days
                FROM asked {condition or "WHERE 1"} AND words <> {_digest(b"")} GROUP BY words
            ) WHERE {wanted} ORDER BY times DESC, last DESC LIMIT {MAX_LISTED}
        """
        return [ListedQuestion(self._words_of(last), times) for last, times in self._rows(sql)]

    def _pairs(self) -> list[ListedQuestion]:
        sql = f"""
            SELECT max(again.sequence), max(again.next), count(*) AS times
            FROM again JOIN asked first ON first.sequence = again.sequence JOIN asked next ON next.sequence = again.next
            GROUP BY first.words, next.words ORDER BY times DESC, 1 DESC LIMIT {MAX_LISTED}
        """
        return [
            ListedQuestion(self._words_of(first), times, self._words_of(then)) for first, then, times in self._rows(sql)
        ]

    def _words_of(self, sequence: int) -> str:
        sql = "SELECT json_extract(body, '$.query') FROM events WHERE sequence = ?"
        return mask_secrets(str(self._database.execute(sql, (sequence,)).fetchone()[0])).text[:MAX_QUERY_CHARACTERS]

    def _use_effect(self) -> UseEffect:
        [(judged, voted, mean_voted, mean_others)] = self._rows(_USE)
        return UseEffect(judged, voted or 0, mean_voted, mean_others)

    def _one(self, sql: str) -> int:
        return self._database.execute(sql).fetchone()[0]

    def _rows(self, sql: str) -> list[Any]:
        return self._database.execute(sql).fetchall()


_DAYS = """
    SELECT day, sum(questions), sum(chosen) FROM (
        SELECT date(time / 1000, 'unixepoch', 'localtime') AS day, count(*) AS questions, 0 AS chosen
        FROM asked GROUP BY day
        UNION ALL
        SELECT date(time / 1000, 'unixepoch', 'localtime') AS day, 0, count(*) FROM chosen GROUP BY day
    ) WHERE day IS NOT NULL GROUP BY day ORDER BY day
"""

_MODES = f"""
    SELECT mode, sum(questions), sum(chosen), sum(first), sum(three), sum(ten), coalesce(sum(parts) / sum(chosen), 0.0)
    FROM (
        SELECT mode, count(*) AS questions, 0 AS chosen, 0 AS first, 0 AS three, 0 AS ten, 0.0 AS parts
        FROM asked GROUP BY mode
        UNION ALL
        SELECT asked.mode, 0, count(*), sum(rank = 1), sum(rank <= 3), sum(rank <= {FIRST_TEN}), sum(1.0 / rank)
        FROM chosen JOIN asked ON asked.sequence = chosen.question GROUP BY asked.mode
    ) GROUP BY mode ORDER BY 2 DESC, mode LIMIT {MAX_LISTED}
"""

_ORACLES = f"""
    SELECT oracle, sum(is_chosen), sum(is_chosen AND oracle_rank <= {FIRST_TEN}), sum(is_chosen AND voters = 1),
        sum(oracle_rank <= {FIRST_TEN})
    FROM (SELECT *, count(*) OVER (PARTITION BY question, rank) AS voters FROM votes)
    GROUP BY oracle ORDER BY 3 DESC, oracle LIMIT {MAX_LISTED}
"""

_FILES = f"""
    SELECT path, sum(times), count(DISTINCT words) FROM (
        SELECT path_of(CAST(doc_id AS BLOB)) AS path, words, times FROM (
            SELECT doc_id, asked.words AS words, count(*) AS times
            FROM chosen JOIN asked ON asked.sequence = chosen.question GROUP BY doc_id, asked.words
        )
    ) WHERE path IS NOT NULL GROUP BY path ORDER BY 2 DESC, path LIMIT {MAX_LISTED}
"""

_USE = """
    SELECT count(*), sum(is_voted), avg(CASE WHEN is_voted THEN rank END), avg(CASE WHEN NOT is_voted THEN rank END)
    FROM (SELECT question, rank, max(oracle = 'use') AS is_voted FROM votes WHERE is_chosen GROUP BY question, rank)
"""
