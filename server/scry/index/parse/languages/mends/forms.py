"""Mend forms of Kotlin, Swift and Haskell that their grammars do not know. A text keeps its length."""

from __future__ import annotations

import re

_UNREAD_KOTLIN = re.compile(
    rb"\bsuspend(?=[ \t]*\{)"
    rb"|^context[ \t]*\([^()]*\)(?=\s+[@a-z])"
    rb"|\?(?=::)"
    rb"|\$\$(?=\")"
    rb"|@\w+(?:\([^()\n]*\))?(?=\s+(?://[^\n]{0,200}\n\s*)?(?:(?:private|internal|protected|public)\s+)?(?:set\s*\(|constructor\b))",
    re.MULTILINE,
)
"""Parts of a text that the grammar does not know: `suspend` before a lambda, contexts, `?` before `::`, `$$` before a
string, annotations before a setter or a constructor.
"""

_SOFT_KEYWORD = re.compile(
    rb"\b(?:(?:open|sealed|final|inline|infix|operator|external|actual|expect|inner|data|lateinit|override)"
    rb"(?=[ \t]*[(.,;)\]}=?!+*/-])"
    rb"|suspend(?=\(|[ \t]*:)|(?:suspend|[sg]et)(?=[ \t]*(?:[.,;)\]}?!]|[-+*/]?=)))"
)
"""A modifier's word that is a name here: `open(file)`, `set = set or bit`."""

_CONSTRUCTOR_ON_NEXT_LINE = re.compile(
    rb"(\bclass[ \t]+\w+(?:[ \t]*<[^<>{}()\n]*>)?)(\s+)(?=(?:(?:private|internal|protected|public)\s+)?constructor\b)"
)
"""A class whose primary constructor begins on the line below its name, where the grammar ends the class."""

_UNFINISHED_MEMBER = re.compile(rb"(\bfun [^\n{}=]{0,120}[\w)>?])[ \t](?=[ \t]*\})")
"""The last member of a body, on one line with its end: `interface Task { fun run() }`."""

_UNREAD_SWIFT = re.compile(rb"^[ \t]*#(?:warning|error)\([^\n]*|(?<=\w)\(\)(?=:[ \t]*\r?\n)", re.MULTILINE)
"""Diagnostics, and the empty brackets of `case .success():`, which the grammar does not know."""

_EMPTY_VALUE = re.compile(rb"^([ \t]*)\(\)(?=[ \t]*\r?$)", re.MULTILINE)

_PRIMED_NAME = re.compile(rb"(?<!['\\\w])[A-Za-z_]\w*'+")


def mend_kotlin(data: bytes) -> bytes:
    """Return the text without parts that the grammar does not know, and with other names for words of modifiers."""
    data = _UNREAD_KOTLIN.sub(lambda match: b" " * len(match[0]), data)
    data = _SOFT_KEYWORD.sub(lambda match: b"_" * len(match[0]), data)
    data = _CONSTRUCTOR_ON_NEXT_LINE.sub(lambda match: match[1] + b" " * len(match[2]), data)
    return _UNFINISHED_MEMBER.sub(rb"\1;", data)


def mend_swift(data: bytes) -> bytes:
    """Return the text without parts that the grammar does not know, and with a number for `()` as a statement."""
    return _EMPTY_VALUE.sub(rb"\g<1>0 ", _UNREAD_SWIFT.sub(lambda match: b" " * len(match[0]), data))


def mend_haskell(data: bytes) -> bytes:
    """Return the text with `_` for the primes of names: the grammar may take one for the quote of a character."""
    return _PRIMED_NAME.sub(lambda match: match[0].replace(b"'", b"_"), data)
