"""Blank C and C++ macros that stand where the grammar expects none, such as `ABSL_EXPORT`.

Macros are overwritten with blanks, so that every offset in the text stays the same. Where a macro makes a definition of
its arguments, such as `TEST_IMPL(fs_copy) {`, it is overwritten with a head that the grammar knows.
"""

from __future__ import annotations

import re

from scry.index.parse.languages.language import PreparedSource

_MACRO = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]+"
_ARGUMENTS = rb"(?:[ \t]*\((?:[^()\n]|\([^()\n]*\))*\))"
_SPECIFIER = rb"(?:(?:static|inline|extern|constexpr|virtual|explicit|const|friend)[ \t]+)"

_EXTERN_C = re.compile(
    rb"(#[ \t]*if(?:def|[ \t]+defined)[ \t(]*__cplusplus\)?[ \t]*\r?\n\s*)"
    rb"(extern[ \t]+\"C\"[ \t]*\{|\})(?=[^\n]*\r?\n\s*#)"
)
"""Braces of `extern "C"` inside `#ifdef __cplusplus`, whose partners stand in another such `#if`."""

_ALONE_ON_LINE = re.compile(rb"^(" + _MACRO + _ARGUMENTS + rb"?)(?=[ \t]*\r?\n(?!\s*[{})]))", re.MULTILINE)
"""A line of a macro and nothing else, in the first column: `ABSL_NAMESPACE_BEGIN`."""

_BEFORE_FUNCTION = re.compile(
    rb"^([ \t]*"
    + _SPECIFIER
    + rb"*)((?:"
    + _MACRO
    + _ARGUMENTS
    + rb"?\s+){1,4})(?=[A-Za-z_][\w:<>,]*[ \t*&\n]+\(?~?[A-Za-z_])",
    re.MULTILINE,
)
"""A macro before a type and a name: `UV_EXTERN int uv_run(…`, `LUALIB_API int (luaL_ref) (…`."""

_BEFORE_CONSTRUCTOR = re.compile(
    rb"^([ \t]*)((?:" + _MACRO + _ARGUMENTS + rb"?\s+){1,4})(?=(?:\w+::)*(\w+)(?:<[^<>(){};\n]*>)?::~?\3\s*\()",
    re.MULTILINE,
)
"""A macro before a constructor or destructor outside of its class: `FMT_INLINE list::list(int n)`."""

_BEFORE_QUALIFIED_NAME = re.compile(
    rb"^((?:[\w:<>,]+[ \t]+)?(?!(?:const|static|inline|constexpr|virtual|extern|unsigned|struct|class|enum)\b)"
    rb"[\w:<>,]+[ \t]+)"
    rb"(" + _MACRO + rb"[ \t]+)(?=(?:\w+(?:<[^<>(){};\n]*>)?::)+~?\w+[ \t]*\()",
    re.MULTILINE,
)
"""A macro between the type and the qualified name of a function: `void FMT_INLINE list::add(int n)`."""

_BEFORE_TYPE_NAME = re.compile(
    rb"\b((?:class|struct|union)[ \t]+)((?:" + _MACRO + _ARGUMENTS + rb"?\s+){1,4})(?=[A-Za-z_])"
)
_AFTER_PARAMETERS = re.compile(
    rb"(\)(?:\s*(?:const|noexcept|override|final)\b)*\s*)((?:\s"
    + _MACRO
    + _ARGUMENTS
    + rb"?){1,4})(?=\s*(?:[;{]|=\s*(?:0|default|delete)))"
)
"""A macro between parameters and body: `void f() ABSL_LOCKS_EXCLUDED(mu_) {`."""

_IN_PARENTHESES = rb"[^(){};]*(?:\([^(){};]*(?:\([^(){};]*\)[^(){};]*)*\)[^(){};]*)*"
_AROUND_FUNCTION = re.compile(
    rb"^(" + _MACRO + rb"\()(\w[\w \t*&:<>]*[\s*&]\w+[ \t]*\(" + _IN_PARENTHESES + rb"\))(\))(?=\s*\{)", re.MULTILINE
)
"""A macro around a whole head: `UV_UNUSED(static int f(int a)) {`."""

_AROUND_NAME = re.compile(
    rb"([A-Z](?<=[\w*&>][ \t][A-Z])[A-Z0-9]*_[A-Z0-9_]+\(\s*)([A-Za-z_]\w*)(\s*\))"
    rb"(?=\s*\((?:[^;{}()]|\([^()]*\))*\)[^;{}()]*[;{])"
)
"""A macro around the name alone: `void ABSL_INTERNAL_C_SYMBOL(AbslCrash)(int signal) {`.

It begins as _MACRO does, and looks back from there: a pattern that begins with a set of characters is searched for
three times as fast as one that begins with a look behind.
"""

_AROUND_TYPE = re.compile(
    rb"^(" + _SPECIFIER + rb"*(?=\w*[A-Z]{2})\w+)([ \t]*\([^(){};=,]+\))(?=[\s*&]+[A-Za-z_][\w:]*\s*\()", re.MULTILINE
)
"""A macro around the type that a function returns: `PyAPI_FUNC(int) PyList_Size(…`. The grammar of C reads that as it
is, that of C++ if the macro is taken for the type.
"""

_TEST_HEAD = re.compile(
    rb"^((?:static[ \t]+)?[A-Z][A-Z0-9_]+[ \t]*)(\()(\s*)([A-Za-z_]\w*)"
    rb"(?:(\s*,\s+(?!\s))([A-Za-z_]\w*(?!\w))?([^(){};]*))?\)\s(?=\s*\{)",
    re.MULTILINE,
)
"""A macro that makes a function of its arguments: `TEST_IMPL(fs_copy) {`, `TEST(Suite, Case) {`, or of its first one:
`MATCHER_P(Holds, n, "") {`.
"""

_TEST_MACRO_NAMES = re.compile(rb"TEST|SPEC|BENCHMARK|SCENARIO|FIXTURE")
"""Macros whose first argument is the container of the function that the second one names."""

_AFTER_FIELD = re.compile(
    rb"(\w[\])}]?\s+)([A-Z][A-Z0-9_]*(?:GUARDED_BY|ACQUIRED_BEFORE|ACQUIRED_AFTER|DEPRECATED|ALIGNED)"
    + _ARGUMENTS
    + rb")(?=\s*[;={])"
)
"""A macro behind a field: `int n ABSL_GUARDED_BY(mu_);`."""

_NULLABILITY = re.compile(rb"\b()(absl_n(?:onnull|ullable|ullability_unknown)|_N(?:onnull|ullable|ull_unspecified))\b")
"""Whether a pointer may be null, written behind its `*`."""

_MACRO_LINES = rb"(?:" + _MACRO + _ARGUMENTS + rb"?[ \t]*\r?\n[ \t]*){0,8}" + _MACRO + _ARGUMENTS + rb"?"
_AMONG_FIELDS = re.compile(rb"(;[ \t]*\r?\n[ \t]*)(" + _MACRO_LINES + rb")(?=[ \t]*\r?\n)")
_FIRST_FIELDS = re.compile(rb"(\{[ \t]*\r?\n[ \t]*)(" + _MACRO_LINES + rb")(?=[ \t]*\r?\n\s*[^\s}])")
_NAMED_FIELDS = re.compile(rb"^([ \t]*)([A-Z][A-Z0-9_]*_FIELDS)(?=[ \t]*\r?$)", re.MULTILINE)
"""Lines of macros in a struct: `UV_HANDLE_FIELDS`. The last name of an enum looks the same, except for the text before
it.
"""

_CHECKED_PATTERNS: tuple[tuple[re.Pattern[bytes], tuple[bytes, ...]], ...] = (
    (_NULLABILITY, (b"absl_null", b"absl_nonnull", b"_Nonnull", b"_Null")),
    (_FIRST_FIELDS, ()),
    (_AMONG_FIELDS, ()),
    (_NAMED_FIELDS, (b"_FIELDS",)),
    (_BEFORE_TYPE_NAME, ()),
    (_BEFORE_FUNCTION, ()),
    (_BEFORE_CONSTRUCTOR, (b"::",)),
    (_BEFORE_QUALIFIED_NAME, (b"::",)),
    (_AFTER_PARAMETERS, ()),
    (_AFTER_FIELD, (b"GUARDED_BY", b"ACQUIRED_", b"DEPRECATED", b"ALIGNED")),
)
"""Patterns whose second group is blanked, in this order, with words of which one must occur: searching for the words
takes a tenth of the time, and nearly every file has none.
"""

_NOT_LINE_END = re.compile(rb"[^\r\n]")


def blank_cpp_macros(data: bytes) -> PreparedSource:
    """Blank macros for the grammar of C++; see `blank_macros`."""
    return blank_macros(_AROUND_TYPE.sub(_blank_macro, data), qualifies=True)


def blank_macros(data: bytes, *, qualifies: bool = False) -> PreparedSource:
    """Return the text with such macros blanked, of the same length, and the blanked ranges.

    qualifies: whether the grammar knows names such as `Suite::Case`.
    """
    blanked: list[tuple[int, int]] = []

    def blank(match: re.Match[bytes], group: int) -> bytes:
        start, end = match.span(group)
        if match[group].strip():
            blanked.append((start, start + len(match[group].rstrip())))
        return data[match.start() : start] + _NOT_LINE_END.sub(b" ", match[group]) + data[end : match.end()]

    def blank_around(match: re.Match[bytes]) -> bytes:
        blanked.append(match.span(1))
        return b" " * len(match[1]) + match[2] + b" "

    if b"__cplusplus" in data:
        data = _EXTERN_C.sub(lambda match: blank(match, 2), data)
    data = _TEST_HEAD.sub(_rewrite_qualified_test_head if qualifies else _rewrite_test_head, data)
    data = _AROUND_FUNCTION.sub(blank_around, data)
    data = _AROUND_NAME.sub(_blank_all_but_name, data)
    data = _ALONE_ON_LINE.sub(lambda match: blank(match, 1), data)
    for pattern, words in _CHECKED_PATTERNS:
        if not words or any(word in data for word in words):
            data = pattern.sub(lambda match: blank(match, 2), data)
    return data, blanked


def _blank_macro(match: re.Match[bytes]) -> bytes:
    return match[1] + _NOT_LINE_END.sub(b" ", match[2])


def _blank_all_but_name(match: re.Match[bytes]) -> bytes:
    return _NOT_LINE_END.sub(b" ", match[1]) + match[2] + _NOT_LINE_END.sub(b" ", match[3])


def _rewrite_test_head(match: re.Match[bytes]) -> bytes:
    """Rewrite `TEST_IMPL(fs_copy) {` as `TEST_IMPL fs_copy(){`, which makes the macro look like the type."""
    return _rewrite_head(match, b"")


def _rewrite_qualified_test_head(match: re.Match[bytes]) -> bytes:
    """Rewrite `TEST(Suite, Case) {` as `TEST Suite::Case(){`."""
    return _rewrite_head(match, b"::")


def _rewrite_head(match: re.Match[bytes], separator: bytes) -> bytes:
    """Rewrite a test's head. separator: between a suite and its case; empty to leave the suite out."""
    macro, space, first, comma, second, rest = (group or b"" for group in match.group(1, 3, 4, 5, 6, 7))
    if second and not rest.strip() and _TEST_MACRO_NAMES.search(macro):
        suite = first + separator.rjust(len(comma)) if separator else b" " * len(first + comma)
        return macro + b" " + space + suite + second + rest + b"()"
    return macro + b" " + space + first + b"()" + b" " * len(comma + second + rest)
