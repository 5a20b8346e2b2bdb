"""Every method of the wire: name, params, result, doc. A method cannot exist without its documentation."""

from __future__ import annotations

import msgspec

from scry_protocol import messages


class Method(msgspec.Struct, frozen=True):
    """A request from the client, or, where `result` is None, a notification from the sidecar."""

    name: str
    params: type[msgspec.Struct]
    result: type[msgspec.Struct] | None
    doc: str


METHODS: tuple[Method, ...] = (
    Method(
        "scry/find",
        messages.FindParams,
        messages.Answer,
        "Where is X? Symbols, sections and texts, best first, each with what found it.",
    ),
    Method(
        "scry/orient",
        messages.OrientParams,
        messages.Answer,
        "What matters here? Files of a folder by importers, centrality, entry points and activity, with a summary.",
    ),
    Method(
        "scry/recent",
        messages.RecentParams,
        messages.Answer,
        "What changed lately? Recent changes, or what was found for a query ranked by recency.",
    ),
    Method(
        "scry/neighbors",
        messages.NeighborsParams,
        messages.Answer,
        "What belongs to this file? Files that changed with it, or that it imports, calls, or is used by.",
    ),
    Method(
        "scry/why",
        messages.WhyParams,
        messages.Explanation,
        "Why did this come up, or why did it not? Every oracle's evidence, what moved it, and its place in each mode.",
    ),
    Method(
        "scry/detail",
        messages.DetailParams,
        messages.Detail,
        "One result of an earlier answer in full, with what it is tied to.",
    ),
    Method(
        "scry/use",
        messages.UseParams,
        messages.Recorded,
        "A result was used: jumped to, opened, copied. Kept in the person's own log.",
    ),
    Method(
        "scry/feedback",
        messages.FeedbackParams,
        messages.Recorded,
        "An answer was good or bad. Kept in the person's own log.",
    ),
    Method(
        "scry/observe",
        messages.ObserveParams,
        messages.Observed,
        "Something happened or was decided: a command, an error, a test, a decision. Kept in the project's memory.",
    ),
    Method(
        "scry/remember",
        messages.RememberParams,
        messages.PersonaNotes,
        "Keeps a note of the person, for all projects.",
    ),
    Method(
        "scry/persona",
        messages.PersonaParams,
        messages.PersonaNotes,
        "The person's notes: listed, searched or forgotten.",
    ),
    Method(
        "scry/believe",
        messages.BelieveParams,
        messages.Beliefs,
        "Writes a belief of the team to a file of the project, for review like code.",
    ),
    Method(
        "scry/beliefs",
        messages.BeliefsParams,
        messages.Beliefs,
        "The project's beliefs: all of them, one in full, or those that something speaks against.",
    ),
    Method(
        "scry/projects",
        messages.ProjectsParams,
        messages.Projects,
        "The projects that a question may name: the registered ones, and those that are open. Registers one, too.",
    ),
    Method(
        "scry/status",
        messages.StatusParams,
        messages.IndexState,
        "How fresh and complete the index of a folder is.",
    ),
    Method(
        "scry/index",
        messages.IndexParams,
        messages.IndexState,
        "Starts, pauses, resumes or rebuilds the index of a folder; answers with its state.",
    ),
    Method(
        "scry/statusChanged",
        messages.StatusChanged,
        None,
        "The state of a folder's index changed.",
    ),
)

OTHERS: tuple[type[msgspec.Struct], ...] = (messages.ErrorReport, messages.Health)
"""What no method carries, and programs get beside results: from the command line's `--json`, and over HTTP."""
