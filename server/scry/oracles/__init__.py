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
    from scry.oracles.reader import search_bm25 as search_bm25
    from scry.oracles.reader import search_bm25_above as search_bm25_above
else:
    _MODULES = {
        "CodeCorpus": "reader",
        "CommitCorpus": "reader",
        "NoteCorpus": "reader",
        "RETRIEVAL_DEPTH": "reader",
        "min_matching_terms": "reader",
        "search_bm25": "reader",
        "search_bm25_above": "reader",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
