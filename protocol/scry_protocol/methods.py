"""Every method of the wire: name, params, result, doc. A method cannot exist without its documentation."""

from __future__ import annotations

import msgspec

from scry_protocol import messages


class Method(msgspec.Struct, frozen=True):
    """A request of the client, or, where `result` is None, a notification of the sidecar."""

    name: str
    params: type[msgspec.Struct]
    result: type[msgspec.Struct] | None
    doc: str


METHODS: tuple[Method, ...] = (
    Method(
        "scry/find",
        messages.FindParams,
        messages.Answer,
        "Searches: returns the symbols, sections and texts that match a query, best first, each with its evidence.",
    ),
    Method(
        "scry/orient",
        messages.OrientParams,
        messages.Answer,
        "Shows what matters in a folder: its files, ranked by importers, centrality, entry points and activity.",
    ),
    Method(
        "scry/recent",
        messages.RecentParams,
        messages.Answer,
        "Shows recent changes, or the results of a query ranked by recency.",
    ),
    Method(
        "scry/neighbors",
        messages.NeighborsParams,
        messages.Answer,
        "Shows the files that changed together with a file, or that it imports, calls or is used by.",
    ),
    Method(
        "scry/why",
        messages.WhyParams,
        messages.Explanation,
        "Explains a document's rank or absence: every oracle's evidence, the adjustments, and its rank in each mode.",
    ),
    Method(
        "scry/detail",
        messages.DetailParams,
        messages.Detail,
        "Returns one result of an earlier answer in full, with its neighbours in the code graph and the history.",
    ),
    Method(
        "scry/teamFile",
        messages.TeamFileParams,
        messages.TeamFile,
        "Returns the text of a file of the joined team's index, by the URI of a result's location.",
    ),
    Method(
        "scry/use",
        messages.UseParams,
        messages.Recorded,
        "Records in the person's own log that a result was used: jumped to, opened or copied.",
    ),
    Method(
        "scry/feedback",
        messages.FeedbackParams,
        messages.Recorded,
        "Records in the person's own log that an answer was good or bad.",
    ),
    Method(
        "scry/observe",
        messages.ObserveParams,
        messages.Observed,
        "Records an event of work in the project's memory: a command, an error, a test, a decision.",
    ),
    Method(
        "scry/memory",
        messages.MemoryParams,
        messages.Memories,
        "Lists, searches or deletes memories of the project.",
    ),
    Method(
        "scry/session",
        messages.SessionParams,
        messages.Sessions,
        "Lists the sessions of work, and begins or ends one.",
    ),
    Method(
        "scry/remember",
        messages.RememberParams,
        messages.PersonaNotes,
        "Stores a note of the person, for all projects.",
    ),
    Method(
        "scry/persona",
        messages.PersonaParams,
        messages.PersonaNotes,
        "Lists, searches or deletes the person's notes.",
    ),
    Method(
        "scry/believe",
        messages.BelieveParams,
        messages.Beliefs,
        "Writes a belief of the team to a file of the project, to be reviewed like code.",
    ),
    Method(
        "scry/beliefs",
        messages.BeliefsParams,
        messages.Beliefs,
        "Returns the project's beliefs: all of them, one in full, or those with evidence against them.",
    ),
    Method(
        "scry/projects",
        messages.ProjectsParams,
        messages.Projects,
        "Lists the projects that a query may name, registered or open; also registers one.",
    ),
    Method(
        "scry/status",
        messages.StatusParams,
        messages.IndexState,
        "Returns how fresh and complete the index of a folder is.",
    ),
    Method(
        "scry/index",
        messages.IndexParams,
        messages.IndexState,
        "Starts, pauses, resumes or rebuilds the index of a folder; returns its state.",
    ),
    Method(
        "scry/statusChanged",
        messages.StatusChanged,
        None,
        "Announces that the state of a folder's index changed.",
    ),
)

OTHERS: tuple[type[msgspec.Struct], ...] = (messages.ErrorReport, messages.Health)
"""Structs that no method carries, and that programs get beside results: from the command line's `--json`, and over
HTTP.
"""
