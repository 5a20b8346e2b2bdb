"""Bring the index up to the files: compare, read and parse, publish in batches, then maintain.

Maintenance looks at the whole project: the structure around changed files, and the word index without deleted entries.
It follows once a saved file is findable, and a file saved meanwhile goes first. That it is due is stored with the
change itself, so after a crash the next indexer does it.

Parse results are cached for all projects (`store.blobs`): a content seen before, on another branch, in another work
tree or clone, is not parsed again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from operator import attrgetter

from msgspec.structs import replace

from scry.core.knowledge import note_kind_of_path
from scry.core.settings import BUNDLED_MODEL, Settings
from scry.core.types import FileFault, IndexingStage, IndexState, ParsedFile, SkippedFile, SkipReason
from scry.embedding.static_model import load_bundled_model
from scry.index.graph.structure import StructureUpdater
from scry.index.notes.note_file import NOTE_PARSER_VERSION
from scry.index.parse.documents import make_documents, weighted_terms
from scry.index.parse.parser_version import PARSER_VERSION, reading_version
from scry.index.project_parser import ParsedBatch, ProjectParser
from scry.index.scan.changes import TreeChanges, compare_paths, compare_tree
from scry.index.scan.ignore_rules import FOLDER_RULE_NAMES
from scry.index.scan.walk import FileEntry
from scry.indexer.embed import MAX_PARSED_ANEW, embed_missing_documents, embed_missing_notes, embedder_info
from scry.projects.project import Project, head_commit
from scry.store.blobs import split_into_batches
from scry.store.index.rows import NewFile, StoredFile, check_row
from scry.store.index.store import IndexStore
from scry.store.lexical import LexicalEntry
from scry.store.notes.project_notes import EmbedNotes, NewNote, ProjectNoteDatabase
from scry.store.notes.schema import PROJECT_NOTES_PATH
from scry.store.sqlite.database import STORE_ERRORS

log = logging.getLogger(__name__)

FIRST_BATCH_BYTES = 500_000
"""Bytes of the first batch of a pass that reads LONG_PASS_BYTES or more, so that its first answers come soon."""


LONG_PASS_BYTES = 2_000_000
"""Bytes that are read in some two seconds. A batch of its own for the first files of a pass costs it 0.1 to 0.2 s."""


BATCH_BYTES = 4_000_000


BATCH_FILES = 400
"""Files of one batch, which is published as one generation: large enough that commits cost little, small enough that
a kill loses little.
"""


FULL_COMPARE_FILES = FOLDER_RULE_NAMES | {"exclude", "config.toml"}
"""Names of files whose change may affect the index of other files."""


def affects_other_files(path: str) -> bool:
    """Return whether a change of the file may affect the index of others, so that the whole tree is compared."""
    return path.rpartition("/")[2] in FULL_COMPARE_FILES


_FILES_PER_COMPACTION_BATCH = 40


MAX_REPLACED_SHARE = 0.05
"""Maximum share of replaced files in the word index. BM25 counts their words, so scores drift until a rewrite."""


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
    """Bring the index up to the files; return its state, which is `ready`.

    only_paths: compare only these paths, relative to the root, and all below them; None compares the whole tree.
    report: called with the state after every batch. checkpoint: called between batches; it may block or raise
    Cancelled, and what is published by then stays. standalone: also run the maintenance and embed with the bundled
    model, which the indexer process does beside all other work. prefetch: called with the files to read, in order.
    note_embedder: embeds notes while they are written, where that takes no time. Raises IndexUnavailable when the index
    cannot be written.
    """
    refresh = _RefreshPass(project, settings, store, report, checkpoint, prefetch, NoteIndexer(project, note_embedder))
    state = refresh.run(only_paths)
    if not standalone:
        return state
    run_maintenance(project, settings, store, StructureUpdater(), checkpoint)
    return refresh.embed_documents(state)


class _RefreshPass:
    """One comparison and the changes that follow from it."""

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
        self._notes = notes

    def run(self, only: frozenset[str] | None) -> IndexState:
        """Compare and publish the changes; see `refresh_index`. only: its `only_paths`."""
        commit = head_commit(self._project.root)
        if not self._store.files.has_files:
            self._store.save_fingerprint(
                self._reading_basis()
            )  # a pass that is cut short is then continued, not repeated
        self._trusted = self._store.fingerprint == self._reading_basis()
        whole = only is None or not self._trusted or any(map(affects_other_files, only))
        known = self._store.files.all_files() if whole else self._store.files.files_under(only or ())
        if only is None:
            known = self._notes.reconcile(known)
        changes = self._compare(known, None if whole else only)
        with ProjectParser(self._project, self._settings, "reading") as contents:
            self._apply(changes, known, contents)
            if whole:  # eviction looks at the whole cache
                embedded, documents = self._store.vectors.counts()
                if documents - embedded <= MAX_PARSED_ANEW:
                    contents.blobs.evict()
        if whole:
            self._store.save_fingerprint(self._reading_basis())
        self._store.save_state(whole=whole, files_total=self._store.state().files_indexed, commit=commit)
        return replace(self._store.state(), state="ready", head_commit=commit)

    def _compare(self, known: Mapping[str, StoredFile], only: frozenset[str] | None) -> TreeChanges:
        """Return the changes. only: None for the whole tree."""
        if only is None:
            changes = compare_tree(self._project.root, self._settings, known, reread_all=not self._trusted)
        else:
            indexed = self._store.state().files_indexed
            changes = compare_paths(self._project.root, self._settings, self._store.files, only, indexed)
        self._store.files.save_folders(changes.folders, replace_all=only is None)
        return changes

    def _reading_basis(self) -> str:
        """Return the versions and settings that the result of reading a file depends on, beside the file."""
        languages, limit = sorted(self._settings.languages), self._settings.max_parse_seconds
        return f"{PARSER_VERSION} {NOTE_PARSER_VERSION} {languages} {limit:g}"

    def _apply(self, changes: TreeChanges, known: Mapping[str, StoredFile], contents: ProjectParser) -> None:
        """Publish the changes batch by batch."""
        skipped = [_skipped_file(entry) for entry in changes.to_skip]
        if skipped or changes.gone:
            self._notes.publish((), [*(file.path for file in skipped), *changes.gone])
            self._store.publish(skipped, changes.gone)
        left = len(changes.to_read)
        self._prefetch(changes.to_read)
        self._report_progress(changes, left)
        for batch in _split_pass(changes.to_read):
            self._checkpoint()
            read = contents.read_files(batch, known if self._trusted else {})
            faults = self._notes.publish(read.notes, [*(file.path for file in read.files), *read.gone])
            self._publish(replace(read, files=tuple(_with_fault(file, faults.get(file.path)) for file in read.files)))
            left -= len(batch)
            self._report_progress(changes, left)
        self._store.remove_dead_words()

    def _publish(self, read: ParsedBatch) -> None:
        """Publish a batch; a file whose row can't be written becomes a row with the reason."""
        try:
            self._store.publish(read.files, read.gone, read.touched)
        except Exception:
            files = [_checked_file(file) for file in read.files]
            if all(file is read_file for file, read_file in zip(files, read.files, strict=True)):
                raise
            self._store.publish(files, read.gone, read.touched)

    def _report_progress(self, changes: TreeChanges, left: int) -> None:
        if changes.to_read:
            done = max(0, changes.total - left)
            state = replace(self._store.state(), state="indexing", files_indexed=done, files_total=changes.total)
            self._report(state)

    def embed_documents(self, state: IndexState) -> IndexState:
        """Embed all documents and notes with the bundled model; return the state with their counts."""
        embedder = load_bundled_model()

        def report(_: int) -> None:
            self._report(replace(self._store.state(), state="indexing"))

        info = embedder_info(BUNDLED_MODEL, embedder)
        with ProjectParser(self._project, self._settings, "embedding") as contents:
            embedded = embed_missing_documents(
                self._store, contents, embedder, model=BUNDLED_MODEL, report=report, checkpoint=self._checkpoint
            )
            embed_missing_notes(self._project, info, embedder, self._checkpoint)
            self._store.vectors.activate_if_complete(info)
            if embedded > MAX_PARSED_ANEW:
                contents.blobs.evict()
        return replace(self._store.state(), state="ready", head_commit=state.head_commit)


def _split_pass(entries: Sequence[FileEntry]) -> Iterator[list[FileEntry]]:
    """Yield the entries in order, in batches, of which the first of a long pass is small."""
    left, size = iter(entries), attrgetter("size")
    if sum(map(size, entries)) >= LONG_PASS_BYTES:
        yield from islice(split_into_batches(left, size, target_size=FIRST_BATCH_BYTES, max_items=BATCH_FILES), 1)
    yield from split_into_batches(left, size, target_size=BATCH_BYTES, max_items=BATCH_FILES)


def _checked_file(file: NewFile) -> NewFile:
    """Return the file, or a row with the reason where the values of its row can't be written."""
    try:
        check_row(file)
    except Exception as error:
        log.warning("the row of %r can't be written", file.path, exc_info=True)
        return _with_fault(file, FileFault.from_error(IndexingStage.STORE, error))
    return file


def _with_fault(file: NewFile, fault: FileFault | None) -> NewFile:
    """Return a row with the reason in place of a file that can't be stored; the file itself where there is no fault."""
    if fault is None:
        return file
    skip = SkippedFile(SkipReason.FAILED, str(fault))
    row = NewFile(file.path, file.size, file.mtime_ns, file.hash, skip, ctime_ns=file.ctime_ns)
    return replace(row, fault=fault, fault_version=reading_version())


def _skipped_file(entry: FileEntry) -> NewFile:
    return NewFile(entry.path, entry.size, entry.mtime_ns, b"", entry.skip, ctime_ns=entry.ctime_ns)


def run_maintenance(
    project: Project,
    settings: Settings,
    store: IndexStore,
    structure_updater: StructureUpdater,
    checkpoint: Callable[[], None],
) -> bool:
    """Do the maintenance that is due; return whether any was.

    structure_updater: the one of this store. checkpoint: called every few files; it may raise Cancelled.
    """
    restructured = structure_updater.update(store, checkpoint)
    if store.dead_file_count <= MAX_REPLACED_SHARE * store.state().files_indexed:
        return restructured
    with ProjectParser(project, settings, "reading") as contents:
        compact_word_index(store, contents, checkpoint)
    return True


def compact_word_index(
    store: IndexStore, contents: ProjectParser, checkpoint: Callable[[], None] = lambda: None
) -> int:
    """Rewrite the word index from the stored texts, without deleted entries; return the generation.

    Its statistics, and so all scores, then equal those of a fresh index (F10). checkpoint: may raise Cancelled; then
    nothing changes.
    """
    return store.rewrite_lexical(_lexical_entries(store, contents, checkpoint))


def _lexical_entries(
    store: IndexStore, contents: ProjectParser, checkpoint: Callable[[], None]
) -> Iterator[LexicalEntry]:
    indexed = iter([file for file in store.files.all_files().values() if file.skip is None])
    while part := list(islice(indexed, _FILES_PER_COMPACTION_BATCH)):
        checkpoint()
        texts = [(file.path, file.hash, store.files.get_text(file.path) or "", file.fault) for file in part]
        parsed = contents.parse_stored_texts(texts)
        for path, _, text, _ in texts:
            yield from _file_entries(store, path, text, parsed.get(path))


def _file_entries(store: IndexStore, path: str, text: str, parsed: ParsedFile | None) -> list[LexicalEntry]:
    """Return the words of the documents of a file. Where it can't be parsed as it was when it was indexed, the words of
    a document are those of its lines.
    """
    file_id, doc_keys = store.documents.doc_keys_in_file(path)
    terms: dict[str, str] = {}
    try:
        terms = {document.doc_id: document.terms for document in make_documents(path, parsed)} if parsed else {}
    except Exception:
        log.warning("%r can't be parsed again", path, exc_info=True)
    if any(doc_id not in terms for _, doc_id in doc_keys):
        lines = text.splitlines()
        stored = store.documents.get_documents([doc_key for doc_key, _ in doc_keys])
        for document in stored.values():
            span = document.symbol.span
            own_text = "\n".join(lines[span.start.line : span.end.line + 1])
            terms.setdefault(document.doc_id, weighted_terms(path, replace(document.symbol, own_text=own_text)))
    return [LexicalEntry(doc_key, file_id, terms[doc_id]) for doc_key, doc_id in doc_keys if doc_id in terms]


class NoteIndexer:
    """Indexes the project's notes during one pass. Opens their database only where there is something to write."""

    def __init__(self, project: Project, embed: EmbedNotes | None) -> None:
        """Take the project, and the function that embeds notes (see `ProjectNoteDatabase.publish`)."""
        self._cache = project.cache
        self._embed = embed

    def reconcile(self, known: Mapping[str, StoredFile]) -> Mapping[str, StoredFile]:
        """Return the known files without those whose notes were lost, so that these are read again.

        Deletes notes that no known file holds, as after the index was rebuilt.
        """
        note_paths = {path for path, file in known.items() if file.skip and file.skip.reason is SkipReason.KNOWLEDGE}
        if not note_paths and not (self._cache / PROJECT_NOTES_PATH).exists():
            return known
        with closing(ProjectNoteDatabase.open(self._cache, write=True)) as database:
            stored = database.note_paths()
            if stored - note_paths:
                database.publish((), sorted(stored - note_paths))
        lost = note_paths - stored
        return {path: file for path, file in known.items() if path not in lost} if lost else known

    def publish(self, notes: Sequence[NewNote], others: Sequence[str]) -> Mapping[str, FileFault]:
        """Store the notes before their files' rows are written: after a crash between the two they are read again.

        Returns the faults of notes that can't be stored, by path. others: further paths of files that were read; notes
        of these that are no longer notes are deleted.
        """
        written = {new.path for new in notes}
        removed = [path for path in others if path not in written and note_kind_of_path(path)]
        if not notes and not (removed and (self._cache / PROJECT_NOTES_PATH).exists()):
            return {}
        with closing(ProjectNoteDatabase.open(self._cache, write=True)) as database:
            try:
                database.publish(notes, removed, self._embed)
            except STORE_ERRORS:
                raise
            except Exception:
                database.publish((), removed)
                faults = {new.path: fault for new in notes if (fault := self._publish_one(database, new))}
                if not faults:
                    raise
                return faults
        return {}

    def _publish_one(self, database: ProjectNoteDatabase, new: NewNote) -> FileFault | None:
        """Store one note; return the fault where it can't be stored."""
        try:
            database.publish([new], (), self._embed)
        except STORE_ERRORS:
            raise
        except Exception as error:
            log.warning("the note %r can't be stored", new.path, exc_info=True)
            database.publish((), [new.path])
            return FileFault.from_error(IndexingStage.STORE, error)
        return None
