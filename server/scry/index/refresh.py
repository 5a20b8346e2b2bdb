"""What changed since the last time, and the steps that bring the index up to it.

compare (size and time, then content hash) -> read and parse what is new -> publish, batch by batch -> structure -> compact.
A content that any project has seen before is not parsed again (`store.blobs`).
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from scry.core.settings import Settings
from scry.core.types import IndexState, Parsed, Skip, SkipReason
from scry.index.decode import decode
from scry.index.documents import content_type, make_documents
from scry.index.parse import PARSER_VERSION, parse
from scry.index.project import Project, head_commit
from scry.index.read import Reading, read_file
from scry.index.structure import FileImports, describe, resolve_imports
from scry.index.walk import Found, explain_ignored, walk
from scry.store.blobs import BlobCache
from scry.store.index_store import IndexStore
from scry.store.lexical import LexicalEntry
from scry.store.rows import NewFile, StoredFile

BATCH_BYTES = 4_000_000
BATCH_FILES = 400
"""A batch is published as one generation: large enough that commits cost little, small enough that first answers come
within a second and a kill loses little."""

COMPACT_SHARE = 0.05
"""Share of files whose dead words may stay in the word index; BM25 counts them, so scores drift until it is rewritten."""

RULE_FILES = frozenset({".gitignore", ".scryignore", "exclude", "config.toml", "go.mod"})
"""Files whose change may change what is indexed elsewhere: the whole tree is compared."""

Report = Callable[[IndexState], None]


@dataclass(frozen=True, slots=True)
class Changes:
    """The outcome of a comparison. total: how many files there are that can be indexed."""

    to_read: tuple[Found, ...]
    to_skip: tuple[Found, ...]
    gone: tuple[str, ...]
    total: int


def refresh(
    project: Project,
    settings: Settings,
    store: IndexStore,
    *,
    only: frozenset[str] | None,
    report: Report,
    checkpoint: Callable[[], None],
) -> IndexState:
    """Brings the index up to the files; returns its state, which is `ready`.

    only: compare just these paths, relative to the root; None compares the whole tree.
    report: called with the state after every batch. checkpoint: called between batches; it may block, or raise Cancelled,
    and what is published by then stays.
    Raises IndexUnavailable when the index can't be written.
    """
    return _Pass(project, settings, store, report, checkpoint).run(only)


class _Pass:
    """One comparison and all that follows from it."""

    def __init__(
        self, project: Project, settings: Settings, store: IndexStore, report: Report, checkpoint: Callable[[], None]
    ) -> None:
        self._project = project
        self._settings = settings
        self._store = store
        self._report = report
        self._checkpoint = checkpoint
        self._blobs = BlobCache(project.cache.parent, int(time.time() // 86400))

    def run(self, only: frozenset[str] | None) -> IndexState:
        whole = only is None or any(_changes_rules(path) for path in only)
        commit = head_commit(self._project.root)
        known = self._store.files()
        changes = self._compare_all(known) if whole else self._compare_some(known, only or frozenset())
        fresh = self._store.state().state != "ready"
        self._announce(changes, left=len(changes.to_read))
        changed = self._apply(changes, known)
        if changed or fresh:
            self._save_structure()
            self._compact()
        self._blobs.trim()
        self._blobs.close()
        self._store.save_state(complete=True, files_total=changes.total, commit=commit)
        return replace(self._store.state(), state="ready", head_commit=commit)

    # Comparing ----------------------------------------------------------------------------------------------------

    def _compare_all(self, known: Mapping[str, StoredFile]) -> Changes:
        folders: dict[str, int] = {}
        found = list(walk(self._project.root, self._settings, folders))
        self._store.save_folders(folders)
        gone = known.keys() - {entry.path for entry in found}
        return _changes(found, known, sorted(gone), sum(entry.skip is None for entry in found))

    def _compare_some(self, known: Mapping[str, StoredFile], paths: Iterable[str]) -> Changes:
        found: list[Found] = []
        gone: list[str] = []
        for path in sorted(paths):
            entry = self._look(path)
            if entry is None:
                gone += (name for name in known if name == path or name.startswith(path + "/"))
            else:
                found.append(entry)
        added = sum(entry.path not in known for entry in found)
        return _changes(found, known, gone, len(known) + added - len(gone))

    def _look(self, path: str) -> Found | None:
        """The one file as `walk` would yield it; None when it is no more, or when it is a folder."""
        place = self._project.root / path
        try:
            status = place.lstat()
        except (OSError, ValueError):
            return None
        if place.is_dir():
            return None
        skip = explain_ignored(self._project.root, path, self._settings)
        return Found(path, status.st_size, status.st_mtime_ns, skip)

    # Applying -----------------------------------------------------------------------------------------------------

    def _apply(self, changes: Changes, known: Mapping[str, StoredFile]) -> bool:
        """Publishes batch by batch; says whether any document changed."""
        skipped = [_skipped(entry, entry.skip) for entry in changes.to_skip if entry.skip]
        if skipped or changes.gone:
            self._store.publish(skipped, changes.gone)
        changed = bool(changes.gone) or any(known.get(f.path) and not known[f.path].skip for f in skipped)
        left = len(changes.to_read)
        for batch in _batches(changes.to_read):
            self._checkpoint()
            files, touched, gone = self._read_batch(batch, known)
            if files or touched or gone:
                self._store.publish(files, gone, touched)
            changed = changed or bool(files or gone)
            left -= len(batch)
            self._announce(changes, left)
        return changed

    def _announce(self, changes: Changes, left: int) -> None:
        if changes.to_read:
            state = self._store.state()
            done = max(0, changes.total - left)
            self._report(replace(state, state="indexing", files_indexed=done, files_total=changes.total))

    def _read_batch(
        self, batch: Iterable[Found], known: Mapping[str, StoredFile]
    ) -> tuple[list[NewFile], list[NewFile], list[str]]:
        read: list[tuple[Found, Reading]] = []
        files: list[NewFile] = []
        gone: list[str] = []
        for entry in batch:
            reading = read_file(self._project.root, entry.path, self._settings.max_file_bytes)
            if reading is None:
                gone.append(entry.path)
            elif isinstance(reading, Skip):
                files.append(_skipped(entry, reading))
            else:
                read.append((entry, reading))
        fresh, touched = self._parse_batch(read, known)
        return files + fresh, touched, gone

    def _parse_batch(
        self, read: Iterable[tuple[Found, Reading]], known: Mapping[str, StoredFile]
    ) -> tuple[list[NewFile], list[NewFile]]:
        fresh: list[NewFile] = []
        touched: list[NewFile] = []
        for entry, reading in read:
            digest = _digest(reading.data)
            before = known.get(entry.path)
            if before and before.hash == digest and (before.skip is None or before.skip.reason in _BY_CONTENT):
                touched.append(NewFile(entry.path, reading.size, reading.mtime_ns, digest))
            else:
                fresh.append(NewFile(entry.path, reading.size, reading.mtime_ns, digest, text=""))
        by_path = {entry.path: reading for entry, reading in read}
        return [self._parsed_file(file, by_path[file.path].data) for file in fresh], touched

    def _parsed_file(self, file: NewFile, data: bytes) -> NewFile:
        text = decode(data)
        if isinstance(text, Skip):
            return replace(file, skip=text)
        parsed = self._parse(file.path, text, file.hash)
        if self._settings.languages and parsed.language not in self._settings.languages:
            return replace(file, skip=Skip(SkipReason.LANGUAGE_OFF, parsed.language))
        return replace(
            file,
            language=parsed.language,
            content_type=content_type(parsed.language),
            text=text,
            imports=msgspec.msgpack.encode(parsed.imports),
            uses=msgspec.msgpack.encode(parsed.references),
            documents=make_documents(file.path, parsed),
        )

    def _parse(self, path: str, text: str, digest: bytes) -> Parsed:
        key = digest + f"{PARSER_VERSION}{Path(path).name if '.' not in path else Path(path).suffix}".encode(
            "utf-8", "surrogatepass"
        )
        known = self._blobs.get([key]).get(key)
        if known is not None:
            return msgspec.msgpack.decode(known, type=Parsed)
        parsed = parse(path, text)
        self._blobs.put({key: msgspec.msgpack.encode(parsed)})
        return parsed

    # After all files ----------------------------------------------------------------------------------------------

    def _save_structure(self) -> None:
        decode_imports = msgspec.msgpack.Decoder(tuple[str, ...]).decode
        files = {
            path: FileImports(language, decode_imports(packed) if packed else ())
            for path, (language, packed) in self._store.imports().items()
        }
        self._store.save_structures(describe(files, resolve_imports(files)))

    def _compact(self) -> None:
        dead, live = self._store.replaced_files, self._store.state().files_indexed
        if dead > COMPACT_SHARE * live:
            compact(self._store, self._parse)


def compact(store: IndexStore, parse_again: Callable[[str, str, bytes], Parsed]) -> int:
    """Rewrites the word index without the dead, so that its statistics equal those of a fresh one (F10)."""
    return store.rewrite_lexical(_entries(store, parse_again))


def _entries(store: IndexStore, parse_again: Callable[[str, str, bytes], Parsed]) -> Iterator[LexicalEntry]:
    for file in store.files().values():
        text = None if file.skip else store.text(file.path)
        if text is None:
            continue
        file_id, numbers = store.numbers_of(file.path)
        by_id = {doc_id: number for number, doc_id in numbers}
        for document in make_documents(file.path, parse_again(file.path, text, file.hash)):
            yield LexicalEntry(by_id[document.doc_id], file_id, document.terms)


_BY_CONTENT = frozenset({SkipReason.BINARY, SkipReason.UNDECODABLE, SkipReason.MINIFIED})


def _changes(found: Iterable[Found], known: Mapping[str, StoredFile], gone: Iterable[str], total: int) -> Changes:
    to_read: list[Found] = []
    to_skip: list[Found] = []
    for entry in found:
        before = known.get(entry.path)
        same = before is not None and (before.size, before.mtime_ns) == (entry.size, entry.mtime_ns)
        if entry.skip is not None:
            if not same or before is None or before.skip != entry.skip:
                to_skip.append(entry)
        elif not same or (before is not None and before.skip is not None and before.skip.reason not in _BY_CONTENT):
            to_read.append(entry)
    return Changes(tuple(to_read), tuple(to_skip), tuple(gone), total)


def _skipped(entry: Found, skip: Skip) -> NewFile:
    return NewFile(entry.path, entry.size, entry.mtime_ns, b"", skip)


def _batches(entries: Iterable[Found]) -> Iterator[list[Found]]:
    batch: list[Found] = []
    size = 0
    for entry in entries:
        batch.append(entry)
        size += entry.size
        if size >= BATCH_BYTES or len(batch) >= BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _changes_rules(path: str) -> bool:
    return path.rpartition("/")[2] in RULE_FILES
