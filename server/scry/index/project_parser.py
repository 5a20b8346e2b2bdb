"""Read and parse a project's files into index rows, parsing each content once (`store.blobs`).

Each stage handles one file at a time, and an exception in it costs that file alone (`core.types.IndexingStage`):
without symbols a file is read as plain text, without its uses of names it has no relations, without any document it is
a row with the reason. Such a file is read again when its content changes, and by another version of Scry.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from types import TracebackType

import msgspec
from msgspec.structs import replace

from scry.core.decoding import msgpack_decoder
from scry.core.knowledge import MalformedNote, NoteKind, note_kind_of_path
from scry.core.settings import Settings
from scry.core.types import FileFault, IndexingStage, ParsedFile, SkippedFile, SkipReason
from scry.index.crash_guard import CrashGuard, read_blame
from scry.index.graph.import_graph import extract_file_imports
from scry.index.notes.note_file import make_note_entry, parse_note
from scry.index.parse.documents import content_type, make_documents, pack_uses
from scry.index.parse.isolation import INTERRUPTED, parse_in_own_process
from scry.index.parse.parse import DEFAULT_MAX_SECONDS, parse, parse_as_text
from scry.index.parse.parser_version import PARSER_VERSION, reading_version
from scry.index.scan.read_file import FileContent, decode_text, read_file
from scry.index.scan.walk import FileEntry
from scry.projects.project import Project
from scry.store.blobs import (
    CACHE_LOOKUP_BYTES,
    CACHE_LOOKUP_FILES,
    open_blob_cache,
    read_cached_blob,
    split_into_batches,
)
from scry.store.index.rows import IndexedFile, NewFile, StoredFile
from scry.store.notes.project_notes import NewNote

_decode_parsed = msgpack_decoder(ParsedFile)
_encode_msgpack = msgspec.msgpack.encode

log = logging.getLogger(__name__)


class ParsedBatch(msgspec.Struct, frozen=True):
    """The outcome of a batch of files.

    touched: files of unchanged content but another time; gone: files that vanished meanwhile. notes: those of the files
    that are notes.
    """

    files: tuple[NewFile, ...]
    touched: tuple[NewFile, ...]
    gone: tuple[str, ...]
    notes: tuple[NewNote, ...] = ()


class CachedFile(msgspec.Struct, frozen=True):
    """A file that is in the cache now: the hash of its content and its parsed form."""

    path: str
    hash: bytes
    parsed: ParsedFile


class _DecodedText(msgspec.Struct, frozen=True):
    """A file's decoded text, with the cache key of its parsed form. fault: why it was indexed as plain text."""

    path: str
    text: str
    key: bytes
    fault: FileFault | None = None


class ProjectParser:
    """Reads, decodes and parses the files of one project."""

    def __init__(self, project: Project, settings: Settings, purpose: str) -> None:
        """Open the caches. purpose: a name, different for each thread of a process that parses files."""
        self._root = project.root
        self._settings = settings
        self._crash_guard = CrashGuard(project.cache, purpose)
        self.blobs = open_blob_cache(project.cache)

    def __enter__(self) -> ProjectParser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._crash_guard.close()
        self.blobs.close()

    def read_files(self, entries: Iterable[FileEntry], known: Mapping[str, StoredFile]) -> ParsedBatch:
        """Return everything about these files that the index stores."""
        files: list[NewFile] = []
        touched: list[NewFile] = []
        gone: list[str] = []
        texts: dict[str, _DecodedText] = {}
        notes: list[NewNote] = []
        for entry in entries:
            try:
                content = read_file(self._root, entry.path, self._settings.max_file_bytes)
            except Exception as error:
                files.append(_failed_file(_entry_row(entry), IndexingStage.READ, error))
                continue
            if content is None:
                gone.append(entry.path)
            elif isinstance(content, SkippedFile):
                files.append(replace(_entry_row(entry), skip=content))
            elif _is_unchanged(entry.path, content, known):
                touched.append(_file_row(entry.path, content))
            elif kind := note_kind_of_path(entry.path):
                files.append(_read_note_file(entry.path, kind, content, notes))
            else:
                files.append(self._decode_file(entry.path, content, texts))
        parsed = self.parse_texts(texts.values())
        rows = (
            self._complete_row(file, texts[file.path].text, parsed.get(file.path)) if file.path in texts else file
            for file in files
        )
        return ParsedBatch(tuple(map(_with_fault_version, rows)), tuple(touched), tuple(gone), tuple(notes))

    def _decode_file(self, path: str, content: FileContent, texts: dict[str, _DecodedText]) -> NewFile:
        row = _file_row(path, content)
        try:
            text = decode_text(content.data, path)
        except Exception as error:
            return _failed_file(row, IndexingStage.DECODE, error)
        if isinstance(text, SkippedFile):
            return replace(row, skip=text)
        texts[path] = _DecodedText(path, text, self._cache_key(path, row.hash))
        return row

    def _cache_key(self, path: str, digest: bytes) -> bytes:
        return _parse_cache_key(path, digest, self._settings.max_parse_seconds)

    def fill_cache(self, paths: Sequence[str]) -> list[CachedFile]:
        """Read and parse these files for the cache alone; skipped files and notes are left out."""
        texts: dict[str, _DecodedText] = {}
        hashes: dict[str, bytes] = {}
        for path in paths:
            with suppress(Exception):  # the indexer meets the same, and records it
                content = read_file(self._root, path, self._settings.max_file_bytes)
                if isinstance(content, FileContent) and note_kind_of_path(path) is None:
                    hashes[path] = self._decode_file(path, content, texts).hash
        parsed = self.parse_texts(texts.values())
        return [CachedFile(path, hashes[path], each) for path, each in parsed.items() if each.fault is None]

    def parse_texts(self, texts: Iterable[_DecodedText]) -> dict[str, ParsedFile]:
        """Return the parsed form of each text by path; without those that cannot even be read as plain text.

        The cache is looked up anew every few texts: others fill it meanwhile. Parsed forms with a fault are not cached.
        """
        result: dict[str, ParsedFile] = {}
        for batch in split_into_batches(
            texts, lambda text: len(text.text), target_size=CACHE_LOOKUP_BYTES, max_items=CACHE_LOOKUP_FILES
        ):
            cached = self.blobs.get(list({text.key for text in batch}))
            fresh: dict[bytes, bytes] = {}
            for text in batch:
                if text.fault is None and text.key in cached:
                    result[text.path] = _decode_parsed(cached[text.key])
                    continue
                try:
                    parsed = result[text.path] = self._parse_guarded(text)
                except Exception:
                    log.warning("%r can't be read as plain text", text.path, exc_info=True)
                    continue
                if parsed.fault is None:
                    fresh[text.key] = _encode_msgpack(parsed)
            self.blobs.put(fresh)
        return result

    def _parse_guarded(self, text: _DecodedText) -> ParsedFile:
        """Return the parsed form of a text, which is that of its first indexing where this had a fault."""
        guard, max_seconds = self._crash_guard, self._settings.max_parse_seconds
        if text.fault is not None:
            return parse_as_text(text.path, text.text, text.fault)
        if blame := guard.blame_of(text.key):
            return parse_as_text(text.path, text.text, FileFault(IndexingStage.PARSE, blame))
        if guard.is_suspect(text.key):
            return self._parse_suspect(text)
        with guard.watching(text.key, max_seconds):
            return parse(text.path, text.text, max_seconds)

    def _parse_suspect(self, text: _DecodedText) -> ParsedFile:
        """Parse a text in whose parsing a process ended, in a process of its own; how that ends is the proof."""
        parsed = parse_in_own_process(text.path, text.text, self._settings.max_parse_seconds)
        if parsed.fault is None:
            self._crash_guard.acquit(text.key)
        elif parsed.fault.reason != INTERRUPTED:
            log.warning("%r is read as plain text: %s", text.path, parsed.fault)
            self._crash_guard.blame(text.key, parsed.fault.reason.encode("ascii", "replace").decode())
        return parsed

    def parse_stored_texts(self, files: Sequence[tuple[str, bytes, str, FileFault | None]]) -> dict[str, ParsedFile]:
        """Return the parsed form of files given as path, content hash, text and the fault that they were indexed with,
        by path.
        """
        return self.parse_texts(
            [
                _DecodedText(path, text, self._cache_key(path, digest), fault if _is_plain(fault) else None)
                for path, digest, text, fault in files
            ]
        )

    def _complete_row(self, file: NewFile, text: str, parsed: ParsedFile | None) -> NewFile:
        """Return the row with all that was parsed from the text; parsed: None where it can't be read as plain text."""
        if parsed is None:
            return replace(file, skip=SkippedFile(SkipReason.FAILED, IndexingStage.PARSE.value))
        if self._settings.languages and parsed.language not in self._settings.languages:
            return replace(file, skip=SkippedFile(SkipReason.LANGUAGE_OFF, parsed.language))
        fault = parsed.fault
        try:
            documents = make_documents(file.path, parsed)
        except Exception as error:
            log.warning("%r is read as plain text", file.path, exc_info=True)
            fault = fault or FileFault.from_error(IndexingStage.DOCUMENTS, error)
            try:
                parsed = parse_as_text(file.path, text, fault)
                documents = make_documents(file.path, parsed)
            except Exception as second:
                return _failed_file(file, IndexingStage.DOCUMENTS, second)
        try:
            imports, uses = _encode_msgpack(extract_file_imports(file.path, parsed)), pack_uses(parsed)
        except Exception as error:
            log.warning("%r is indexed without its imports and references", file.path, exc_info=True)
            fault = fault or FileFault.from_error(IndexingStage.IMPORTS, error)
            imports, uses = b"", b""
        return replace(
            file,
            language=parsed.language,
            content_type=content_type(parsed.language),
            text=text,
            imports=imports,
            uses=uses,
            documents=documents,
            fault=fault,
        )


_PLAIN_TEXT_STAGES = frozenset({IndexingStage.PARSE, IndexingStage.DOCUMENTS})
"""Stages whose failure makes a file plain text."""


def _is_plain(fault: FileFault | None) -> bool:
    return fault is not None and fault.stage in _PLAIN_TEXT_STAGES


def _failed_file(row: NewFile, stage: IndexingStage, error: Exception) -> NewFile:
    """Return the row of a file of which nothing can be indexed."""
    log.warning("%r can't be indexed", row.path, exc_info=True)
    fault = FileFault.from_error(stage, error)
    return replace(row, skip=SkippedFile(SkipReason.FAILED, str(fault)), fault=fault)


def _with_fault_version(row: NewFile) -> NewFile:
    """Return the row with the version in which its fault is not tried again; a fault without proof has none."""
    if row.fault is None or row.fault.reason == INTERRUPTED:
        return row
    return replace(row, fault_version=reading_version())


def _entry_row(entry: FileEntry) -> NewFile:
    return NewFile(entry.path, entry.size, entry.mtime_ns, b"", ctime_ns=entry.ctime_ns)


def load_parsed(project: Project, file: IndexedFile, text: Callable[[], str]) -> ParsedFile:
    """Return the parsed form of a file as it was indexed, from the cache if it is there. Writes nothing.

    text: reads its text as it was indexed.
    """
    if _is_plain(file.fault):
        return parse_as_text(file.path, text(), file.fault)
    key = _parse_cache_key(file.path, file.hash, DEFAULT_MAX_SECONDS)
    cached = read_cached_blob(project.cache.parent, key)
    if cached is not None:
        return _decode_parsed(cached)
    if blame := read_blame(project.cache, key):
        return parse_as_text(file.path, text(), FileFault(IndexingStage.PARSE, blame))
    return parse(file.path, text())


def _read_note_file(path: str, kind: NoteKind, content: FileContent, notes: list[NewNote]) -> NewFile:
    """Return the row of a note file, which is no document of the code's index, and append the note to `notes`."""
    row = _file_row(path, content)
    try:
        text = decode_text(content.data, path)
        if isinstance(text, SkippedFile):
            return replace(row, skip=text)
        note = parse_note(path, kind, text)
        if isinstance(note, MalformedNote):
            return replace(row, skip=SkippedFile(SkipReason.MALFORMED, str(note)))
        notes.append(NewNote(path, note, make_note_entry(note, path)))
    except Exception as error:
        return _failed_file(row, IndexingStage.NOTE, error)
    return replace(row, skip=SkippedFile(SkipReason.KNOWLEDGE, note.doc_id))


def _file_row(path: str, content: FileContent) -> NewFile:
    digest = hashlib.blake2b(content.data, digest_size=16).digest()
    return NewFile(path, content.size, content.mtime_ns, digest, ctime_ns=content.ctime_ns)


def _is_unchanged(path: str, content: FileContent, known: Mapping[str, StoredFile]) -> bool:
    before = known.get(path)
    if before is not None and before.fault is not None:
        return False
    return before is not None and before.skip is None and before.hash == _file_row(path, content).hash


def _parse_cache_key(path: str, digest: bytes, max_seconds: float) -> bytes:
    """Return the key of a parsed form: content hash, parser version, and the part of the name that decides the
    language. max_seconds: what parsing may take; a text that is parsed within one limit may not be within another.
    """
    name = PurePosixPath(path)
    limit = "" if max_seconds == DEFAULT_MAX_SECONDS else f" {max_seconds:g}"
    return digest + f"{PARSER_VERSION}{limit} {name.suffix or name.name}".encode("utf-8", "surrogateescape")
