"""Files to what the index keeps of them, with every content parsed once (`store.blobs`)."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from types import TracebackType

import msgspec
from msgspec.structs import replace

from scry.core.notes import Malformed, NoteKind, note_kind
from scry.core.settings import Settings
from scry.core.types import Parsed, Skip, SkipReason
from scry.index.decode import decode
from scry.index.documents import content_type, make_documents
from scry.index.fatal import FatalContents, is_fatal
from scry.index.notes import make_entry, read_note
from scry.index.parse import parse
from scry.index.parser_version import PARSER_VERSION
from scry.index.portions import LOOK_UP_BYTES, LOOK_UP_FILES, portions
from scry.index.project import Project
from scry.index.read import Reading, read_file
from scry.index.structure import file_imports
from scry.index.uses import pack_uses
from scry.index.walk import Found
from scry.store.blobs import BlobCache, peek
from scry.store.knowledge_file import NewNote
from scry.store.rows import NewFile, StoredFile

_decode_parsed = msgspec.msgpack.Decoder(Parsed).decode
_encode = msgspec.msgpack.encode

_PLAIN = "plain.txt"
"""The name under which a text is read without a grammar."""


class Batch(msgspec.Struct, frozen=True):
    """What a batch of files came to. touched: the same content at another time; gone: vanished meanwhile. notes: those
    among the files that are knowledge.
    """

    files: tuple[NewFile, ...]
    touched: tuple[NewFile, ...]
    gone: tuple[str, ...]
    notes: tuple[NewNote, ...] = ()


class Warmed(msgspec.Struct, frozen=True):
    """A file that the cache knows now: its content's hash and its parsed form."""

    path: str
    hash: bytes
    parsed: Parsed


class _Text(msgspec.Struct, frozen=True):
    """A file's decoded text, with the key under which its parsed form is known."""

    path: str
    text: str
    key: bytes


class Contents:
    """Reads, decodes and parses the files of one project."""

    def __init__(self, project: Project, settings: Settings, purpose: str) -> None:
        """Opens the caches. purpose: a name of its own for each thread of a process that reads contents."""
        self._root = project.root
        self._settings = settings
        self._fatal = FatalContents(project.cache, purpose)
        self.blobs = BlobCache(project.cache.parent, int(time.time() // 86400))

    def __enter__(self) -> Contents:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._fatal.close()
        self.blobs.close()

    def read(self, entries: Iterable[Found], known: Mapping[str, StoredFile]) -> Batch:
        """Everything about these files that the index keeps."""
        files: list[NewFile] = []
        touched: list[NewFile] = []
        gone: list[str] = []
        texts: dict[str, _Text] = {}
        notes: list[NewNote] = []
        for entry in entries:
            reading = read_file(self._root, entry.path, self._settings.max_file_bytes)
            if reading is None:
                gone.append(entry.path)
            elif isinstance(reading, Skip):
                files.append(NewFile(entry.path, entry.size, entry.mtime_ns, b"", reading))
            elif _is_known(entry.path, reading, known):
                touched.append(_stamp(entry.path, reading))
            elif kind := note_kind(entry.path):
                files.append(_read_note(entry.path, kind, reading, notes))
            else:
                files.append(self._decoded(entry.path, reading, texts))
        parsed = self.parse_all(texts.values())
        done = (self._complete(file, texts[file.path].text, parsed) if file.path in texts else file for file in files)
        return Batch(tuple(done), tuple(touched), tuple(gone), tuple(notes))

    def _decoded(self, path: str, reading: Reading, texts: dict[str, _Text]) -> NewFile:
        file = _stamp(path, reading)
        text = decode(reading.data, path)
        if isinstance(text, Skip):
            return replace(file, skip=text)
        texts[path] = _Text(path, text, _key(path, file.hash))
        return file

    def warm(self, paths: Sequence[str]) -> list[Warmed]:
        """Reads and parses these files for the cache alone; those that are left out are left out here, too."""
        texts: dict[str, _Text] = {}
        hashes: dict[str, bytes] = {}
        for path in paths:
            reading = read_file(self._root, path, self._settings.max_file_bytes)
            if isinstance(reading, Reading) and note_kind(path) is None:
                hashes[path] = self._decoded(path, reading, texts).hash
        parsed = self.parse_all(texts.values())
        return [Warmed(path, hashes[path], each) for path, each in parsed.items()]

    def parse_all(self, texts: Iterable[_Text]) -> dict[str, Parsed]:
        """The parsed form of each text, by path. The cache is asked anew every few texts: others fill it meanwhile."""
        result: dict[str, Parsed] = {}
        for part in portions(texts, lambda text: len(text.text), full=LOOK_UP_BYTES, most=LOOK_UP_FILES):
            cached = self.blobs.get(list({text.key for text in part}))
            fresh: dict[bytes, bytes] = {}
            for text in part:
                if text.key in cached:
                    result[text.path] = _decode_parsed(cached[text.key])
                else:
                    parsed = result[text.path] = self._parse(text)
                    fresh[text.key] = _encode(parsed)
            self.blobs.put(fresh)
        return result

    def _parse(self, text: _Text) -> Parsed:
        if text.key in self._fatal:
            return parse(_PLAIN, text.text)
        self._fatal.hold(text.key)
        parsed = parse(text.path, text.text)
        self._fatal.release()
        return parsed

    def parse_again(self, files: Sequence[tuple[str, bytes, str]]) -> dict[str, Parsed]:
        """The parsed form of files given as path, content hash and text, by path."""
        return self.parse_all([_Text(path, text, _key(path, digest)) for path, digest, text in files])

    def _complete(self, file: NewFile, text: str, by_path: Mapping[str, Parsed]) -> NewFile:
        parsed = by_path[file.path]
        if self._settings.languages and parsed.language not in self._settings.languages:
            return replace(file, skip=Skip(SkipReason.LANGUAGE_OFF, parsed.language))
        return replace(
            file,
            language=parsed.language,
            content_type=content_type(parsed.language),
            text=text,
            imports=_encode(file_imports(file.path, parsed)),
            uses=pack_uses(parsed),
            documents=make_documents(file.path, parsed),
        )


def parse_to_explain(project: Project, path: str, digest: bytes, text: Callable[[], str]) -> Parsed:
    """The parsed form of a file as it was indexed, from the cache if it is there. Writes nothing.

    digest: of its content. text: reads it as it was indexed.
    """
    key = _key(path, digest)
    cached = peek(project.cache.parent, key)
    if cached is not None:
        return _decode_parsed(cached)
    return parse(_PLAIN if is_fatal(project.cache, key) else path, text())


def _read_note(path: str, kind: NoteKind, reading: Reading, notes: list[NewNote]) -> NewFile:
    """The row of a file of knowledge, which is no document of the code's index; the note itself joins the others."""
    file = _stamp(path, reading)
    text = decode(reading.data, path)
    if isinstance(text, Skip):
        return replace(file, skip=text)
    note = read_note(path, kind, text)
    if isinstance(note, Malformed):
        return replace(file, skip=Skip(SkipReason.MALFORMED, str(note)))
    notes.append(NewNote(path, note, make_entry(note, path)))
    return replace(file, skip=Skip(SkipReason.KNOWLEDGE, note.doc_id))


def _stamp(path: str, reading: Reading) -> NewFile:
    return NewFile(path, reading.size, reading.mtime_ns, hashlib.blake2b(reading.data, digest_size=16).digest())


def _is_known(path: str, reading: Reading, known: Mapping[str, StoredFile]) -> bool:
    before = known.get(path)
    return before is not None and before.skip is None and before.hash == _stamp(path, reading).hash


def _key(path: str, digest: bytes) -> bytes:
    """What decides a parsed form: the content, the parser, and the part of the name that tells the language."""
    name = PurePosixPath(path)
    return digest + f"{PARSER_VERSION} {name.suffix or name.name}".encode("utf-8", "surrogateescape")
