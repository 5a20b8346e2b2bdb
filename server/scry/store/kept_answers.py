"""Kept answers that show a memory or a note: they are forgotten with it, in whatever project they were given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scry.store import answers
from scry.store.event_upkeep import forget_answers_in_file


def forget_answers_in_projects(data_root: Path, doc_ids: Sequence[str]) -> bool:
    """Removes the answers with these documents from every project's; home: the data folder of all. False when another
    process reads in a journal that still holds them. Raises LogUnavailable.
    """
    if not doc_ids:
        return True
    are_clean = [forget_answers_in_file(path, doc_ids) for path in sorted(data_root.glob(f"*/{answers.ANSWERS_FILE}"))]
    return all(are_clean)
