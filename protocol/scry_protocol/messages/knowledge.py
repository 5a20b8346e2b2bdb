"""Knowledge that is written and looked through by itself: the person's notes and the project's beliefs."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from scry_protocol.messages.base import Location, Params, Result


class RememberParams(Params, frozen=True):
    """A note of the person, kept across all projects.

    text: what to remember; at most 10,000 characters.
    domains: what it is about, in words of the person's own; as the note that it supersedes when empty.
    supersedes: doc_id of the note that it takes the place of; that one is never found again.
    folder: URI of the open folder that it is told in; any when absent.
    """

    text: str
    domains: list[str] = []
    supersedes: str | None = None
    folder: str | None = None


class PersonaParams(Params, frozen=True):
    """The person's notes, looked through or thinned out.

    action: list (the newest first), search (the nearest first) or forget (for good, in every file).
    query: the words to search for.
    doc_id: the note to forget.
    domains: only notes about one of these; all when empty.
    folder: URI of the open folder that it is asked in; any when absent.
    """

    action: Literal["list", "search", "forget"]
    query: str = ""
    doc_id: str | None = None
    domains: list[str] = []
    folder: str | None = None


class PersonaNote(Result, frozen=True):
    """One note of the person.

    doc_id: its name, `persona:direct:` and when it was told.
    text: what it says; empty for one that was forgotten.
    timestamp: when it was told, in UTC.
    domains: what it is about.
    source: how it came to be: direct, which is by the person.
    superseded: doc_id of the note whose place it took; absent for none.
    """

    doc_id: str
    text: str
    timestamp: str
    domains: list[str]
    source: str
    superseded: str | UnsetType = UNSET


class PersonaNotes(Result, frozen=True):
    """Notes of the person.

    notes: those that were asked for, or the one that was told or forgotten.
    note: words for a person, empty when there is nothing to say.
    """

    notes: list[PersonaNote]
    note: str = ""


class BelieveParams(Params, frozen=True):
    """A belief to be written to a file of its own, `.scry/beliefs/<id>.md`, for the team to review.

    statement: what is believed, in a sentence.
    evidence: what shows it: FILE:LINE, FILE, the doc_id of a symbol, commit:SHA or session:ID.
    entrenchment: how firmly it is held: tentative, low, medium, high, core, or a number from 0 to 1.
    id: its name; made of the statement's words when absent.
    supports: ids of beliefs that it supports.
    attacks: ids of beliefs that it contradicts.
    domains: what it is about.
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
    """The project's beliefs, looked through.

    action: list (all, also retracted ones), show (one) or check (those that something speaks against).
    id: of the belief to show, with or without `belief:` in front.
    folder: URI of the open folder that they belong to; the first one when absent.
    """

    action: Literal["list", "show", "check"]
    id: str | None = None
    folder: str | None = None


class Bearing(Result, frozen=True):
    """That a belief bears on something.

    doc_id: the file, commit or note that it bears on; of a file's beliefs, the belief.
    score: how much, from 0 to 1; what is cited counts 1.
    reason: why, in words for a person.
    statement: the belief's, where doc_id is a belief; empty otherwise.
    """

    doc_id: str
    score: float
    reason: str
    statement: str = ""


class BeliefImpact(Result, frozen=True):
    """What beliefs have to do with a result.

    beliefs: those that bear on its file, the most first.
    reaches: what it bears on, where it is a belief, the most first.
    warnings: what speaks against relying on it, where it is a belief.
    """

    beliefs: list[Bearing] = []
    reaches: list[Bearing] = []
    warnings: list[str] = []


class Belief(Result, frozen=True):
    """A belief of the project.

    doc_id: its name, `belief:<id>`.
    statement: what is believed.
    status: active, doubted or retracted.
    path: its file, from the project's folder.
    evidence: what it cites, as written.
    supports: doc_ids of beliefs that it supports.
    attacks: doc_ids of beliefs that it contradicts.
    domains: what it is about.
    impact: what it bears on, and what speaks against it.
    entrenchment: how firmly it is held, from 0 to 1; absent where that is not said.
    timestamp: when it was last stated, in UTC; absent where that is not said.
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
    """What is wrong with a file of `.scry`.

    path: the file, from the project's folder.
    problem: what is wrong and in which line, in words for a person.
    """

    path: str
    problem: str


class Beliefs(Result, frozen=True):
    """Beliefs of a project.

    beliefs: those that were asked for, or the one that was written, by doc_id.
    problems: files that are no beliefs, and what is wrong with them; with check only.
    note: words for a person, empty when there is nothing to say.
    """

    beliefs: list[Belief]
    problems: list[BeliefProblem] = []
    note: str = ""
