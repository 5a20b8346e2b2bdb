"""Read documents of the code index by key, by name and by doc_id."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from msgspec import Struct, field

from scry.core.doc_id import possible_names_of_doc_ids
from scry.core.errors import IndexDamaged
from scry.core.text import normalize_name
from scry.core.types import Document, DocumentHeader
from scry.store.index.database import IndexDatabase
from scry.store.index.rows import (
    DOCUMENT_COLUMNS,
    HEADER_COLUMNS,
    ID_COLUMNS,
    encode_kind,
    hash_name_key,
    hash_names,
    hash_range_of_prefix,
    read_doc_ids,
    read_documents,
    read_headers,
    unpack_descriptions,
)
from scry.store.selection import MIN_WIDE_FILES, WIDE_SHARE, FileSelection, in_mask, mask_of_ranges
from scry.store.sqlite.database import batches, decode_path, encode_path, placeholders

_MAX_CACHED_HEADERS = 50_000
"""Headers, and doc_ids, that are cached at most: some 20 MB."""

_MAX_CACHED_FILES = 200
"""Files whose unpacked descriptions are cached: a megabyte or two. Answers come from few files."""

Descriptions = dict[int, tuple[str, str]]
"""Signature and doc comment of the documents of a file, by key."""


_FROM_DOCUMENTS = "FROM documents d JOIN files f ON f.id = d.file"

_SELECT_BY_NAME_HASH = (
    f"WITH wanted(key, path) AS (VALUES {{}}) SELECT d.number, d.file, {ID_COLUMNS} "
    "FROM wanted CROSS JOIN files f INDEXED BY files_overview ON f.path = wanted.path AND f.skip_reason IS NULL "
    "CROSS JOIN names n ON n.key = wanted.key AND n.number BETWEEN f.first AND f.last "
    "CROSS JOIN documents d ON d.number = n.number"
)
"""Select the documents of some files whose names have some hashes. The order of the joins matters."""


class DocumentCache(Struct):
    """Values that queries have read since documents were last added or removed.

    documents_seen: the generation that did so. doc_keys: key and file id by doc_id, of the documents in `headers`.
    looked_up: the same of other documents; None for a doc_id without a document. descriptions: by file id.
    """

    documents_seen: int
    headers: dict[int, DocumentHeader] = field(default_factory=dict[int, DocumentHeader])
    doc_keys: dict[str, tuple[int, int]] = field(default_factory=dict[str, "tuple[int, int]"])
    looked_up: dict[str, tuple[int, int] | None] = field(default_factory=dict[str, "tuple[int, int] | None"])
    descriptions: dict[int, Descriptions] = field(default_factory=dict[int, Descriptions])

    def without(self, removed: Sequence[range], documents_seen: int) -> DocumentCache:
        """Return what is left after documents were added, and those with these keys removed. This cache is used up.

        The document of a key never changes, nor does a file id's content.
        """
        for keys in removed:
            for doc_key in keys:
                if header := self.headers.pop(doc_key, None):
                    self.doc_keys.pop(header.doc_id, None)
        return DocumentCache(documents_seen, self.headers, self.doc_keys, descriptions=self.descriptions)


class DocumentTable:
    """The documents of one index. Every method may be called from any thread."""

    def __init__(self, database: IndexDatabase) -> None:
        self._database = database
        self._db = database.connection
        self._lock = database.lock
        self._cache = DocumentCache(database.documents_seen)

    @property
    def key_space(self) -> str:
        """A text that another index does not have: ids of files and keys of documents are those of this index alone."""
        with self._lock:
            return self._database.meta.get_text("key_space") or ""

    def get_documents(self, doc_keys: Sequence[int], *, with_descriptions: bool = True) -> dict[int, Document]:
        """Return the documents with these keys, by key; unpublished and deleted ones are absent.

        with_descriptions: whether to read signature and doc comment, for which the text of each file is unpacked.
        """
        with self._lock:
            rows = self._select_rows(DOCUMENT_COLUMNS, doc_keys)
            descriptions = self._descriptions(frozenset([row[1] for row in rows])) if with_descriptions else {}
            known = self._current_cache().headers
            doc_ids = [known[row[0]].doc_id for row in rows if row[0] in known]
        if len(doc_ids) < len(rows):
            doc_ids = []
        return {document.doc_key: document for document in read_documents(rows, descriptions, doc_ids)}

    def headers_by_name(self, keys: Sequence[str]) -> list[DocumentHeader]:
        """Return the headers of the documents whose normalized name is one of `keys`."""
        doc_keys: list[int] = []
        for part in batches([hash_name_key(key) for key in keys]):
            with self._lock:
                rows = self._db.execute(f"SELECT number FROM names WHERE key IN ({placeholders(part)})", part)
                doc_keys += (doc_key for (doc_key,) in rows)
        matches = read_headers(self._select_rows(HEADER_COLUMNS, doc_keys))
        return [header for header in matches if normalize_name(header.name) in keys]

    def outermost_by_name(self, keys: Sequence[str], kinds: Sequence[str]) -> list[tuple[str, str]]:
        """Return path and name of the documents in no container, of these kinds, whose normalized name is a key."""
        letters = list(map(encode_kind, kinds))
        sql = (
            "SELECT f.path, d.name FROM names n JOIN documents d ON d.number = n.number JOIN files f ON f.id = d.file "
            f"WHERE d.container = '' AND d.kind IN ({placeholders(letters)}) AND n.key IN "
        )
        found: list[tuple[str, str]] = []
        for part in batches([hash_name_key(key) for key in keys]):
            with self._lock:
                rows = self._db.execute(f"{sql} ({placeholders(part)})", [*letters, *part]).fetchall()
            found += ((decode_path(path), name) for path, name in rows)
        return [(path, name) for path, name in found if normalize_name(name) in keys]

    def find_by_doc_id(self, doc_id: str) -> list[Document]:
        """Return the documents with this doc_id: one or none."""
        with self._lock:
            return list(
                self.get_documents([doc_key for doc_key, _ in self._lookup_doc_ids([doc_id]).values()]).values()
            )

    def top_level_documents(self, path: str) -> list[Document]:
        """Return the documents of a file that no other document of it encloses, in the order of the file.

        `Plug.Router` is one of these where no document `Plug` encloses it.
        """
        # Not correlated with the outer rows, so that it is evaluated once.
        enclosing = (
            "SELECT iif(e.container = '', e.name, e.container || '.' || e.name) FROM documents e "
            "WHERE e.number BETWEEN ?1 AND ?2"
        )
        sql = (
            "SELECT d.number FROM documents d WHERE d.number BETWEEN ?1 AND ?2 AND "
            f"(d.container = '' OR d.kind != ?3 AND d.container NOT IN ({enclosing})) ORDER BY d.number"
        )
        with self._lock:
            span = self._db.execute("SELECT first, last FROM files WHERE path = ?", (encode_path(path),)).fetchone()
            return self._select_documents_in_order(sql, (*span, encode_kind("section"))) if span else []

    def direct_members(self, document: Document) -> list[Document]:
        """Return the documents that a document encloses directly, in the order of the file."""
        symbol = document.symbol
        qualified = f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name
        sql = (
            "SELECT d.number FROM documents e JOIN files f ON f.id = e.file "
            "JOIN documents d ON d.number BETWEEN f.first AND f.last WHERE e.number = ? AND d.container = ? "
            "ORDER BY d.number"
        )
        with self._lock:
            return self._select_documents_in_order(sql, (document.doc_key, qualified))

    def _select_documents_in_order(self, sql: str, values: Sequence[object]) -> list[Document]:
        """Return the documents whose keys a statement selects, in its order; under the lock."""
        doc_keys = [doc_key for (doc_key,) in self._db.execute(sql, values)]
        matches = self.get_documents(doc_keys)
        return [matches[doc_key] for doc_key in doc_keys]

    def doc_keys_by_id(self, doc_ids: Sequence[str], left: FileSelection | None = None) -> dict[str, int]:
        """Return the keys of the documents with these doc_ids, by doc_id.

        left: only documents of these files. Keys are cached from query to query.
        """
        with self._lock:
            cache = self._current_cache()
            known, looked_up = cache.doc_keys, cache.looked_up
            missing = [doc_id for doc_id in doc_ids if doc_id not in known and doc_id not in looked_up]
            looked_up.update(dict.fromkeys(missing))
            looked_up.update(self._lookup_doc_ids(missing))
            entries = [(doc_id, known.get(doc_id) or looked_up[doc_id]) for doc_id in doc_ids]
        found = {doc_id: entry[0] for doc_id, entry in entries if entry is not None}
        if left is None:
            return found
        is_left: list[bool] = in_mask(left.mask, list(found.values())).tolist()
        return {doc_id: doc_key for (doc_id, doc_key), kept in zip(found.items(), is_left, strict=True) if kept}

    def doc_keys_in_file(self, path: str) -> tuple[int, list[tuple[int, str]]]:
        """Return the id of a file, and key and doc_id of each of its documents."""
        with self._lock:
            row = self._db.execute("SELECT id, first, last FROM files WHERE path = ?", (encode_path(path),)).fetchone()
            if row is None:
                return 0, []
            sql = f"SELECT d.number, {ID_COLUMNS} {_FROM_DOCUMENTS} WHERE d.number BETWEEN ? AND ?"
            rows = self._db.execute(sql, row[1:]).fetchall()
        doc_ids = read_doc_ids(matches[1:] for matches in rows)
        return row[0], [(matches[0], doc_id) for matches, doc_id in zip(rows, doc_ids, strict=True)]

    def select_files(self, ids: Sequence[int]) -> FileSelection:
        """Return the selection of the files with these ids; it holds until documents are added or removed.

        The keys of a file follow on each other.
        """
        sql = "SELECT id, first, last FROM files INDEXED BY files_overview WHERE skip_reason IS NULL"
        with self._lock:
            ranges = {file: (first, last - first + 1) for file, first, last in self._db.execute(sql)}
        mask = mask_of_ranges(ranges[file] for file in ids if file in ranges)
        share = int(np.count_nonzero(mask)) / max(1, sum(count for _, count in ranges.values()))
        return FileSelection(tuple(ids), mask, len(ids) > MIN_WIDE_FILES and share >= WIDE_SHARE)

    def key_ranges(self) -> list[tuple[int, int, int, str]]:
        """Return of each indexed file the first and last key of its documents, its id and its path, by first key."""
        sql = "SELECT first, last, id, path FROM files INDEXED BY files_overview WHERE skip_reason IS NULL"
        with self._lock:
            rows = self._db.execute(sql).fetchall()
        return sorted((first, last, file, decode_path(path)) for first, last, file, path in rows if first <= last)

    def count_existing(self, doc_keys: Sequence[int]) -> int:
        """Return the number of documents that exist among those with these keys."""
        matches = 0
        for part in batches(doc_keys):
            with self._lock:
                sql = f"SELECT count(*) FROM documents WHERE number IN ({placeholders(part)})"
                matches += int(self._db.execute(sql, part).fetchone()[0])
        return matches

    def headers(self, doc_keys: Sequence[int]) -> dict[int, DocumentHeader]:
        """Return the headers of the documents with these keys; unpublished and deleted ones are absent.

        Headers, and the keys of their doc_ids, are cached from query to query, until the document is removed.
        """
        with self._lock:
            cache = self._current_cache()
            known = cache.headers
            missing = [doc_key for doc_key in doc_keys if doc_key not in known]
            if missing:
                rows = self._select_rows(f"{HEADER_COLUMNS}, d.file", missing)
                for header, row in zip(read_headers([row[:-1] for row in rows]), rows, strict=True):
                    known[header.doc_key] = header
                    cache.doc_keys[header.doc_id] = header.doc_key, row[-1]
            return {doc_key: known[doc_key] for doc_key in doc_keys if doc_key in known}

    def unread_doc_keys(self, limit: int) -> list[int]:
        """Return the keys of all documents whose headers are not cached; none where there are more than `limit`."""
        with self._lock:
            if self._database.document_count > limit:
                return []
            known = self._current_cache().headers
            return [doc_key for (doc_key,) in self._db.execute("SELECT number FROM documents") if doc_key not in known]

    def symbol_names_with_prefix(self, prefix: str, limit: int = 5000) -> list[str]:
        """Return the distinct document names whose normalized form begins with `prefix`, of two characters at most."""
        sql = (
            "SELECT DISTINCT d.name FROM names n JOIN documents d ON d.number = n.number "
            "WHERE n.key >= ? AND n.key < ? LIMIT ?"
        )
        with self._lock:
            names = self._db.execute(sql, (*hash_range_of_prefix(prefix), limit)).fetchall()
        matches = [name for (name,) in names if name]
        return [name for name in matches if normalize_name(name).startswith(prefix)]

    def _current_cache(self) -> DocumentCache:
        """Return the cache of the current generation; under the lock."""
        cache, seen = self._cache, self._database.documents_seen
        is_full = len(cache.headers) > _MAX_CACHED_HEADERS or len(cache.looked_up) > _MAX_CACHED_HEADERS
        if is_full or cache.documents_seen != seen:
            removed = None if is_full else self._database.removed_since(cache.documents_seen)
            self._cache = DocumentCache(seen) if removed is None else cache.without(removed, seen)
        return self._cache

    def _lookup_doc_ids(self, doc_ids: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return key and file id of each document with one of these doc_ids; under the lock."""
        named = possible_names_of_doc_ids(doc_ids)
        hashes = hash_names([name for *_, name in named])
        wanted = [(key, encode_path(path)) for key, (path, *_) in zip(hashes, named, strict=True)]
        matches: dict[str, tuple[int, int]] = {}
        for part in batches(list(dict.fromkeys(wanted)), variables_per_value=2):
            sql = _SELECT_BY_NAME_HASH.format(",".join(["(?, ?)"] * len(part)))
            rows = self._db.execute(sql, [value for pair in part for value in pair]).fetchall()
            ids = read_doc_ids([row[2:] for row in rows])
            matches.update({doc_id: (row[0], row[1]) for row, doc_id in zip(rows, ids, strict=True)})
        return {doc_id: matches[doc_id] for doc_id in doc_ids if doc_id in matches}

    def _descriptions(self, files: AbstractSet[int]) -> dict[int, Descriptions]:
        """Return the descriptions of these files, by file id; under the lock.

        A file whose descriptions are damaged is left out. Unpacked descriptions are cached.
        """
        known = self._current_cache().descriptions
        matches = {file: known[file] for file in files if file in known}
        for part in batches(sorted(files - matches.keys()), pad=True):
            sql = f"SELECT id, text FROM files WHERE id IN ({placeholders(part)})"
            for file, text in self._db.execute(sql, part):
                try:
                    matches[file] = unpack_descriptions(text)
                except IndexDamaged:
                    self._database.damaged_files.add(file)
        if len(known) + len(matches) > _MAX_CACHED_FILES:
            known.clear()
        if len(matches) <= _MAX_CACHED_FILES:
            known.update(matches)
        return matches

    def _select_rows(self, columns: str, doc_keys: Sequence[int]) -> list[Any]:
        matches: list[Any] = []
        for part in batches(doc_keys, pad=True):
            sql = f"SELECT {columns} {_FROM_DOCUMENTS} WHERE d.number IN ({placeholders(part)})"
            with self._lock:
                matches += self._db.execute(sql, part).fetchall()
        return matches
