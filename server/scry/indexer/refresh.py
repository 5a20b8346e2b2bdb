"""Bring the index up to the files: compare, read and parse, publish in batches, then maintain.

Rewrites the word index without what was deleted, so that its statistics, and so all scores, equal a fresh one's
(F10).

What is put in order after files have changed, while nobody waits: the structure around them, the words' counts.

Both take a look at the whole project, so a saved file is findable before, and what is saved meanwhile goes first. That
structure is due is noted with the change itself: whoever comes after a crash does it.

Brings the project's notes to what its files say, beside the index of code.

The steps that bring the index up to the files: compare -> read and parse -> publish, batch by batch -> structure ->
compact.

What was read out of a content is kept for all projects (`store.blobs`): a content seen before, on another branch, in
another work tree or clone, is not parsed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from operator import attrgetter

from msgspec.structs import replace

from scry.core.knowledge import note_kind_of_path
from scry.core.settings import BUNDLED_MODEL, Settings
from scry.core.types import IndexState, SkipReason
from scry.embedding.static_model import load_bundled_model
from scry.index.batches import split_into_batches
from scry.index.graph.import_graph import StructureUpdater
from scry.index.notes.note_file import NOTE_PARSER_VERSION
from scry.index.parse.documents import make_documents
from scry.index.parse.parser_version import PARSER_VERSION
from scry.index.project_parser import ProjectParser
from scry.index.scan.changes import TreeChanges, compare_paths, compare_tree
from scry.index.scan.walk import FileEntry
from scry.indexer.embed import embed_missing_documents, embed_missing_notes, embedder_info
from scry.projects.project import Project, head_commit
from scry.store.index.rows import NewFile, StoredFile
from scry.store.index.store import IndexStore
from scry.store.lexical import LexicalEntry
from scry.store.notes.project_notes import EmbedNotes, NewNote, ProjectNoteDatabase

_FILES_PER_COMPACTION_BATCH = 40


def compact_word_index(
    store: IndexStore, contents: ProjectParser, checkpoint: Callable[[], None] = lambda: None
) -> int:
    """Does so from the stored texts; returns the generation. checkpoint: may raise Cancelled; then nothing changes."""
    return store.rewrite_lexical(_lexical_entries(store, contents, checkpoint))


def _lexical_entries(
    store: IndexStore, contents: ProjectParser, checkpoint: Callable[[], None]
) -> Iterator[LexicalEntry]:
    indexed = iter([file for file in store.files.all_files().values() if file.skip is None])
    while part := list(islice(indexed, _FILES_PER_COMPACTION_BATCH)):
        checkpoint()
        texts = [(file.path, file.hash, store.files.get_text(file.path) or "") for file in part]
        for path, parsed in contents.parse_stored_texts(texts).items():
            file_id, numbers = store.documents.doc_keys_in_file(path)
            by_id = {doc_id: number for number, doc_id in numbers}
            for document in make_documents(path, parsed):
                yield LexicalEntry(by_id[document.doc_id], file_id, document.terms)


MAX_REPLACED_SHARE = 0.05
"""Share of replaced files whose words may stay in the word index: BM25 counts them, so scores drift until a rewrite."""


def run_maintenance(
    project: Project,
    settings: Settings,
    store: IndexStore,
    structure_updater: StructureUpdater,
    checkpoint: Callable[[], None],
) -> bool:
    """Does what is due; says whether anything was. structures: those of this store. checkpoint: called every few files;
    may raise Cancelled.
    """
    restructured = structure_updater.update(store, checkpoint)
    if store.dead_file_count <= MAX_REPLACED_SHARE * store.state().files_indexed:
        return restructured
    with ProjectParser(project, settings, "reading") as contents:
        compact_word_index(store, contents, checkpoint)
    return True


class NoteIndexer:
    """The notes of one pass over the files. Opens their file only where there is something to write."""

    def __init__(self, project: Project, embed: EmbedNotes | None) -> None:
        """embed: see KnowledgeFile.publish."""
        self._cache = project.cache
        self._embed = embed

    def reconcile(self, known: Mapping[str, StoredFile]) -> Mapping[str, StoredFile]:
        """The known files, without those whose notes were lost: they are read again. Forgets notes that no row tells
        of, as after the index was made anew.
        """
        told = {path for path, file in known.items() if file.skip and file.skip.reason is SkipReason.KNOWLEDGE}
        if not told and not ProjectNoteDatabase.path_in_cache(self._cache).exists():
            return known
        with closing(ProjectNoteDatabase.open(self._cache, write=True)) as file:
            held = file.note_paths()
            if held - told:
                file.publish((), sorted(held - told))
        lost = told - held
        return {path: file for path, file in known.items() if path not in lost} if lost else known

    def publish(self, notes: Sequence[NewNote], others: Sequence[str]) -> None:
        """Takes the notes in, before their rows are written: a crash between has them read again.

        others: paths of files that were looked at; of those that were notes and are none any more nothing is kept.
        """
        written = {new.path for new in notes}
        gone = [path for path in others if path not in written and note_kind_of_path(path)]
        if not notes and not (gone and ProjectNoteDatabase.path_in_cache(self._cache).exists()):
            return
        with closing(ProjectNoteDatabase.open(self._cache, write=True)) as file:
            file.publish(notes, gone, self._embed)


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
        if not self._store.files.has_files:
            self._store.save_fingerprint(
                self._reading_basis()
            )  # a pass that is cut short is then gone on with, not begun again
        self._trusted = self._store.fingerprint == self._reading_basis()
        whole = only is None or not self._trusted or any(path.rpartition("/")[2] in FULL_COMPARE_FILES for path in only)
        known = self._store.files.all_files() if whole else self._store.files.files_under(only or ())
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
            changes = compare_paths(self._project.root, self._settings, self._store.files, only, state.files_indexed)
        self._store.files.save_folders(changes.folders, replace_all=only is None)
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
        for batch in split_into_batches(
            changes.to_read, attrgetter("size"), target_size=BATCH_BYTES, max_items=BATCH_FILES
        ):
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
            embed_missing_documents(
                self._store, contents, embedder, model=BUNDLED_MODEL, report=report, checkpoint=self._checkpoint
            )
        embed_missing_notes(self._project, embedder_info(BUNDLED_MODEL, embedder), embedder, self._checkpoint)
        self._store.vectors.activate_if_complete(embedder_info(BUNDLED_MODEL, embedder))
        return replace(self._store.state(), state="ready", head_commit=state.head_commit)


def _skipped_file(entry: FileEntry) -> NewFile:
    return NewFile(entry.path, entry.size, entry.mtime_ns, b"", entry.skip)
