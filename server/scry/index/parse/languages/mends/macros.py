"""Blank what is likely a macro in C and C++, or another part that the grammars do not know.

Unlike the patterns of `c_macros`, these may hit what is no macro. So they serve only where the grammar finds errors,
and then reads more; see `captures.run_query`. A text keeps its length.
"""

from __future__ import annotations

import re

from scry.index.parse.languages.mends.conditionals import skip_spaces_back

_NO_MACRO = (
    rb"(?!(?:const|volatile|restrict|__restrict|__restrict__|noexcept|override|final|operator|throw|requires|and|or"
    rb"|mutable)\b)"
)
_BEHIND_POINTER = re.compile(
    rb"([*&][ \t]*)((?:" + _NO_MACRO + rb"[A-Za-z_]\w*[ \t]+){1,2})"
    rb"(?=" + _NO_MACRO + rb"~?[A-Za-z_][\w:]*[ \t]*[(,;=)\[{:])"
)
"""A macro between `*` or `&` and a name: `char* absl_nonnull text`, `void* WINAPI Open(…`."""

_MACRO = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]+"
_ARGUMENTS = rb"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_TEMPLATE_PARAMETER = re.compile(
    rb"(template[ \t]*<[^;{}(]{0,400}?)(,\s*" + _MACRO + _ARGUMENTS + rb"(?:[ \t]*=[ \t]*\w+)?)(?=\s*>)"
)
"""A macro as the last parameter of a template: `template <typename T, FMT_ENABLE_IF(is_float<T>())>`."""

_BEHIND_PARAMETER = re.compile(
    rb"((?!(?:return|case|const|struct|enum|union|class|typename|unsigned|signed|long|short|new|sizeof|throw|else)\b)"
    rb"\b[A-Za-z_]\w*\s+)(" + _MACRO + rb")(?=\s*[,)])"
)
"""A macro behind the name of a parameter: `T* ptr ABSL_ATTRIBUTE_LIFETIME_BOUND,`."""

_BEFORE_TYPE_NAME = re.compile(
    rb"(\b(?:class|struct|union)[ \t]+)([A-Z][A-Z0-9_]+[ \t]+)(?=[A-Za-z_]\w*\s*(?:final\s*)?[:{])"
)
"""A macro without `_` before the name of a type: `class LOCKABLE Mutex {`."""

_BEFORE_CONSTRUCTOR = re.compile(
    rb"^([ \t]*(?:explicit[ \t]+)?)((?:" + _MACRO + rb"\s+){1,3})"
    rb"(?=[A-Za-z_]\w*\s*" + _ARGUMENTS + rb"\s*(?:noexcept\s*)?:[^:])",
    re.MULTILINE,
)
"""A macro before a constructor that initialises fields: `FMT_CONSTEXPR view(int n) : size(n) {}`."""

_INSTANTIATION = re.compile(rb"^()([ \t]*extern\s+template\s[^;{}]{0,2000};)", re.MULTILINE)
"""An explicit instantiation: `extern template class Numbers<4>;`."""

_LOOP_VARIABLE = re.compile(
    rb"(\bfor[ \t]*\([^;()]*;\s*)((?:const\s+)?[A-Za-z_][\w:]*(?:\s*[*&]+\s*|\s+))(?=[A-Za-z_]\w*\s*=[^=])"
)
"""A variable that the condition of a loop declares: `for (; const char* at = next(); )`."""

_REFERENCE_ARGUMENT = re.compile(rb"([\w>])([ \t]*&&?)(?=\s*\))")
"""A type of a reference as the last argument of a macro: `CHECK_THROWS_AS(f(), json::exception&)`."""

_CALL_AT_TOP = re.compile(rb"^()(" + _MACRO + rb"[ \t]*" + _ARGUMENTS + rb"[ \t]*;)", re.MULTILINE)
"""A macro with arguments in the first column: `ABSL_FLAG(bool, verbose, false, "");`."""

_BEFORE_BLOCK = re.compile(rb"^([ \t]+)(" + _MACRO + rb")(?=[ \t]*\{[ \t]*\r?$)", re.MULTILINE)
"""A macro that begins a block inside a function: `LOG_TRY {`."""

_LINE_OF_MACRO = re.compile(
    rb"^([ \t]*)(" + _MACRO + rb"(?:[ \t]*" + _ARGUMENTS + rb")?)"
    rb"(?=[ \t]*(?://[^\n]*\n|(?:/\*[^\n*]*\*/[ \t]*)?\r?\n)\s*([^\s]))",
    re.MULTILINE,
)
"""A line of a macro and nothing else, anywhere: `NLOHMANN_DEFINE_TYPE_INTRUSIVE(person, name)`."""


_PATTERNS = (
    _BEHIND_POINTER,
    _TEMPLATE_PARAMETER,
    _BEHIND_PARAMETER,
    _BEFORE_TYPE_NAME,
    _BEFORE_CONSTRUCTOR,
    _INSTANTIATION,
    _LOOP_VARIABLE,
    _REFERENCE_ARGUMENT,
    _CALL_AT_TOP,
    _BEFORE_BLOCK,
)
"""Patterns whose second group is blanked, in this order."""

_NOT_LINE_END = re.compile(rb"[^\r\n]")
_CONTINUES = b"-+*/.,=?|&<>)]("


def blank_likely_macros(data: bytes) -> bytes:
    """Return the text without what is likely a macro by its place."""
    for pattern in _PATTERNS:
        data = pattern.sub(lambda match: match[1] + _NOT_LINE_END.sub(b" ", match[2]), data)
    return _LINE_OF_MACRO.sub(lambda match: _blank_line(match, data), data)


def _blank_line(match: re.Match[bytes], data: bytes) -> bytes:
    """Blank a line of a macro between two statements, members or values of an enum; return others as they are."""
    before = skip_spaces_back(data, match.start())
    last, following = data[before - 1 : before], match[3]
    line = data[data.rfind(b"\n", 0, before) + 1 : before].lstrip()
    if (
        last not in (b"", b";", b"{", b"}", b":", b",")
        and not line.startswith((b"#", b"//"))
        and not line.endswith(b"*/")
    ):
        return match[0]
    if following in _CONTINUES or (following == b"{" and last != b",") or (following == b"}" and last == b","):
        return match[0]
    return match[1] + _NOT_LINE_END.sub(b" ", match[2])
