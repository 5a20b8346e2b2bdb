"""Values of the event log."""

from __future__ import annotations

from msgspec import Struct

QUERY = "scry.query"
USE = "scry.use"
FEEDBACK = "scry.feedback"
FORGET = "scry.forget"
COMPACT = "scry.compact"

RELEVANT_USES = ("jump", "open", "copy", "agent")
"""Uses that show a result to be relevant. Looking at its detail does not: it may turn out to be irrelevant. Nor does
an inferred use: nobody reported it.
"""


class LogEvent(Struct, frozen=True):
    """Something that happened.

    kind: one of the names above. time_ms: milliseconds since the epoch, by this machine's clock, which may be set back;
    the log orders by sequence. body: a JSON object, see docs/events.md. query_id: the answer that the event is about; a
    query is logged once. act_id: the id of a use; each is logged once.
    """

    kind: str
    time_ms: int
    body: str
    query_id: str | None = None
    act_id: str | None = None


class StoredEvent(Struct, frozen=True):
    """An event in the log with its sequence number, which is never used twice."""

    sequence: int
    event: LogEvent


class EventFilter(Struct, frozen=True):
    """A selection of events. Empty fields restrict nothing; an empty filter selects all.

    query_id: the query, and the events about it. since, until: milliseconds since the epoch; the end is not included.
    text: queries that hold it in their words or their results, and the events about them; the case of ASCII letters is
    ignored.
    """

    query_id: str | None = None
    since: int | None = None
    until: int | None = None
    text: str | None = None
