"""Read and parse a project's files into index rows, parsing each content once (`store.blobs`).

A parser in C can overrun its stack or never return on a hostile text, and nothing in the process can catch that. So the
key of each content stands in a file while it is parsed (`CrashGuard`); a process that finds a key there at its start
knows the content on which its predecessor ended, and reads that content as plain text.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import TracebackType

import msgspec
from msgspec.structs import replace

from scry.core.knowledge import MalformedNote, NoteKind, note_kind_of_path
from scry.core.settings import Settings
from scry.core.types import ParsedFile, SkippedFile, SkipReason
from scry.index.graph.import_graph import extract_file_imports
from scry.index.notes.note_file import make_note_entry, parse_note
from scry.index.parse.documents import content_type, make_documents, pack_uses
from scry.index.parse.parse import parse
from scry.index.parse.parser_version import PARSER_VERSION
from scry.index.scan.read_file import FileContent, decode_text, read_file
from scry.index.scan.walk import FileEntry
from scry.projects.project import Project
from scry.store.blobs import CACHE_LOOKUP_BYTES, CACHE_LOOKUP_FILES, BlobCache, read_cached_blob, split_into_batches
from scry.store.index.rows import NewFile, StoredFile
from scry.store.notes.project_notes import NewNote

_decode_parsed = msgspec.msgpack.Decoder(ParsedFile).decode
_encode_msgpack = msgspec.msgpack.encode

_PLAIN_TEXT_NAME = "plain.txt"
"""The name under which a text is parsed without a grammar."""


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
    """A file's decoded text, with the cache key of its parsed form."""

    path: str
    text: str
    key: bytes


class ProjectParser:
    """Reads, decodes and parses the files of one project."""

    def __init__(self, project: Project, settings: Settings, purpose: str) -> None:
        """Open the caches. purpose: a name, different for each thread of a process that parses files."""
        self._root = project.root
        self._settings = settings
        self._crash_guard = CrashGuard(project.cache, purpose)
        self.blobs = BlobCache(project.cache.parent, int(time.time() // 86400))

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
            content = read_file(self._root, entry.path, self._settings.max_file_bytes)
            if content is None:
                gone.append(entry.path)
            elif isinstance(content, SkippedFile):
                files.append(NewFile(entry.path, entry.size, entry.mtime_ns, b"", content))
            elif _is_unchanged(entry.path, content, known):
                touched.append(_file_row(entry.path, content))
            elif kind := note_kind_of_path(entry.path):
                files.append(_read_note_file(entry.path, kind, content, notes))
            else:
                files.append(self._decode_file(entry.path, content, texts))
        parsed = self.parse_texts(texts.values())
        rows = (
            self._complete_row(file, texts[file.path].text, parsed) if file.path in texts else file for file in files
        )
        return ParsedBatch(tuple(rows), tuple(touched), tuple(gone), tuple(notes))

    def _decode_file(self, path: str, content: FileContent, texts: dict[str, _DecodedText]) -> NewFile:
        row = _file_row(path, content)
        text = decode_text(content.data, path)
        if isinstance(text, SkippedFile):
            return replace(row, skip=text)
        texts[path] = _DecodedText(path, text, _parse_cache_key(path, row.hash))
        return row

    def fill_cache(self, paths: Sequence[str]) -> list[CachedFile]:
        """Read and parse these files for the cache alone; skipped files and notes are left out."""
        texts: dict[str, _DecodedText] = {}
        hashes: dict[str, bytes] = {}
        for path in paths:
            content = read_file(self._root, path, self._settings.max_file_bytes)
            if isinstance(content, FileContent) and note_kind_of_path(path) is None:
                hashes[path] = self._decode_file(path, content, texts).hash
        parsed = self.parse_texts(texts.values())
        return [CachedFile(path, hashes[path], each) for path, each in parsed.items()]

    def parse_texts(self, texts: Iterable[_DecodedText]) -> dict[str, ParsedFile]:
        """Return the parsed form of each text by path. The cache is looked up anew every few texts: others fill it
        meanwhile.
        """
        result: dict[str, ParsedFile] = {}
        for batch in split_into_batches(
            texts, lambda text: len(text.text), target_size=CACHE_LOOKUP_BYTES, max_items=CACHE_LOOKUP_FILES
        ):
            cached = self.blobs.get(list({text.key for text in batch}))
            fresh: dict[bytes, bytes] = {}
            for text in batch:
                if text.key in cached:
                    result[text.path] = _decode_parsed(cached[text.key])
                else:
                    parsed = result[text.path] = self._parse_guarded(text)
                    fresh[text.key] = _encode_msgpack(parsed)
            self.blobs.put(fresh)
        return result

    def _parse_guarded(self, text: _DecodedText) -> ParsedFile:
        if text.key in self._crash_guard:
            return parse(_PLAIN_TEXT_NAME, text.text)
        self._crash_guard.begin(text.key)
        parsed = parse(text.path, text.text)
        self._crash_guard.end()
        return parsed

    def parse_stored_texts(self, files: Sequence[tuple[str, bytes, str]]) -> dict[str, ParsedFile]:
        """Return the parsed form of files given as path, content hash and text, by path."""
        return self.parse_texts(
            [_DecodedText(path, text, _parse_cache_key(path, digest)) for path, digest, text in files]
        )

    def _complete_row(self, file: NewFile, text: str, by_path: Mapping[str, ParsedFile]) -> NewFile:
        parsed = by_path[file.path]
        if self._settings.languages and parsed.language not in self._settings.languages:
            return replace(file, skip=SkippedFile(SkipReason.LANGUAGE_OFF, parsed.language))
        return replace(
            file,
            language=parsed.language,
            content_type=content_type(parsed.language),
            text=text,
            imports=_encode_msgpack(extract_file_imports(file.path, parsed)),
            uses=pack_uses(parsed),
            documents=make_documents(file.path, parsed),
        )


def load_parsed(project: Project, path: str, digest: bytes, text: Callable[[], str]) -> ParsedFile:
    """Return the parsed form of a file as it was indexed, from the cache if it is there. Writes nothing.

    digest: of its content. text: reads its text as it was indexed.
    """
    key = _parse_cache_key(path, digest)
    cached = read_cached_blob(project.cache.parent, key)
    if cached is not None:
        return _decode_parsed(cached)
    return parse(_PLAIN_TEXT_NAME if is_known_to_crash(project.cache, key) else path, text())


def _read_note_file(path: str, kind: NoteKind, content: FileContent, notes: list[NewNote]) -> NewFile:
    """Return the row of a note file, which is no document of the code's index, and append the note to `notes`."""
    row = _file_row(path, content)
    text = decode_text(content.data, path)
    if isinstance(text, SkippedFile):
        return replace(row, skip=text)
    note = parse_note(path, kind, text)
    if isinstance(note, MalformedNote):
        return replace(row, skip=SkippedFile(SkipReason.MALFORMED, str(note)))
    notes.append(NewNote(path, note, make_note_entry(note, path)))
    return replace(row, skip=SkippedFile(SkipReason.KNOWLEDGE, note.doc_id))


def _file_row(path: str, content: FileContent) -> NewFile:
    return NewFile(path, content.size, content.mtime_ns, hashlib.blake2b(content.data, digest_size=16).digest())


def _is_unchanged(path: str, content: FileContent, known: Mapping[str, StoredFile]) -> bool:
    before = known.get(path)
    return before is not None and before.skip is None and before.hash == _file_row(path, content).hash


def _parse_cache_key(path: str, digest: bytes) -> bytes:
    """Return the key of a parsed form: content hash, parser version, and the part of the name that decides the
    language.
    """
    name = PurePosixPath(path)
    return digest + f"{PARSER_VERSION} {name.suffix or name.name}".encode("utf-8", "surrogateescape")


_MAX_CRASHING_KEYS = 1000


_CRASHING_KEYS_FILE = "fatal-contents"


class CrashGuard:
    """Two small files in the project's cache folder: the key being parsed, and the keys that ended a process, one a
    line.
    """

    def __init__(self, folder: Path, purpose: str) -> None:
        """Record the key that an ended process left. Raises nothing: where nothing can be written, nothing is
        remembered.

        purpose: names the file of the key being parsed; two that parse at the same time need two.
        """
        self._keys_file = folder / _CRASHING_KEYS_FILE
        self._handle: int | None = None
        self.keys: frozenset[str] = frozenset()
        with contextlib.suppress(OSError, ValueError):
            self._handle = os.open(folder / f"in-hand-{purpose}", os.O_RDWR | os.O_CREAT, 0o600)
            self._record_last_crash()

    def _record_last_crash(self) -> None:
        known = self._keys_file.read_text(encoding="ascii").split() if self._keys_file.exists() else []
        left = os.pread(self._handle or 0, 200, 0).decode("ascii").strip()
        if left:
            known = [*known, left][-_MAX_CRASHING_KEYS:]
            self._keys_file.write_text("\n".join(known), encoding="ascii")
            self._write("")
        self.keys = frozenset(known)

    def __contains__(self, key: bytes) -> bool:
        return key.hex() in self.keys

    def begin(self, key: bytes) -> None:
        """Record that the content with this key is being parsed."""
        self._write(key.hex())

    def end(self) -> None:
        """Record that nothing is being parsed."""
        self._write("")

    def _write(self, text: str) -> None:
        if self._handle is not None:
            with contextlib.suppress(OSError):
                os.pwrite(self._handle, text.ljust(200).encode("ascii"), 0)

    def close(self) -> None:
        """Record that nothing is being parsed, and close the file."""
        self.end()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def is_known_to_crash(folder: Path, key: bytes) -> bool:
    """Return whether a content is known to end the parsing process, for readers that do not parse."""
    try:
        return key.hex() in (folder / _CRASHING_KEYS_FILE).read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return False
