"""Keep in memory which files hold which words, to find those that a change concerns: by the names that a file uses, and
by the paths that were looked up to resolve its imports.

Words are kept as hashes of 32 bits: two words of one hash cost time, never an answer. One sorted array serves millions
of them with 8 bytes each; later additions are kept beside it.
"""

from __future__ import annotations

import zlib
from collections.abc import Generator, Hashable, Iterable, Mapping
from contextlib import contextmanager
from typing import Generic, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from scry.index.parse.languages.project_files import ProjectFiles
from scry.store.graph_store import LOOK_UP_BYTES

Holder = TypeVar("Holder", bound=Hashable)

Hashes = NDArray[np.uint32]

_NO_HASHES: Hashes = np.zeros(0, np.uint32)

_FEWEST_SORTED = 10_000
_SORTED_AGAIN_SHARE = 0.25
"""Share of the sorted words that are added before all are sorted again: so the cost of an addition is bounded."""


def hash_word(word: str) -> int:
    """Return a hash of a word, 32 bits."""
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))


def hash_words(words: Iterable[str]) -> Hashes:
    """Return the hashes of words, sorted, each once."""
    return np.unique(np.fromiter((hash_word(word) for word in words), np.uint32))


def hash_look_ups(words: Iterable[str]) -> Hashes:
    """Return the hashes of looked-up words, sorted, each once, of LOOK_UP_BYTES, as the index stores them."""
    return np.unique(hash_words(words) >> np.uint32(32 - 8 * LOOK_UP_BYTES))


class Occurrences(Generic[Holder]):
    """Words by holder, and holders by word. Used by one thread at a time."""

    def __init__(self) -> None:
        """Start with no holders."""
        self._numbers: dict[Holder, int] = {}
        self._holders: dict[int, Holder] = {}
        self._next = 0
        self._sorted = np.zeros(0, np.uint32), np.zeros(0, np.uint32)
        self._added: list[tuple[int, Hashes]] = []
        self._recent: dict[int, list[int]] = {}
        self._recent_parts: list[tuple[int, Hashes]] = []

    def replace(self, holder: Holder, hashes: Hashes) -> None:
        """Replace what a holder holds. hashes: each once."""
        self.remove(holder)
        self._next += 1
        self._numbers[holder] = self._next
        self._holders[self._next] = holder
        self._added.append((self._next, hashes))

    def remove(self, holder: Holder) -> None:
        """Forget a holder. Its number is never used again, so what is kept of it is passed over."""
        number = self._numbers.pop(holder, None)
        if number is not None:
            del self._holders[number]

    def find(self, hashes: Iterable[int]) -> set[Holder]:
        """Return the holders of any of these words."""
        self._take_in_added()
        words, numbers = self._sorted
        found: list[int] = []
        for each in hashes:
            first, last = (
                np.searchsorted(words, np.uint32(each), "left"),
                np.searchsorted(words, np.uint32(each), "right"),
            )
            found += numbers[first:last].tolist()
            found += self._recent.get(each, ())
        return {self._holders[number] for number in found if number in self._holders}

    def _take_in_added(self) -> None:
        added, self._added = self._added, []
        self._recent_parts += added
        count = sum(len(hashes) for _, hashes in self._recent_parts) if added else 0
        if count > max(_FEWEST_SORTED, _SORTED_AGAIN_SHARE * len(self._sorted[0])):
            self._sort()
            return
        for number, hashes in added:
            for each in hashes.tolist():
                self._recent.setdefault(each, []).append(number)

    def _sort(self) -> None:
        """Sort all words of the holders that there are."""
        parts, self._recent_parts = self._recent_parts, []
        self._recent.clear()
        words = np.concatenate([self._sorted[0], *(hashes for _, hashes in parts)])
        numbers = [np.full(len(hashes), number, np.uint32) for number, hashes in parts]
        holders = np.concatenate([self._sorted[1], *numbers])
        exists = np.zeros(self._next + 1, np.bool_)
        exists[list(self._holders)] = True
        kept = np.flatnonzero(exists[holders])
        order = kept[np.argsort(words[kept], kind="stable")]
        self._sorted = words[order], holders[order]


class LookUps(Struct):
    """What was looked up to resolve the imports of one file: hashes, sorted, each once."""

    hashes: Hashes


class ProjectImports:
    """The files of a project, and what was looked up in them while the imports of each file were resolved.

    An import is resolved by looking up paths, so it can only resolve otherwise once a path that was looked up has come
    or gone. Look-ups are known by single words (`ProjectFiles.change`), so a few files too many are found, never one
    too few. Used by one thread at a time.
    """

    def __init__(self, paths: Iterable[str], manifests: Mapping[str, str]) -> None:
        """Take all files; nothing is resolved yet. manifests: as `resolve_imports` takes them."""
        self.files = ProjectFiles(paths, manifests)
        self._looked_up: Occurrences[str] = Occurrences()

    @contextmanager
    def recording(self, path: str) -> Generator[LookUps]:
        """Record what is looked up inside as that which the imports of a file depend on; it is yielded, and complete at
        the end.
        """
        look_ups, words = LookUps(_NO_HASHES), set[str]()
        try:
            with self.files.recording() as words:
                yield look_ups
        finally:
            look_ups.hashes = hash_look_ups(words)
            self._looked_up.replace(path, look_ups.hashes)

    def restore(self, path: str, hashes: Hashes) -> None:
        """Take in what was recorded of a file in another process."""
        self._looked_up.replace(path, hashes)

    def change(self, indexed: Iterable[str], removed: Iterable[str], manifests: Mapping[str, str]) -> set[str]:
        """Take files in and out; return the words of all look-ups that may have another answer now.

        indexed: files that are added or were edited. manifests: the texts of those among them.
        """
        gone = list(removed)
        for path in gone:
            self._looked_up.remove(path)
        return self.files.change(indexed, gone, manifests)

    def files_that_looked_up(self, words: Iterable[str]) -> set[str]:
        """Return the files for which a look-up of one of these words is recorded."""
        return self._looked_up.find(hash_look_ups(words).tolist())
