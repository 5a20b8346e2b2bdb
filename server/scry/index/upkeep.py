"""What is put in order after files have changed, while nobody waits: the structure around them, the words' counts.

Both take a look at the whole project, so a saved file is findable before, and what is saved meanwhile goes first. That
structure is due is noted with the change itself: whoever comes after a crash does it.
"""

from __future__ import annotations

from collections.abc import Callable

from scry.core.settings import Settings
from scry.index.compact import compact
from scry.index.contents import Contents
from scry.index.project import Project
from scry.index.structures import Structures
from scry.store.index_store import IndexStore

DEAD_SHARE = 0.05
"""Share of replaced files whose words may stay in the word index: BM25 counts them, so scores drift until a rewrite."""


def keep_up(
    project: Project,
    settings: Settings,
    store: IndexStore,
    structures: Structures,
    checkpoint: Callable[[], None],
) -> bool:
    """Does what is due; says whether anything was. structures: those of this store. checkpoint: called every few files;
    may raise Cancelled.
    """
    restructured = structures.keep(store, checkpoint)
    if store.replaced_files <= DEAD_SHARE * store.state().files_indexed:
        return restructured
    with Contents(project, settings, "reading") as contents:
        compact(store, contents, checkpoint)
    return True
