"""Keep how well each version answered a person's past questions, so that an upgrade that answers worse is told (L3).

`replays.json` lies beside the log. It holds no words: queries by their ids, and the rank of the best result that was
chosen of each. A *version* is all that ranking depends on beside the project: Scry, the model and the learnt weights.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from scry.core.decoding import decode_json
from scry.core.files import replace_file_text
from scry.store.events.log import EventReader

REPLAY_FILE = "replays.json"

MIN_CASES = 30
"""Fewer past questions do not tell a worse version from chance."""

MAX_RECORDS = 6
"""Versions that are kept, the newest."""

_FORMAT = 1


class AnsweringVersion(Struct, frozen=True):
    """The version that answers. scry: its number with the formats of the index.

    weights: a digest of learnt ones; empty for none.
    """

    scry: str
    model: str
    weights: str


class ReplayOutcome(Struct, frozen=True):
    """The comparison with the version before, over the questions that both answered.

    before, after: means of 1 / rank of the chosen results. earlier, later: how many were found earlier or later.
    is_worse: whether the 95 % interval of the difference excludes that it is no loss.
    """

    version: AnsweringVersion
    questions: int
    before: float
    after: float
    earlier: int
    later: int
    is_worse: bool


class ReplayRecord(Struct, frozen=True):
    """One version's answers to past questions.

    made_ms: when, since the epoch. ranks: by query_id, the rank of the best chosen result; 0 for not in the first ten.
    outcome: None for the first version.
    """

    version: AnsweringVersion
    made_ms: int
    ranks: dict[str, int]
    outcome: ReplayOutcome | None = None


class _ReplayFile(Struct, frozen=True):
    format: int
    records: list[ReplayRecord]


def read_replays(folder: Path) -> list[ReplayRecord]:
    """Return the records in a data folder, the oldest first; none where the file is missing or can't be read."""
    try:
        content = decode_json((folder / REPLAY_FILE).read_bytes(), _ReplayFile)
    except (OSError, msgspec.MsgspecError):
        return []
    return content.records if content.format == _FORMAT else []


def add_replay(folder: Path, record: ReplayRecord) -> None:
    """Add the record of a version, in place of an earlier one of it. Raises OSError."""
    others = [each for each in read_replays(folder) if each.version != record.version]
    _write(folder, [*others, record][-MAX_RECORDS:])


def _write(folder: Path, records: list[ReplayRecord]) -> None:
    replace_file_text(folder / REPLAY_FILE, msgspec.json.encode(_ReplayFile(_FORMAT, records)).decode())


def forget_replays(folder: Path, query_ids: Collection[str]) -> None:
    """Remove these queries from all records. Raises OSError."""
    records = read_replays(folder)
    if any(query_id in each.ranks for each in records for query_id in query_ids):
        kept = [{name: rank for name, rank in each.ranks.items() if name not in query_ids} for each in records]
        _write(folder, [replace(each, ranks=ranks) for each, ranks in zip(records, kept, strict=True)])


def find_replay(folder: Path, version: AnsweringVersion) -> ReplayRecord | None:
    """Return the record of a version; None where it was not replayed."""
    return next((each for each in read_replays(folder) if each.version == version), None)


_NEWEST_USES = """
    SELECT u.query_id, CAST(u.body AS BLOB), CAST(q.body AS BLOB) FROM events u
    JOIN events q ON q.query_id = u.query_id AND q.kind = 'scry.query'
    WHERE u.kind = 'scry.use' AND NOT EXISTS (
        SELECT 1 FROM events r
        WHERE r.query_id = u.query_id AND r.kind = 'scry.feedback' AND instr(r.body, '"signal":"bad"')
    )
    ORDER BY u.sequence DESC LIMIT {limit}
"""


def read_newest_uses(folder: Path, limit: int) -> list[tuple[str, bytes, bytes]]:
    """Return the newest uses in the log of a data folder, as the query's id, the body of the use and that of its query.

    Uses of answers that were rated bad are left out. Raises LogUnavailable, and BadRequest for a damaged log.
    """
    reader = EventReader.open(folder)
    if reader is None:
        return []
    with closing(reader):
        rows: Any = reader.run_select(_NEWEST_USES.format(limit=limit)).rows
    return [(str(query_id), use, query) for query_id, use, query in rows]


def has_uses(folder: Path, count: int) -> bool:
    """Return whether so many uses are logged, without reading the events. Raises as `read_newest_uses` does."""
    reader = EventReader.open(folder)
    if reader is None:
        return False
    with closing(reader):
        sql = f"SELECT count(*) FROM (SELECT 1 FROM events WHERE act_id IS NOT NULL LIMIT {count})"
        return reader.run_select(sql).rows[0][0] == count


def digest_weights(path: Path) -> str:
    """Return a digest of the learnt weights in a file; empty where none rank. path: of `weights.json`."""
    try:
        weights = decode_json(path.read_bytes(), dict[str, object])
    except (OSError, msgspec.MsgspecError):
        return ""
    if weights.get("is_on") is not True:
        return ""
    ranking = msgspec.json.encode([weights.get("oracles"), weights.get("adjustments")], order="sorted")
    return hashlib.blake2b(ranking, digest_size=8).hexdigest()
