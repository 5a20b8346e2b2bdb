"""What processes must have in common to share a project's indexer."""

from __future__ import annotations

import re

import scry
from scry.index.parser_version import PARSER_VERSION
from scry.store.knowledge_migrations import PROJECT_NOTE_MIGRATIONS
from scry.store.migrations import HISTORY_MIGRATIONS, INDEX_MIGRATIONS


def index_format_version() -> str:
    """Scry's version with the numbers of the shapes that an indexer writes, such as 0.1.0+10.1.3.12.

    Two work trees of Scry have one version and may write different shapes: who reads one finds nothing in the other.
    """
    shapes = (len(INDEX_MIGRATIONS), len(HISTORY_MIGRATIONS), len(PROJECT_NOTE_MIGRATIONS), PARSER_VERSION)
    return f"{scry.__version__}+{'.'.join(map(str, shapes))}"


def is_newer_format(version: str) -> bool:
    """Whether an indexer of that edition keeps the index: number by number, so that a shape only moves forward."""
    return _version_numbers(version) > _version_numbers(index_format_version())


def describe_other_version(version: str) -> str:
    """What to tell a person about an indexer of another edition that keeps the index."""
    return f"This project is indexed by Scry {version}, and this is Scry {index_format_version()}: restart to update it."


def _version_numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]
