"""Markdown: read into sections by sections.py, without a grammar (headings and fences are all that matters here)."""

from __future__ import annotations

from scry.index.languages.language import Language

LANGUAGE = Language(name="markdown", extensions=(".md", ".markdown", ".mdx", ".mkd"))
