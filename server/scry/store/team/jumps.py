"""Store the jumps that a person gives to the team: which document they opened for which question.

A member inserts rows of their own, reads and deletes these, and no others; the owner of the schema reads all of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from msgspec import Struct

from scry.store.team.database import TeamDatabase, decode_text, describing_failure, encode_text

MAX_QUESTION_CHARACTERS = 2000


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
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


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
        "FROM jumps j JOIN repositories r ON r.id = j.repository_id WHERE j.role = current_user "
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
        return database.connection.execute("DELETE FROM jumps WHERE role = current_user").rowcount
