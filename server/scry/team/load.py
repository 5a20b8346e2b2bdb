"""Load one repository at its checked-out commit into a team's index.

The repository is indexed as a local project is, by the same code: files, structure, vectors and history. The result is
then staged in the team's index, content by content, and published as one generation. Both steps take what is there:
loading the same commit again stages nothing, and a load that was interrupted goes on where it was. A file that can't
be loaded is recorded with its reason, and everything else is published.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from msgspec import Struct

from scry.core.errors import Cancelled, IndexUnavailable
from scry.core.settings import BUNDLED_MODEL, Settings
from scry.core.types import FileFault, IndexingStage
from scry.embedding.embedder import Embedder, Vectors
from scry.embedding.static_model import load_bundled_model
from scry.index.git.changed_symbols import update_changed_documents
from scry.index.git.history import update_history, weighted_commit_terms
from scry.index.graph.update import update_graph
from scry.index.parse.parser_version import reading_version
from scry.index.project_parser import ProjectParser
from scry.index.scan.walk import FileEntry
from scry.indexer.embed import embedder_info, make_passages, vector_cache_key
from scry.indexer.refresh import refresh_index
from scry.projects.project import Project, head_commit, open_project
from scry.store.blobs import split_into_batches
from scry.store.history.store import HistoryStore
from scry.store.index.rows import NewFile, StoredFile
from scry.store.index.store import IndexStore
from scry.store.lexical import stem_of
from scry.store.team.contents import NewContent, PackedContent, pack_content
from scry.store.team.database import TeamDatabase
from scry.store.team.graph import FileGraph, pack_graph
from scry.store.team.postings import DocumentTerms, count_terms
from scry.store.team.writer import (
    Publication,
    RepositoryTree,
    TeamRepository,
    TeamWriter,
    TreeFile,
)
from scry.team.notes import note_reading_version, read_team_notes

_BATCH_BYTES = 2_000_000
_BATCH_FILES = 200
"""Size of what one transaction stages: the work that a kill may cost."""

_log = logging.getLogger(__name__)


class LoadReport(Struct, frozen=True):
    """The outcome of loading a repository. staged: contents that were not in the index yet. faults: by item."""

    name: str
    commit: str
    publication: Publication
    staged: int
    documents: int
    faults: Mapping[str, str]


def load_repository(
    database: TeamDatabase,
    repository: TeamRepository,
    root: Path,
    *,
    checkpoint: Callable[[], None] = lambda: None,
) -> LoadReport:
    """Load the repository that is checked out in a folder, as it is at its commit; return what was done.

    checkpoint: called between batches; it may raise Cancelled, and what is staged by then stays. Raises
    IndexUnavailable, and ProjectMissing where there is no such folder.
    """
    project, settings = open_project(root, force=True), Settings()
    commit = head_commit(project.root)
    if commit is None:
        raise IndexUnavailable(f"{repository.name}: {root} has no commit to index")
    writer, embedder = TeamWriter(database), load_bundled_model()
    writer.require_embedder(embedder_info(BUNDLED_MODEL, embedder))
    repository_id = writer.register(repository)
    with closing(IndexStore.open(project.cache, write=True)) as store:
        refresh_index(
            project, settings, store, only_paths=None, report=lambda _: None, checkpoint=checkpoint, standalone=True
        )
        graph_fault = _make_graph(store, checkpoint)
        stored = store.files.all_files()
        faults = {path: str(file.fault) for path, file in stored.items() if file.fault is not None}
        if graph_fault:
            faults["code graph"] = graph_fault
        with closing(HistoryStore.open(project.cache)) as history_store:
            if update_history(project.root, history_store, checkpoint):
                update_changed_documents(history_store, store, checkpoint)
            notes = read_team_notes(project, store, history_store, embedder, faults, checkpoint)
            history = history_store.read_rows()
        structures = store.files.get_structures([path for path, file in stored.items() if file.skip is None])
        graph = None if graph_fault else _pack_graph(store, sorted(structures), faults)
    loader = _ContentLoader(project, settings, writer, embedder, faults)
    keys = {path: content_key(path, stored[path].hash, embedder.identity) for path in structures}
    missing = writer.missing_contents(keys.values())
    for batch in _in_batches([stored[path] for path, key in keys.items() if key in missing]):
        checkpoint()
        loader.stage(batch, keys)
    files = [TreeFile(path, keys[path], structures[path]) for path in sorted(keys) if path not in loader.left_out]
    terms = {
        commit.doc_key: count_terms(weighted_commit_terms(commit.subject, commit.body), stem_of)
        for commit in history.commits
    }
    publication = writer.publish(
        repository_id, RepositoryTree(commit, files, faults, history, terms, reading_identity(), notes, graph)
    )
    return LoadReport(repository.name, commit, publication, loader.staged, loader.documents, faults)


def _make_graph(store: IndexStore, checkpoint: Callable[[], None]) -> str:
    """Bring the code graph of an index up to date; return the reason where it can't be, else an empty text."""
    try:
        update_graph(store, checkpoint)
    except Cancelled:
        raise
    except Exception as error:
        _log.warning("the code graph can't be made", exc_info=True)
        return str(FileFault.from_error(IndexingStage.GRAPH, error))
    return ""


def _pack_graph(store: IndexStore, paths: Sequence[str], faults: dict[str, str]) -> dict[str, FileGraph]:
    """Return the rows of the code graph by path. faults: gets the reason, by path, for each file that has none."""
    rows: dict[str, FileGraph] = {}
    for path in paths:
        try:
            edges = store.graph.edges_of_file(dict(store.documents.doc_keys_in_file(path)[1]))
            imports, imported_by = store.graph.imported_files(path, _ALL), store.graph.importing_files(path, _ALL)
            row = pack_graph(edges, imports.paths, imported_by.paths)
        except Exception as error:
            _log.warning("%r has no code graph", path, exc_info=True)
            faults.setdefault(path, str(FileFault.from_error(IndexingStage.GRAPH, error)))
        else:
            if row is not None:
                rows[path] = row
    return rows


_ALL = 1_000_000
"""More than the imports of any file."""


def reading_identity() -> str:
    """Return the versions of parsers and embedder that read repositories here."""
    return f"{reading_version()} {note_reading_version()} {load_bundled_model().identity}"


def content_key(path: str, digest: bytes, identity: str) -> bytes:
    """Return the key of what is read out of a file: its content, its path, and the versions of parser and embedder.

    The path is a part of it, since words and vectors of a document are partly those of its path.
    """
    basis = f"{reading_version()} {identity} {path}".encode("utf-8", "surrogateescape")
    return hashlib.blake2b(digest + basis, digest_size=16).digest()


def _in_batches(files: Sequence[StoredFile]) -> Iterator[list[StoredFile]]:
    return split_into_batches(files, lambda file: file.size, target_size=_BATCH_BYTES, max_items=_BATCH_FILES)


class _ContentLoader:
    """Reads files as the local index reads them, and stages them.

    left_out: paths of files that can't be loaded; their reasons join `faults`. staged, documents: how many were staged.
    """

    def __init__(
        self, project: Project, settings: Settings, writer: TeamWriter, embedder: Embedder, faults: dict[str, str]
    ) -> None:
        self._project = project
        self._settings = settings
        self._writer = writer
        self._embedder = embedder
        self._faults = faults
        self.left_out: set[str] = set()
        self.staged = 0
        self.documents = 0

    def stage(self, files: Sequence[StoredFile], keys: Mapping[str, bytes]) -> None:
        """Stage these files; one that fails is left out."""
        contents: list[PackedContent] = []
        with ProjectParser(self._project, self._settings, "team") as parser:
            entries = [FileEntry(file.path, file.size, file.mtime_ns) for file in files]
            read = {file.path: file for file in parser.read_files(entries, {}).files}
            for file in files:
                try:
                    content = self._make_content(read.get(file.path), file, keys[file.path], parser)
                    contents.append(pack_content(content))
                except Exception as error:
                    _log.warning("%r can't be loaded", file.path, exc_info=True)
                    self._leave_out(file.path, error)
        new = self._writer.stage(contents)
        self.staged += len(new)
        self.documents += sum(len(each.documents) for each in contents if each.key in new)

    def _leave_out(self, path: str, error: Exception) -> None:
        self.left_out.add(path)
        self._faults[path] = str(FileFault.from_error(IndexingStage.STORE, error))

    def _make_content(self, file: NewFile | None, stored: StoredFile, key: bytes, parser: ProjectParser) -> NewContent:
        if file is None or file.skip is not None or file.hash != stored.hash:
            raise IndexUnavailable("the file changed while it was loaded")
        terms: list[DocumentTerms] = [count_terms(each.terms, stem_of) for each in file.documents]
        return NewContent(key, file, terms, self._embed(file, parser))

    def _embed(self, file: NewFile, parser: ProjectParser) -> Vectors:
        """Return the vectors of a file's documents in half precision, from the cache where it has them."""
        cache_key = vector_cache_key(file.path, file.hash, self._embedder.identity)
        row = np.dtype((np.float16, self._embedder.dimension))
        packed = parser.blobs.get([cache_key]).get(cache_key, b"") if file.fault is None else b""
        if len(packed) == row.itemsize * len(file.documents):
            return np.frombuffer(packed, row).astype(np.float32)
        passages = make_passages(file.path, [each.symbol for each in file.documents])
        return self._embedder.encode_passages(passages).astype(np.float16).astype(np.float32)
