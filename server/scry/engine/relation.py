"""Reads a relational question over the code graph into a tree (N3). Pure.

    question = any { "or" any } ;  any = part { ("and" | "but") part } ;  part = "not" part | "(" question ")" | clause
    clause   = what calls X | what is called by X | what does X call | what X calls | callers of X | callees of X
               and so on for imports, inherits (from), defines, changes with; a name alone repeats the relation before

"what", "who", "that is", "the" and the like may stand before a clause or be left out; "not" may stand within it (does
not call, isn't called by). "transitively" or "indirectly" anywhere in a clause follows the relation over any number of
steps. `and` binds tighter than `or`. A name is one word, or anything in quotes.

    what calls foo and is called by bar         callers of foo or baz but not bar
    subclasses of Base transitively             (what imports a.py or changes with a.py) and not what imports b.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from scry.core.errors import BadRequest


class Kind(str, Enum):
    """A relation, by its name on the wire."""

    CALLS = "calls"
    IMPORTS = "imports"
    INHERITS = "inherits"
    DEFINES = "defines"
    CHANGES_WITH = "changes_with"


class Clause(Struct, frozen=True):
    """is_source: what is asked for does it to the named thing; else the named thing does it to what is asked for."""

    kind: Kind
    name: str
    is_source: bool
    transitive: bool = False


class Both(Struct, frozen=True):
    """What meets every one of `parts`, of which one at least is there, and none of `without`."""

    parts: tuple[Tree, ...]
    without: tuple[Tree, ...]


class Either(Struct, frozen=True):
    """What meets any of `parts`."""

    parts: tuple[Tree, ...]


Tree = Clause | Both | Either

FORMS = (
    "it can be asked what calls X, what is called by X, what does X call; likewise imports, inherits from, defines, "
    "changes with; callers, callees, importers, subclasses, bases or members of X; joined by and, or, but not and "
    'parentheses; with transitively for any number of steps. For example: "what calls foo and is called by bar"'
)

MOST_CHARACTERS = 2000
_DEEPEST = 20
"""Parentheses within one another: nobody writes more, and each takes some of Python's stack."""

_TOKEN = re.compile(r'"([^"]+)"|`([^`]+)`|\'([^\']+)\'|([()])(?!\))|([^\s()"`]+(?:\(\))?)|(\S)')
_LEADS = frozenset("what who which that it is are was be the all a an everything anything things also does do".split())
_ADVERBS = frozenset(("transitively", "indirectly", "recursively"))
_JOINS = frozenset(("and", "but", "or"))

_ACTIVE: Mapping[str, Kind] = {
    word: kind
    for kind, words in (
        (Kind.CALLS, "calls call invokes invoke"),
        (Kind.IMPORTS, "imports import"),
        (Kind.INHERITS, "inherits inherit extends extend implements implement subclasses"),
        (Kind.DEFINES, "defines define contains contain"),
        (Kind.CHANGES_WITH, "changes change changed"),
    )
    for word in words.split()
}
_PASSIVE: Mapping[str, Kind] = {
    "called": Kind.CALLS,
    "invoked": Kind.CALLS,
    "imported": Kind.IMPORTS,
    "inherited": Kind.INHERITS,
    "extended": Kind.INHERITS,
    "implemented": Kind.INHERITS,
    "defined": Kind.DEFINES,
    "contained": Kind.DEFINES,
}
_NOUNS: Mapping[str, tuple[Kind, bool]] = {
    "callers": (Kind.CALLS, True),
    "callees": (Kind.CALLS, False),
    "importers": (Kind.IMPORTS, True),
    "imports": (Kind.IMPORTS, False),
    "subclasses": (Kind.INHERITS, True),
    "bases": (Kind.INHERITS, False),
    "superclasses": (Kind.INHERITS, False),
    "members": (Kind.DEFINES, False),
}


class _Token(Struct, frozen=True):
    """word: lower-case, as it is compared; empty for a quoted name."""

    text: str
    word: str


def read_question(text: str) -> Tree:
    """The question as a tree. Raises BadRequest saying what can be asked."""
    if not text.strip():
        raise BadRequest("query", f"is empty; {FORMS}")
    if len(text) > MOST_CHARACTERS:
        raise BadRequest("query", f"has {len(text)} characters, too many for a relational question; {FORMS}")
    return _Reader(tuple(_tokens(text.replace("\u2019", "'")))).read()


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text.strip().rstrip("?.!")):
        quoted = match[1] or match[2] or match[3]
        if quoted:
            yield _Token(quoted, "")
            continue
        word = match.group().lower()
        if word.endswith("n't"):
            yield _Token(match.group(), word[:-3])
            yield _Token("not", "not")
        else:
            yield _Token(match.group().removesuffix("()"), word)


class _Reader:
    """Reads tokens from the left, one after another."""

    def __init__(self, tokens: tuple[_Token, ...]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0
        self._is_transitive = False
        self._is_denied = False
        self._last: Clause | None = None

    def read(self) -> Tree:
        tree = self._question()
        if self._at < len(self._tokens):
            raise self._unreadable()
        return tree

    def _question(self) -> Tree:
        parts = [self._any()]
        while self._take("or"):
            parts.append(self._any())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _any(self) -> Tree:
        parts: list[Tree] = []
        without: list[Tree] = []
        while True:
            part, is_denied = self._part()
            (without if is_denied else parts).append(part)
            if not self._take("and", "but"):
                break
        if not parts:
            raise BadRequest("query", f"says only what is not wanted; say also what is. Of others {FORMS}")
        return parts[0] if len(parts) == 1 and not without else Both(tuple(parts), tuple(without))

    def _part(self) -> tuple[Tree, bool]:
        start, is_denied = self._at, False
        while self._take("not", *_LEADS):
            is_denied ^= self._tokens[self._at - 1].word == "not"
        if not self._take("("):
            self._at = start
            return self._clause()
        self._depth += 1
        if self._depth > _DEEPEST:
            raise BadRequest("query", f"has more than {_DEEPEST} parentheses within one another")
        tree = self._question()
        if not self._take(")"):
            raise self._unreadable()
        self._depth -= 1
        return tree, is_denied

    def _clause(self) -> tuple[Clause, bool]:
        self._is_transitive = self._is_denied = False
        clause = self._body()
        self._skip(frozenset())
        if self._is_transitive:
            clause = replace(clause, transitive=True)
        if clause.transitive and clause.kind is Kind.CHANGES_WITH:
            raise BadRequest("query", "what changes with something can't be followed transitively; leave the word out")
        self._last = clause
        return clause, self._is_denied

    def _body(self) -> Clause:
        self._skip(_LEADS)
        noun = _NOUNS.get(self._word())
        if noun and self._word(1) == "of":
            self._at += 2
            return Clause(noun[0], self._name(), noun[1])
        if kind := _PASSIVE.get(self._word()):
            self._at += 1
            self._skip(frozenset())
            if not self._take("by", "in", "from"):
                raise self._unreadable()
            return Clause(kind, self._name(), is_source=False)
        if kind := _ACTIVE.get(self._word()):
            self._verb(kind)
            return Clause(kind, self._name(), is_source=True)
        return self._named_first()

    def _named_first(self) -> Clause:
        """`X calls`, or X alone."""
        name = self._name()
        self._skip(frozenset())
        if kind := _ACTIVE.get(self._word()):
            self._verb(kind)
            return Clause(kind, name, is_source=False)
        if self._last is None:
            self._at -= 1
            raise self._unreadable()
        return replace(self._last, name=name)

    def _verb(self, kind: Kind) -> None:
        self._at += 1
        self._skip(frozenset())
        if kind is Kind.CHANGES_WITH:
            self._take("together")
            if not self._take("with"):
                raise self._unreadable()
        elif kind is Kind.INHERITS:
            self._take("from")

    def _name(self) -> str:
        self._skip(frozenset())
        if self._at == len(self._tokens) or self._word() in _JOINS | {"(", ")"}:
            raise self._unreadable()
        self._at += 1
        return self._tokens[self._at - 1].text

    def _skip(self, leads: frozenset[str]) -> None:
        """Passes over what only modifies a clause, and notes it."""
        while (word := self._word()) in _ADVERBS or word == "not" or word in leads:
            self._is_transitive |= word in _ADVERBS
            self._is_denied ^= word == "not"
            self._at += 1

    def _word(self, ahead: int = 0) -> str:
        place = self._at + ahead
        return self._tokens[place].word if place < len(self._tokens) else ""

    def _take(self, *words: str) -> bool:
        taken = self._word() in words
        self._at += taken
        return taken

    def _unreadable(self) -> BadRequest:
        if self._at < len(self._tokens):
            where = f'can\'t be read as a relational question from "{self._tokens[self._at].text[:60]}" on'
        else:
            where = "can't be read as a relational question: it ends too early"
        return BadRequest("query", f"{where}; {FORMS}")
