"""Kept answers that show a memory: they are forgotten with it, in whatever project they were given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scry.store import answers
from scry.store.event_upkeep import forget_answers_with


def forget_answers(home: Path, ids: Sequence[str]) -> bool:
    """Removes the answers with these memories from every project's; home: the data folder of all. False when another
    process reads in a journal that still holds them.
    """
    if not ids:
        return True
    names = [f"memory:{name}" for name in ids]
    are_clean = [forget_answers_with(path, names) for path in sorted(home.glob(f"*/{answers.FILE}"))]
    return all(are_clean)
