"""Parse a relational question over the code graph into a tree (N3). Pure.

    question = any { "or" any } ;  any = part { ("and" | "but") part } ;  part = "not" part | "(" question ")" | clause
    clause   = what calls X | what is called by X | what does X call | what X calls | where X is called
               | callers of X | callees of X
               and so on for uses, imports, inherits (from), defines, changes with; a name alone repeats the relation
               before. What uses a symbol calls it or a member of it, or inherits from it; what uses a file
               imports it.

"what", "who", "that is", "the" and the like may stand before a clause or be left out; "not" may stand within it (does
not call, isn't called by). "transitively" or "indirectly" anywhere in a clause follows the relation over any number of
steps. `and` binds tighter than `or`. A name is one word, or anything in quotes.

    what calls foo and is called by bar         callers of foo or baz but not bar
    subclasses of Base transitively             (what imports a.py or changes with a.py) and not what imports b.py
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from scry.core.errors import BadRequest


class RelationKind(str, Enum):
    """A relation, by its name on the wire. USES stands for others and is never sent."""

    USES = "uses"
    CALLS = "calls"
    IMPORTS = "imports"
    INHERITS = "inherits"
    DEFINES = "defines"
    CHANGES_WITH = "changes_with"


class RelationClause(Struct, frozen=True):
    """One relation. is_source: the result is its source and the named document its target; else the reverse."""

    kind: RelationKind
    name: str
    is_source: bool
    transitive: bool = False


class AllOf(Struct, frozen=True):
    """The documents that meet all of `parts`, at least one, and none of `without`."""

    parts: tuple[RelationQuery, ...]
    without: tuple[RelationQuery, ...]


class AnyOf(Struct, frozen=True):
    """The documents that meet any of `parts`."""

    parts: tuple[RelationQuery, ...]


RelationQuery = RelationClause | AllOf | AnyOf

SUPPORTED_FORMS = (
    "it can be asked what calls X, what is called by X, what does X call, where X is called; likewise uses, imports, "
    "inherits from, defines, changes with; callers, callees, users, importers, subclasses, bases or members of X; "
    "joined by and, or, but not and "
    'parentheses; with transitively for any number of steps. For example: "what calls foo and is called by bar"'
)

MAX_RELATION_QUERY_CHARACTERS = 2000
_MAX_NESTING = 20
"""Deepest nesting of parentheses: each level takes some of Python's stack."""

_TOKEN_PATTERN = re.compile(r'"([^"]+)"|`([^`]+)`|\'([^\']+)\'|([()])(?!\))|([^\s()"`]+(?:\(\))?)|(\S)')
_FILLER_WORDS = frozenset(
    "what who which where that it is are was be the all a an everything anything things also does do".split()
)
_ADVERBS = frozenset(("transitively", "indirectly", "recursively"))
_CONNECTIVES = frozenset(("and", "but", "or"))

_ACTIVE: Mapping[str, RelationKind] = {
    word: kind
    for kind, words in (
        (RelationKind.USES, "uses use"),
        (RelationKind.CALLS, "calls call invokes invoke"),
        (RelationKind.IMPORTS, "imports import"),
        (RelationKind.INHERITS, "inherits inherit extends extend implements implement subclasses"),
        (RelationKind.DEFINES, "defines define contains contain"),
        (RelationKind.CHANGES_WITH, "changes change changed"),
    )
    for word in words.split()
}
_PASSIVE: Mapping[str, RelationKind] = {
    "used": RelationKind.USES,
    "called": RelationKind.CALLS,
    "invoked": RelationKind.CALLS,
    "imported": RelationKind.IMPORTS,
    "inherited": RelationKind.INHERITS,
    "extended": RelationKind.INHERITS,
    "implemented": RelationKind.INHERITS,
    "defined": RelationKind.DEFINES,
    "contained": RelationKind.DEFINES,
}
_NOUNS: Mapping[str, tuple[RelationKind, bool]] = {
    "users": (RelationKind.USES, True),
    "uses": (RelationKind.USES, True),
    "usages": (RelationKind.USES, True),
    "callers": (RelationKind.CALLS, True),
    "callees": (RelationKind.CALLS, False),
    "importers": (RelationKind.IMPORTS, True),
    "imports": (RelationKind.IMPORTS, False),
    "subclasses": (RelationKind.INHERITS, True),
    "bases": (RelationKind.INHERITS, False),
    "superclasses": (RelationKind.INHERITS, False),
    "members": (RelationKind.DEFINES, False),
}


def names_in(tree: RelationQuery) -> tuple[str, ...]:
    """Return the names in a relational question, each once."""
    if isinstance(tree, RelationClause):
        return (tree.name,)
    parts = tree.parts if isinstance(tree, AnyOf) else (*tree.parts, *tree.without)
    return tuple(dict.fromkeys(name for part in parts for name in names_in(part)))


def rename(tree: RelationQuery, new_name: Callable[[str], str]) -> RelationQuery:
    """Return a relational question with other names."""
    if isinstance(tree, RelationClause):
        return replace(tree, name=new_name(tree.name))
    parts = tuple(rename(part, new_name) for part in tree.parts)
    if isinstance(tree, AnyOf):
        return AnyOf(parts)
    return AllOf(parts, tuple(rename(part, new_name) for part in tree.without))


class _QueryToken(Struct, frozen=True):
    """word: lower-case, as it is compared; empty for a quoted name."""

    text: str
    word: str


def parse_relation_query(text: str) -> RelationQuery:
    """Return the question as a tree. Raises BadRequest with the possible questions."""
    if not text.strip():
        raise BadRequest("query", f"is empty; {SUPPORTED_FORMS}")
    if len(text) > MAX_RELATION_QUERY_CHARACTERS:
        raise BadRequest("query", f"has {len(text)} characters, too many for a relational question; {SUPPORTED_FORMS}")
    return _Parser(tuple(_tokenize(text.replace("\u2019", "'")))).read()


def _tokenize(text: str) -> Iterator[_QueryToken]:
    for match in _TOKEN_PATTERN.finditer(text.strip().rstrip("?.!")):
        quoted = match[1] or match[2] or match[3]
        if quoted:
            yield _QueryToken(quoted, "")
            continue
        word = match.group().lower()
        if word.endswith("n't"):
            yield _QueryToken(match.group(), word[:-3])
            yield _QueryToken("not", "not")
        else:
            yield _QueryToken(match.group().removesuffix("()"), word)


class _Parser:
    """Reads tokens from the left, one after another."""

    def __init__(self, tokens: tuple[_QueryToken, ...]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0
        self._is_transitive = False
        self._is_denied = False
        self._last: RelationClause | None = None

    def read(self) -> RelationQuery:
        tree = self._question()
        if self._at < len(self._tokens):
            raise self._unreadable()
        return tree

    def _question(self) -> RelationQuery:
        parts = [self._any()]
        while self._take("or"):
            parts.append(self._any())
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _any(self) -> RelationQuery:
        parts: list[RelationQuery] = []
        without: list[RelationQuery] = []
        while True:
            part, is_denied = self._part()
            (without if is_denied else parts).append(part)
            if not self._take("and", "but"):
                break
        if not parts:
            raise BadRequest("query", f"says only what is not wanted; say also what is. Of others {SUPPORTED_FORMS}")
        return parts[0] if len(parts) == 1 and not without else AllOf(tuple(parts), tuple(without))

    def _part(self) -> tuple[RelationQuery, bool]:
        start, is_denied = self._at, False
        while self._take("not", *_FILLER_WORDS):
            is_denied ^= self._tokens[self._at - 1].word == "not"
        if not self._take("("):
            self._at = start
            return self._clause()
        self._depth += 1
        if self._depth > _MAX_NESTING:
            raise BadRequest("query", f"has more than {_MAX_NESTING} parentheses within one another")
        tree = self._question()
        if not self._take(")"):
            raise self._unreadable()
        self._depth -= 1
        return tree, is_denied

    def _clause(self) -> tuple[RelationClause, bool]:
        self._is_transitive = self._is_denied = False
        clause = self._body()
        self._skip(frozenset())
        if self._is_transitive:
            clause = replace(clause, transitive=True)
        if clause.transitive and clause.kind is RelationKind.CHANGES_WITH:
            raise BadRequest("query", "what changes with something can't be followed transitively; leave the word out")
        self._last = clause
        return clause, self._is_denied

    def _body(self) -> RelationClause:
        self._skip(_FILLER_WORDS)
        noun = _NOUNS.get(self._word())
        if noun and self._word(1) == "of":
            self._at += 2
            return RelationClause(noun[0], self._name(), noun[1])
        if kind := _PASSIVE.get(self._word()):
            self._at += 1
            self._skip(frozenset())
            if not self._take("by", "in", "from"):
                raise self._unreadable()
            return RelationClause(kind, self._name(), is_source=False)
        if kind := _ACTIVE.get(self._word()):
            self._verb(kind)
            return RelationClause(kind, self._name(), is_source=True)
        return self._named_first()

    def _named_first(self) -> RelationClause:
        """Parse `X calls`, `X is called`, or X alone."""
        name = self._name()
        self._skip(frozenset(("is", "are")))
        if kind := _PASSIVE.get(self._word()):
            self._at += 1
            return RelationClause(kind, name, is_source=True)
        if kind := _ACTIVE.get(self._word()):
            self._verb(kind)
            return RelationClause(kind, name, is_source=False)
        if self._last is None:
            self._at -= 1
            raise self._unreadable()
        return replace(self._last, name=name)

    def _verb(self, kind: RelationKind) -> None:
        self._at += 1
        self._skip(frozenset())
        if kind is RelationKind.CHANGES_WITH:
            self._take("together")
            if not self._take("with"):
                raise self._unreadable()
        elif kind is RelationKind.INHERITS:
            self._take("from")

    def _name(self) -> str:
        self._skip(frozenset())
        if self._at == len(self._tokens) or self._word() in _CONNECTIVES | {"(", ")"}:
            raise self._unreadable()
        self._at += 1
        return self._tokens[self._at - 1].text

    def _skip(self, leads: frozenset[str]) -> None:
        """Skip and record the words that only modify a clause."""
        while (word := self._word()) in _ADVERBS or word == "not" or word in leads:
            self._is_transitive |= word in _ADVERBS
            self._is_denied ^= word == "not"
            self._at += 1

    def _word(self, ahead: int = 0) -> str:
        index = self._at + ahead
        return self._tokens[index].word if index < len(self._tokens) else ""

    def _take(self, *words: str) -> bool:
        taken = self._word() in words
        self._at += taken
        return taken

    def _unreadable(self) -> BadRequest:
        if self._at < len(self._tokens):
            where = f'can\'t be read as a relational question from "{self._tokens[self._at].text[:60]}" on'
        else:
            where = "can't be read as a relational question: it ends too early"
        return BadRequest("query", f"{where}; {SUPPORTED_FORMS}")
