"""Recognise Markdown files; formats.py splits them into sections without a grammar.

Markdown: read into sections by sections.py, without a grammar (headings and fences are all that matters here).
"""

from __future__ import annotations

from scry.index.parse.languages.language import Language

LANGUAGE = Language(name="markdown", extensions=(".md", ".markdown", ".mdx", ".mkd"))
