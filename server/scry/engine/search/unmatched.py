"""Tell which words and filters of a query match nothing here, with the names that may be meant (F15).

A query always has nearest neighbours by meaning, whether or not the project holds anything that it asks for. So an
answer says where a word of its query, as a whole (`parseHeader`, not `parse` and `header`), occurs in no document, and
where a filter has a value that no document has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import MEMORY_NOTES
from scry.core.notices import Notice
from scry.core.text import STOP_WORDS, find_identifiers, search_text, split_identifier
from scry.core.types import Hit, IndexState, QueryFilter, SearchQuery
from scry.engine.notices import (
    FiltersWithoutWords,
    PhraseNotFound,
    PhraseSoughtInBest,
    UnknownFilterValue,
    UnknownWords,
)
from scry.engine.search.query import ALLOWED_FILTER_VALUES, filter_predicate
from scry.oracles.reader import OracleReader
from scry.store.memory.search import MemoryNoteReader

_MAX_CHECKED_WORDS = 32
"""A longer query is a pasted text: that some of its words occur nowhere says little."""

_MAX_SIMILAR_NAMES = 3
_MIN_SUGGESTED_LENGTH = 4
"""Shorter words are near to any name."""

_MAX_LANGUAGES = 12


def unmatched_notices(
    question: SearchQuery, reader: OracleReader, hits: Sequence[Hit], state: IndexState
) -> tuple[Notice, ...]:
    """Return the notices about the words and filters that match nothing; no words while words are still indexed."""
    notices = _filter_notices(question, reader)
    if question.filters and not hits and not search_text(question):
        return (*notices, FiltersWithoutWords())
    if reader.code.sought_in_best:
        notices = (*notices, PhraseSoughtInBest(reader.code.sought_in_best))
    elif question.phrases and not hits and not reader.repository and "\n" not in "".join(question.phrases):
        notices = (*notices, PhraseNotFound(question.phrases))
    if notices and not hits:  # with no document left, no word can occur
        return notices
    is_complete = state.files_indexed >= state.files_total > 0 and state.state != "starting"
    words = _word_notice(question, reader, hits) if is_complete else None
    return (*notices, words) if words else notices


# Words ----------------------------------------------------------------------------------------------------------------


def _word_notice(question: SearchQuery, reader: OracleReader, hits: Sequence[Hit]) -> UnknownWords | None:
    """Return the notice about words that occur nowhere; None where all occur, or where the query has none."""
    seen = {
        term for hit in hits for match in hit.candidate.oracle_matches.values() for term in match.matches
    }  # a term that a result holds need not be looked up
    found = find_unknown_words(question, lambda term: term in seen or _occurs(term, reader))
    if found is None:
        return None
    return UnknownWords(found.words, _similar_names(found.words, reader), found.is_all, bool(hits))


def find_unknown_words(question: SearchQuery, occurs: Callable[[str], bool]) -> UnknownWords | None:
    """Return the words of a query that occur nowhere; None where all occur, or where the query has none.

    occurs: returns whether any document holds a term.
    """
    words = _content_words(question)
    if not words or len(words) > _MAX_CHECKED_WORDS:
        return None
    missing = [word for word in words if not any(occurs(term) for term in _whole_terms(word))]
    if not missing:
        return None
    is_none_known = len(missing) == len(words) and not any(
        occurs(term) for word in words for term in split_identifier(word)
    )
    return UnknownWords(tuple(missing), (), is_none_known)


def _content_words(question: SearchQuery) -> list[str]:
    """Return the distinct words and identifiers of a query, as written, without stop words and single characters."""
    words = dict.fromkeys(find_identifiers(search_text(question)))
    return [word for word in words if len(word) > 1 and word.lower() not in STOP_WORDS and split_identifier(word)]


def _whole_terms(word: str) -> tuple[str, ...]:
    """Return the terms any of which shows that the word occurs: of an identifier with several parts only the whole."""
    terms = split_identifier(word)
    whole = word.replace("_", "").lower()
    return (whole,) if whole in terms else terms


def _occurs(term: str, reader: OracleReader) -> bool:
    """Return whether any document holds the term, the query's filters aside."""
    code = reader.code.store.lexical
    if code.document_frequency(term) and code.search([term], 1):  # the frequency counts deleted documents
        return True
    history, stores = reader.commits.history, reader.notes.stores
    try:
        if history is not None and history.lexical.document_frequency(term):
            return True
        if stores is None:
            return False
        if len(stores.search_words(reader.note_query([term])).doc_keys):
            return True
        memories = stores.get_reader(MEMORY_NOTES)
        return isinstance(memories, MemoryNoteReader) and memories.holds_term(term)
    except IndexUnavailable:  # the oracles report it
        return False


def _similar_names(words: Sequence[str], reader: OracleReader) -> tuple[str, ...]:
    """Return the names of symbols that are most similar to the words, for each word one in turn."""
    from scry.engine.browse.paths import similar_names

    names = [similar_names(word, reader.code.store) for word in words if len(word) >= _MIN_SUGGESTED_LENGTH]
    in_turn = (each[place] for place in range(_MAX_SIMILAR_NAMES) for each in names if place < len(each))
    return tuple(dict.fromkeys(in_turn))[:_MAX_SIMILAR_NAMES]


# Filters --------------------------------------------------------------------------------------------------------------


def _filter_notices(question: SearchQuery, reader: OracleReader) -> tuple[Notice, ...]:
    """Return a notice for each filter whose value nothing has."""
    notices: list[Notice] = [
        UnknownFilterValue(f.field, f.value, tuple(sorted(ALLOWED_FILTER_VALUES[f.field])), is_searched=True)
        for f in question.unknown_filters
    ]
    for each in question.filters:
        known = _known_values(each, reader)
        if known is not None:
            notices.append(UnknownFilterValue(each.field, each.value, known))
    return tuple(notices)


def _known_values(filter_: QueryFilter, reader: OracleReader) -> tuple[str, ...] | None:
    """Return what there is instead of a language that no file has, or of a path that no file matches; else None.

    To exclude a path that does not exist is no mistake: people exclude `vendor` everywhere.
    """
    if filter_.field != "lang" and (filter_.field != "path" or filter_.exclude):
        return None
    files, matches = reader.code.store.files.indexed_files(), filter_predicate(filter_)
    if not files or any(matches(path, language, kind) for _, path, language, kind in files):
        return None
    if filter_.field == "lang":
        return tuple(reader.code.store.files.language_counts())[:_MAX_LANGUAGES]
    from scry.engine.browse.paths import parent_folders, similar_paths

    paths = [path for _, path, _, _ in files]
    return tuple(similar_paths(filter_.value, [*paths, *parent_folders(paths)]))
