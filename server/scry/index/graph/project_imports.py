"""Find the files whose imports a change of other files may resolve otherwise."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager

from scry.index.graph.occurrences import Occurrences, hash_word, hash_words
from scry.index.parse.languages.project_files import ProjectFiles


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
    def recording(self, path: str) -> Generator[None]:
        """Record what is looked up inside as that which the imports of a file depend on."""
        words = set[str]()
        try:
            with self.files.recording() as words:
                yield
        finally:
            self._looked_up.replace(path, hash_words(words))

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
        return self._looked_up.find(map(hash_word, words))
