"""The steps that bring the index up to the files: compare -> read and parse -> publish, batch by batch -> structure ->
compact.

What was read out of a content is kept for all projects (`store.blobs`): a content seen before, on another branch, in
another work tree or clone, is not parsed again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter

from msgspec.structs import replace

from scry.core.settings import BUNDLED, Settings
from scry.core.types import IndexState
from scry.embedding.choose import bundled
from scry.index.compare import Changes, compare_all, compare_some
from scry.index.contents import Contents
from scry.index.embed import embed_missing, maker_of
from scry.index.note_keeper import Notes
from scry.index.notes import NOTES_VERSION
from scry.index.parser_version import PARSER_VERSION
from scry.index.portions import portions
from scry.index.project import Project, head_commit
from scry.index.shelf_vectors import fill_shelves
from scry.index.structures import Structures
from scry.index.upkeep import keep_up
from scry.index.walk import Found
from scry.store.index_store import IndexStore
from scry.store.knowledge_file import Embed
from scry.store.rows import NewFile, StoredFile

BATCH_BYTES = 4_000_000
BATCH_FILES = 400
"""A batch is published as one generation: large enough that commits cost little, small enough that first answers come
within a second and a kill loses little."""

RULE_FILES = frozenset({".gitignore", ".scryignore", "exclude", "config.toml"})
"""Files whose change may change what is indexed elsewhere: then the whole tree is compared."""


def refresh(
    project: Project,
    settings: Settings,
    store: IndexStore,
    *,
    only: frozenset[str] | None,
    report: Callable[[IndexState], None],
    checkpoint: Callable[[], None],
    alone: bool = True,
    ahead: Callable[[Sequence[Found]], None] = lambda _: None,
    embed: Embed | None = None,
) -> IndexState:
    """Brings the index up to the files; returns its state, which is `ready`.

    only: compare just what stands at or below these paths, relative to the root; None compares the whole tree.
    report: called with the state after every batch. checkpoint: called between batches; it may block, or raise
    Cancelled, and what is published by then stays. alone: do all that follows, too: structure, words' counts, vectors
    by the bundled model; the indexer's process does that beside all other work. ahead: told what is to be read, in
    order. embed: gives notes their vectors while they are written, where that takes no time.
    Raises IndexUnavailable when the index can't be written.
    """
    one = _Pass(project, settings, store, report, checkpoint, ahead, Notes(project, embed))
    state = one.run(only)
    if not alone:
        return state
    keep_up(project, settings, store, Structures(), checkpoint)
    return one.embed(state)


class _Pass:
    """One comparison and all that follows from it."""

    def __init__(
        self,
        project: Project,
        settings: Settings,
        store: IndexStore,
        report: Callable[[IndexState], None],
        checkpoint: Callable[[], None],
        ahead: Callable[[Sequence[Found]], None],
        notes: Notes,
    ) -> None:
        self._project = project
        self._settings = settings
        self._store = store
        self._report = report
        self._checkpoint = checkpoint
        self._ahead = ahead
        self._trusted = True
        self._complete = False
        self._notes = notes

    def run(self, only: frozenset[str] | None) -> IndexState:
        """See `refresh`."""
        commit = head_commit(self._project.root)
        if not self._store.knows_files:
            self._store.save_basis(self._basis())  # a pass that is cut short is then gone on with, not begun again
        self._trusted = self._store.basis == self._basis()
        whole = only is None or not self._trusted or any(path.rpartition("/")[2] in RULE_FILES for path in only)
        known = self._store.files() if whole else self._store.files_at(only or ())
        if only is None:
            known = self._notes.agree(known)
        changes = self._compare(known, None if whole else only)
        with Contents(self._project, self._settings, "reading") as contents:
            self._apply(changes, known, contents)
            if whole:  # it looks at all that is kept
                contents.blobs.trim()
        if self._complete:
            self._store.save_basis(self._basis())
        self._store.save_state(complete=self._complete, total=self._store.state().files_indexed, commit=commit)
        return replace(self._store.state(), state="ready", head_commit=commit)

    def _compare(self, known: Mapping[str, StoredFile], only: frozenset[str] | None) -> Changes:
        """only: None for the whole tree."""
        state = self._store.state()
        if only is None:
            changes = compare_all(self._project.root, self._settings, known, distrust=not self._trusted)
        else:
            changes = compare_some(self._project.root, self._settings, self._store, only, state.files_indexed)
        self._store.save_folders(changes.folders, whole=only is None)
        self._complete = only is None or state.state == "ready"
        return changes

    def _basis(self) -> str:
        """What the outcome of reading a file depends on, beside the file."""
        return f"{PARSER_VERSION} {NOTES_VERSION} {sorted(self._settings.languages)}"

    def _apply(self, changes: Changes, known: Mapping[str, StoredFile], contents: Contents) -> None:
        """Publishes batch by batch."""
        skipped = [_left_out(entry) for entry in changes.to_skip]
        if skipped or changes.gone:
            self._notes.publish((), [*(file.path for file in skipped), *changes.gone])
            self._store.publish(skipped, changes.gone)
        left = len(changes.to_read)
        self._ahead(changes.to_read)
        self._announce(changes, left)
        for batch in portions(changes.to_read, attrgetter("size"), full=BATCH_BYTES, most=BATCH_FILES):
            self._checkpoint()
            read = contents.read(batch, known if self._trusted else {})
            self._notes.publish(read.notes, [*(file.path for file in read.files), *read.gone])
            self._store.publish(read.files, read.gone, read.touched)
            left -= len(batch)
            self._announce(changes, left)

    def _announce(self, changes: Changes, left: int) -> None:
        if changes.to_read:
            done = max(0, changes.total - left)
            state = replace(self._store.state(), state="indexing", files_indexed=done, files_total=changes.total)
            self._report(state)

    def embed(self, state: IndexState) -> IndexState:
        """Gives every document a vector of the bundled model; returns the state with their counts."""
        embedder = bundled()

        def report(_: int) -> None:
            self._report(replace(self._store.state(), state="indexing"))

        with Contents(self._project, self._settings, "embedding") as contents:
            embed_missing(self._store, contents, embedder, model=BUNDLED, report=report, checkpoint=self._checkpoint)
        fill_shelves(self._project, maker_of(BUNDLED, embedder), embedder, self._checkpoint)
        self._store.answer_with(maker_of(BUNDLED, embedder))
        return replace(self._store.state(), state="ready", head_commit=state.head_commit)


def _left_out(entry: Found) -> NewFile:
    return NewFile(entry.path, entry.size, entry.mtime_ns, b"", entry.skip)
