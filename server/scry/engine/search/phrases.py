"""Find the files that hold quoted texts, before anything is ranked: `"exact text"` is a filter.

An oracle returns the best RETRIEVAL_DEPTH documents of the files that are left. Without this search a quoted text of
frequent words would be sought among the best documents of the whole project, of which a few may hold it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from msgspec import Struct

from scry.core.text import find_identifiers, split_identifier
from scry.core.types import SearchQuery
from scry.store.index.store import IndexStore

MAX_READ_FILES = 4_000
"""Files with the words of a quoted text up to which all are read, some 25 microseconds each. Where more hold the words,
the text is sought among the best documents alone."""

_MAX_DOCUMENTS = 50 * MAX_READ_FILES
"""Documents up to which their files are counted."""

_DocumentsByFile = Mapping[tuple[int, str], Sequence[int]]
"""Documents by the id and the path of their file."""


class PhraseFiles(Struct, frozen=True):
    """Where the quoted texts of a query stand.

    ids: of the files in which each of them stands, in the text or in a doc_id; None where no file is known to hold all,
    so that the oracles' best documents are tested. sought_in_best: quoted texts whose words too many files hold.
    """

    ids: tuple[int, ...] | None
    sought_in_best: tuple[str, ...]


def find_phrase_files(question: SearchQuery, store: IndexStore) -> PhraseFiles:
    """Return the files that hold the quoted texts. The first and the last word of a text count as whole ones."""
    found: set[int] | None = None
    sought_in_best: list[str] = []
    for phrase in question.phrases:
        if "\n" in phrase:  # its lines may be those of several documents
            continue
        candidates = _documents_with_words(phrase, store)
        if candidates is None:
            sought_in_best.append(phrase)
        else:
            holding = _files_with_text(phrase, candidates, store)
            found = holding if found is None else found & holding
    return PhraseFiles(tuple(sorted(found)) if found else None, tuple(sought_in_best))


def _documents_with_words(phrase: str, store: IndexStore) -> _DocumentsByFile | None:
    """Return the documents that hold the words of a quoted text, by file; None where the files are too many to read.

    Of several words, those between two others do where few files hold them: the first and the last may be the end and
    the beginning of longer ones.
    """
    words = find_identifiers(phrase)
    for chosen in (words[1:-1], words):
        terms = list(dict.fromkeys(term for word in chosen for term in _parts_of(word)))
        doc_keys = store.lexical.documents_with_all(terms, _MAX_DOCUMENTS + 1) if terms else []
        if not doc_keys and chosen is words:
            return {}
        if 0 < len(doc_keys) <= _MAX_DOCUMENTS:
            by_file = _group_by_file(doc_keys, store)
            if len(by_file) <= MAX_READ_FILES:
                return by_file
    return None


def _parts_of(word: str) -> Sequence[str]:
    """Return the terms of an identifier; of one with several parts without the whole, for it may be part of another."""
    terms = split_identifier(word)
    return terms[:-1] if len(terms) > 1 else terms


def _group_by_file(doc_keys: Sequence[int], store: IndexStore) -> _DocumentsByFile:
    ranges = store.documents.key_ranges() if doc_keys else []
    firsts, by_file = [first for first, *_ in ranges], dict[tuple[int, str], list[int]]()
    for doc_key in doc_keys if ranges else ():
        first, last, file_id, path = ranges[bisect_right(firsts, doc_key) - 1]
        if first <= doc_key <= last:
            by_file.setdefault((file_id, path), []).append(doc_key)
    return by_file


def _files_with_text(phrase: str, candidates: _DocumentsByFile, store: IndexStore) -> set[int]:
    """Return the ids of the files that hold the text, or one of whose documents has it in its doc_id."""
    holding = {file_id for file_id, path in candidates if phrase in (store.files.get_text(path) or "")}
    others = {file_id: doc_keys for (file_id, _), doc_keys in candidates.items() if file_id not in holding}
    headers = store.documents.headers([doc_key for doc_keys in others.values() for doc_key in doc_keys])
    named = {doc_key for doc_key, header in headers.items() if phrase in header.doc_id}
    return holding.union(file_id for file_id, doc_keys in others.items() if not named.isdisjoint(doc_keys))
