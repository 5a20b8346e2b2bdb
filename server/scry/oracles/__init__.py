"""The sources of ranked evidence, in the order in which their terms are summed."""

from __future__ import annotations

from scry.oracles import belief, lexical, memory, persona, semantic, temporal
from scry.oracles.oracle import Oracle

ORACLES: tuple[Oracle, ...] = (
    semantic.ORACLE,
    lexical.ORACLE,
    temporal.ORACLE,
    persona.ORACLE,
    belief.ORACLE,
    memory.ORACLE,
)
"""Every oracle, in the order in which their terms are summed."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.oracles.reader import RETRIEVAL_DEPTH as RETRIEVAL_DEPTH
    from scry.oracles.reader import CodeCorpus as CodeCorpus
    from scry.oracles.reader import CommitCorpus as CommitCorpus
    from scry.oracles.reader import NoteCorpus as NoteCorpus
    from scry.oracles.reader import min_matching_terms as min_matching_terms
    from scry.oracles.reader import search_bm25_above as search_bm25_above
    from scry.oracles.temporal import COMMIT_COUNT_DAMPING as COMMIT_COUNT_DAMPING
    from scry.oracles.temporal import MATCHED_COMMIT_WEIGHT as MATCHED_COMMIT_WEIGHT
    from scry.oracles.temporal import MIN_CO_CHANGES as MIN_CO_CHANGES
    from scry.oracles.temporal import YOUNG_HISTORY_COMMITS as YOUNG_HISTORY_COMMITS
    from scry.oracles.temporal import CoChangeCounts as CoChangeCounts
    from scry.oracles.temporal import CoChangeSeeds as CoChangeSeeds
    from scry.oracles.temporal import CommitChanges as CommitChanges
    from scry.oracles.temporal import count_co_changes as count_co_changes
    from scry.oracles.temporal import score_co_changed_documents as score_co_changed_documents
    from scry.oracles.temporal import score_seed_commits as score_seed_commits
else:
    _MODULES = {
        "COMMIT_COUNT_DAMPING": "temporal",
        "CoChangeCounts": "temporal",
        "CoChangeSeeds": "temporal",
        "CodeCorpus": "reader",
        "CommitChanges": "temporal",
        "CommitCorpus": "reader",
        "MATCHED_COMMIT_WEIGHT": "temporal",
        "MIN_CO_CHANGES": "temporal",
        "NoteCorpus": "reader",
        "RETRIEVAL_DEPTH": "reader",
        "YOUNG_HISTORY_COMMITS": "temporal",
        "count_co_changes": "temporal",
        "min_matching_terms": "reader",
        "score_co_changed_documents": "temporal",
        "score_seed_commits": "temporal",
        "search_bm25_above": "reader",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
