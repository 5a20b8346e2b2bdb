"""Boost a document by its own name, and a commit by its subject: named factors with reasons (F5). Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from scry.core.text import (
    STOP_WORDS,
    asks_for_definition,
    content_terms,
    find_identifiers,
    is_single_term,
    normalize_name,
    queried_names,
    queried_spellings,
    search_text,
)
from scry.core.types import Adjustment, Candidate, DocumentHeader, QueryFilter, QueryIntent, SearchQuery
from scry.engine.search.query import COMMIT_QUESTION_WORDS

StemFunction = Callable[[str], str]

# The name of a document -----------------------------------------------------------------------------------------------

DEFINITION_FACTOR = 6.0
"""For a name that is surely asked for, alone or as in "where is x": so high that the last match can come first (F8)."""

MENTIONED_NAME_FACTOR = 1.5
"""For a name that a sentence mentions without asking where it is: the sentence may be about what uses it."""

SPELLING_FACTOR, TYPE_FACTOR, OWN_FILE_FACTOR = 1.3, 1.3, 1.2
"""Of several definitions of one name, the one that is spelled as in the query comes before `config_dict` for
`ConfigDict`; a type before functions and methods of that name; and one whose file bears its name (`Channel.kt`,
`conn.ex`) before namesakes in other files."""

TYPE_OWN_FILE_FACTOR = 1.5
"""Of a type that is written in parts (`Serializer.cs`, `Serializer.Json.cs`), the part in the file that bears just its
name comes first, however much the others hold of it."""

MEMBER_FACTOR = 1 / 1.3
"""A query for `status` alone wants what can be used or called before a field or variable of that name."""

NAME_IN_QUESTION_FACTOR = 1.1
"""For a symbol whose whole name is one word of a longer query: likely, not certainly, meant."""

TYPE_KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "type", "module"})
MEMBER_KINDS = frozenset({"field", "variable", "property", "parameter"})
PART_OF_TYPE_KINDS = MEMBER_KINDS | {"constant"}
"""Kinds that bear everyday names (`file`, `open`): that such a name is a word of a sentence is no evidence."""

_EXTENSION_PATTERN = re.compile(r"(?:impl|extension) ([\w.:]+)(?:<.*)?")
"""The name of a block that adds to a type. One for a trait (`impl Display for Channel`) is about both: no match."""


class NameBoost:
    """The boost `definition` for one query: for documents whose name the query asks for or holds.

    max_factor: the highest factor that any document can get by its name. joined_names: the keys of all queried names as
    one text; a document the key of whose name is no part of it gets no factor.
    """

    def __init__(self, question: SearchQuery) -> None:
        self._names = queried_names(question.words, question.phrases)
        self.joined_names = "\n".join(self._names)
        self._spellings = queried_spellings(question)
        self._asks_for_definition = asks_for_definition(question)
        # In a sentence a word with capitals counts only as it is written: "write LaTeX" does not ask for `latex'`. Who
        # types a name alone, or all in small letters, may not know how it is written.
        self._case_sensitive = frozenset[str]()
        if not is_single_term(question):
            self._case_sensitive = frozenset([normalize_name(name) for name in self._spellings if name != name.lower()])
        self.max_factor = max_name_factor(question)

    def adjustment_for(self, document: DocumentHeader) -> Adjustment | None:
        """Return the boost of a document by its name; None where the query does not hold the name."""
        found = self.match_name(document)
        if found is None:
            return None
        own_name, matched = found
        is_spelled_so = normalize_name(own_name) not in self._case_sensitive or own_name in self._spellings
        if self._names[matched] and is_spelled_so:
            return Adjustment("definition", self._definition_factor(document), f"defines {document.name}")
        if document.kind in PART_OF_TYPE_KINDS:
            return None
        return Adjustment("definition", NAME_IN_QUESTION_FACTOR, f"defines {document.name}, a word of the question")

    def match_name(self, document: DocumentHeader) -> tuple[str, str] | None:
        """Return a document's own name and the key of the queried name that it has; None where the query holds none.

        The key has the container's name before it, or not. The own name of a block that adds to a type is the type's.
        """
        if not document.name:
            return None
        block = _EXTENSION_PATTERN.fullmatch(document.name) if document.kind == "implementation" else None
        own_name = block[1] if block else document.name
        key = normalize_name(own_name)
        if document.container and (qualified := normalize_name(document.container) + key) in self._names:
            return own_name, qualified
        return (own_name, key) if key in self._names else None

    def _definition_factor(self, document: DocumentHeader) -> float:
        is_type = document.kind in TYPE_KINDS
        factor = DEFINITION_FACTOR if self._asks_for_definition else MENTIONED_NAME_FACTOR
        factor *= TYPE_FACTOR if is_type else 1
        factor *= SPELLING_FACTOR if document.name in self._spellings else 1
        if normalize_name(file_stem(document.path)) == normalize_name(document.name):
            factor *= TYPE_OWN_FILE_FACTOR if is_type else OWN_FILE_FACTOR
        return factor * MEMBER_FACTOR if self._asks_for_definition and document.kind in MEMBER_KINDS else factor


def max_name_factor(question: SearchQuery) -> float:
    """Return the highest factor that a document can get by its name."""
    if any(queried_names(question.words, question.phrases).values()):
        factor = DEFINITION_FACTOR if asks_for_definition(question) else MENTIONED_NAME_FACTOR
        return factor * SPELLING_FACTOR * TYPE_FACTOR * TYPE_OWN_FILE_FACTOR
    return NAME_IN_QUESTION_FACTOR


_GENERIC_FILES = frozenset({"index", "mod", "__init__", "lib", "main"})
"""File names that a language prescribes: the name of the folder describes the content."""


@lru_cache(maxsize=50_000)
def file_stem(path: str) -> str:
    """Return a file's name without its extension; its folder's name where the language names the file."""
    folders, _, file = path.rpartition("/")
    stem = file.rpartition(".")[0] or file
    return folders.rpartition("/")[2] if stem in _GENERIC_FILES else stem


# The subject of a commit ---------------------------------------------------------------------------------------------

COMMIT_FACTOR = 0.3
"""A query about code wants code: commits come lower unless it asks what happened, or why, or for commits."""

COMMIT_INTENTS = frozenset({QueryIntent.TEMPORAL, QueryIntent.RATIONALE})

COMMIT_QUESTION_FACTOR = 120.0
"""For a commit whose subject holds all words of a question for a commit; with a share of them, by its square. Commits
have no vectors and rank by their words behind longer documents: a commit at rank 20 of one oracle then comes before
code that three oracles rank first (1 / 80 * 120 > 3.5 / 61 * 26)."""

SUBJECT_FACTOR = 15.0
"""For a commit whose subject is the query, word for word: it can't have the vote of the semantic oracle."""

MIN_SUBJECT_WORDS = 3
MIN_SUBJECT_SHARE = 0.8
"""A commit is as good as code where its subject holds nearly all words of a query of at least three."""


class CommitBoost:
    """The boost `commit` for one query: for commits, by the share of the query's words that their subjects hold.

    max_factor: the highest factor that any commit can get.
    """

    def __init__(self, question: SearchQuery, stem: StemFunction) -> None:
        self._stem = stem
        self._asks_for_commits = question.asks_for_commits
        self._is_lowered = not (
            question.asks_for_commits
            or question.intent in COMMIT_INTENTS
            or "commit" in question.content_types
            or QueryFilter("type", "commit") in question.filters
        )
        words = content_terms(search_text(question))
        if question.asks_for_commits:
            words = [word for word in words if word not in COMMIT_QUESTION_WORDS] or words
        self._stems = frozenset(map(stem, words)) - {""}
        written = frozenset(map(str.lower, find_identifiers(search_text(question))))
        self._is_long = len(written - STOP_WORDS) >= MIN_SUBJECT_WORDS  # an identifier is one word, not its parts
        self.max_factor = COMMIT_QUESTION_FACTOR if question.asks_for_commits else SUBJECT_FACTOR

    def adjustment_for(self, candidate: Candidate) -> Adjustment | None:
        """Return the boost of a commit."""
        share, is_whole = 0.0, False
        if "lexical" in candidate.oracle_matches and self._stems:
            subject = frozenset(map(self._stem, content_terms(candidate.document.name))) - {""}
            share, is_whole = len(subject & self._stems) / len(self._stems), subject == self._stems
        if self._asks_for_commits and share:
            factor = 1 + (COMMIT_QUESTION_FACTOR - 1) * share**2
            reason = f"a commit is asked for, and its subject holds {share:.0%} of the words"
            return Adjustment("commit", factor, reason)
        if is_whole and self._is_long:
            return Adjustment("commit", SUBJECT_FACTOR, "the question is the subject of this commit")
        if not self._is_lowered or (share >= MIN_SUBJECT_SHARE and self._is_long):
            return None
        return Adjustment("commit", COMMIT_FACTOR, "a commit, and the question does not ask what happened")
