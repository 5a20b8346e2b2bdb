"""Evaluate beliefs: the documents that they reach, and the warnings against relying on them (K3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from scry.core.doc_id import file_doc_id, parse_doc_id
from scry.core.errors import IndexUnavailable
from scry.core.knowledge import ACTIVE, BELIEF, Citation, NoteFile, parse_citation
from scry.core.types import Answer, Hit
from scry.store.history.reader import HistoryReader
from scry.store.index.store import IndexStore
from scry.store.notes.project_notes import NO_STANDING, BeliefStanding, BeliefTarget, ProjectNoteDatabase

_MAX_RELATED_NOW = 10
"""New beliefs whose targets a request finds by itself; each takes some milliseconds."""


class _BeliefContext(Struct, frozen=True):
    """Facts for the warnings of several beliefs, read at once.

    related: by doc_id, the beliefs that support or attack it, by relation. others: the beliefs named there, and the
    attacked ones. places: the files of each. changed: when each file was last committed.
    """

    related: Mapping[str, Sequence[tuple[str, str]]]
    others: Mapping[str, NoteFile]
    places: Mapping[str, Sequence[str]]
    changed: Mapping[str, int]

    def active(self, kind: str, note: NoteFile) -> list[NoteFile]:
        """Return the active beliefs that state that they support a note, or attack it."""
        named = [self.others.get(doc_id) for relation, doc_id in self.related[note.doc_id] if relation == kind]
        return [other for other in named if other is not None and other.status == ACTIVE]


def cited_files(note: NoteFile) -> list[BeliefTarget]:
    """Return the files that a belief cites, each once."""
    cited = [parse_citation(raw_text) for raw_text in note.evidence]
    targets = [BeliefTarget(file_doc_id(each.path), 1.0, f"cited: {each.raw_text}") for each in cited if each.path]
    return list({target.target: target for target in reversed(targets)}.values())[::-1]


class BeliefSnapshot(Struct, frozen=True):
    """The facts that beliefs are evaluated by, as of one moment. now: in seconds since the epoch."""

    file: ProjectNoteDatabase
    store: IndexStore | None
    history: HistoryReader | None
    now: float

    def warnings(self, doc_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the warnings against relying on each of these beliefs, in words."""
        return {doc_id: standing.warnings(self.now) for doc_id, standing in self.standings(doc_ids).items()}

    def standings(self, doc_ids: Sequence[str]) -> dict[str, BeliefStanding]:
        """Return what supports each of these beliefs, and what contradicts it."""
        notes = self.file.notes_by_doc_id(doc_ids)
        context = self._read_context(list(notes.values()))
        return {
            doc_id: BeliefStanding(
                tuple(self._objections(note, context)), self._last_supported(note, context), note.entrenchment
            )
            for doc_id, note in notes.items()
        }

    def reached_files(self, doc_ids: Sequence[str]) -> dict[str, list[BeliefTarget]]:
        """Return the existing files that each belief reaches, the highest score first."""
        coverage = self._coverage(doc_ids, with_notes=False)
        return {
            doc_id: [target for target in targets if self._is_there(target.target)]
            for doc_id, targets in coverage.items()
        }

    def reach(self, doc_id: str) -> list[BeliefTarget]:
        """Return all existing files, commits and notes that a belief reaches, the highest score first."""
        targets = self._coverage([doc_id]).get(doc_id, [])
        return [each for each in targets if not each.target.startswith("./") or self._is_there(each.target)]

    def reached_beliefs(self, doc_id: str) -> list[str]:
        """Return the beliefs that a belief reaches."""
        return [each.target for each in self.reach(doc_id) if each.target.startswith("belief:")]

    def beliefs_reaching(self, doc_id: str) -> list[tuple[NoteFile, BeliefTarget]]:
        """Return the beliefs that reach a document or its file, the highest score first."""
        target = file_doc_id(parse_doc_id(doc_id).path) if doc_id.startswith("./") else doc_id
        beliefs = self.file.beliefs_covering(target)
        notes = self.file.notes_by_doc_id([doc_id for doc_id, _ in beliefs])
        return [(notes[doc_id], coverage) for doc_id, coverage in beliefs if doc_id in notes]

    def _coverage(self, doc_ids: Sequence[str], *, with_notes: bool = True) -> dict[str, list[BeliefTarget]]:
        """Return the targets of each belief; those of a new one, which the indexer has not related yet, by now.

        with_notes: of a new one also the notes near in meaning.
        """
        coverage = self.file.coverage_of(doc_ids)
        pending = self.file.unrelated_beliefs(doc_ids)[:_MAX_RELATED_NOW]
        if not pending:
            return coverage
        notes = self.file.notes_by_doc_id(pending)
        if self.history is None:
            return coverage | {doc_id: cited_files(note) for doc_id, note in notes.items()}
        from scry.index.notes.belief_coverage import BeliefCoverageBuilder

        builder = BeliefCoverageBuilder(self.file, self.history)
        return coverage | {doc_id: builder.build(note, with_notes=with_notes) for doc_id, note in notes.items()}

    def _is_there(self, target: str) -> bool:
        if not target.startswith("./"):
            return False
        return self.store is None or self.store.files.get_file(parse_doc_id(target).path) is not None

    def _read_context(self, notes: Sequence[NoteFile]) -> _BeliefContext:
        names = [note.doc_id for note in notes]
        related, paths_by_belief = self.file.relations_to(names), self.file.paths_by_doc_id(names)
        others = [doc_id for relations in related.values() for _, doc_id in relations]
        others += [_belief_doc_id(target) for note in notes for target in note.attacks]
        paths = [path for stated in paths_by_belief.values() for path in stated]
        changed = self.history.last_commit_times(paths) if self.history is not None else {}
        return _BeliefContext(related, self.file.notes_by_doc_id(list(dict.fromkeys(others))), paths_by_belief, changed)

    def _objections(self, note: NoteFile, context: _BeliefContext) -> list[str]:
        missing = [evidence.raw_text for evidence in map(parse_citation, note.evidence) if self._is_gone(evidence)]
        warnings = [f"its evidence is gone: {', '.join(missing)}"] if missing else []
        against = _contradicting_beliefs(note, context)
        if against:
            warnings.append(f"contradicted by {', '.join(against)}")
        return warnings

    def _is_gone(self, evidence: Citation) -> bool:
        """Return whether a cited document no longer exists; False for one that can't be looked up."""
        if evidence.kind == "commit":
            if self.history is None or self.history.is_empty:
                return False
            return not self.history.commits_with_prefix(evidence.name)
        if evidence.kind == "note":
            known = evidence.name.startswith(("belief:", "pattern:", "session:"))
            return known and not self.file.notes_by_doc_id([evidence.name]) and not evidence.name.startswith("session:")
        if self.store is None:
            return False
        if evidence.kind == "symbol":
            return not self.store.documents.find_by_doc_id(evidence.name)
        text = self.store.files.get_text(evidence.path)
        if text is None:
            return self.store.files.get_file(evidence.path) is None
        return evidence.lines is not None and evidence.lines[0] > text.count("\n") + 1

    def _last_supported(self, note: NoteFile, context: _BeliefContext) -> int | None:
        """Return when a belief was last supported: by its date, its files, its cited commits or supporting beliefs."""
        times = [note.date]
        times += [other.date for other in context.active("supports", note)]
        times += [context.changed[path] for path in context.places[note.doc_id] if path in context.changed]
        if self.history is not None:
            cited = [evidence for evidence in map(parse_citation, note.evidence) if evidence.kind == "commit"]
            times += [
                commit.time for evidence in cited for commit in self.history.commits_with_prefix(evidence.name)[:1]
            ]
        known = [time for time in times if time is not None]
        return max(known) if known else None


def _contradicting_beliefs(note: NoteFile, context: _BeliefContext) -> list[str]:
    """Return the active beliefs that a belief attacks, or that attack it."""
    attacked = (context.others.get(_belief_doc_id(target)) for target in note.attacks)
    against = [*context.active("attacks", note), *(other for other in attacked if other and other.status == ACTIVE)]
    return sorted({other.doc_id for other in against if other.doc_id != note.doc_id})


def _belief_doc_id(target: str) -> str:
    """Return the doc_id of a belief that is named with or without `belief:` in front."""
    return f"belief:{target.removeprefix('belief:')}"


def describe_reach(targets: Sequence[BeliefTarget]) -> str:
    """Describe the reached files, such as `reaches: shop/fusion.py (+2 files)`; empty for none."""
    if not targets:
        return ""
    more = len(targets) - 1
    others = f" (+{more} file{'' if more == 1 else 's'})" if more else ""
    return f"reaches: {targets[0].target.removeprefix('./')}{others}"


def annotate_beliefs(answer: Answer, snapshot: BeliefSnapshot) -> Answer:
    """Return the answer with the targets and warnings of its beliefs in their snippets, and their entrenchment."""
    doc_ids = [hit.document.doc_id for hit in answer.hits if hit.document.content_type == BELIEF]
    try:
        targets, standings = snapshot.reached_files(doc_ids), snapshot.standings(doc_ids)
    except IndexUnavailable:
        return answer
    return replace(answer, hits=tuple([annotate_hit(hit, targets, standings, snapshot.now) for hit in answer.hits]))


def annotate_hit(
    hit: Hit, files: Mapping[str, Sequence[BeliefTarget]], standings: Mapping[str, BeliefStanding], now: float
) -> Hit:
    """Return a hit; that of a belief with its targets and warnings in the snippet, and its entrenchment.

    files, standings: of beliefs by doc_id. now: in seconds since the epoch.
    """
    doc_id = hit.document.doc_id
    if hit.document.content_type != BELIEF:
        return hit
    standing = standings.get(doc_id, NO_STANDING)
    parts = [
        hit.snippet,
        describe_reach(files.get(doc_id, [])),
        *(f"! {warning}" for warning in standing.warnings(now)),
    ]
    document = replace(hit.document, entrenchment=standing.entrenchment)
    return replace(hit, document=document, snippet=" — ".join(part for part in parts if part))
