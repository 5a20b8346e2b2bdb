"""Store the jumps that a person gives to the team, and count what several members opened for the same question.

A member inserts rows of their own, reads and deletes these, and no others; the owner of the schema reads all of them,
and counts them at the end of each run (`scry team index`). A place is counted only where MIN_MEMBERS members opened it
for that question, so that nobody learns what a single colleague asked; who sees its repository reads how many did.

    weight = Σ over members:  trust of the member * max over their jumps: weight of its rank * decay

as for the uses of a person (store.events.learner), but that a member counts once for a place, and that a jump which
another one follows for the same question within BOUNCE_MS does not count.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter

from msgspec import Struct

from scry.store.events.learner import BOUNCE_MS, HORIZON_DAYS, MAX_PLACES, trust_in_jumps, weigh_rank
from scry.store.events.learnt import DAY_MS, decay
from scry.store.team.database import TeamDatabase, decode_text, describing_failure, encode_text

MAX_QUESTION_CHARACTERS = 2000

_DIGEST_BYTES = 16

MIN_MEMBERS = 3
"""With two, each of them knows of the other; what three did tells nobody who the others are."""


class TeamJump(Struct, frozen=True):
    """A jump to a document of a team's repository. question: as it is given. act: tells the same jump given again."""

    repository: str
    doc_id: str
    rank: int
    question: str
    is_hashed: bool
    act: bytes = b""
    given_at: str = ""


def hash_question(question: str) -> str:
    """Return the hash of a question, alike for equal words in any case. Whoever guesses the question can verify it."""
    words = " ".join(question.casefold().split())
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()


def give_jumps(address: str, jumps: Sequence[TeamJump]) -> None:
    """Insert jumps; those to repositories that are hidden or gone, and those given before, are passed over.

    Raises IndexUnavailable.
    """
    sql = (
        "INSERT INTO jumps (act, repository_id, doc_id, rank, question, is_hashed) "
        "SELECT %s, id, %s, %s, %s, %s FROM repositories WHERE name = %s ON CONFLICT DO NOTHING"
    )
    with (
        TeamDatabase.open_for_giving(address) as database,
        describing_failure(),
        database.connection.transaction(),
    ):
        for jump in jumps:
            question = encode_text(jump.question[:MAX_QUESTION_CHARACTERS])
            values = (jump.act, encode_text(jump.doc_id), jump.rank, question, jump.is_hashed, jump.repository)
            database.connection.execute(sql, values)


def read_given_jumps(address: str) -> list[TeamJump]:
    """Return the jumps that this person gave, the newest first. Raises IndexUnavailable."""
    sql = (
        "SELECT r.name, j.doc_id, j.rank, j.question, j.is_hashed, j.act, "
        "to_char(j.given_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI\"Z\"') "
        "FROM jumps j JOIN repositories r ON r.id = j.repository_id WHERE j.role = session_user "
        "ORDER BY j.given_at DESC, j.act"
    )
    with TeamDatabase.open_for_reading(address) as database:
        return [
            TeamJump(name, decode_text(doc_id), rank, decode_text(question), is_hashed, act, at)
            for name, doc_id, rank, question, is_hashed, act, at in database.select(sql)
        ]


def take_back_jumps(address: str) -> int:
    """Delete all jumps that this person gave; return how many there were. Raises IndexUnavailable."""
    with TeamDatabase.open_for_giving(address) as database, describing_failure():
        return database.connection.execute("DELETE FROM jumps WHERE role = session_user").rowcount


# What several members opened ------------------------------------------------------------------------------------------


class SharedUse(Struct, frozen=True):
    """A place that members of the team opened for a question. weight: decayed to used_ms, the day of the last jump."""

    repository: str
    doc_id: str
    members: int
    weight: float
    used_ms: int


class _GivenJump(Struct, frozen=True):
    """A jump of a member. question: the hash of its words. place: repository and doc_id."""

    role: str
    question: str
    place: tuple[int, str]
    rank: int
    time_ms: int


def count_shared_uses(database: TeamDatabase) -> int:
    """Count the given jumps anew, and store the places that enough members opened; return how many there are.

    Call it as the owner. Raises IndexUnavailable.
    """
    sql = (
        "SELECT role, repository_id, doc_id, rank, question, is_hashed, "
        "(extract(epoch FROM given_at) * 1000)::bigint FROM jumps "
        "WHERE given_at > now() - make_interval(days => %s) AND given_at <= now()"
    )
    with describing_failure(), database.connection.transaction():
        jumps: list[_GivenJump] = []
        for role, repository, doc_id, rank, question, is_hashed, time_ms in database.select(sql, (HORIZON_DAYS,)):
            with suppress(UnicodeDecodeError):  # a member may insert anything
                text, place = decode_text(question), (repository, decode_text(doc_id))
                key = text if is_hashed else hash_question(text)
                if _is_hash(key):
                    jumps.append(_GivenJump(role, key, place, rank, time_ms))
        rows = _count_by_place(jumps)
        database.connection.execute("DELETE FROM shared_uses")
        with database.connection.cursor() as cursor:
            cursor.executemany("INSERT INTO shared_uses VALUES (%s, %s, %s, %s, %s, %s)", rows)
        database.connection.execute(
            "UPDATE repositories r SET shared_uses = c.count FROM (SELECT own.id, count(s.repository_id)::integer "
            "FROM repositories own LEFT JOIN shared_uses s ON s.repository_id = own.id GROUP BY own.id) c "
            "WHERE c.id = r.id AND r.shared_uses <> c.count"
        )
    return len(rows)


def read_shared_uses(database: TeamDatabase, question: str) -> list[SharedUse]:
    """Return what enough members opened for a question, in visible repositories. Raises IndexUnavailable."""
    sql = (
        "SELECT r.name, s.doc_id, s.members, s.weight, s.used - date '1970-01-01' FROM shared_uses s "
        "JOIN repositories r ON r.id = s.repository_id WHERE s.question = %s ORDER BY s.weight DESC, r.name, s.doc_id"
    )
    rows = database.select(sql, (hash_question(question),))
    return [
        SharedUse(name, decode_text(doc_id), members, weight, days * DAY_MS)
        for name, doc_id, members, weight, days in rows
    ]


# Counting -------------------------------------------------------------------------------------------------------------


class _Opened(Struct):
    """The jump of one member to a place for a question that weighs most by now."""

    weight: float
    time_ms: int


_Row = tuple[str, int, bytes, int, float, datetime.date]
"""A row of the table: question, repository, doc_id, members, weight and day of the last jump."""


def _count_by_place(jumps: Iterable[_GivenJump]) -> list[_Row]:
    """Return the rows of the table."""
    opened: dict[tuple[str, tuple[int, str]], list[_Opened]] = {}
    ordered = sorted(jumps, key=lambda jump: (jump.role, jump.question, jump.time_ms, jump.place))
    for _, of_member in groupby(ordered, key=lambda jump: jump.role):
        kept: list[_GivenJump] = []
        count = returns = 0
        for _, asked in groupby(of_member, key=lambda jump: jump.question):
            own = list(asked)
            left = [jump for jump, following in zip(own, [*own[1:], None], strict=True) if _is_kept(jump, following)]
            count, returns = count + len(own), returns + len(own) - len(left)
            kept += left
        trust = trust_in_jumps(count, returns)
        by_place: dict[tuple[str, tuple[int, str]], _Opened] = {}
        for jump in kept:
            weight = trust * weigh_rank(jump.rank)
            key = jump.question, jump.place
            before = by_place.get(key)
            if before is None or weight >= before.weight * decay(jump.time_ms - before.time_ms):
                by_place[key] = _Opened(weight, jump.time_ms)
        for key, one in by_place.items():
            opened.setdefault(key, []).append(one)
    shared = {key: each for key, each in opened.items() if len(each) >= MIN_MEMBERS}
    rows: list[_Row] = []
    for (question, (repository, doc_id)), each in shared.items():
        days = max(one.time_ms for one in each) // DAY_MS
        weight = sum(one.weight * decay(days * DAY_MS - one.time_ms) for one in each)
        day = datetime.date(1970, 1, 1) + datetime.timedelta(days=days)
        rows.append((question, repository, encode_text(doc_id), len(each), weight, day))
    return _best_of_questions(rows)


def _is_hash(question: str) -> bool:
    """Return whether a given question may be what `hash_question` returns."""
    return len(question) == 2 * _DIGEST_BYTES and question.isascii() and question.isalnum()


def _is_kept(jump: _GivenJump, following: _GivenJump | None) -> bool:
    """Return whether a member stayed with a place, or jumped to it once more."""
    if following is None or following.place == jump.place:
        return True
    return following.time_ms - jump.time_ms > BOUNCE_MS


def _best_of_questions(rows: Sequence[_Row]) -> list[_Row]:
    """Return the MAX_PLACES rows of each question with the most weight."""
    best: list[_Row] = []
    for _, own in groupby(sorted(rows, key=lambda row: (row[0], -row[4], row[1], row[2])), key=itemgetter(0)):
        best += list(own)[:MAX_PLACES]
    return best
