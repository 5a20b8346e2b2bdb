"""What processes must have in common to share a project's indexer."""

from __future__ import annotations

import re

import scry
from scry.index.parser_version import PARSER_VERSION
from scry.store.knowledge_migrations import PROJECT_KNOWLEDGE
from scry.store.migrations import HISTORY, INDEX


def edition() -> str:
    """Scry's version with the numbers of the shapes that an indexer writes, such as 0.1.0+10.1.3.12.

    Two work trees of Scry have one version and may write different shapes: who reads one finds nothing in the other.
    """
    shapes = (len(INDEX), len(HISTORY), len(PROJECT_KNOWLEDGE), PARSER_VERSION)
    return f"{scry.__version__}+{'.'.join(map(str, shapes))}"


def is_newer(other: str) -> bool:
    """Whether an indexer of that edition keeps the index: number by number, so that a shape only moves forward."""
    return _numbers(other) > _numbers(edition())


def describe_other(other: str) -> str:
    """What to tell a person about an indexer of another edition that keeps the index."""
    return f"This project is indexed by Scry {other}, and this is Scry {edition()}: restart to update it."


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]
