"""What a symbol owes to its name: the rule `definition`, for names that a question asks for or holds. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from scry.core.asked import queried_names, is_single_term, queried_spellings
from scry.core.text import normalize_name
from scry.core.types import Adjustment, QueryIntent, DocumentHeader, SearchQuery

DEFINITION_FACTOR = 6.0
"""For a name that is surely asked for, by itself or as in "where is x":
above (K + 200) / (K + 1), so that the last vote can still come first (F8)."""

MENTIONED_NAME_FACTOR = 1.5
"""For a name that a sentence mentions without asking where it is: it may as well be what the sentence is about, or what
uses it."""

SPELLING_FACTOR = 1.3
TYPE_FACTOR = 1.3
OWN_FILE_FACTOR = 1.2
"""Of several definitions of that name, the one that is spelled as asked comes before `config_dict` for `ConfigDict`,
a type before functions and methods that are called the same, and one whose file bears its name (`Channel.kt`,
`conn.ex`) before namesakes in other files."""

TYPE_OWN_FILE_FACTOR = 1.5
"""Of a type that is written in parts (`Serializer.cs`, `Serializer.Json.cs`), the part in the file that bears its name
alone is where the type is at home, however much the others hold of it."""

MEMBER_FACTOR = 1 / 1.3
"""Who asks for `status` or `entrySet` by itself wants what can be used or called before somebody's field or variable of
that name, as a type before a function."""

NAME_IN_QUESTION_FACTOR = 1.1
"""A word of a longer question is also a whole name: likely, not certain, that this symbol is meant."""

TYPE_KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "type", "module"})
MEMBER_KINDS = frozenset({"field", "variable", "property", "parameter"})
PART_OF_TYPE_KINDS = MEMBER_KINDS | {"constant"}
"""What bears everyday names (`file`, `open`): that one is a word of a sentence says nothing."""

GENERIC_FILES = frozenset({"index", "mod", "__init__", "lib", "main"})
"""Files named so by their language: their folder's name says what they are about."""

_EXTENSION_PATTERN = re.compile(r"(?:impl|extension) ([\w.:]+)(?:<.*)?")
"""How a block that adds to a type is named. One for a trait (`impl Display for Channel`) is about both, and is not."""


class NameBoost:
    """The rule for one question. named: the most that a document can owe to its name."""

    def __init__(self, question: SearchQuery) -> None:
        self._asked_names = queried_names(question)
        self._spellings = queried_spellings(question)
        self._case_sensitive = _case_sensitive_names(question)
        self._asks_for_definition = _asks_for_definition(question)
        self.max_factor = max_name_factor(question)

    def matches_name(self, symbol: DocumentHeader) -> bool:
        """Whether a symbol has a name that the question holds."""
        return bool(symbol.name) and self._matched_name(symbol) is not None

    def adjustment_for(self, symbol: DocumentHeader) -> Adjustment | None:
        """What the symbol gets."""
        found = self._matched_name(symbol) if symbol.name else None
        if found is None:
            return None
        if self._asked_names[found] and self._spelling_matches(symbol):
            return Adjustment("definition", self._factor(symbol), f"defines {symbol.name}")
        if symbol.kind in PART_OF_TYPE_KINDS:
            return None
        return Adjustment("definition", NAME_IN_QUESTION_FACTOR, f"defines {symbol.name}, a word of the question")

    def _factor(self, symbol: DocumentHeader) -> float:
        is_type = symbol.kind in TYPE_KINDS
        factor = DEFINITION_FACTOR if self._asks_for_definition else MENTIONED_NAME_FACTOR
        factor *= TYPE_FACTOR if is_type else 1
        factor *= SPELLING_FACTOR if symbol.name in self._spellings else 1
        if normalize_name(file_stem(symbol.path)) == normalize_name(symbol.name):
            factor *= TYPE_OWN_FILE_FACTOR if is_type else OWN_FILE_FACTOR
        return factor * MEMBER_FACTOR if self._asks_for_definition and symbol.kind in MEMBER_KINDS else factor

    def _spelling_matches(self, symbol: DocumentHeader) -> bool:
        """Whether a name is written as it was asked for, where that is asked for."""
        name = _own_name(symbol)
        return normalize_name(name) not in self._case_sensitive or name in self._spellings

    def _matched_name(self, symbol: DocumentHeader) -> str | None:
        """The asked name that a symbol has, with its container's before it or by itself."""
        key = normalize_name(_own_name(symbol))
        qualified = normalize_name(symbol.container) + key
        if qualified in self._asked_names:
            return qualified
        return key if key in self._asked_names else None


def max_name_factor(question: SearchQuery) -> float:
    """The most that a document can owe to its name."""
    if any(queried_names(question).values()):
        factor = DEFINITION_FACTOR if _asks_for_definition(question) else MENTIONED_NAME_FACTOR
        return factor * SPELLING_FACTOR * TYPE_FACTOR * TYPE_OWN_FILE_FACTOR
    return NAME_IN_QUESTION_FACTOR


@lru_cache(maxsize=50_000)
def file_stem(path: str) -> str:
    """What a file is called, without its extension; its folder's name where the language names the file."""
    folders, _, file = path.rpartition("/")
    stem = file.rpartition(".")[0] or file
    return folders.rpartition("/")[2] if stem in GENERIC_FILES else stem


def _own_name(symbol: DocumentHeader) -> str:
    """Its name; of a block that adds to a type, the type's: where a macro hides the type, that is all there is."""
    if symbol.kind != "implementation":
        return symbol.name
    part = _EXTENSION_PATTERN.fullmatch(symbol.name)
    return part[1] if part else symbol.name


def _case_sensitive_names(question: SearchQuery) -> frozenset[str]:
    """Keys of the names that count only as they are written: those with capitals in a sentence, as in "write LaTeX",
    which asks for no `latex'`. Who types a name alone, or all in small letters, may not know how it is written.
    """
    if is_single_term(question):
        return frozenset()
    return frozenset(normalize_name(name) for name in queried_spellings(question) if name != name.lower())


def _asks_for_definition(question: SearchQuery) -> bool:
    return is_single_term(question) or question.intent is QueryIntent.DEFINITION
