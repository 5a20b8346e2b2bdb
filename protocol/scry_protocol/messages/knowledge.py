"""The person's notes and the project's beliefs: requests to write and to read them."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from scry_protocol.messages.base import Location, Params, Result


class RememberParams(Params, frozen=True):
    """A note of the person to store, for all projects; one with the text and domains of a current note is that note.

    text: the text of the note; at most 10,000 characters.
    domains: its domains, in the person's own words; those of the superseded note when empty.
    supersedes: doc_id of the note that it replaces, which is then no longer found.
    folder: URI of the open folder that it is sent from; any when absent.
    """

    text: str
    domains: list[str] = []
    supersedes: str | None = None
    folder: str | None = None


class PersonaParams(Params, frozen=True):
    """A request to list, search or delete the person's notes.

    action: list (newest first), search (best match first) or forget (delete for good, from every file).
    query: the words to search for.
    doc_id: the note to delete.
    domains: only notes with one of these domains; all when empty.
    folder: URI of the open folder that it is sent from; any when absent.
    """

    action: Literal["list", "search", "forget"]
    query: str = ""
    doc_id: str | None = None
    domains: list[str] = []
    folder: str | None = None


class PersonaNote(Result, frozen=True):
    """One note of the person.

    doc_id: its id, `persona:direct:` and its time.
    text: its text; empty for a deleted note.
    timestamp: when it was stored, in UTC.
    domains: its domains.
    source: its origin: direct, which is by the person.
    superseded: doc_id of the note that it replaced; absent for none.
    """

    doc_id: str
    text: str
    timestamp: str
    domains: list[str]
    source: str
    superseded: str | UnsetType = UNSET


class PersonaNotes(Result, frozen=True):
    """Notes of the person.

    notes: the requested notes, or the one that was stored or deleted.
    note: words for a person; empty when there is nothing to say.
    """

    notes: list[PersonaNote]
    note: str = ""


class BelieveParams(Params, frozen=True):
    """A belief to write to a file of its own, `.scry/beliefs/<id>.md`, for the team to review.

    statement: the belief, in a sentence.
    evidence: its evidence: FILE:LINE, FILE, the doc_id of a symbol, commit:SHA or session:ID.
    entrenchment: how firmly it is held: tentative, low, medium, high, core, or a number from 0 to 1.
    id: its id; made of the statement's words when absent.
    supports: ids of beliefs that it supports.
    attacks: ids of beliefs that it contradicts.
    domains: its domains.
    folder: URI of the open folder that it belongs to; the first one when absent.
    """

    statement: str
    evidence: list[str] = []
    entrenchment: str = "medium"
    id: str | None = None
    supports: list[str] = []
    attacks: list[str] = []
    domains: list[str] = []
    folder: str | None = None


class BeliefsParams(Params, frozen=True):
    """A request for the project's beliefs.

    action: list (all, also retracted ones), show (one), check (those with evidence against them) or rename (give one
        another id, in its file and in the beliefs that name it).
    id: id of the belief to show or rename, with or without `belief:` before it.
    new_id: the new id; made of the statement's words when absent.
    folder: URI of the open folder that they belong to; the first one when absent.
    """

    action: Literal["list", "show", "check", "rename"]
    id: str | None = None
    new_id: str | None = None
    folder: str | None = None


class Bearing(Result, frozen=True):
    """The relevance of a belief to a file, commit or note.

    doc_id: the file, commit or note; of a file's beliefs, the belief.
    score: the relevance, from 0 to 1; cited evidence has 1.
    reason: the reason, in words for a person.
    statement: the belief's, where doc_id is a belief; empty otherwise.
    """

    doc_id: str
    score: float
    reason: str
    statement: str = ""


class BeliefImpact(Result, frozen=True):
    """The beliefs that are relevant to a result.

    beliefs: beliefs relevant to its file, the most relevant first.
    reaches: of a belief, the files, commits and notes that it covers, the most relevant first.
    warnings: of a belief, the reasons not to rely on it.
    """

    beliefs: list[Bearing] = []
    reaches: list[Bearing] = []
    warnings: list[str] = []


class Belief(Result, frozen=True):
    """A belief of the project.

    doc_id: its id, `belief:<id>`.
    statement: the belief, in a sentence.
    status: active, doubted or retracted.
    path: its file, relative to the project's folder.
    evidence: its citations, as written.
    supports: doc_ids of beliefs that it supports.
    attacks: doc_ids of beliefs that it contradicts.
    domains: its domains.
    impact: its coverage, and the reasons not to rely on it.
    entrenchment: how firmly it is held, from 0 to 1; absent where its file does not say.
    timestamp: when it was last stated, in UTC; absent where its file does not say.
    location: where it is stated.
    """

    doc_id: str
    statement: str
    status: str
    path: str
    evidence: list[str]
    supports: list[str]
    attacks: list[str]
    domains: list[str]
    impact: BeliefImpact
    entrenchment: float | UnsetType = UNSET
    timestamp: str | UnsetType = UNSET
    location: Location | UnsetType = UNSET


class BeliefProblem(Result, frozen=True):
    """A problem in a file of `.scry`.

    path: the file, relative to the project's folder.
    problem: the problem and its line, in words for a person.
    """

    path: str
    problem: str


class Beliefs(Result, frozen=True):
    """Beliefs of a project.

    beliefs: the requested beliefs, or the one that was written, by doc_id.
    problems: files that are no valid beliefs, with the reason; with check only.
    note: words for a person; empty when there is nothing to say.
    """

    beliefs: list[Belief]
    problems: list[BeliefProblem] = []
    note: str = ""
