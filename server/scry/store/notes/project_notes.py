"""Cache the beliefs, patterns and session notes of one repository, with the coverage of beliefs.

The indexer reads them from the files of the repository. Every file is stored; of several files with one doc_id the
first by path is the document. Retracted beliefs are stored and are no documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path

import msgspec

from scry.core.decoding import decode_json
from scry.core.errors import IndexUnavailable
from scry.core.knowledge import BELIEF, PROJECT_NOTES, RETRACTED, KnowledgeDocument, NoteFile
from scry.core.text import format_duration
from scry.store.notes.database import NoteDatabase, describe_cache_damage
from scry.store.notes.reader import VectorFaults
from scry.store.notes.schema import PROJECT_NOTE_SCHEMA, PROJECT_NOTES_PATH
from scry.store.notes.store import NoteStore
from scry.store.sqlite.database import decode_path, encode_path
from scry.store.vector_sets import EmbedderInfo
from scry.store.vectors import FloatRows

EmbedNotes = Callable[[Sequence[KnowledgeDocument]], tuple[EmbedderInfo, FloatRows, VectorFaults]]
"""Function that returns the embedder of documents, their unit vectors, and what failed."""


class BeliefTarget(msgspec.Struct, frozen=True):
    """A file, commit or note that a belief covers, by doc_id: how much, from 0 to 1, and the reason in words."""

    target: str
    score: float
    reason: str


STALE_AFTER_S = 365 * 86_400
"""Age after which a belief without support has a warning: one year."""


class BeliefStanding(msgspec.Struct, frozen=True):
    """What speaks for a belief, and against it.

    objections: warnings that hold at any time. supported_at: when it was last supported, in seconds since the epoch;
    None for never.
    """

    objections: tuple[str, ...] = ()
    supported_at: int | None = None
    entrenchment: float | None = None

    def warnings(self, now: float) -> tuple[str, ...]:
        """Return the warnings against relying on the belief, in words. now: in seconds since the epoch."""
        if self.supported_at is None or now - self.supported_at <= STALE_AFTER_S:
            return self.objections
        return (*self.objections, f"nothing has supported it for {format_duration(now - self.supported_at)}")


NO_STANDING = BeliefStanding()


class NewNote(msgspec.Struct, frozen=True):
    """A note with the path of its file, and as a document of the note store."""

    path: str
    note: NoteFile
    entry: KnowledgeDocument


class ProjectNoteDatabase:
    """The notes of one project: written by the indexer alone, read by any process.

    store: the note store that holds their documents. notes: searches it.
    """

    @classmethod
    def open(cls, cache: Path, *, write: bool) -> ProjectNoteDatabase:
        """Open the notes of the project with this cache folder; `write` rebuilds a damaged file, or one of another
        format.

        Raises IndexUnavailable.
        """
        database_path = cache / PROJECT_NOTES_PATH
        try:
            return cls(NoteDatabase(PROJECT_NOTES, database_path, PROJECT_NOTE_SCHEMA, write=write))
        except IndexUnavailable:
            if not write:
                raise
        for path in database_path.parent.glob("*"):
            with suppress(OSError):
                path.unlink()
        return cls(NoteDatabase(PROJECT_NOTES, database_path, PROJECT_NOTE_SCHEMA, write=True))

    def __init__(self, database: NoteDatabase) -> None:
        """Read and write in an open file."""
        self._database = database
        self._select = database.select
        self._select_in = database.select_in
        self.store = NoteStore(database)
        self.notes = self.store.reader

    def seal(self) -> bool:
        """Record the checksums of the files, unless a reader holds the journal. Raises OSError."""
        return self._database.seal(self.notes.vector_files())

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    # Reading ------------------------------------------------------------------------------------------------------

    def all_notes(self) -> dict[str, NoteFile]:
        """Return all notes by path, in order."""
        rows = self._select("SELECT path, facts FROM notes ORDER BY path")
        return {decode_path(path): _decode_note(facts) for path, facts in rows}

    def list_documents(self) -> list[NewNote]:
        """Return the notes that are documents, in the order of their doc_ids, each with the path of its file."""
        rows = self._select("SELECT path, facts, entry FROM notes ORDER BY path DESC")
        notes = [NewNote(decode_path(path), _decode_note(facts), _decode_entry(entry)) for path, facts, entry in rows]
        first = {new.note.doc_id: new for new in notes}
        return [first[doc_id] for doc_id in self.notes.list_doc_ids()]

    def notes_by_doc_id(self, doc_ids: Sequence[str]) -> dict[str, NoteFile]:
        """Return the note of each doc_id: of several files the first by path."""
        rows = self._select_in("SELECT doc_id, facts FROM notes WHERE doc_id IN ({}) ORDER BY path DESC", doc_ids)
        return {doc_id: _decode_note(facts) for doc_id, facts in rows}

    def paths_by_doc_id(self, doc_ids: Sequence[str]) -> dict[str, list[str]]:
        """Return the paths of the files with each of these doc_ids, the first one first."""
        paths: dict[str, list[str]] = {doc_id: [] for doc_id in doc_ids}
        sql = "SELECT doc_id, path FROM notes WHERE doc_id IN ({}) ORDER BY path"
        for doc_id, path in self._select_in(sql, list(paths)):
            paths[doc_id].append(decode_path(path))
        return paths

    def relations_to(self, doc_ids: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
        """Return kind and doc_id of every belief that supports or attacks each of these beliefs, in order."""
        relations: dict[str, list[tuple[str, str]]] = {doc_id: [] for doc_id in doc_ids}
        source = "relations r JOIN notes n USING (path)"
        sql = f"SELECT DISTINCT r.target, r.kind, n.doc_id FROM {source} WHERE r.target IN ({{}}) ORDER BY 2, 3"
        for target, kind, doc_id in self._select_in(sql, list(relations)):
            relations[target].append((kind, doc_id))
        return relations

    def note_paths(self) -> frozenset[str]:
        """Return the paths of all notes."""
        return frozenset(decode_path(path) for (path,) in self._select("SELECT path FROM notes"))

    def coverage_of(self, doc_ids: Sequence[str]) -> dict[str, list[BeliefTarget]]:
        """Return the targets that each belief covers, the highest score first."""
        coverage: dict[str, list[BeliefTarget]] = {}
        sql = "SELECT doc_id, target, score, reason FROM reach WHERE doc_id IN ({}) ORDER BY score DESC, target"
        for doc_id, target, score, reason in self._select_in(sql, doc_ids):
            coverage.setdefault(doc_id, []).append(BeliefTarget(target, score, reason))
        return coverage

    def beliefs_covering(self, target: str) -> list[tuple[str, BeliefTarget]]:
        """Return the beliefs that cover a file, commit or note, the highest score first."""
        sql = "SELECT doc_id, score, reason FROM reach WHERE target = ? ORDER BY score DESC, doc_id"
        return [(row[0], BeliefTarget(target, row[1], row[2])) for row in self._select(sql, (target,))]

    def beliefs_without_coverage(self, fingerprint: str) -> list[str]:
        """Return the doc_ids of the beliefs whose coverage was not made from this fingerprint."""
        made = {doc_id for (doc_id,) in self._select("SELECT doc_id FROM reach_made WHERE basis = ?", (fingerprint,))}
        return [doc_id for doc_id in self.list_beliefs() if doc_id not in made]

    def list_beliefs(self) -> list[str]:
        """Return the doc_ids of all beliefs that are not retracted."""
        return list(self.notes.list_doc_ids(frozenset({BELIEF})))

    @property
    def generation(self) -> int:
        """A number that rises with every change of the notes or their vectors."""
        return self._database.generation

    @property
    def related_generation(self) -> int:
        """The generation of the notes that all beliefs were last compared with; 0 for none."""
        rows = self._select("SELECT value FROM shelf_state WHERE key = 'related'")
        return int(rows[0][0]) if rows else 0

    def unrelated_beliefs(self, doc_ids: Sequence[str]) -> list[str]:
        """Return those of these beliefs that are new or changed, and whose coverage was not made since."""
        made = {doc_id for (doc_id,) in self._select_in("SELECT doc_id FROM reach_made WHERE doc_id IN ({})", doc_ids)}
        return [doc_id for doc_id in doc_ids if doc_id not in made and doc_id.startswith("belief:")]

    # Writing ------------------------------------------------------------------------------------------------------

    def publish(
        self, notes: Sequence[NewNote], removed_paths: Sequence[str] = (), embed: EmbedNotes | None = None
    ) -> None:
        """Replace the notes of these files, and remove those of others.

        embed: where given, the notes can be found by meaning at once; otherwise once their vectors are filled in.
        """
        paths = [encode_path(path) for path in (*(new.path for new in notes), *removed_paths)]
        with self._database.transaction() as db:
            before = self._select_in("SELECT DISTINCT doc_id FROM notes WHERE path IN ({})", paths)
            db.executemany("DELETE FROM notes WHERE path = ?", [(path,) for path in paths])
            for new in notes:
                self._insert_file_note(new)
            self._store_documents({doc_id for (doc_id,) in before} | {new.note.doc_id for new in notes}, embed)

    def save_coverage(self, targets_by_belief: Mapping[str, Sequence[BeliefTarget]], fingerprint: str) -> None:
        """Replace the coverage of these beliefs. fingerprint: of the state that it was made from."""
        with self._database.transaction() as db:
            for doc_id, targets in targets_by_belief.items():
                db.execute("DELETE FROM reach WHERE doc_id = ?", (doc_id,))
                rows = [(doc_id, target.target, target.score, target.reason) for target in targets]
                db.executemany("INSERT INTO reach VALUES (?, ?, ?, ?)", rows)
                db.execute("INSERT OR REPLACE INTO reach_made VALUES (?, ?)", (doc_id, fingerprint))

    def replace_targets(self, targets_by_belief: Mapping[str, Sequence[BeliefTarget]], reason: str) -> None:
        """Replace the targets of these beliefs that have this reason. A target that has another one keeps that."""
        with self._database.transaction() as db:
            db.executemany(
                "DELETE FROM reach WHERE doc_id = ? AND reason = ?", [(doc_id, reason) for doc_id in targets_by_belief]
            )
            rows = [
                (doc_id, each.target, each.score, each.reason)
                for doc_id, targets in targets_by_belief.items()
                for each in targets
            ]
            db.executemany("INSERT OR IGNORE INTO reach VALUES (?, ?, ?, ?)", rows)

    def set_related_generation(self, generation: int) -> None:
        """Note the generation of the notes that all beliefs were compared with."""
        with self._database.transaction() as db:
            db.execute("INSERT OR REPLACE INTO shelf_state VALUES ('related', ?)", (generation,))

    def _insert_file_note(self, new: NewNote) -> None:
        path = encode_path(new.path)
        row = (path, new.note.doc_id, msgspec.json.encode(new.note), msgspec.json.encode(new.entry))
        self._database.connection.execute("INSERT INTO notes VALUES (?, ?, ?, ?)", row)
        for kind, targets in (("supports", new.note.supports), ("attacks", new.note.attacks)):
            rows = [(path, kind, f"belief:{target.removeprefix('belief:')}") for target in targets]
            self._database.connection.executemany("INSERT OR IGNORE INTO relations VALUES (?, ?, ?)", rows)

    def _store_documents(self, doc_ids: Set[str], embed: EmbedNotes | None) -> None:
        """Make the first file of each doc_id the document of the note store, unless it is retracted."""
        rows = self._select_in(
            "SELECT doc_id, facts, entry FROM notes WHERE doc_id IN ({}) ORDER BY path DESC", sorted(doc_ids)
        )
        first = {doc_id: (facts, entry) for doc_id, facts, entry in rows}
        current = {doc_id: entry for doc_id, (facts, entry) in first.items() if _decode_note(facts).status != RETRACTED}
        self.store.remove(sorted(doc_ids - current.keys()))
        entries = [_decode_entry(current[doc_id]) for doc_id in sorted(current)]
        doc_keys = self.store.put(entries)
        self._database.connection.executemany(
            "DELETE FROM reach_made WHERE doc_id = ?", [(doc_id,) for doc_id in doc_ids]
        )
        removed = [(doc_id,) for doc_id in doc_ids - current.keys()]
        self._database.connection.executemany("DELETE FROM reach WHERE doc_id = ?", removed)
        self.store.compact_vectors()
        if embed is not None and entries:
            embedder, vectors, faults = embed(entries)
            self.store.publish_vectors(embedder, doc_keys, vectors, faults)


def describe_project_note_damage(cache: Path) -> str:
    """Return a description of the damage of the notes in the cache folder of a project; "" for intact ones, and none.

    Raises IndexUnavailable where they can't be read.
    """
    return describe_cache_damage(cache / PROJECT_NOTES_PATH)


def _decode_note(facts: bytes) -> NoteFile:
    return decode_json(facts, NoteFile)


def _decode_entry(text: bytes) -> KnowledgeDocument:
    return decode_json(text, KnowledgeDocument)
