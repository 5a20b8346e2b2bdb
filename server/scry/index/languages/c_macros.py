"""Macros in C and C++ that stand where the grammar expects none, such as `ABSL_EXPORT` before a declaration.

They are overwritten with blanks, so that every place in the text stays what it was.
"""

from __future__ import annotations

import re

_MACRO = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]+"
_ARGUMENTS = rb"(?:[ \t]*\((?:[^()\n]|\([^()\n]*\))*\))"
_SPECIFIER = rb"(?:(?:static|inline|extern|constexpr|virtual|explicit|const|friend)[ \t]+)"

_EXTERN_C = re.compile(
    rb"(#[ \t]*if(?:def|[ \t]+defined)[ \t(]*__cplusplus\)?[ \t]*\r?\n\s*)(extern[ \t]+\"C\"[ \t]*\{|\})(?=[^\n]*\r?\n\s*#)"
)
_ALONE = re.compile(rb"^(" + _MACRO + _ARGUMENTS + rb"?)(?=[ \t]*\r?\n(?!\s*[{})]))", re.MULTILINE)
"""A line of a macro and nothing else, at the margin: `ABSL_NAMESPACE_BEGIN`."""

_BEFORE = re.compile(
    rb"^([ \t]*" + _SPECIFIER + rb"*)((?:" + _MACRO + _ARGUMENTS + rb"?\s+)+)(?=[A-Za-z_][\w:<>,]*[ \t*&\n]+[*&]*~?[A-Za-z_])",
    re.MULTILINE,
)
"""A macro before a type and a name: `UV_EXTERN int uv_run(…`."""

_OF_TYPE = re.compile(rb"\b((?:class|struct|union)[ \t]+)((?:" + _MACRO + _ARGUMENTS + rb"?\s+)+)(?=[A-Za-z_])")
_BEHIND = re.compile(
    rb"(\)(?:\s*(?:const|noexcept|override|final)\b)*\s*)((?:\s" + _MACRO + _ARGUMENTS + rb"?)+)(?=\s*(?:[;{]|=\s*(?:0|default|delete)))"
)
"""A macro between parameters and body: `void f() ABSL_LOCKS_EXCLUDED(mu_) {`."""

_AROUND = re.compile(rb"^(" + _MACRO + rb"\()(static\b[^{};]*\([^{};]*\))(\))(?=\s*\{)", re.MULTILINE)
"""A macro around a whole head: `UV_UNUSED(static int f(int a)) {`."""

_VISIBLE = re.compile(rb"[^\r\n]")


def blank_macros(data: bytes) -> bytes:
    """The text with such macros blanked, of the same length."""
    if b"__cplusplus" in data:
        data = _EXTERN_C.sub(_keep_first, data)
    data = _AROUND.sub(lambda m: _blank(m[1]) + m[2] + b" ", data)
    data = _ALONE.sub(lambda m: _blank(m[1]), data)
    for pattern in (_OF_TYPE, _BEFORE, _BEHIND):
        data = pattern.sub(_keep_first, data)
    return data


def _keep_first(match: re.Match[bytes]) -> bytes:
    return match[1] + _blank(match[2])


def _blank(piece: bytes) -> bytes:
    return _VISIBLE.sub(b" ", piece)
