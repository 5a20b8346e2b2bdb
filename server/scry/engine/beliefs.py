"""What is to be said of beliefs beside their text: what they bear on, and what speaks against relying on them (K3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from scry.core.doc_id import file_id, parse_doc_id
from scry.core.errors import IndexUnavailable
from scry.core.evidence import Evidence, parse_evidence
from scry.core.notes import ACTIVE, Note
from scry.core.types import Answer, Hit
from scry.engine.words import duration
from scry.store.history_reader import HistoryReader
from scry.store.index_store import IndexStore
from scry.store.knowledge_file import KnowledgeFile, Reached

OLD_S = 365 * 86_400
"""A belief that nothing has supported for a year is said to be old."""


class _Around(Struct, frozen=True):
    """What some beliefs are judged by beside their own words, read for all of them at once.

    related: by doc_id, what says that it supports or attacks it. others: the beliefs that are named in that, and those
    that are attacked. places: the files of each. changed: when each file was last committed.
    """

    related: Mapping[str, Sequence[tuple[str, str]]]
    others: Mapping[str, Note]
    places: Mapping[str, Sequence[str]]
    changed: Mapping[str, int]

    def active(self, kind: str, note: Note) -> list[Note]:
        """The active beliefs that say of themselves that they support it, or attack it."""
        named = [self.others.get(doc_id) for said, doc_id in self.related[note.doc_id] if said == kind]
        return [other for other in named if other is not None and other.status == ACTIVE]


class BeliefScene(Struct, frozen=True):
    """What beliefs are judged by, as of one moment. now: in seconds since the epoch."""

    file: KnowledgeFile
    store: IndexStore | None
    history: HistoryReader | None
    now: float

    def warnings(self, doc_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """What speaks against relying on each of these beliefs, in words."""
        notes = self.file.notes_of(doc_ids)
        around = self._around(list(notes.values()))
        return {doc_id: tuple(self._warnings(note, around)) for doc_id, note in notes.items()}

    def files(self, doc_ids: Sequence[str]) -> dict[str, list[Reached]]:
        """The files that each belief bears on and that are there, the most first."""
        reached = self.file.reach_of(doc_ids)
        return {doc_id: [r for r in found if self._is_there(r.target)] for doc_id, found in reached.items()}

    def reach(self, doc_id: str) -> list[Reached]:
        """All that a belief bears on and that is there: files, commits and notes, the most first."""
        found = self.file.reach_of([doc_id]).get(doc_id, [])
        return [each for each in found if not each.target.startswith("./") or self._is_there(each.target)]

    def reached_beliefs(self, doc_id: str) -> list[str]:
        """The beliefs among these."""
        return [each.target for each in self.reach(doc_id) if each.target.startswith("belief:")]

    def reaching(self, doc_id: str) -> list[tuple[Note, Reached]]:
        """The beliefs that bear on a document or on its file, the most first."""
        target = file_id(parse_doc_id(doc_id).path) if doc_id.startswith("./") else doc_id
        found = self.file.reaching(target)
        notes = self.file.notes_of([doc_id for doc_id, _ in found])
        return [(notes[doc_id], reached) for doc_id, reached in found if doc_id in notes]

    def _is_there(self, target: str) -> bool:
        if not target.startswith("./"):
            return False
        return self.store is None or self.store.file_named(parse_doc_id(target).path) is not None

    def _around(self, notes: Sequence[Note]) -> _Around:
        names = [note.doc_id for note in notes]
        related, places = self.file.related(names), self.file.places_of(names)
        others = [doc_id for said in related.values() for _, doc_id in said]
        others += [_belief(target) for note in notes for target in note.attacks]
        paths = [path for stated in places.values() for path in stated]
        changed = self.history.last_changes(paths) if self.history is not None else {}
        return _Around(related, self.file.notes_of(list(dict.fromkeys(others))), places, changed)

    def _warnings(self, note: Note, around: _Around) -> list[str]:
        gone = [evidence.written for evidence in map(parse_evidence, note.evidence) if self._is_gone(evidence)]
        said = [f"its evidence is gone: {', '.join(gone)}"] if gone else []
        against = _contradictions(note, around)
        if against:
            said.append(f"contradicted by {', '.join(against)}")
        supported = self._last_supported(note, around)
        if supported is not None and self.now - supported > OLD_S:
            said.append(f"nothing has supported it for {duration(self.now - supported)}")
        return said

    def _is_gone(self, evidence: Evidence) -> bool:
        """Whether what is cited is there no more. What can't be looked up is not said to be gone."""
        if evidence.kind == "commit":
            if self.history is None or self.history.is_empty:
                return False
            return not self.history.commits_beginning(evidence.name)
        if evidence.kind == "note":
            known = evidence.name.startswith(("belief:", "pattern:", "session:"))
            return known and not self.file.notes_of([evidence.name]) and not evidence.name.startswith("session:")
        if self.store is None:
            return False
        if evidence.kind == "symbol":
            return not self.store.documents_of_id(evidence.name)
        text = self.store.text(evidence.path)
        if text is None:
            return self.store.file_named(evidence.path) is None
        return evidence.lines is not None and evidence.lines[0] > text.count("\n") + 1

    def _last_supported(self, note: Note, around: _Around) -> int | None:
        """When something last spoke for it: its date, its file's last change, cited commits, beliefs in support."""
        times = [note.date]
        times += [other.date for other in around.active("supports", note)]
        times += [around.changed[path] for path in around.places[note.doc_id] if path in around.changed]
        if self.history is not None:
            cited = [evidence for evidence in map(parse_evidence, note.evidence) if evidence.kind == "commit"]
            times += [commit.time for evidence in cited for commit in self.history.commits_beginning(evidence.name)[:1]]
        known = [time for time in times if time is not None]
        return max(known) if known else None


def _contradictions(note: Note, around: _Around) -> list[str]:
    """Active beliefs that it attacks, or that attack it."""
    attacked = (around.others.get(_belief(target)) for target in note.attacks)
    against = [*around.active("attacks", note), *(other for other in attacked if other and other.status == ACTIVE)]
    return sorted({other.doc_id for other in against if other.doc_id != note.doc_id})


def _belief(target: str) -> str:
    """The doc_id of a belief that is named with or without `belief:` in front."""
    return f"belief:{target.removeprefix('belief:')}"


def describe_reach(reached: Sequence[Reached]) -> str:
    """`reaches: shop/fusion.py (+2 files)`; empty where it reaches none."""
    if not reached:
        return ""
    more = len(reached) - 1
    others = f" (+{more} file{'' if more == 1 else 's'})" if more else ""
    return f"reaches: {reached[0].target.removeprefix('./')}{others}"


def tell_beliefs(answer: Answer, scene: BeliefScene) -> Answer:
    """The answer with what its beliefs reach, and what speaks against them, in their snippets."""
    told = [hit.document.doc_id for hit in answer.hits if hit.document.content_type == "belief"]
    try:
        reached, warned = scene.files(told), scene.warnings(told)
    except IndexUnavailable:
        return answer
    return replace(answer, hits=tuple(_told(hit, reached, warned) for hit in answer.hits))


def _told(hit: Hit, reached: Mapping[str, list[Reached]], warned: Mapping[str, Sequence[str]]) -> Hit:
    doc_id = hit.document.doc_id
    if hit.document.content_type != "belief":
        return hit
    parts = [hit.snippet, describe_reach(reached.get(doc_id, [])), *(f"! {said}" for said in warned.get(doc_id, ()))]
    return replace(hit, snippet=" — ".join(part for part in parts if part))
