"""Strip comment markers from comments and doc strings."""

from __future__ import annotations

import re

_BLOCK_MARKERS = (
    ("/*", "*/"),
    ("{-", "-}"),
    ("--[[", "]]"),
    ("--[=[", "]=]"),
    ("<!--", "-->"),
    ("(*", "*)"),
    ("=begin", "=end"),
)
_LINE_MARKER = re.compile(r"(?<![ \t])[ \t]*(?://[/!]*|#+[:!]?|-- ?\||--+|;+|%+)[ ]?")
_STAR_MARGIN = re.compile(r"^[ \t]*\*+(?!/)[ ]?", re.MULTILINE)
_STRING_LITERAL = re.compile(r"(?:~[A-Za-z]|[A-Za-z]{0,2})(\"\"\"|'''|\"|')(.*)\1$", re.DOTALL)
_XML_TAG = re.compile(
    r"</?(?:summary|remarks|para|returns|value|example|c|code|see|seealso|paramref|typeparamref|inheritdoc)\b[^<>]*>"
)
"""Tags of C#'s documentation comments that are dropped; their contents stay."""
_XML_REFERENCE = re.compile(r"<(?:see|seealso|paramref|typeparamref)\s+\w+=\"(?:\w:)?([^\"]*)\"\s*/>")
_XML_PARAMETER = re.compile(r"<(param|typeparam|exception)\s+\w+=\"([^\"]*)\">(.*?)(?:</\1>)?$", re.MULTILINE)
_ELIXIR_DOC_ATTRIBUTE = re.compile(r"@(?:type)?doc\s+(?:~[A-Za-z])?")
_TOOL_DIRECTIVE = re.compile(
    r"(go:\w|\+build|eslint-|@ts-(ignore|expect-error|nocheck)|prettier-ignore|noqa\b|type: ?ignore|pylint:|"
    r"pyright:|mypy:|shellcheck \w+=|nolint|istanbul |c8 |v8 |biome-ignore|rubocop:|clang-format|NOLINT|"
    r"#?region\b|#?endregion\b)"
)

_PROSE_TAG = re.compile(r"[ \t]*[@\\](?:brief|short|summary|description|details)\b[ \t]*")
"""Tags of Doxygen, JSDoc and ApexDoc before prose; the others name a parameter or another place."""


def doc_text(parts: list[str]) -> str:
    """Return the doc comment that several comments or a doc string make, in order, without directives and rulers."""
    lines = [line.rstrip() for part in parts for line in _strip_markers(part).splitlines() or [""]]
    lines = [line[tag.end() :] if (tag := _PROSE_TAG.match(line)) else line for line in lines]
    prose = [
        line for line in lines if not line or (any(map(str.isalnum, line)) and not _TOOL_DIRECTIVE.match(line.lstrip()))
    ]
    return "\n".join(prose).strip("\n")


_PROMPTS = (">>>", "iex>", "iex(", "prop>")
"""The prompts of doctests in Python and Haskell, in Elixir, and of Haskell's properties."""


def split_doctests(doc: str) -> tuple[str, str]:
    """Return a doc comment without its doctests, and these: each from its prompt up to the next empty line."""
    if not any(map(doc.__contains__, _PROMPTS)):
        return doc, ""
    prose: list[str] = []
    tests: list[str] = []
    in_test = False
    for line in doc.split("\n"):
        text = line.lstrip()
        in_test = bool(text) and (in_test or text.startswith(_PROMPTS))
        (tests if in_test else prose).append(line)
    return "\n".join(prose), "\n".join(tests)


def _strip_markers(comment: str) -> str:
    comment = _ELIXIR_DOC_ATTRIBUTE.sub("", comment, count=1) if comment.startswith("@") else comment
    if comment == "false":
        return ""
    for opening, closing in _BLOCK_MARKERS:
        if comment.startswith(opening):
            inner = comment[len(opening) :].removesuffix(closing).lstrip("*!").removeprefix(" |")
            return _clean_indents(_STAR_MARGIN.sub("", inner) if opening == "/*" else inner).rstrip(" *")
    string = _STRING_LITERAL.match(comment)
    if string:
        return _clean_indents(string[2])
    plain = "\n".join(_LINE_MARKER.sub("", line, count=1) for line in comment.splitlines())
    return _strip_xml_tags(plain) if comment.startswith("///") and "<" in plain else plain


def _clean_indents(text: str) -> str:
    """Return a text without the indent that its lines after the first share, and without blank lines at its ends.

    As `inspect.cleandoc` does, in time that the number of blank lines does not square.
    """
    first, *rest = text.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    lines = [first.lstrip(), *(line[margin:] for line in rest)]
    filled = [row for row, line in enumerate(lines) if line]
    return "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""


def _strip_xml_tags(text: str) -> str:
    """Strip C#'s XML: `<param name="a">What.</param>` gives "a: What.", `<see cref="B"/>` gives "B"."""
    return _XML_TAG.sub("", _XML_PARAMETER.sub(r"\2: \3", _XML_REFERENCE.sub(r"\1", text)))
