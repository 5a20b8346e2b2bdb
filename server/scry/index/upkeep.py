"""What is put in order after files have changed, while nobody waits: the structure around them, the words' counts.

Both take a look at the whole project, so a saved file is findable before, and what is saved meanwhile goes first. That
structure is due is noted with the change itself: whoever comes after a crash does it.
"""

from __future__ import annotations

from collections.abc import Callable

from scry.core.settings import Settings
from scry.index.compact import compact_word_index
from scry.index.contents import ProjectParser
from scry.index.project import Project
from scry.index.structures import StructureUpdater
from scry.store.index_store import IndexStore

MAX_REPLACED_SHARE = 0.05
"""Share of replaced files whose words may stay in the word index: BM25 counts them, so scores drift until a rewrite."""


def run_maintenance(
    project: Project,
    settings: Settings,
    store: IndexStore,
    structure_updater: StructureUpdater,
    checkpoint: Callable[[], None],
) -> bool:
    """Does what is due; says whether anything was. structures: those of this store. checkpoint: called every few files;
    may raise Cancelled.
    """
    restructured = structure_updater.update(store, checkpoint)
    if store.dead_file_count <= MAX_REPLACED_SHARE * store.state().files_indexed:
        return restructured
    with ProjectParser(project, settings, "reading") as contents:
        compact_word_index(store, contents, checkpoint)
    return True
