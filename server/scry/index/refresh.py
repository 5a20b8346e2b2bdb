"""The steps that bring the index up to the files: compare -> read and parse -> publish, batch by batch -> structure ->
compact.

What was read out of a content is kept for all projects (`store.blobs`): a content seen before, on another branch, in
another work tree or clone, is not parsed again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter

from msgspec.structs import replace

from scry.core.settings import BUNDLED_MODEL, Settings
from scry.core.types import IndexState
from scry.embedding.choose import load_bundled_model
from scry.index.compare import TreeChanges, compare_tree, compare_paths
from scry.index.contents import ProjectParser
from scry.index.embed import embed_missing_documents, embedder_info
from scry.index.note_keeper import NoteIndexer
from scry.index.notes import NOTE_PARSER_VERSION
from scry.index.parser_version import PARSER_VERSION
from scry.index.portions import split_into_batches
from scry.index.project import Project, head_commit
from scry.index.shelf_vectors import embed_missing_notes
from scry.index.structures import StructureUpdater
from scry.index.upkeep import run_maintenance
from scry.index.walk import FileEntry
from scry.store.index_store import IndexStore
from scry.store.knowledge_file import EmbedNotes
from scry.store.rows import NewFile, StoredFile

BATCH_BYTES = 4_000_000
BATCH_FILES = 400
"""A batch is published as one generation: large enough that commits cost little, small enough that first answers come
within a second and a kill loses little."""

FULL_COMPARE_FILES = frozenset({".gitignore", ".scryignore", "exclude", "config.toml"})
"""Files whose change may change what is indexed elsewhere: then the whole tree is compared."""


def refresh_index(
    project: Project,
    settings: Settings,
    store: IndexStore,
    *,
    only_paths: frozenset[str] | None,
    report: Callable[[IndexState], None],
    checkpoint: Callable[[], None],
    standalone: bool = True,
    prefetch: Callable[[Sequence[FileEntry]], None] = lambda _: None,
    note_embedder: EmbedNotes | None = None,
) -> IndexState:
    """Brings the index up to the files; returns its state, which is `ready`.

    only: compare just what stands at or below these paths, relative to the root; None compares the whole tree.
    report: called with the state after every batch. checkpoint: called between batches; it may block, or raise
    Cancelled, and what is published by then stays. alone: do all that follows, too: structure, words' counts, vectors
    by the bundled model; the indexer's process does that beside all other work. ahead: told what is to be read, in
    order. embed: gives notes their vectors while they are written, where that takes no time.
    Raises IndexUnavailable when the index can't be written.
    """
    one = _RefreshPass(project, settings, store, report, checkpoint, prefetch, NoteIndexer(project, note_embedder))
    state = one.run(only_paths)
    if not standalone:
        return state
    run_maintenance(project, settings, store, StructureUpdater(), checkpoint)
    return one.embed_documents(state)


class _RefreshPass:
    """One comparison and all that follows from it."""

    def __init__(
        self,
        project: Project,
        settings: Settings,
        store: IndexStore,
        report: Callable[[IndexState], None],
        checkpoint: Callable[[], None],
        prefetch: Callable[[Sequence[FileEntry]], None],
        notes: NoteIndexer,
    ) -> None:
        self._project = project
        self._settings = settings
        self._store = store
        self._report = report
        self._checkpoint = checkpoint
        self._prefetch = prefetch
        self._trusted = True
        self._complete = False
        self._notes = notes

    def run(self, only: frozenset[str] | None) -> IndexState:
        """See `refresh`."""
        commit = head_commit(self._project.root)
        if not self._store.has_files:
            self._store.save_fingerprint(self._reading_basis())  # a pass that is cut short is then gone on with, not begun again
        self._trusted = self._store.fingerprint == self._reading_basis()
        whole = only is None or not self._trusted or any(path.rpartition("/")[2] in FULL_COMPARE_FILES for path in only)
        known = self._store.all_files() if whole else self._store.files_under(only or ())
        if only is None:
            known = self._notes.reconcile(known)
        changes = self._compare(known, None if whole else only)
        with ProjectParser(self._project, self._settings, "reading") as contents:
            self._apply(changes, known, contents)
            if whole:  # it looks at all that is kept
                contents.blobs.evict()
        if self._complete:
            self._store.save_fingerprint(self._reading_basis())
        self._store.save_state(is_complete=self._complete, files_total=self._store.state().files_indexed, commit=commit)
        return replace(self._store.state(), state="ready", head_commit=commit)

    def _compare(self, known: Mapping[str, StoredFile], only: frozenset[str] | None) -> TreeChanges:
        """only: None for the whole tree."""
        state = self._store.state()
        if only is None:
            changes = compare_tree(self._project.root, self._settings, known, reread_all=not self._trusted)
        else:
            changes = compare_paths(self._project.root, self._settings, self._store, only, state.files_indexed)
        self._store.save_folders(changes.folders, replace_all=only is None)
        self._complete = only is None or state.state == "ready"
        return changes

    def _reading_basis(self) -> str:
        """What the outcome of reading a file depends on, beside the file."""
        return f"{PARSER_VERSION} {NOTE_PARSER_VERSION} {sorted(self._settings.languages)}"

    def _apply(self, changes: TreeChanges, known: Mapping[str, StoredFile], contents: ProjectParser) -> None:
        """Publishes batch by batch."""
        skipped = [_skipped_file(entry) for entry in changes.to_skip]
        if skipped or changes.gone:
            self._notes.publish((), [*(file.path for file in skipped), *changes.gone])
            self._store.publish(skipped, changes.gone)
        left = len(changes.to_read)
        self._prefetch(changes.to_read)
        self._report_progress(changes, left)
        for batch in split_into_batches(changes.to_read, attrgetter("size"), target_size=BATCH_BYTES, max_items=BATCH_FILES):
            self._checkpoint()
            read = contents.read_files(batch, known if self._trusted else {})
            self._notes.publish(read.notes, [*(file.path for file in read.files), *read.gone])
            self._store.publish(read.files, read.gone, read.touched)
            left -= len(batch)
            self._report_progress(changes, left)

    def _report_progress(self, changes: TreeChanges, left: int) -> None:
        if changes.to_read:
            done = max(0, changes.total - left)
            state = replace(self._store.state(), state="indexing", files_indexed=done, files_total=changes.total)
            self._report(state)

    def embed_documents(self, state: IndexState) -> IndexState:
        """Gives every document a vector of the bundled model; returns the state with their counts."""
        embedder = load_bundled_model()

        def report(_: int) -> None:
            self._report(replace(self._store.state(), state="indexing"))

        with ProjectParser(self._project, self._settings, "embedding") as contents:
            embed_missing_documents(self._store, contents, embedder, model=BUNDLED_MODEL, report=report, checkpoint=self._checkpoint)
        embed_missing_notes(self._project, embedder_info(BUNDLED_MODEL, embedder), embedder, self._checkpoint)
        self._store.activate_if_complete(embedder_info(BUNDLED_MODEL, embedder))
        return replace(self._store.state(), state="ready", head_commit=state.head_commit)


def _skipped_file(entry: FileEntry) -> NewFile:
    return NewFile(entry.path, entry.size, entry.mtime_ns, b"", entry.skip)
