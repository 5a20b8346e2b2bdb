"""Comments and doc strings without their markers."""

from __future__ import annotations

import inspect
import re

_BLOCK = (
    ("/*", "*/"),
    ("{-", "-}"),
    ("--[[", "]]"),
    ("--[=[", "]=]"),
    ("<!--", "-->"),
    ("(*", "*)"),
    ("=begin", "=end"),
)
_LINE = re.compile(r"[ \t]*(?://[/!]*|#+[:!]?|--+(?: ?\|)?|;+|%+)[ ]?")
_STAR = re.compile(r"^[ \t]*\*+(?!/)[ ]?", re.MULTILINE)
_STRING = re.compile(r"[A-Za-z]{0,2}(\"\"\"|'''|\"|')(.*)\1$", re.DOTALL)
_DIRECTIVE = re.compile(
    r"(go:\w|\+build|eslint-|@ts-(ignore|expect-error|nocheck)|prettier-ignore|noqa\b|type: ?ignore|pylint:|pyright:|"
    r"mypy:|nolint|istanbul |c8 |v8 |biome-ignore|rubocop:|clang-format|NOLINT|#?region\b|#?endregion\b)"
)


def doc_text(parts: list[str]) -> str:
    """The doc comment that several comments or a doc string make, in order; directives and rulers are left out."""
    lines = [line.rstrip() for part in parts for line in _plain(part).splitlines() or [""]]
    kept = [line for line in lines if not line or (any(map(str.isalnum, line)) and not _DIRECTIVE.match(line.lstrip()))]
    return "\n".join(kept).strip("\n")


def _plain(comment: str) -> str:
    for opening, closing in _BLOCK:
        if comment.startswith(opening):
            inner = comment[len(opening) :].removesuffix(closing).lstrip("*!").removeprefix(" |")
            return inspect.cleandoc(_STAR.sub("", inner) if opening == "/*" else inner).rstrip(" *")
    string = _STRING.match(comment)
    if string:
        return inspect.cleandoc(string[2])
    return "\n".join(_LINE.sub("", line, count=1) for line in comment.splitlines())
