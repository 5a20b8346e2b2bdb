"""Markdown sections that name symbols: a heading's prose paired with the code that it shows or names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from training import docs
from training.archives import SourceFile
from training.records import Record

_HEADING = re.compile(r"^#{1,4}\s+(.+?)\s*#*$", re.MULTILINE)
_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"`([A-Za-z_][\w.:]*(?:\(\))?)`")
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*`>|]|<[^>]+>")
_LONGEST = 4000


def mine_markdown(package: str, source: SourceFile) -> Iterator[Record]:
    """Yield a record for each section with prose and either a fenced block or three symbols named in backquotes."""
    pieces = _HEADING.split(_hide_fenced_headings(source.text))
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        blocks = [block.strip() for block in _FENCE.findall(body)]
        prose = _FENCE.sub("", body)
        named = list(dict.fromkeys(_NAMED.findall(prose)))
        plain = _MARKUP.sub(lambda match: match.group(1) or " ", prose).strip()
        code = "\n".join(blocks) if blocks else "\n".join(named) if len(named) >= 3 else ""
        if len(code) >= 40 and docs.is_useful(plain, words=5):
            doc = f"{_MARKUP.sub(' ', title).strip()}. {plain}"[:1500]
            yield Record(package, "markdown", source.path, "section", "", "", doc, code[:_LONGEST])


def _hide_fenced_headings(text: str) -> str:
    """Keep a shell comment inside of a fence from being read as a heading."""
    return _FENCE.sub(lambda match: re.sub(r"^#", " #", match.group(0), flags=re.MULTILINE), text)
