"""Recognise Markdown files; sections.py splits them into sections without a grammar."""

from __future__ import annotations

from scry.core.path_kinds import DOCUMENT_LANGUAGES
from scry.index.parse.languages.language import Language

LANGUAGE = Language(name="markdown", extensions=DOCUMENT_LANGUAGES["markdown"])
