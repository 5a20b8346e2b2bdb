"""Recognise Markdown files; formats.py splits them into sections without a grammar."""

from __future__ import annotations

from scry.index.parse.languages.language import Language

LANGUAGE = Language(name="markdown", extensions=(".md", ".markdown", ".mdx", ".mkd"))
