"""Find in a team's index which repositories can hold a result, and read what a question needs of them at once.

A question reads one snapshot. `TeamReader` searches all visible repositories together, by words and by vectors; each of
those that can hold a result is then read as a project of its own, through `RepositoryIndex`. The rows that oracles and
results need are read in advance, for all repositories by one statement (`prefetch…`), so that the number of
statements does not grow with the number of repositories.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from scry.core.decoding import decode_json
from scry.core.types import DocumentHeader
from scry.store.history.commits import FIRST_COMMIT_KEY
from scry.store.lexical import stem_of
from scry.store.notes.postings import AVERAGE_DOCUMENT_TERMS
from scry.store.team.changes import read_last_commits, read_newest_changes
from scry.store.team.contents import Copies, read_copies
from scry.store.team.database import TeamDatabase, decode_text, encode_text
from scry.store.team.documents import HEADER_COLUMNS, read_doc_keys
from scry.store.team.history import IS_COCHANGE, read_changes, read_commits, read_seeds, read_symbols
from scry.store.team.lexical import TeamWords, TermTables, spread_over_documents
from scry.store.team.notes import FIRST_NOTE_KEY, nearest_note_repositories, query_note_contents, read_notes
from scry.store.team.repository import (
    RepositoryIndex,
    RepositoryInfo,
    read_files,
    read_results,
    read_texts,
)
from scry.store.team.schema import CODE_WORDS, COMMIT_WORDS, EXACT_DOCUMENTS, NOTE_WORDS
from scry.store.team.vectors import JOIN_DOCUMENTS, exact_cosines_of, read_file_vectors
from scry.store.vector_sets import EmbedderInfo
from scry.store.vectors import FloatRows

if TYPE_CHECKING:
    from typing_extensions import LiteralString

    from scry.store.team.jumps import SharedUse

_FIRST = itemgetter(0)

FILTERED_DEPTH = 2_000
"""Nearest documents that are read where filters may pass over some."""


class TeamReader:
    """The visible repositories of a team as of one moment. Use it, and all that it returns, inside one snapshot.

    embedder: of the team's vectors; None before the first was stored.
    """

    def __init__(self, database: TeamDatabase) -> None:
        """Read which repositories there are."""
        self._database = database
        sql = (
            "SELECT (SELECT value FROM meta WHERE key = 'embedder'), id, name, url, encode(commit_id, 'hex'), "
            "generation, documents, length, commits, commit_length, cochange_commits, notes, has_graph, shared_uses "
            "FROM repositories WHERE commit_id IS NOT NULL ORDER BY name"
        )
        rows = database.select(sql)
        self.repositories = {row[1]: RepositoryInfo(*row[1:]) for row in rows}
        infos = self.repositories.values()
        self._tables = TermTables(database)
        self.words = TeamWords(
            self._tables, CODE_WORDS, sum(each.documents for each in infos), sum(each.length for each in infos)
        )
        self.commit_words = TeamWords(
            self._tables, COMMIT_WORDS, sum(each.commits for each in infos), sum(each.commit_length for each in infos)
        )
        self.note_count = sum(each.notes for each in infos)
        self.note_words = TeamWords(self._tables, NOTE_WORDS, 1, AVERAGE_DOCUMENT_TERMS, rarity_of=self.words)
        self._opened: dict[int, RepositoryIndex] = {}
        self._near: dict[int, list[tuple[int, float]]] = {}
        embedder = rows[0][0] if rows else None
        self.embedder = decode_json(embedder, EmbedderInfo) if embedder else None

    def open(self, repository_id: int) -> RepositoryIndex:
        """Return a visible repository's index."""
        if repository_id not in self._opened:
            index = RepositoryIndex(self._database, self, self.repositories[repository_id])
            index.vectors.prefetched = self._near.get(repository_id)
            self._opened[repository_id] = index
        return self._opened[repository_id]

    @contextmanager
    def sending_nearest(
        self, query: FloatRows, limit: int, is_left: Callable[[str, str, str], bool] | None = None
    ) -> Generator[Callable[[], list[int]]]:
        """Let the server look for the documents nearest to a unit vector while the body does other things; yield a
        function that returns the repositories that have any of the `limit` nearest ones, the nearest first; those that
        have only copies of what earlier ones have come last.

        Documents that several repositories share count once. Each repository keeps its part of the result, for
        `RepositoryVectors.nearest`. is_left: whether a file is left by the query's filters, by path, language and
        content type; those of other files are passed over, among the nearest FILTERED_DEPTH documents at most.
        """
        from pgvector import HalfVector

        # Adding nothing to the distance keeps the planner from the graph of vectors.
        order: LiteralString = "vector <#> %s" if self.words.documents > EXACT_DOCUMENTS else "(vector <#> %s) + 0"
        kind: LiteralString = "" if is_left is None else ", c.language, c.content_type"
        join: LiteralString = "" if is_left is None else "JOIN contents c ON c.id = near.content_id "
        paths: LiteralString = "" if is_left is None else ", array_agg(f.path)"
        sql = (
            "WITH near AS MATERIALIZED (SELECT content_id, position, vector FROM documents "
            f"ORDER BY {order} LIMIT %s) SELECT near.content_id, near.position, halfvec_send(near.vector), "
            f"held.*{kind} FROM near {join}CROSS JOIN LATERAL (SELECT array_agg(f.repository_id), "
            f"array_agg(f.first_key){paths} FROM files f WHERE f.content_id = near.content_id) AS held"
        )
        vector, depth = HalfVector(query), limit if is_left is None else 2 * limit

        def nearest() -> list[int]:
            rows = read()
            if is_left is not None:
                left = [row for row in rows if any(is_left(decode_text(path), row[6], row[7]) for path in row[5])]
                if len(left) < limit and len(rows) == depth:
                    rows = self._database.select(sql, (vector, FILTERED_DEPTH))
                    left = [row for row in rows if any(is_left(decode_text(path), row[6], row[7]) for path in row[5])]
                rows = left
            return self._keep_nearest(query, rows, limit)

        with self._database.sending(sql, (vector, depth)) as read:
            yield nearest

    def _keep_nearest(self, query: FloatRows, rows: Sequence[tuple[Any, ...]], limit: int) -> list[int]:
        """Keep the nearest documents of each repository, and return the repositories; see `sending_nearest`.

        rows: content, position in it, vector, and of each file that has it repository and first key.
        """
        cosines = exact_cosines_of(query, [row[2] for row in rows])
        best = sorted(zip(rows, cosines, strict=True), key=lambda each: -each[1])[:limit]
        near: dict[int, list[tuple[int, float]]] = {}
        holders: list[tuple[float, list[int]]] = []
        for row, cosine in best:
            holders.append((-cosine, row[3]))
            for repository, first_key in zip(row[3], row[4], strict=True):
                near.setdefault(repository, []).append((first_key + row[1], cosine))
        for pairs in near.values():
            pairs.sort(key=lambda pair: (-pair[1], pair[0]))
        self._near = near
        for repository, index in self._opened.items():
            index.vectors.prefetched = near.get(repository)
        return spread_over_documents(holders)

    def shared_uses(self, question: str) -> list[SharedUse]:
        """Return what several members opened for this question."""
        if not any(each.shared_uses for each in self.repositories.values()):
            return []
        from scry.store.team.jumps import read_shared_uses  # a team that counted none needs none of it

        return read_shared_uses(self._database, question)

    def nearest_note_repositories(self, query: FloatRows) -> list[int]:
        """Return the repositories of the notes nearest to a unit vector, the nearest first."""
        return nearest_note_repositories(self._database, query, self.note_count)

    def newest_changes(self, since: float, limit: int, left_out: Sequence[int]) -> list[RepositoryIndex]:
        """Read the newest changes of all repositories; see changes.read_newest_changes."""
        return read_newest_changes(self._database, self, since, limit, left_out)

    def prefetch_last_commits(self, wanted: Mapping[int, tuple[Sequence[str], Sequence[str]]]) -> None:
        """Read by repository the newest commits that changed documents, by doc_id, and files, by path."""
        read_last_commits(self._database, {self.open(each).history: names for each, names in wanted.items()})

    def prefetch_words(self, terms: Sequence[str]) -> None:
        """Read the statistics of terms, and of their postings those that are read first."""
        self.words.read_statistics(terms)
        every = self.words, self.commit_words, self.note_words
        likely = [place for words in every for place in words.likely_repositories(terms)]
        self._tables.read_postings({stem_of(term) for term in terms}, likely)

    def prefetch(
        self,
        terms: Sequence[str],
        repositories: Sequence[int],
        search: Callable[[RepositoryIndex], Iterable[int]],
    ) -> None:
        """Read what oracles ask of these repositories first, by one statement each for all of them: the postings of the
        terms, the notes, and the headers of the documents and commits whose keys `search` returns and of the nearest by
        vectors.
        """
        read_notes(self._database, [self.open(each).notes for each in repositories])
        corpora = [(corpus, each) for corpus in (CODE_WORDS, COMMIT_WORDS) for each in repositories]
        self._tables.read_postings({stem_of(term) for term in terms}, corpora)
        for words in (self.words, self.commit_words):
            words.score_repositories(terms, repositories)
        wanted: list[tuple[int, int]] = []
        for repository in repositories:
            index = self.open(repository)
            keys = set(search(index))
            index.vectors.prefetched = index.vectors.prefetched or []  # no vector of it is among the nearest
            keys.update(key for key, _ in index.vectors.prefetched)
            index.history.cache.headers.update(dict.fromkeys(key for key in keys if key >= FIRST_COMMIT_KEY))
            wanted += [(repository, key) for key in keys]
        sql = (
            f"WITH wanted AS (SELECT * FROM unnest(%s::integer[], %s::bigint[]) AS w(repository, key)) "
            f"SELECT wanted.repository, {HEADER_COLUMNS} FROM wanted {JOIN_DOCUMENTS} UNION ALL "
            f"SELECT wanted.repository, wanted.key, 'commit', ''::bytea, k.subject, 'commit', ''::bytea, "
            f"CASE WHEN {IS_COCHANGE} THEN 1 ELSE 0 END, k.sha, NULL::bytea, 0 FROM wanted "
            f"CROSS JOIN LATERAL (SELECT * FROM commits k "
            f"WHERE k.repository_id = wanted.repository AND k.number = wanted.key OFFSET 0) k"
        )
        values = [repository for repository, _ in wanted], [key for _, key in wanted]
        rows = self._database.select(sql, values) if wanted else []
        for repository, part in groupby(sorted(rows, key=_FIRST), _FIRST):
            index, columns = self.open(repository), [row[1:] for row in part]
            index.documents.add_headers([row for row in columns if row[0] < FIRST_COMMIT_KEY])
            for row in columns:
                if row[0] >= FIRST_COMMIT_KEY:
                    index.history.add_header(row[0], row[7], row[3], row[6])

    def prefetch_seeds(self, seeds: Mapping[int, Sequence[DocumentHeader]], limit: int) -> None:
        """Read the newest `limit` co-change commits of documents, by repository."""
        read_seeds(self._database, [(self.open(each).history, documents) for each, documents in seeds.items()], limit)

    def prefetch_changes(self, commits: Mapping[int, tuple[Sequence[int], Sequence[int]]]) -> None:
        """Read by repository which symbols some commits changed, and which files others did."""
        read_changes(self._database, [(self.open(each).history, *keys) for each, keys in commits.items()])

    def prefetch_symbols(self, symbols: Mapping[int, Sequence[int]]) -> None:
        """Read symbols by repository."""
        read_symbols(self._database, [(self.open(each).history, own) for each, own in symbols.items()])

    def prefetch_files(self, repositories: Sequence[int]) -> None:
        """Read the files of these repositories."""
        read_files(self._database, [self.open(each).files for each in repositories])

    def files_of_documents(self, repositories: Sequence[int], keys: Sequence[int]) -> list[tuple[int, str, str, str]]:
        """Return the files of documents: the place of the document among these, path, language and content type.

        repositories: that of each document.
        """
        sql = (
            "SELECT wanted.at, f.path, c.language, c.content_type FROM "
            "unnest(%s::integer[], %s::integer[], %s::bigint[]) AS wanted(at, repository, key) CROSS JOIN LATERAL "
            "(SELECT path, content_id FROM files WHERE repository_id = wanted.repository AND first_key <= wanted.key "
            "ORDER BY first_key DESC LIMIT 1) f JOIN contents c ON c.id = f.content_id"
        )
        rows = self._database.select(sql, (list(range(len(keys))), list(repositories), list(keys)))
        return [(at, decode_text(path), language, content_type) for at, path, language, content_type in rows]

    def repositories_with_name(self, name_key: int) -> set[int]:
        """Return the repositories that hold a document with a name, by its key (`hash_name_key`)."""
        sql = (
            "SELECT DISTINCT f.repository_id FROM documents d JOIN files f ON f.content_id = d.content_id "
            "WHERE d.name_key = %s"
        )
        return {repository for (repository,) in self._database.select(sql, (name_key,))}

    def repositories_with_file(self, names: Sequence[str]) -> set[int]:
        """Return the repositories that hold a file whose path ends in one of these names, with or without an extension,
        or in a folder of such a name.
        """
        escaped = [
            encode_text(name).replace(b"\\", b"\\\\").replace(b"%", b"\\%").replace(b"_", b"\\_") for name in names
        ]
        ends = [each + end for each in escaped for end in (b"", b".%", b"/%")]
        patterns = [start + end for end in ends for start in (b"", b"%/")]
        sql = "SELECT DISTINCT repository_id FROM files WHERE path LIKE ANY(%s::bytea[])"
        return {repository for (repository,) in self._database.select(sql, (patterns,))}

    def prefetch_texts(self, paths: Mapping[int, Sequence[str]]) -> None:
        """Read the texts of files by repository and path."""
        read_texts(self._database, [(self.open(each).files, wanted) for each, wanted in paths.items()])

    def prefetch_file_vectors(self, paths: Mapping[int, Sequence[str]]) -> None:
        """Read the vectors of files by repository and path."""
        read_file_vectors(self._database, [(self.open(each).vectors, wanted) for each, wanted in paths.items()])

    def prefetch_doc_keys(self, doc_ids: Mapping[int, Sequence[str]]) -> None:
        """Read the keys and headers of documents by repository and doc_id."""
        read_doc_keys(self._database, [(self.open(each).documents, wanted) for each, wanted in doc_ids.items()])

    def read_copies(self, doc_keys: Mapping[int, Sequence[int]]) -> dict[tuple[int, int], Copies]:
        """Return by repository and key the copies of documents, whose headers were read, in other repositories."""
        return read_copies(self._database, [(self.open(each), keys) for each, keys in doc_keys.items()])

    def prefetch_results(self, doc_keys: Mapping[int, Sequence[int]]) -> None:
        """Read by repository what results show of documents: place, descriptions, text, structure and activity."""
        read_results(self._database, [(self.open(each), keys) for each, keys in doc_keys.items()])
        commits = [
            (self.open(each).history, [key for key in keys if FIRST_COMMIT_KEY <= key < FIRST_NOTE_KEY])
            for each, keys in doc_keys.items()
        ]
        notes = [
            (self.open(each).notes, [key for key in keys if key >= FIRST_NOTE_KEY]) for each, keys in doc_keys.items()
        ]
        read_commits(self._database, commits, query_note_contents(notes))
