"""Macros in C and C++ that stand where the grammar expects none, such as `ABSL_EXPORT` before a declaration.

They are overwritten with blanks, so that every place in the text stays what it was.
"""

from __future__ import annotations

import re

from scry.index.languages.language import Prepared

_MACRO = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]+"
_ARGUMENTS = rb"(?:[ \t]*\((?:[^()\n]|\([^()\n]*\))*\))"
_SPECIFIER = rb"(?:(?:static|inline|extern|constexpr|virtual|explicit|const|friend)[ \t]+)"

_EXTERN_C = re.compile(
    rb"(#[ \t]*if(?:def|[ \t]+defined)[ \t(]*__cplusplus\)?[ \t]*\r?\n\s*)"
    rb"(extern[ \t]+\"C\"[ \t]*\{|\})(?=[^\n]*\r?\n\s*#)"
)
"""Braces of which a file that is read as C has no other half outside of an `#if`."""

_ALONE = re.compile(rb"^(" + _MACRO + _ARGUMENTS + rb"?)(?=[ \t]*\r?\n(?!\s*[{})]))", re.MULTILINE)
"""A line of a macro and nothing else, at the margin: `ABSL_NAMESPACE_BEGIN`."""

_BEFORE = re.compile(
    rb"^([ \t]*"
    + _SPECIFIER
    + rb"*)((?:"
    + _MACRO
    + _ARGUMENTS
    + rb"?\s+){1,4})(?=[A-Za-z_][\w:<>,]*[ \t*&\n]+[*&]*~?[A-Za-z_])",
    re.MULTILINE,
)
"""A macro before a type and a name: `UV_EXTERN int uv_run(…`."""

_OF_TYPE = re.compile(rb"\b((?:class|struct|union)[ \t]+)((?:" + _MACRO + _ARGUMENTS + rb"?\s+){1,4})(?=[A-Za-z_])")
_BEHIND = re.compile(
    rb"(\)(?:\s*(?:const|noexcept|override|final)\b)*\s*)((?:\s"
    + _MACRO
    + _ARGUMENTS
    + rb"?){1,4})(?=\s*(?:[;{]|=\s*(?:0|default|delete)))"
)
"""A macro between parameters and body: `void f() ABSL_LOCKS_EXCLUDED(mu_) {`."""

_AROUND = re.compile(rb"^(" + _MACRO + rb"\()(static\b[^{};]*\([^{};]*\))(\))(?=\s*\{)", re.MULTILINE)
"""A macro around a whole head: `UV_UNUSED(static int f(int a)) {`."""

_BEHIND_FIELD = re.compile(
    rb"(\w[\])}]?\s+)([A-Z][A-Z0-9_]*(?:GUARDED_BY|ACQUIRED_BEFORE|ACQUIRED_AFTER|DEPRECATED|ALIGNED)"
    + _ARGUMENTS
    + rb")(?=\s*[;={])"
)
"""A macro behind a field: `int n ABSL_GUARDED_BY(mu_);`."""

_LINES = rb"(?:" + _MACRO + _ARGUMENTS + rb"?[ \t]*\r?\n[ \t]*){0,8}" + _MACRO + _ARGUMENTS + rb"?"
_AMONG_FIELDS = re.compile(rb"(;[ \t]*\r?\n[ \t]*)(" + _LINES + rb")(?=[ \t]*\r?\n)")
_FIRST_FIELDS = re.compile(rb"(\{[ \t]*\r?\n[ \t]*)(" + _LINES + rb")(?=[ \t]*\r?\n\s*[^\s}])")
_NAMED_FIELDS = re.compile(rb"^([ \t]*)([A-Z][A-Z0-9_]*_FIELDS)(?=[ \t]*\r?$)", re.MULTILINE)
"""Lines of macros in a struct: `UV_HANDLE_FIELDS`. The last name of an enum looks the same, but for what is before."""

_TELLING: tuple[tuple[re.Pattern[bytes], tuple[bytes, ...]], ...] = (
    (_FIRST_FIELDS, ()),
    (_AMONG_FIELDS, ()),
    (_NAMED_FIELDS, (b"_FIELDS",)),
    (_OF_TYPE, ()),
    (_BEFORE, ()),
    (_BEHIND, ()),
    (_BEHIND_FIELD, (b"GUARDED_BY", b"ACQUIRED_", b"DEPRECATED", b"ALIGNED")),
)
"""Patterns whose second group is to be blanked, in this order, with words of which one must occur: where there is none,
which is nearly everywhere, looking for the words takes a tenth of the time."""

_VISIBLE = re.compile(rb"[^\r\n]")


def blank_macros(data: bytes) -> Prepared:
    """The text with such macros blanked, of the same length, and where they were."""
    blanked: list[tuple[int, int]] = []

    def blank(match: re.Match[bytes], group: int) -> bytes:
        start, end = match.span(group)
        if match[group].strip():
            blanked.append((start, start + len(match[group].rstrip())))
        return data[match.start() : start] + _VISIBLE.sub(b" ", match[group]) + data[end : match.end()]

    def blank_around(match: re.Match[bytes]) -> bytes:
        blanked.append(match.span(1))
        return b" " * len(match[1]) + match[2] + b" "

    if b"__cplusplus" in data:
        data = _EXTERN_C.sub(lambda match: blank(match, 2), data)
    if b"(static" in data:
        data = _AROUND.sub(blank_around, data)
    data = _ALONE.sub(lambda match: blank(match, 1), data)
    for pattern, words in _TELLING:
        if not words or any(word in data for word in words):
            data = pattern.sub(lambda match: blank(match, 2), data)
    return data, blanked
