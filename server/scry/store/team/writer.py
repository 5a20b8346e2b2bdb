"""Write a team's index: stage contents, then publish a repository's next generation.

Staging stores what was read out of files, content-addressed, in transactions of their own: no file refers to it yet,
so no reader sees it, and a writer that is killed and starts anew finds it there. Publishing compares the files of the
repository with those that are published and writes the difference, its postings, its history and its statistics in one
transaction: readers see either the generation before or the next one. Publishing the same tree again changes nothing
but the number of the generation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct

from scry.core.decoding import decode_json
from scry.core.errors import IndexUnavailable
from scry.core.types import FileStructure
from scry.store.history.commits import FIRST_COMMIT_KEY
from scry.store.history.store import HistoryRows
from scry.store.sqlite.database import batches
from scry.store.team.contents import DOCUMENT_TYPES, INSERT_CONTENT, PackedContent
from scry.store.team.database import TeamDatabase, decode_text, describing_failure, encode_text
from scry.store.team.graph import FileGraph, replace_graph
from scry.store.team.history import DELETE_HISTORY, history_rows
from scry.store.team.notes import TeamNote, replace_notes
from scry.store.team.postings import (
    DocumentTerms,
    FileTerms,
    Integers,
    Postings,
    collect_postings,
    pack_postings,
    pack_terms,
)
from scry.store.team.schema import CODE_WORDS, COMMIT_WORDS, CREATE_GRAPH, EXACT_DOCUMENTS, NOTE_WORDS
from scry.store.vector_sets import EmbedderInfo

if TYPE_CHECKING:
    from typing_extensions import LiteralString

_CONTENTS_PER_READ = 500
_TERMS_PER_READ = 5000

_GRAPH_LOCK = 0x5C122
"""Number of the advisory lock under which the graph of vectors is made and dropped."""

_GRAPH_BYTES_PER_DOCUMENT = 1_600
_MAX_GRAPH_BYTES = 2_000_000_000
"""Memory in which the server makes the graph; what does not fit is added vector by vector, which takes five times as
long."""


class TeamRepository(Struct, frozen=True):
    """A repository of a team. readers: the roles that may read it; `public` stands for every role."""

    name: str
    url: str
    branch: str = ""
    readers: tuple[str, ...] = ()


class TreeFile(Struct, frozen=True):
    """A file of a repository at the commit to be published. key: of its content, which is staged."""

    path: str
    key: bytes
    structure: FileStructure = FileStructure()


class RepositoryTree(Struct, frozen=True):
    """A repository at a commit.

    faults: why a file is not indexed, or which stage failed for an item. commit_terms: by key of a commit. reading: the
    versions that read it. notes: by doc_id. graph: the code graph, by path; None where it could not be made.
    """

    commit: str
    files: Sequence[TreeFile]
    faults: Mapping[str, str]
    history: HistoryRows = HistoryRows()
    commit_terms: Mapping[int, DocumentTerms] = msgspec.field(default_factory=dict[int, DocumentTerms])
    reading: str = ""
    notes: Sequence[TeamNote] = ()
    graph: Mapping[str, FileGraph] | None = None


class Publication(Struct, frozen=True):
    """The outcome of publishing: the generation, and how many files it added, removed and left as they were."""

    generation: int
    added: int
    removed: int
    unchanged: int


class _PublishedFile(Struct, frozen=True):
    content_id: int
    first_key: int
    documents: int
    structure: FileStructure


class TeamWriter:
    """Writes the index of a team. Every method may raise IndexUnavailable."""

    def __init__(self, database: TeamDatabase) -> None:
        self._database = database
        self._db = database.connection

    def require_embedder(self, embedder: EmbedderInfo) -> None:
        """Store the embedder of the team's vectors, or raise IndexUnavailable where they are another one's."""
        with describing_failure(), self._db.transaction():
            sql = (
                "INSERT INTO meta VALUES ('embedder', %s) "
                "ON CONFLICT (key) DO UPDATE SET value = meta.value RETURNING value"
            )
            rows = self._db.execute(sql, (msgspec.json.encode(embedder).decode(),)).fetchall()
        stored = decode_json(rows[0][0], EmbedderInfo)
        if stored.identity != embedder.identity:
            raise IndexUnavailable(f"the team's vectors are of {stored.identity}; this writer has {embedder.identity}")

    def register(self, repository: TeamRepository) -> int:
        """Store name, place and readers of a repository, which may be known; return its id."""
        sql = (
            "INSERT INTO repositories (name, url, branch) VALUES (%s, %s, %s) "
            "ON CONFLICT (name) DO UPDATE SET url = EXCLUDED.url, branch = EXCLUDED.branch RETURNING id"
        )
        with describing_failure(), self._db.transaction():
            values = (repository.name, repository.url, repository.branch)
            repository_id = int(self._db.execute(sql, values).fetchall()[0][0])
            self._db.execute("DELETE FROM grants WHERE repository_id = %s", (repository_id,))
            for role in dict.fromkeys(repository.readers):
                self._db.execute("INSERT INTO grants VALUES (%s, %s)", (repository_id, role))
        return repository_id

    def remove(self, name: str) -> None:
        """Remove a repository with all that belongs to it, and the contents that no other one has."""
        contents: list[int] = []
        with describing_failure(), self._db.transaction():
            rows = self._db.execute("SELECT id FROM repositories WHERE name = %s FOR UPDATE", (name,)).fetchall()
            for (repository_id,) in rows:
                sql = "SELECT DISTINCT content_id FROM files WHERE repository_id = %s"
                contents += [row[0] for row in self._db.execute(sql, (repository_id,))]
                self._db.execute("DELETE FROM repositories WHERE id = %s", (repository_id,))
        self._delete_unused(contents)

    def is_published(self, repository_id: int, commit: str, reading: str) -> bool:
        """Return whether a repository is published at this commit, in hexadecimal, read by these versions."""
        sql = "SELECT encode(commit_id, 'hex') = %s AND reading = %s FROM repositories WHERE id = %s"
        return self._database.select(sql, (commit, reading, repository_id)) == [(True,)]

    def repository_names(self) -> list[str]:
        """Return the names of all repositories."""
        return [name for (name,) in self._database.select("SELECT name FROM repositories ORDER BY name")]

    # The graph of vectors -----------------------------------------------------------------------------------------

    def drop_needless_graph(self) -> None:
        """Drop the graph of vectors where there are so few documents that readers compare all.

        Adding a vector to it costs as much as all else of a document; making it of many costs a quarter of that.
        """
        with describing_failure(), self._db.transaction():
            self._db.execute("SELECT pg_advisory_xact_lock(%s)", (_GRAPH_LOCK,))
            sql = "SELECT count(*) < %s FROM (SELECT FROM documents LIMIT %s) AS first"
            if self._db.execute(sql, (EXACT_DOCUMENTS, EXACT_DOCUMENTS)).fetchall() == [(True,)]:
                self._db.execute("DROP INDEX IF EXISTS documents_by_vector")

    def make_missing_graph(self) -> None:
        """Make the graph of vectors where there is none and readers need it. Other writers wait meanwhile."""
        with describing_failure(), self._db.transaction():
            self._db.execute("SELECT pg_advisory_xact_lock(%s)", (_GRAPH_LOCK,))
            sql = "SELECT to_regclass('documents_by_vector') IS NULL, (SELECT count(*) FROM documents)"
            [(is_missing, documents)] = self._db.execute(sql).fetchall()
            if not is_missing or documents < EXACT_DOCUMENTS:
                return
            needed = min(documents * _GRAPH_BYTES_PER_DOCUMENT, _MAX_GRAPH_BYTES)
            sql = (
                "SELECT set_config('maintenance_work_mem', greatest(setting::bigint, %s) || 'kB', true), "
                "set_config('max_parallel_maintenance_workers', '0', true) "  # they need as much of the shared memory
                "FROM pg_settings WHERE name = 'maintenance_work_mem'"
            )
            self._db.execute(sql, (needed // 1024,))
            self._db.execute(CREATE_GRAPH)
            self._db.execute(
                "ANALYZE repositories, grants, contents, documents, files, postings, notes, commits, changed_paths, "
                "changes, changed_symbols, touched, code_graph"
            )

    # Staging ------------------------------------------------------------------------------------------------------

    def missing_contents(self, keys: Iterable[bytes]) -> set[bytes]:
        """Return those of these keys whose content is not stored."""
        wanted = list(dict.fromkeys(keys))
        known: set[bytes] = set()
        for part in batches(wanted):
            known.update(
                row[0] for row in self._database.select("SELECT key FROM contents WHERE key = ANY(%s)", (part,))
            )
        return set(wanted) - known

    def stage(self, contents: Sequence[PackedContent]) -> set[bytes]:
        """Store contents, durably; return the new keys. One that another writer stored meanwhile stays as it is."""
        ordered = sorted(contents, key=lambda each: each.key)  # in one order, or two writers wait in a circle
        with describing_failure(), self._db.transaction():
            new = [
                (row[0], each)
                for each, rows in zip(ordered, self._insert_contents(ordered), strict=True)
                for row in rows
            ]
            self._copy(
                "COPY documents FROM STDIN (FORMAT BINARY)",
                DOCUMENT_TYPES,
                ((content_id, *row) for content_id, content in new for row in content.documents),
            )
        return {content.key for _, content in new}

    def _insert_contents(self, contents: Sequence[PackedContent]) -> list[list[tuple[int]]]:
        """Insert contents, all at once; return for each the row with its id, or none where it is stored."""
        inserted: list[list[tuple[int]]] = []
        if contents:
            with self._db.cursor(binary=True) as cursor:
                cursor.executemany(INSERT_CONTENT, [each.row for each in contents], returning=True)
                inserted.append(cursor.fetchall())
                while cursor.nextset():
                    inserted.append(cursor.fetchall())
        return inserted

    # Publishing ---------------------------------------------------------------------------------------------------

    def publish(self, repository_id: int, tree: RepositoryTree) -> Publication:
        """Publish a repository at a commit, whose contents are staged, as its next generation, in one transaction."""
        with describing_failure(), self._db.transaction():
            sql = "SELECT next_key, generation FROM repositories WHERE id = %s FOR UPDATE"
            rows = self._db.execute(sql, (repository_id,)).fetchall()
            if not rows:
                raise IndexUnavailable("the repository was removed from the team's index meanwhile")
            next_key, generation = rows[0]
            before = self._read_files(repository_id)
            contents = self._read_contents([file.key for file in tree.files])
            same = {
                file.path
                for file in tree.files
                if (known := before.get(file.path)) is not None and known.content_id == contents[file.key][0]
            }
            removed = {path: file for path, file in before.items() if path not in same}
            added: dict[str, _PublishedFile] = {}
            for file in tree.files:
                if file.path not in same:
                    content_id, documents = contents[file.key]
                    added[file.path] = _PublishedFile(content_id, next_key, documents, file.structure)
                    next_key += max(1, documents)  # no two files begin at the same key
            self._replace_code_postings(repository_id, list(removed.values()), list(added.values()))
            self._replace_files(repository_id, removed, added)
            self._update_structures(repository_id, tree.files, before, same)
            self._replace_faults(repository_id, tree.faults)
            self._replace_history(repository_id, tree.history, tree.commit_terms)
            self._replace_notes(repository_id, tree.notes)
            replace_graph(self._database, repository_id, tree.graph)
            self._update_statistics(repository_id, tree, next_key)
        self._delete_unused([file.content_id for file in removed.values()])
        return Publication(generation + 1, len(added), len(removed), len(same))

    def _read_files(self, repository_id: int) -> dict[str, _PublishedFile]:
        sql = (
            "SELECT path, content_id, first_key, documents, importers, centrality, flags FROM files "
            "WHERE repository_id = %s"
        )
        return {
            decode_text(row[0]): _PublishedFile(
                row[1], row[2], row[3], FileStructure(row[4], row[5], None, tuple(row[6].split()))
            )
            for row in self._database.select(sql, (repository_id,))
        }

    def _read_contents(self, keys: Sequence[bytes]) -> dict[bytes, tuple[int, int]]:
        """Return the id of each content and how many documents it has. Raises IndexUnavailable for a missing one.

        The rows are locked: a writer that removes the last file of a content waits, and finds it in use.
        """
        found: dict[bytes, tuple[int, int]] = {}
        for part in batches(sorted(set(keys))):
            sql = "SELECT key, id, documents FROM contents WHERE key = ANY(%s) ORDER BY key FOR KEY SHARE"
            found.update({row[0]: (row[1], row[2]) for row in self._database.select(sql, (part,))})
        if missing := len(set(keys) - found.keys()):
            raise IndexUnavailable(f"{missing} contents are not staged, or were removed meanwhile; load it again")
        return found

    def _replace_code_postings(
        self, repository_id: int, removed: Sequence[_PublishedFile], added: Sequence[_PublishedFile]
    ) -> None:
        gone = [np.arange(each.first_key, each.first_key + each.documents, dtype=np.int64) for each in removed]
        terms = self._read_terms([each.content_id for each in (*removed, *added)])
        touched = {stem for each in removed for stem in terms[each.content_id].vocabulary}
        new = collect_postings([(each.first_key, terms[each.content_id]) for each in added])
        keys = np.sort(np.concatenate(gone)) if gone else np.zeros(0, np.int64)
        self._replace_postings(repository_id, CODE_WORDS, touched, keys, new)

    def _read_terms(self, content_ids: Iterable[int]) -> dict[int, FileTerms]:
        terms: dict[int, FileTerms] = {}
        wanted = sorted(set(content_ids))
        for start in range(0, len(wanted), _CONTENTS_PER_READ):
            sql = "SELECT id, terms FROM contents WHERE id = ANY(%s)"
            for content_id, packed in self._database.select(sql, (wanted[start : start + _CONTENTS_PER_READ],)):
                terms[content_id] = FileTerms.unpack(packed)
        return terms

    def _replace_postings(
        self, repository_id: int, corpus: int, touched: set[bytes], gone: Integers, new: Mapping[bytes, Postings]
    ) -> None:
        """Take documents out of postings and add others. touched: all stems of the removed documents."""
        stems = sorted(touched | new.keys())
        for start in range(0, len(stems), _TERMS_PER_READ):
            part = stems[start : start + _TERMS_PER_READ]
            sql = (
                "DELETE FROM postings WHERE repository_id = %s AND corpus = %s AND term = ANY(%s) "
                "RETURNING term, packed"
            )
            rows = self._database.select(sql, (repository_id, corpus, part))
            kept = {term: Postings.unpack(packed).without(gone) for term, packed in rows}
            merged: dict[bytes, Postings] = {}
            for stem in part:
                parts = [each[stem] for each in (kept, new) if stem in each and len(each[stem])]
                if parts:
                    merged[stem] = parts[0] if len(parts) == 1 else parts[0].joined_with(parts[1])
            packed = pack_postings(list(merged.values()))
            self._copy(
                "COPY postings FROM STDIN (FORMAT BINARY)",
                ("int2", "bytea", "int4", "int4", "int4", "int4", "bytea"),
                [
                    (corpus, stem, repository_id, each.documents, each.max_frequency, each.min_length, each.packed)
                    for stem, each in zip(merged, packed, strict=True)
                ],
            )

    def _replace_files(
        self, repository_id: int, removed: Mapping[str, _PublishedFile], added: Mapping[str, _PublishedFile]
    ) -> None:
        for part in batches([encode_text(path) for path in removed]):
            self._db.execute("DELETE FROM files WHERE repository_id = %s AND path = ANY(%s)", (repository_id, part))
        self._copy(
            "COPY files FROM STDIN (FORMAT BINARY)",
            ("int4", "bytea", "int8", "int8", "int4", "int4", "text", "text"),
            [
                (
                    repository_id,
                    encode_text(path),
                    file.content_id,
                    file.first_key,
                    file.documents,
                    file.structure.importers,
                    file.structure.centrality,
                    " ".join(file.structure.flags),
                )
                for path, file in added.items()
            ],
        )

    def _update_structures(
        self, repository_id: int, files: Sequence[TreeFile], before: Mapping[str, _PublishedFile], same: set[str]
    ) -> None:
        changed = [file for file in files if file.path in same and before[file.path].structure != file.structure]
        with self._db.cursor() as cursor:
            cursor.executemany(
                "UPDATE files SET importers = %s, centrality = %s, flags = %s WHERE repository_id = %s AND path = %s",
                [
                    (
                        file.structure.importers,
                        file.structure.centrality,
                        " ".join(file.structure.flags),
                        repository_id,
                        encode_text(file.path),
                    )
                    for file in changed
                ],
            )

    def _replace_faults(self, repository_id: int, faults: Mapping[str, str]) -> None:
        self._db.execute("DELETE FROM faults WHERE repository_id = %s", (repository_id,))
        rows = [(repository_id, encode_text(item), _printable(reason)) for item, reason in faults.items()]
        self._copy("COPY faults FROM STDIN (FORMAT BINARY)", ("int4", "bytea", "text"), rows)

    def _replace_history(self, repository_id: int, history: HistoryRows, terms: Mapping[int, DocumentTerms]) -> None:
        for sql in DELETE_HISTORY:
            self._db.execute(sql, (repository_id,))
        for sql, types, rows in history_rows(repository_id, history):
            self._copy(sql, types, rows)
        self._db.execute("DELETE FROM postings WHERE repository_id = %s AND corpus = %s", (repository_id, COMMIT_WORDS))
        new = collect_postings(
            [(key - FIRST_COMMIT_KEY, FileTerms.unpack(pack_terms([terms[key]]))) for key in sorted(terms)]
        )
        self._replace_postings(repository_id, COMMIT_WORDS, set(), np.zeros(0, np.int64), new)
        self._db.execute(
            "UPDATE repositories SET commits = %s, commit_length = %s, cochange_commits = %s WHERE id = %s",
            (
                len(terms),
                sum(length for length, _ in terms.values()),
                history.cochange_commits,
                repository_id,
            ),
        )

    def _replace_notes(self, repository_id: int, notes: Sequence[TeamNote]) -> None:
        replace_notes(self._database, repository_id, notes)
        self._db.execute("DELETE FROM postings WHERE repository_id = %s AND corpus = %s", (repository_id, NOTE_WORDS))
        new = collect_postings([(0, FileTerms.unpack(pack_terms([note.terms for note in notes])))])
        self._replace_postings(repository_id, NOTE_WORDS, set(), np.zeros(0, np.int64), new)
        self._db.execute("UPDATE repositories SET notes = %s WHERE id = %s", (len(notes), repository_id))

    def _update_statistics(self, repository_id: int, tree: RepositoryTree, next_key: int) -> None:
        sql = (
            "UPDATE repositories SET commit_id = decode(%s, 'hex'), reading = %s, generation = generation + 1, "
            "next_key = %s, published_at = now(), (documents, length) = (SELECT coalesce(sum(c.documents), 0), "
            "coalesce(sum(c.length), 0) FROM files f JOIN contents c ON c.id = f.content_id "
            "WHERE f.repository_id = repositories.id) WHERE id = %s"
        )
        self._db.execute(sql, (tree.commit, tree.reading, next_key, repository_id))

    def _delete_unused(self, content_ids: Sequence[int]) -> None:
        """Delete those of these contents that no file has any more; one that another writer is just taking stays."""
        from psycopg.errors import ForeignKeyViolation

        sql = (
            "DELETE FROM contents WHERE id IN (SELECT id FROM contents WHERE id = ANY(%s) AND NOT EXISTS "
            "(SELECT FROM files f WHERE f.content_id = contents.id) FOR UPDATE SKIP LOCKED)"
        )
        for part in batches(sorted(set(content_ids))):
            with describing_failure(), suppress(ForeignKeyViolation), self._db.transaction():
                self._db.execute(sql, (part,))

    def _copy(self, sql: LiteralString, types: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        with self._db.cursor() as cursor, cursor.copy(sql) as copy:
            copy.set_types(list(types))
            for row in rows:
                copy.write_row(row)


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)
